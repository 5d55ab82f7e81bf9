import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The lock file that says which n8n is installed. */
export const N8N_LOCK_FILE = join(__dirname, 'package-lock.json');

/**
 * Where installations of n8n are kept. One takes 2.5 GB, so it lies outside the checkout and is
 * shared by all checkouts.
 */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.OUTBOUND_AI_CALLING_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(base, 'n8n-nodes-outbound-ai-calling');
}

/** The installation that belongs to the lock file: another lock file, another directory. */
export function n8nDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const hash = createHash('sha256').update(readFileSync(N8N_LOCK_FILE)).digest('hex').slice(0, 16);
  return join(cacheDirectory(env), `n8n-${hash}`);
}
