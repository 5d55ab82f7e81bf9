import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from './command';
import { packPackage } from './package-build';
import { type StepOptions, progressOnStderr, secondsSince } from './progress';

/**
 * Packs this package and installs it into an n8n's user folder, as a person would do by hand. To be
 * done before that n8n starts.
 */
export async function installPackage(
  userFolder: string,
  { progress = progressOnStderr, signal }: StepOptions = {},
): Promise<void> {
  const startedAt = Date.now();
  const tarball = await packPackage({ progress, signal });
  const nodes = join(userFolder, '.n8n', 'nodes');
  await mkdir(nodes, { recursive: true });
  try {
    // With its peers npm would bring a second n8n-workflow, whose error classes n8n does not know.
    await runCommand(
      'npm',
      ['install', tarball, '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'],
      { cwd: nodes, signal },
    );
  } finally {
    await rm(dirname(tarball), { recursive: true, force: true });
  }
  progress(`package: installed into n8n in ${secondsSince(startedAt)}`);
}
