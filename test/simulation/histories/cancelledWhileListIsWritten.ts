import { aHistory } from '../history';

/** Cancel comes after the rows were written ahead and before they are scheduled. */
export const cancelledWhileListIsWritten = aHistory({
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 3 }, when: { at: 0 } },
    {
      do: 'cancel',
      process: 0,
      order: 2,
      by: 'orderNumber',
      when: {
        on: { to: 'tables', method: 'POST', path: '/rows', holds: '"A-2"', nth: 1 },
        afterMs: 50,
      },
    },
  ],
  faults: [
    {
      to: 'tables',
      method: 'POST',
      path: '/rows',
      holds: '"status":"scheduled"',
      nth: 1,
      when: 'before',
      befalls: { kind: 'slow', ms: 5_000 },
    },
  ],
});
