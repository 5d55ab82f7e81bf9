import { setTimeout as delay } from 'node:timers/promises';

/** Only for what never comes: a busy machine may take minutes. */
const LONGEST_WAIT_MS = 600_000;
const FIRST_PAUSE_MS = 100;
/** To ask n8n for its executions costs it a fiftieth of a second of processor time. */
const LONGEST_PAUSE_MS = 1_000;

/** Looks until something is so. What never becomes so is for the assertion after it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (let pauseMs = FIRST_PAUSE_MS; !(await isSo()) && Date.now() < deadline;) {
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 1.3, LONGEST_PAUSE_MS);
  }
}
