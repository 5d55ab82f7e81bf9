import { aHistory } from '../history';

/** The first look says that nobody answered; when the trigger reads, the order is confirmed. */
export const outcomeChangesAfterFirstLook = aHistory({
  settings: { planMinutes: [2] },
  outcomes: { 1: ['no_answer', 'Order confirmed'] },
  triggers: [{ process: 0 }],
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 5_000 } },
    {
      do: 'outcomeChanges',
      order: 1,
      label: 'Order confirmed',
      when: { on: { to: 'tables', method: 'POST', path: '/rows', holds: '"no_answer"', nth: 1 } },
    },
  ],
  callSeconds: { min: 20, max: 20 },
});
