import { sleep } from 'n8n-workflow';

/** The longest that one slice holds up everything else in n8n, in milliseconds. */
const SLICE_MS = 15;

/** When the last slice began, in any list: work on several lists holds up n8n like one slice. */
let since = 0;

/**
 * Works through a long list and lets n8n's event loop run in between. It waits for a timer:
 * awaiting a resolved promise would not let requests, polls and other executions run.
 *
 * @param list may do part of the work when it produces an element
 */
export async function inSlices<T>(
  list: Iterable<T>,
  work: (element: T, index: number) => void,
): Promise<void> {
  let index = 0;
  for (const element of list) {
    const spent = Date.now() - since;
    // The time spent is negative when the clock was set back.
    if (spent >= SLICE_MS || spent < 0) {
      await sleep(0);
      since = Date.now();
    }
    work(element, index++);
  }
}
