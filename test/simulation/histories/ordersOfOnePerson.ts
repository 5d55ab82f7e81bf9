import { aHistory } from '../history';

/** Two people have six orders that are due at once. */
export const ordersOfOnePerson = aHistory({
  minutes: 8,
  people: 2,
  steps: [{ do: 'schedule', process: 0, orders: { from: 1, to: 6 }, when: { at: 3_000 } }],
});
