import { aHistory } from '../history';

/** A list that fits into one request, which is what it has to be written with. */
export const longList = aHistory({
  steps: [{ do: 'schedule', process: 0, orders: { from: 1, to: 200 }, when: { at: 0 } }],
});
