import { aHistory } from '../history';

/** One call at a time: a second retry waits for what the first one does, also for a call that a person has cancelled since. */
export const cancelledWhileOtherRetryHasItsTurn = aHistory({
  skews: [0, 0],
  settings: { concurrency: 1 },
  triggers: [{ process: 0 }],
  callSeconds: { min: 20, max: 30 },
  latencyMs: 10,
  placingMs: 25_000,
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 1, to: 8 }, when: { at: 1_000 } },
    { do: 'serviceFails', ms: 60_000, status: 402, when: { at: 20_000 } },
    { do: 'retry', process: 1, step: 0, when: { at: 90_000 } },
    { do: 'cancel', process: 1, order: 8, by: 'phone', when: { at: 100_000 } },
    { do: 'retry', process: 1, step: 0, when: { at: 130_000 } },
  ],
});
