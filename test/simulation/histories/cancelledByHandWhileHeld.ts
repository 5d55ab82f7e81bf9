import { aHistory } from '../history';

/** A person cancels a call that goes on while a poll holds its row between two looks. No attempt follows. */
export const cancelledByHandWhileHeld = aHistory({
  seed: 7,
  skews: [0],
  outcomes: { '1': ['no_answer', 'Order confirmed'] },
  triggers: [{ process: 0, fastChecks: true }],
  settings: { planMinutes: [1, 2] },
  callSeconds: { min: 90, max: 90 },
  latencyMs: 10,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, tries: 3, when: { at: 0 } },
    { do: 'place', process: 0, when: { at: 5_000 } },
    { do: 'poll', process: 0, when: { at: 60_000 } },
    { do: 'cancelByHand', order: 1, when: { at: 75_000 } },
    { do: 'place', process: 0, when: { at: 300_000 } },
  ],
  faults: [],
});
