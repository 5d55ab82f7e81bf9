import { aHistory } from '../history';

/**
 * n8n writes the rows of a list and answers too late, so they are sent again. Between the two, Cancel
 * reaches the rows that are there.
 */
export const cancelledWhileListIsWrittenTwice = aHistory({
  database: 'sqlite',
  visibleAfterMs: 0,
  triggers: [{ process: 0 }],
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 3 }, when: { at: 3_000 } },
    { do: 'cancel', process: 0, order: 1, by: 'orderNumber', when: { at: 13_000 } },
    { do: 'poll', process: 0, when: { at: 125_000 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'POST',
      path: '/rows',
      holds: 'A-1',
      nth: 1,
      when: 'after',
      befalls: { kind: 'slow', ms: 40_000 },
    },
  ],
});
