import { sleep } from 'n8n-workflow';

/** How late a deadline may be noticed, in milliseconds. */
const TICK_MS = 100;

/** `at`: milliseconds of `performance.now()`, a clock that nobody can set. */
const open = new Set<{ at: number; end: () => void }>();
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
 * Calls `end` after `ms`, unless the returned function was called before. All deadlines share one
 * timer: a timer for each would outlive its request.
 */
export function atDeadline(ms: number, end: () => void): () => void {
  const deadline = { at: performance.now() + ms, end };
  open.add(deadline);
  if (!isWatching) void watch();
  return () => open.delete(deadline);
}
