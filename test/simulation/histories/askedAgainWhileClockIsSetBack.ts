import { aHistory } from '../history';

/** Schedule Call waits for Call Customer to place the same orders, and the clock is set back meanwhile. */
export const askedAgainWhileClockIsSetBack = aHistory({
  seed: 91,
  settings: { preventDuplicates: true },
  latencyMs: 40,
  visibleAfterMs: 12_000,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 5 }, when: { at: 3_000 } },
    { do: 'call', process: 0, orders: { from: 1, to: 5 }, when: { at: 3_400 } },
    { do: 'setClock', process: 0, ms: -60_000, when: { at: 8_000 } },
  ],
});
