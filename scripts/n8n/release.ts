import { join } from 'node:path';

/** The releases of n8n that can be run here: the newest one, and the last one of version 1. */
export type N8nRelease = 'newest' | 'n8n 1';

/** Where the `package.json` and the lock file of each release are. */
const FOLDERS: Record<N8nRelease, string> = {
  newest: __dirname,
  'n8n 1': join(__dirname, 'n8n-1'),
};

/** What says which packages an installation of a release consists of. */
export function manifestOf(release: N8nRelease): { packageFile: string; lockFile: string } {
  const folder = FOLDERS[release];
  return { packageFile: join(folder, 'package.json'), lockFile: join(folder, 'package-lock.json') };
}
