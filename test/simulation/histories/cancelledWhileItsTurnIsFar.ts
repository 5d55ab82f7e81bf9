import { aHistory } from '../history';

/**
 * A call of a list is cancelled while its row is marked and its turn comes minutes later, as each call before it
 * takes the service long. Nobody is called, and its row says that it was cancelled, not that it is in doubt.
 */
export const cancelledWhileItsTurnIsFar = aHistory({
  seed: 7,
  skews: [0, 0],
  settings: { concurrency: 1 },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  placingMs: 25_000,
  minutes: 14,
  steps: [
    { do: 'call', process: 1, orders: { from: 1, to: 15 }, when: { at: 16_000 } },
    { do: 'cancel', process: 1, order: 14, by: 'orderNumber', when: { at: 102_000 } },
  ],
});
