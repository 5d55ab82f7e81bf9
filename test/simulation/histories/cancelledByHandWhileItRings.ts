import { aHistory } from '../history';

/** A person writes `cancelled` into the row of a call that goes on: its outcome comes all the same. */
export const cancelledByHandWhileItRings = aHistory({
  triggers: [{ process: 0 }],
  callSeconds: { min: 60, max: 60 },
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 2 }, when: { at: 3_000 } },
    { do: 'place', process: 0, when: { at: 10_000 } },
    { do: 'cancelByHand', order: 1, when: { at: 30_000 } },
  ],
});
