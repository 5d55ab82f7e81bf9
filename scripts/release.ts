/**
 * `npm run release -- <version>`: prepares a release in the current directory and publishes nothing.
 * The tag does that, once it is pushed: `.github/workflows/publish.yml`.
 *
 * The version is all that `npm version` takes: `patch`, `minor`, `major`, or a number.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { datedChangelog } from './release/changelog';
import { type Owner, placeholdersOf } from './release/owner';

/** The branch on which changes are reviewed. */
const MAIN = 'main';
const CHANGELOG = 'CHANGELOG.md';
const VERSIONED = ['package.json', 'package-lock.json'];

function output(program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

const git = (...args: string[]) => output('git', ...args);

/** Sets the version in `package.json` and the lock file, and gives it. */
function setVersion(wanted: string): string {
  output('npm', 'version', wanted, '--no-git-tag-version', '--allow-same-version');
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
}

function release(wanted: string | undefined): string {
  if (wanted === undefined) {
    throw new Error('Say which version: npm run release -- patch (or minor, major, 1.2.3)');
  }
  if (git('status', '--porcelain') !== '') {
    throw new Error('There are changes that are not committed. Commit or remove them first.');
  }
  if (git('branch', '--show-current') !== MAIN) {
    throw new Error(`Only what is on ${MAIN} is published: git switch ${MAIN}`);
  }
  const placeholders = placeholdersOf(JSON.parse(readFileSync('package.json', 'utf8')) as Owner);
  if (placeholders.length > 0) {
    throw new Error(
      `Set ${placeholders.join(', ')} in package.json first; CONTRIBUTING.md says how.`,
    );
  }
  try {
    const version = setVersion(wanted);
    if (git('tag', '--list', version) !== '') throw new Error(`There is a tag ${version} already.`);
    const today = new Date().toISOString().slice(0, 10);
    const changelog = datedChangelog(readFileSync(CHANGELOG, 'utf8'), version, today);
    writeFileSync(CHANGELOG, changelog);
    git('commit', '--quiet', '--message', `Release ${version}`, '--', CHANGELOG, ...VERSIONED);
    git('tag', '--annotate', version, '--message', version);
    return version;
  } catch (error) {
    git('checkout', '--quiet', '--', CHANGELOG, ...VERSIONED);
    throw error;
  }
}

try {
  const version = release(process.argv[2]);
  const push = `git push --atomic origin ${MAIN} ${version}`;
  console.log(`${version} is committed and tagged here. To publish it: ${push}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
