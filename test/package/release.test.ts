import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../scripts/n8n';
import { datedChangelog, notesOf } from '../../scripts/release/changelog';

const PLACEHOLDER_EMAIL = 'm@users.noreply.outbound-ai-calling.example';
const TODAY = new Date().toISOString().slice(0, 10);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outbound-release-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version;

/** A project in that state, with everything committed. */
function project({
  email = 'olive@example.com',
  changelog = '# Changelog\n\n## Unreleased\n\n- Calls.\n\n## 0.1.0 (2026-01-02)\n\n- First.\n',
} = {}): void {
  const manifest = {
    name: 'calls',
    version: '0.1.0',
    homepage: 'https://github.com/olive/calls#readme',
    author: { name: 'Olive', email },
    repository: { type: 'git', url: 'git+https://github.com/olive/calls.git' },
  };
  const lock = { name: 'calls', version: '0.1.0', lockfileVersion: 3, packages: { '': manifest } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock, null, 2));
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Olive');
  git('config', 'user.email', 'olive@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'All');
}

function release(...args: string[]): { status: number | null; told: string } {
  const tsx = join(PROJECT, 'node_modules', '.bin', 'tsx');
  const script = join(PROJECT, 'scripts', 'release.ts');
  const { status, stdout, stderr } = spawnSync(tsx, [script, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, told: stdout + stderr };
}

describe('npm run release', () => {
  it('sets the version, dates the entry of the change log, commits and tags', () => {
    project();
    const { status, told } = release('minor');
    expect(told).toMatch(/0\.2\.0 is committed and tagged here/);
    // Together or not at all: a tag whose commit is not on main is not published.
    expect(told).toContain('git push --atomic origin main 0.2.0');
    expect(status).toBe(0);
    expect(['package.json', 'package-lock.json'].map(versionIn)).toEqual(['0.2.0', '0.2.0']);
    expect(read('CHANGELOG.md')).toContain(`## 0.2.0 (${TODAY})\n\n- Calls.`);
    expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0');
    expect(git('tag', '--points-at', 'HEAD')).toBe('0.2.0');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('takes the version that is there for the first release', () => {
    project();
    expect(release('0.1.0').status).toBe(0);
    expect(git('tag', '--list')).toBe('0.1.0');
  });

  it.each([
    ['no version is named', () => project(), [], /Say which version/],
    ['the version is none', () => project(), ['soon'], /Invalid version/],
    [
      'something is not committed',
      () => {
        project();
        writeFileSync(join(folder, 'note.txt'), 'later');
      },
      ['patch'],
      /not committed/,
    ],
    [
      'the branch is another than main',
      () => {
        project();
        git('switch', '--quiet', '--create', 'draft');
      },
      ['patch'],
      /Only what is on main is published/,
    ],
    [
      'the owner is a placeholder',
      () => project({ email: PLACEHOLDER_EMAIL }),
      ['patch'],
      /Set author in package\.json/,
    ],
    [
      'the change log does not say what has changed',
      () => project({ changelog: '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- First.\n' }),
      ['patch'],
      /no entry "## Unreleased"/,
    ],
    [
      'the version has a tag already',
      () => {
        project();
        git('tag', '0.1.1');
      },
      ['patch'],
      /tag 0\.1\.1 already/,
    ],
  ])('changes nothing when %s', (_, prepare, args, words) => {
    prepare();
    const before = [git('status', '--porcelain'), git('log', '--oneline'), git('tag')];
    const { status, told } = release(...args);
    expect(told).toMatch(words);
    expect(status).toBe(1);
    expect([git('status', '--porcelain'), git('log', '--oneline'), git('tag')]).toEqual(before);
    expect(versionIn('package.json')).toBe('0.1.0');
  });
});

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## 0.2.0 (2026-05-03)\n\n- Calls.\n- More.\n\n## 0.1.0\n\n- First.\n';

  it.each([
    ['0.2.0', '- Calls.\n- More.\n'],
    ['0.1.0', '- First.\n'],
  ])('are what the change log says of %s', (version, notes) => {
    expect(notesOf(changelog, version)).toBe(notes);
  });

  it.each(['0.2', '0.3.0', '0x2.0'])(
    'are not made up for a version without an entry: %s',
    (version) => {
      expect(() => notesOf(changelog, version)).toThrow(`no entry "## ${version}"`);
    },
  );
});

describe('the change log of this project', () => {
  it('has an entry that a release can date', () => {
    const changelog = readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8');
    expect(datedChangelog(changelog, '9.9.9', TODAY)).toContain(`\n## 9.9.9 (${TODAY})\n`);
  });
});
