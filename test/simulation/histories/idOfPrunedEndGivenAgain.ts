import { aHistory } from '../history';

/**
 * The newest end is pruned seconds after it was handed over, and SQLite gives its id to the next end, which is
 * written within the same seconds: it is another outcome.
 */
export const idOfPrunedEndGivenAgain = aHistory({
  seed: 5,
  database: 'sqlite',
  visibleAfterMs: 0,
  latencyMs: 10,
  triggers: [{ process: 0, fastChecks: true }],
  callSeconds: { min: 30, max: 36 },
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 2 }, when: { at: 3_000 } },
    { do: 'place', process: 0, keepOnSeconds: 0, when: { at: 10_000 } },
    { do: 'poll', process: 0, when: { at: 12_000 } },
    { do: 'prune', process: 0, order: 1, when: { at: 45_500 } },
    { do: 'prune', process: 0, order: 2, when: { at: 45_500 } },
    { do: 'poll', process: 0, when: { at: 300_000 } },
    { do: 'poll', process: 0, when: { at: 900_000 } },
  ],
});
