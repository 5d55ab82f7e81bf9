import { mkdir } from 'node:fs/promises';
import { lock } from 'proper-lockfile';

/**
 * Does something that must not happen twice at a time on this machine, such as filling a cache.
 * Whoever comes second waits, up to a quarter of an hour; the lock of a process that died is taken over.
 *
 * @param directory what is locked; made when missing
 */
export async function alone<T>(directory: string, work: () => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true });
  const release = await lock(directory, {
    stale: 30_000,
    update: 5_000,
    retries: { retries: 1_800, minTimeout: 500, maxTimeout: 500 },
  });
  try {
    return await work();
  } finally {
    await release();
  }
}
