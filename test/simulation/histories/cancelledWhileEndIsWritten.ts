import { aHistory } from '../history';

/** Cancel comes between the look that found the end and the row that says so. */
export const cancelledWhileEndIsWritten = aHistory({
  settings: { planMinutes: [2] },
  outcomes: { 1: ['no_answer'] },
  triggers: [{ process: 0, finalOnly: true }],
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'place', process: 0, when: { at: 5_000 } },
    { do: 'poll', process: 0, when: { at: 60_000 } },
    {
      do: 'cancel',
      process: 0,
      order: 1,
      by: 'orderNumber',
      when: { on: { to: 'service', method: 'GET', nth: 1 }, afterMs: 400 },
    },
  ],
  faults: [
    {
      to: 'tables',
      method: 'POST',
      path: '/rows',
      holds: '"no_answer"',
      nth: 1,
      when: 'before',
      befalls: { kind: 'slow', ms: 3_000 },
    },
  ],
});
