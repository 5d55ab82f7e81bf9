import { aHistory } from '../history';

/**
 * Cancel has looked for calls that are being placed, and comes to those that wait: between the two the row is marked.
 * Then the service refuses, and the call would come back.
 */
export const markedWhileItIsCancelled = aHistory({
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'serviceFails', ms: 300_000, status: 429, retryAfter: 30, when: { at: 4_000 } },
    { do: 'cancel', process: 0, order: 1, by: 'orderNumber', when: { at: 5_000 } },
    { do: 'place', process: 1, when: { at: 5_500 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'PATCH',
      holds: '"status":"cancelled"',
      nth: 1,
      when: 'before',
      befalls: { kind: 'slow', ms: 4_000 },
    },
  ],
});
