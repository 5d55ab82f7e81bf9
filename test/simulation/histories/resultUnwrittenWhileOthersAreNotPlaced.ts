import { aHistory } from '../history';

/**
 * n8n's tables fail while calls of a list ring, and their results cannot be written. The service then refuses the
 * others. Only those end as not placed, though the rows of the calls that ring lie between theirs.
 */
export const resultUnwrittenWhileOthersAreNotPlaced = aHistory({
  seed: 13,
  skews: [0, 0],
  settings: { concurrency: 3, continueOnFail: true },
  // In another process, which knows nothing of the results.
  triggers: [{ process: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 40,
  placingMs: 25_000,
  minutes: 20,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 7 }, when: { at: 15_464 } },
    { do: 'tablesFail', ms: 120_000, when: { at: 27_636 } },
    { do: 'serviceFails', ms: 300_000, status: 429, retryAfter: 30, when: { at: 39_508 } },
  ],
});
