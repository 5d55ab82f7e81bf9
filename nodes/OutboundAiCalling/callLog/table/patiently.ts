import { sleep } from 'n8n-workflow';
import { DataTableError, type DataTableErrorKind } from '../../dataTables/dataTableError';

const AGAIN_AFTER_MS = 1_000;
const TIMES = 30;
/** What may pass by itself: n8n restarts, or something before it says so. */
const PASSING = new Set<DataTableErrorKind>(['unreachable', 'notN8n', 'failing']);

/**
 * Writes what became of a call, which nothing else tells, again and again until n8n is back, or has been
 * away for half a minute or more.
 */
export async function patiently<T>(write: () => Promise<T>, left = TIMES): Promise<T> {
  return await write().catch(async (error: unknown) => {
    const mayPass = error instanceof DataTableError && PASSING.has(error.kind);
    if (!mayPass || left === 0) throw error;
    await sleep(AGAIN_AFTER_MS);
    return await patiently(write, left - 1);
  });
}
