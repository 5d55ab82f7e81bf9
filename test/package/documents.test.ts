import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import glob from 'fast-glob';
import manifest from '../../package.json';
import { PROJECT, RELEASES, versionOf } from '../../scripts/n8n';

const read = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
const found = (patterns: string[]) =>
  glob.sync(patterns, { cwd: PROJECT, dot: true, ignore: ['**/node_modules/**', 'dist/**'] });

describe('SECURITY.md', () => {
  const named = [...read('SECURITY.md').matchAll(/^- `(test\/.+\.test\.ts)`: (.+)$/gm)];

  it.each(named.map(([, file = '', title = '']) => ({ file, title })))(
    'names a test that is there: $title',
    ({ file, title }) => {
      const lines = read(file).split('\n');
      const isTitle = (line: string) => /^[^'"`]*['"`]/.test(line) && !/^ *(\/\/|\*)/.test(line);
      expect(lines.filter((line) => line.includes(title) && isTitle(line))).not.toEqual([]);
    },
  );

  it('names a test for every threat', () => {
    const threats = read('SECURITY.md').split(/^### /m).slice(1);
    expect(threats.length).toBeGreaterThanOrEqual(8);
    for (const threat of threats) expect(threat).toMatch(/^- `test\//m);
  });
});

describe('the table of compatibility in the README', () => {
  it('names the releases of n8n that tests run in', () => {
    const [, table = ''] = read('README.md').split('### Compatibility');
    const versions = [...table.matchAll(/^\| (\d+\.\d+\.\d+) /gm)].map(([, version]) => version);
    expect(versions).toEqual(RELEASES.map(versionOf));
  });
});

describe('commands', () => {
  it.each(found(['*.md', 'docs/*.md', '.github/**/*.{md,yml}', '.ci/run']))(
    'that %s names are in package.json',
    (file) => {
      const commands = read(file).matchAll(
        /\bnpm (?:run (?:--silent )?([a-z][\w:-]*)|(test|start))\b/g,
      );
      const names = [...commands].map(([, script, short]) => script ?? short);
      expect(names.filter((name) => name !== undefined && !(name in manifest.scripts))).toEqual([]);
    },
  );
});

describe('links', () => {
  it.each(found(['*.md', 'docs/*.md']))('within the project lead somewhere in %s', (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)];
    const paths = links.map(([, link = '']) => join(PROJECT, dirname(file), link));
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('files', () => {
  const FOLDERS = ['', 'nodes/OutboundAiCalling/', 'test/simulation/', '.github/workflows/'];

  it.each(found(['*.md', 'docs/*.md']))(
    'of the code that %s names by their path are there',
    (page) => {
      const named = [...read(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs|cjs))`/g)];
      const missing = named
        .map(([, path = '']) => path)
        .filter((path) => !FOLDERS.some((folder) => existsSync(join(PROJECT, folder, path))));
      expect(missing).toEqual([]);
    },
  );
});

describe('a page of docs', () => {
  it.each(found(['docs/*.md']))('begins with a picture or a snippet: %s', (page) => {
    const [beginning = ''] = read(page).split(/^(?:## |\|)/m);
    expect(beginning).toMatch(/^(?:!\[|```)/m);
  });
});

describe('the length of a page', () => {
  const lines = (file: string) => read(file).trimEnd().split('\n').length;

  it('is at most 200 lines for the README', () => {
    expect(lines('README.md')).toBeLessThanOrEqual(200);
  });

  it.each(found(['docs/*.md']))('is at most 150 lines for %s', (file) => {
    expect(lines(file)).toBeLessThanOrEqual(150);
  });
});
