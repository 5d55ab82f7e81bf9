import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type N8nRelease, manifestOf } from './release';

/**
 * Where installations of n8n are kept. One takes 2.5 GB, so it lies outside the checkout and is
 * shared by all checkouts.
 */
export function cacheDirectory(): string {
  const { OUTBOUND_AI_CALLING_CACHE, XDG_CACHE_HOME } = process.env;
  const base = OUTBOUND_AI_CALLING_CACHE || XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(base, 'n8n-nodes-outbound-ai-calling');
}

/** The installation that belongs to a release's lock file: another lock file, another directory. */
export function n8nDirectory(release: N8nRelease): string {
  const lock = readFileSync(manifestOf(release).lockFile);
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  return join(cacheDirectory(), `n8n-${hash}`);
}
