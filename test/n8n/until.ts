import { setTimeout as delay } from 'node:timers/promises';

/** Only for what never comes: a busy machine may take minutes. */
const LONGEST_WAIT_MS = 600_000;

/** Looks until something is so. What never becomes so is for the assertion after it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  while (!(await isSo()) && Date.now() < deadline) await delay(500);
}
