import { aHistory } from '../history';

/** Two processes place many calls under one cap, and count while rows of the other become visible late. */
export const capOfTwoProcesses = aHistory({
  skews: [0, 0],
  settings: { maxCallsPerDay: 60, concurrency: 2 },
  latencyMs: 200,
  visibleAfterMs: 12_000,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 60 }, when: { at: 100 } },
    { do: 'call', process: 1, orders: { from: 61, to: 120 }, when: { at: 3_000 } },
  ],
});
