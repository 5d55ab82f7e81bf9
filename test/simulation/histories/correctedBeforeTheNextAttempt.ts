import { aHistory } from '../history';

/** Nobody answers the first call, and a person writes into its row that the order is confirmed: she has rung the shop. */
export const correctedBeforeTheNextAttempt = aHistory({
  seed: 720_000_047,
  skews: [0, 0],
  outcomes: { 1: ['no_answer', 'Order confirmed'] },
  settings: { planMinutes: [5] },
  triggers: [{ process: 1 }],
  callSeconds: { min: 20, max: 120 },
  minutes: 15,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 8_689 } },
    {
      do: 'edit',
      order: 1,
      cells: { outcome: 'Order confirmed' },
      where: { status: 'failed' },
      when: { at: 200_000 },
    },
  ],
});
