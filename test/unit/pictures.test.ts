import { readFile, readdir, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import glob from 'fast-glob';
import { PROJECT } from '../../scripts/n8n';
import {
  allSubjects,
  fingerprint,
  LARGEST_PICTURE,
  PICTURES,
  readManifest,
} from '../../scripts/pictures/subjects';

/** A picture of this repository, in a page of it: by its path, or by the address at which npm finds it. */
const SHOWN = [/!\[[^\]]*\]\(([^)\s]+)/g, /<(?:img|source)\b[^>]*?\b(?:src|srcset)="([^"\s]+)/g];
const RAW = /^https:\/\/raw\.githubusercontent\.com\/[^/]+\/[^/]+\/[^/]+\//;
const BLOB = /^https:\/\/github\.com\/[^/]+\/[^/]+\/(?:blob|raw)\/[^/]+\//;

/** The files of this repository that a page shows as pictures. */
function picturesIn(page: string, text: string): string[] {
  const targets = SHOWN.flatMap((pattern) => [...text.matchAll(pattern)].map(([, to = '']) => to));
  return targets.flatMap((target) => {
    const [path = ''] = target.split(/[?#]/);
    const inside = [RAW, BLOB].find((address) => address.test(path));
    if (inside !== undefined) return [path.replace(inside, '')];
    return /^[a-z]+:/i.test(path) ? [] : [posix.join(posix.dirname(page), path)];
  });
}

const exists = async (path: string) =>
  await stat(join(PROJECT, path)).then(
    () => true,
    () => false,
  );

const AGAIN = 'npm run pictures takes them anew';

describe('the pictures in the documents', () => {
  it('are all there, and show what there is now', async () => {
    const taken = await readManifest();
    const present = new Set(await readdir(PICTURES));
    const outdated = (await allSubjects()).filter(
      (subject) =>
        !present.has(`${subject.name}.png`) || taken[subject.name] !== fingerprint(subject),
    );
    expect({ outdated: outdated.map(({ name }) => name), AGAIN }).toEqual({ outdated: [], AGAIN });
  });

  it('show nothing that is no more', async () => {
    const names = (await allSubjects()).map(({ name }) => `${name}.png`);
    const extra = (await readdir(PICTURES)).filter((file) => !names.includes(file));
    expect(extra).toEqual(['pictures.json']);
  });

  it('are PNG files that load quickly', async () => {
    for (const file of (await readdir(PICTURES)).filter((name) => name.endsWith('.png'))) {
      const png = await readFile(join(PICTURES, file));
      expect([file, png.subarray(1, 4).toString()]).toEqual([file, 'PNG']);
      expect([file, png.length < LARGEST_PICTURE]).toEqual([file, true]);
    }
  });

  it('are where pages look for them, and each in a page', async () => {
    const pages = await glob(['*.md', 'docs/**/*.md'], { cwd: PROJECT });
    const shown = await Promise.all(
      pages.map(async (page) =>
        picturesIn(page, await readFile(join(PROJECT, page), 'utf8')).map((path) => ({
          page,
          path,
        })),
      ),
    );
    const missing = await Promise.all(
      shown.flat().map(async (one) => ((await exists(one.path)) ? [] : [one])),
    );
    expect(missing.flat()).toEqual([]);
    const paths = new Set(shown.flat().map(({ path }) => path));
    const all = (await allSubjects()).map(({ name }) => `docs/pictures/${name}.png`);
    expect(all.filter((path) => !paths.has(path))).toEqual([]);
  });
});

describe('picturesIn', () => {
  it('finds pictures however a page names them, and leaves those of others alone', () => {
    const text = [
      '![A canvas](docs/pictures/a.png) and ![b](../b.png "B")',
      '<picture><source srcset="https://raw.githubusercontent.com/o/r/v1.0/docs/c.png"><img alt="" src="d.png"></picture>',
      '![e](https://github.com/o/r/blob/main/docs/e.png?raw=true) ![](https://img.shields.io/x.svg)',
    ].join('\n');
    expect(picturesIn('docs/page.md', text).sort()).toEqual(
      ['b.png', 'docs/c.png', 'docs/d.png', 'docs/docs/pictures/a.png', 'docs/e.png'].sort(),
    );
  });
});
