import { aHistory } from '../history';

/** An execution calls two people about six orders, and waits minutes for the end of each call. */
export const ordersOfOnePersonAwaited = aHistory({
  minutes: 35,
  people: 2,
  callSeconds: { min: 480, max: 540 },
  steps: [{ do: 'callAndWait', process: 0, orders: { from: 1, to: 6 }, when: { at: 3_000 } }],
});
