import { aHistory } from '../history';

/** The service answers slowly. A person writes into a row of a list how the call has ended by another telephone. */
export const outcomeWrittenWhileWrittenAhead = aHistory({
  settings: { concurrency: 1 },
  isInOrder: true,
  placingMs: 10_000,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 6 }, when: { at: 0 } },
    { do: 'edit', order: 6, cells: { outcome: 'Order confirmed' }, when: { at: 20_000 } },
  ],
});
