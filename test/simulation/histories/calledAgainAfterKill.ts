import { aHistory } from '../history';

/** n8n is killed while a list is called, and the list is called again: each order has its last word from the second list. */
export const calledAgainAfterKill = aHistory({
  settings: { preventDuplicates: true, concurrency: 1 },
  skews: [0, 0],
  triggers: [{ process: 0 }],
  steps: [
    { do: 'call', process: 1, orders: { from: 1, to: 6 }, when: { at: 3_000 } },
    { do: 'kill', process: 1, when: { on: { to: 'service', method: 'POST', process: 1, nth: 2 } } },
    { do: 'call', process: 0, orders: { from: 1, to: 6 }, when: { at: 60_000 } },
  ],
});
