import { sleep } from 'n8n-workflow';

/** Everything else that n8n does waits no longer than this for a slice of work, in milliseconds. */
const SLICE_MS = 15;

/**
 * When a slice began last, whoever works in it: pieces of work that follow each other without a
 * break are one slice for everything that waits.
 */
let since = 0;

/**
 * Works through a long list and lets n8n's event loop run in between. Awaiting a promise would not:
 * only a timer gives way to requests, polls and other executions.
 *
 * @param list may do a part of the work when it is asked for its next element
 */
export async function inSlices<T>(
  list: Iterable<T>,
  work: (element: T, index: number) => void,
): Promise<void> {
  let index = 0;
  for (const element of list) {
    const spent = Date.now() - since;
    // Less than nothing was spent when the clock was set back.
    if (spent >= SLICE_MS || spent < 0) {
      await sleep(0);
      since = Date.now();
    }
    work(element, index++);
  }
}
