import { aHistory } from '../history';

/** The service refuses with 429, and Cancel comes while the call waits for its next try. */
export const cancelledWhilePutBack = aHistory({
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'place', process: 0, when: { at: 5_000 } },
    {
      do: 'cancel',
      process: 0,
      order: 1,
      by: 'orderNumber',
      when: {
        on: { to: 'tables', method: 'PATCH', holds: '"status":"placing"', nth: 1 },
        afterMs: 600,
      },
    },
  ],
  faults: [1, 2].map((nth) => ({
    to: 'service',
    method: 'POST',
    nth,
    when: 'before',
    befalls: { kind: 'status', status: 429, message: 'Too many requests' },
  })),
});
