import { aHistory } from '../history';

/**
 * The list takes several requests to be written, and the last of them is refused, because the log is full:
 * nobody may be called, for the execution says that nobody was. Meanwhile another execution places calls.
 */
export const listRefusedHalfWay = aHistory({
  settings: { preventDuplicates: true },
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1005 }, when: { at: 0 } },
    {
      do: 'place',
      process: 0,
      when: {
        on: { to: 'tables', method: 'POST', path: '/rows', holds: '"status":"scheduled"', nth: 1 },
      },
    },
    { do: 'retry', process: 0, step: 0, when: { at: 60_000 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'POST',
      path: '/rows',
      holds: '"status":"scheduled"',
      nth: 2,
      when: 'before',
      befalls: {
        kind: 'status',
        status: 400,
        message: 'Data table size limit exceeded',
        lateMs: 3_000,
      },
    },
  ],
});

/** The same, and nobody tries it again. */
export const listRefusedForGood = {
  ...listRefusedHalfWay,
  steps: listRefusedHalfWay.steps.filter((step) => step.do !== 'retry'),
};
