import { sleep } from 'n8n-workflow';
import { mayPass } from '../../dataTables/dataTableError';

const AGAIN_AFTER_MS = 1_000;
const TIMES = 30;

/** Repeats a write for half a minute while n8n is away. What became of a call is stored nowhere else. */
export async function writeWithRetry<T>(write: () => Promise<T>, left = TIMES): Promise<T> {
  return await write().catch(async (error: unknown) => {
    if (!mayPass(error) || left === 0) throw error;
    await sleep(AGAIN_AFTER_MS);
    return await writeWithRetry(write, left - 1);
  });
}
