import { aHistory } from '../history';

/** A list is called while another execution begins with a part of the same orders: each is called once, and nobody is forgotten. */
export const listsThatOverlap = aHistory({
  settings: { preventDuplicates: true },
  isInOrder: true,
  placingMs: 25_000,
  triggers: [{ process: 0 }],
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 200 }, when: { at: 3_000 } },
    { do: 'call', process: 0, orders: { from: 40, to: 120 }, when: { at: 63_000 } },
  ],
});
