import { aHistory, type Step } from '../history';

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

/** As before, but a person writes `cancelled` over the mark of the other one: its row is settled, not in doubt. */
export const cancelledByHandBetweenMarkAndReading = aHistory({
  seed: 820_007_341,
  skews: [0, 0],
  triggers: [{ process: 0 }, { process: 1, fastChecks: true }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 2_000,
  isInOrder: true,
  database: 'postgres',
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 3, to: 5 }, tries: 3, when: { at: 4_059 } },
    { do: 'cancelByHand', order: 3, when: { at: 22_626 } },
    {
      do: 'edit',
      order: 5,
      cells: { status: 'cancelled' },
      where: { status: 'placing' },
      when: { on: { to: 'tables', holds: '"placing"', nth: 3 }, afterMs: 1_748 },
    },
  ],
});

/** A canceller has written over a mark, and a person over that: the execution settles the row all the same. */
export const cancelledByHandAfterCanceller = aHistory({
  seed: 860_019_315,
  skews: [0, 0],
  outcomes: { 2: ['Sipariş onaylandı'], 3: ['Order confirmed'] },
  settings: { concurrency: 2 },
  triggers: [{ process: 1, finalOnly: true, fastChecks: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  placingMs: 25_000,
  steps: [
    {
      do: 'call',
      process: 0,
      orders: { from: 2, to: 8 },
      tries: 3,
      when: { at: 15_197 },
      settings: { scheduleAgain: true },
    },
    { do: 'cancel', process: 0, order: 8, by: 'phone', when: { at: 21_128 } },
    {
      do: 'edit',
      order: 8,
      cells: { status: 'cancelled' },
      where: { status: 'placing' },
      when: { on: { to: 'tables', holds: '"placing"', nth: 10 }, afterMs: 16_794 },
    },
  ],
});

/**
 * A person writes `cancelled` over marks of a list. While their rows are settled, a trigger takes the word back: it
 * counts as a canceller, and the rows end as cancelled.
 */
export const cancelledByHandWhileTriggerMends = aHistory({
  seed: 950_065_651,
  skews: [0, 0],
  settings: { preventDuplicates: true },
  triggers: [
    { process: 0, fastChecks: true },
    { process: 1, finalOnly: true, fastChecks: true },
  ],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 2_000,
  minutes: 13,
  visibleAfterMs: 12_000,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 18 }, tries: 3, when: { at: 981 } },
    { do: 'place', process: 0, when: { at: 37_163 } },
    ...[4, 5, 6].map((order): Step => ({
      do: 'edit',
      order,
      cells: { status: 'cancelled' },
      where: { status: 'placing' },
      when: { on: { to: 'tables', holds: '"placing"', nth: 5 }, afterMs: 4_154 },
    })),
  ],
});
