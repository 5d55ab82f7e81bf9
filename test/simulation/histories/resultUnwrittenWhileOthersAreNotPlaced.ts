import { aHistory } from '../history';

/**
 * n8n's tables fail while a call of a list rings, and its result cannot be written. The service then refuses the
 * others. Only those end as not placed: the row of the one that rings lies between theirs.
 */
export const resultUnwrittenWhileOthersAreNotPlaced = aHistory({
  seed: 1920001650,
  skews: [0, 0],
  settings: { planMinutes: [1, 2, 30], maxInProgress: 3, concurrency: 1, continueOnFail: true },
  triggers: [{ process: 0 }, { process: 1, finalOnly: true, fastChecks: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 40,
  placingMs: 25_000,
  minutes: 20,
  steps: [
    { do: 'call', process: 0, orders: { from: 6, to: 18 }, tries: 3, when: { at: 15_464 } },
    { do: 'tablesFail', ms: 120_000, when: { at: 59_875 } },
    { do: 'serviceFails', ms: 300_000, status: 429, retryAfter: 30, when: { at: 138_293 } },
  ],
});
