import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { n8nDirectory } from './cache-directory';
import { runCommand } from './command';
import { alone } from './lock';
import { isOnPath } from './programs';
import { type StepOptions, progressOnStderr, secondsSince } from './progress';
import { type N8nRelease, manifestOf } from './release';

const PROGRESS_EVERY_MS = 10_000;

/** What sqlite3 needs, because it is compiled on this machine. */
const BUILD_TOOLS = ['python3', 'make', 'g++'];

export interface InstallationOptions extends StepOptions {
  /** The one that all tests run in, by default. */
  release?: N8nRelease;
}

/**
 * Gives the n8n of a lock file and the Node.js that it needs, installed first when this machine does not have them yet
 * (about four minutes). Both are built beside their place and moved there when complete: what is found there is whole.
 */
export async function ensureN8n(options: InstallationOptions = {}) {
  const release = options.release ?? 'reference';
  const directory = n8nDirectory(release);
  if (!existsSync(directory)) {
    await alone(`${directory}.making`, async () => {
      if (!existsSync(directory)) await install(release, directory, options);
    });
  }
  return {
    nodeBinary: join(directory, 'node_modules', 'node', 'bin', 'node'),
    n8nScript: join(directory, 'node_modules', 'n8n', 'bin', 'n8n'),
  };
}

async function install(
  release: N8nRelease,
  directory: string,
  { progress = progressOnStderr, signal }: StepOptions,
): Promise<void> {
  requireBuildTools();
  const startedAt = Date.now();
  const making = join(`${directory}.making`, 'installation');
  // npm may still write there for a moment, when its parent was ended.
  await rm(making, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  await mkdir(making, { recursive: true });
  const { packageFile, lockFile } = manifestOf(release);
  await copyFile(lockFile, join(making, 'package-lock.json'));
  await copyFile(packageFile, join(making, 'package.json'));

  progress(`Installing n8n into ${directory} (once; about 2.5 GB and four minutes)`);
  const expected = await packagesIn(lockFile);
  await reporting(
    async () => {
      const present = await packagesPresent(join(making, 'node_modules'));
      progress(`  n8n: ${present} of ${expected} packages, ${secondsSince(startedAt)}`);
    },
    // n8n's dependencies include native builds that fail and that it does not need.
    runCommand('npm', ['ci', '--ignore-scripts', '--legacy-peer-deps'], { cwd: making, signal }),
  );
  await reporting(
    () => progress(`  n8n: fetching its Node.js and compiling sqlite3, ${secondsSince(startedAt)}`),
    // Named last so that its prefix wins: npm's own setting may forbid install scripts.
    runCommand('npm', ['rebuild', 'node', 'sqlite3', '--ignore-scripts=false'], {
      cwd: making,
      signal,
    }),
  );
  await requireComplete(making);
  await rename(making, directory);
  progress(`  n8n: installed in ${secondsSince(startedAt)}`);
}

/** Calls `report` at once and then now and again until the work is done. */
async function reporting<T>(report: () => void | Promise<void>, work: Promise<T>): Promise<T> {
  void report();
  const timer = setInterval(() => void report(), PROGRESS_EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

function requireBuildTools(): void {
  const missing = BUILD_TOOLS.filter((tool) => !isOnPath(tool));
  if (missing.length > 0) {
    throw new Error(
      `n8n's database driver (sqlite3) is compiled at installation, and ${missing.join(', ')} ` +
        `cannot be found. On Debian: apt-get install python3 make g++`,
    );
  }
}

async function packagesIn(lockFile: string): Promise<number> {
  const lock = JSON.parse(await readFile(lockFile, 'utf8')) as {
    packages: Record<string, { os?: string[]; cpu?: string[] }>;
  };
  const forThisMachine = Object.values(lock.packages).filter(
    ({ os, cpu }) =>
      (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true),
  );
  return forThisMachine.length - 1; // the first one is the installation itself
}

/** Counts installed packages, nested ones too. */
async function packagesPresent(nodeModules: string): Promise<number> {
  let count = 0;
  for (const name of await entries(nodeModules)) {
    if (name.startsWith('.')) continue;
    const inScope = name.startsWith('@') ? await entries(join(nodeModules, name)) : [''];
    for (const inner of inScope) {
      const path = join(nodeModules, name, inner);
      if (!existsSync(join(path, 'package.json'))) continue;
      count += 1 + (await packagesPresent(join(path, 'node_modules')));
    }
  }
  return count;
}

async function entries(directory: string): Promise<string[]> {
  return await readdir(directory).catch(() => []);
}

async function requireComplete(directory: string): Promise<void> {
  const node = join(directory, 'node_modules', 'node', 'bin', 'node');
  try {
    await runCommand(node, ['-e', "require('sqlite3')"], { cwd: directory });
  } catch (error) {
    throw new Error('n8n was downloaded, but its Node.js or its sqlite3 could not be built.', {
      cause: error,
    });
  }
}
