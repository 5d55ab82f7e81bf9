import { sleep } from 'n8n-workflow';

interface Deadline {
  /** Milliseconds of `performance.now()`, a clock that nobody can set. */
  at: number;
  end: () => void;
}

/** How late a deadline may be noticed, in milliseconds. */
const TICK_MS = 100;

const open = new Set<Deadline>();
let isWatching = false;

async function watch(): Promise<void> {
  isWatching = true;
  while (open.size > 0) {
    const now = performance.now();
    let next = TICK_MS;
    for (const deadline of open) {
      if (deadline.at > now) next = Math.min(next, deadline.at - now);
      else if (open.delete(deadline)) deadline.end();
    }
    await sleep(Math.ceil(next));
  }
  isWatching = false;
}

/**
 * Calls `end` after a time, unless the work is done before. All deadlines share one timer: a timer
 * for each would outlive its request.
 *
 * @param ms milliseconds from now
 * @returns removes the deadline; to be called when the work is done
 */
export function atDeadline(ms: number, end: () => void): () => void {
  const deadline = { at: performance.now() + ms, end };
  open.add(deadline);
  if (!isWatching) void watch();
  return () => open.delete(deadline);
}
