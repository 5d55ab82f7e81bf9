import { aHistory } from '../history';
import { idOfDeletedRowGivenAgain } from './idOfDeletedRowGivenAgain';

/** As in that history; but the answer that says which row went is lost, and n8n is asked again. */
export const idOfDeletedRowGivenAgainUnheard = aHistory({
  ...idOfDeletedRowGivenAgain,
  faults: [
    {
      ...{ to: 'tables', method: 'DELETE', path: '/rows/delete', from: 30_000, nth: 1 },
      ...{ when: 'after', befalls: { kind: 'lost' } },
    },
  ],
});

/** The newest row is pruned, while calls are scheduled whose first gets its id from SQLite. */
const pruned = aHistory({
  database: 'sqlite',
  visibleAfterMs: 0,
  latencyMs: 10,
  triggers: [{ process: 0 }],
  callSeconds: { min: 10, max: 12 },
  steps: [
    {
      do: 'schedule',
      process: 0,
      orders: { from: 3, to: 4 },
      delayMinutes: 60,
      when: { at: 2_000 },
    },
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 3_000 } },
    { do: 'place', process: 0, keepOnSeconds: 30, when: { at: 5_000 } },
    { do: 'poll', process: 0, when: { at: 50_000 } },
    { do: 'prune', process: 0, order: 1, when: { at: 70_000 } },
    {
      do: 'schedule',
      process: 0,
      orders: { from: 2, to: 2 },
      delayMinutes: 5,
      when: { at: 96_000 },
    },
    {
      do: 'schedule',
      process: 0,
      orders: { from: 5, to: 7 },
      delayMinutes: 5,
      when: { at: 97_000 },
    },
    { do: 'place', process: 0, keepOnSeconds: 0, when: { at: 460_000 } },
    { do: 'poll', process: 0, when: { at: 560_000 } },
  ],
});

const pruneIsLate = (method: string, path: string) =>
  aHistory({
    ...pruned,
    faults: [
      {
        ...{ to: 'tables', method, path, from: 69_000, nth: 1, when: 'before' },
        befalls: { kind: 'slow', ms: 40_000 },
      },
    ],
  });

/** n8n deletes the pruned row, asked a second time; when it comes to the first, its id is of another call. */
export const idGivenAgainBeforeRowsGo = pruneIsLate('DELETE', '/rows/delete');
/** The same, when n8n is late with what Prune changes before. */
export const idGivenAgainBeforeRowsAreMarked = pruneIsLate('PATCH', '/rows/update');
