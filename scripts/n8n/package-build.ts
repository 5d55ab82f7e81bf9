import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import glob from 'fast-glob';
import { cacheDirectory } from './cache-directory';
import { runCommand } from './command';
import { alone } from './lock';
import { type StepOptions, progressOnStderr, secondsSince } from './progress';

/** The root of this package's checkout. */
export const PROJECT = resolve(__dirname, '..', '..');

/** Everything that the built package is made from. */
const SOURCES = [
  '{nodes,credentials,icons}/**/*',
  'gulpfile.*',
  'scripts/build/**/*',
  'scripts/outputSchemas.mjs',
  'package.json',
  'tsconfig*.json',
  'README.md',
  'LICENSE*',
];

/** What a build always writes. */
const BUILT = join(PROJECT, 'dist', 'nodes', 'OutboundAiCalling', 'OutboundAiCalling.node.js');

/**
 * Packs this package as it would be published, building it first when its sources are newer than
 * what was built.
 *
 * @returns the path of the tarball, in a temporary directory of its own
 */
export async function packPackage(options: StepOptions = {}): Promise<string> {
  return await alone(join(cacheDirectory(), 'build'), async () => {
    if (await isStale()) await build(options);
    const directory = await mkdtemp(join(tmpdir(), 'outbound-package-'));
    await runCommand('npm', ['pack', '--silent', '--pack-destination', directory], {
      cwd: PROJECT,
      signal: options.signal,
    });
    const [tarball] = await readdir(directory);
    if (tarball === undefined) throw new Error('npm pack has made no tarball.');
    return join(directory, tarball);
  });
}

async function isStale(): Promise<boolean> {
  if (!existsSync(BUILT)) return true;
  const builtAt = statSync(BUILT).mtimeMs;
  const sources = await glob(SOURCES, { cwd: PROJECT, stats: true });
  return sources.some((source) => (source.stats?.mtimeMs ?? 0) > builtAt);
}

async function build({ progress = progressOnStderr, signal }: StepOptions): Promise<void> {
  const startedAt = Date.now();
  progress('package: building');
  await runCommand('npm', ['run', '--silent', 'build'], { cwd: PROJECT, signal });
  progress(`package: built in ${secondsSince(startedAt)}`);
}
