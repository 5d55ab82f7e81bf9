import { aHistory } from '../history';

/**
 * One of two calls that are marked together was cancelled just before, so the rows are read once more. The other one
 * is cancelled between the mark and that reading: it ends as cancelled, not in doubt.
 */
export const cancelledBetweenMarkAndReading = aHistory({
  seed: 8_103_350,
  skews: [0, 0],
  settings: { preventDuplicates: true, maxCallsPerPersonPerDay: 1 },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 400,
  isInOrder: true,
  visibleAfterMs: 12_000,
  steps: [
    { do: 'call', process: 0, orders: { from: 3, to: 4 }, tries: 3, when: { at: 1_886 } },
    { do: 'cancel', process: 0, order: 2, by: 'orderNumber', when: { at: 2_011 } },
    { do: 'cancel', process: 0, order: 3, by: 'phone', when: { at: 10_062 } },
    { do: 'cancel', process: 1, order: 4, by: 'orderNumber', when: { at: 8_066 } },
    { do: 'cancel', process: 0, order: 3, by: 'phone', when: { at: 2_598 } },
  ],
});
