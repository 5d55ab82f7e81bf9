import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The releases of n8n that can be run here: the newest one that installs, the one that all tests run
 * in, and the last one of version 1.
 */
export const RELEASES = ['newest', 'reference', 'n8n 1'] as const;

export type N8nRelease = (typeof RELEASES)[number];

/** Where the `package.json` and the lock file of each release are. */
const FOLDERS: Record<N8nRelease, string> = {
  newest: 'newest',
  reference: 'reference',
  'n8n 1': 'n8n-1',
};

export function isRelease(name: string): name is N8nRelease {
  return RELEASES.some((release) => release === name);
}

/** What says which packages an installation of a release consists of. */
export function manifestOf(release: N8nRelease): { packageFile: string; lockFile: string } {
  const folder = join(__dirname, 'releases', FOLDERS[release]);
  return { packageFile: join(folder, 'package.json'), lockFile: join(folder, 'package-lock.json') };
}

/** The version of n8n that a release is, such as `2.38.7`. */
export function versionOf(release: N8nRelease): string {
  const { dependencies } = JSON.parse(readFileSync(manifestOf(release).packageFile, 'utf8')) as {
    dependencies: { n8n: string };
  };
  return dependencies.n8n;
}
