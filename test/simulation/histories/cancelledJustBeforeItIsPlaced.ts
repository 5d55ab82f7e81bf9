import { aHistory } from '../history';

/** Cancel comes while the change that has the row say `placing` is on its way: it finds no row. */
export const cancelledJustBeforeItIsPlaced = aHistory({
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 3 }, when: { at: 0 } },
    { do: 'place', process: 0, when: { at: 5_000 } },
    { do: 'cancel', process: 0, order: 2, by: 'orderNumber', when: { at: 6_000 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'PATCH',
      holds: '"status":"placing"',
      nth: 1,
      when: 'before',
      befalls: { kind: 'slow', ms: 1_500 },
    },
  ],
});
