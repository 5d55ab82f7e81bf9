import { aHistory } from '../history';

/**
 * A person deletes the newest row while its call goes on, and SQLite gives its id to the row of the next call:
 * whoever writes the end of the first deletes the row of the second, by the id.
 */
export const idOfDeletedRowGivenAgain = aHistory({
  database: 'sqlite',
  visibleAfterMs: 0,
  latencyMs: 10,
  settings: { maxInProgress: 1 },
  triggers: [{ process: 0 }],
  callSeconds: { min: 30, max: 30 },
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 2 }, when: { at: 3_000 } },
    { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 10_000 } },
    { do: 'deleteRows', order: 1, when: { at: 23_000 } },
  ],
});
