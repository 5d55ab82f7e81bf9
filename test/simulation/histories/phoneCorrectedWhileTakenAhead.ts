import { aHistory, phoneOf } from '../history';

/**
 * Those who are due first stand on the do-not-call list, so 250 rows are taken at once. A person corrects the
 * number of one of them, long before it rings.
 */
export const phoneCorrectedWhileTakenAhead = aHistory({
  settings: { maxInProgress: 2, doNotCall: true },
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 30 }, when: { at: 0 } },
    { do: 'doNotCall', order: 1, when: { at: 5_000 } },
    { do: 'doNotCall', order: 2, when: { at: 5_000 } },
    { do: 'place', process: 0, keepOnSeconds: 600, when: { at: 10_000 } },
    { do: 'edit', order: 30, cells: { customerPhone: phoneOf(900) }, when: { at: 20_000 } },
  ],
  callSeconds: { min: 20, max: 22 },
});
