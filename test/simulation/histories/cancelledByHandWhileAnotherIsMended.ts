import { aHistory } from '../history';

/**
 * A person cancels two calls that go on: the second one while a trigger makes the row of the first one say
 * `in_progress` again. Neither is called once more.
 */
export const cancelledByHandWhileAnotherIsMended = aHistory({
  outcomes: { '1': ['no_answer'], '2': ['no_answer'] },
  settings: { planMinutes: [2] },
  triggers: [{ process: 0 }],
  callSeconds: { min: 60, max: 60 },
  latencyMs: 10,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 2 }, when: { at: 3_000 } },
    { do: 'cancelByHand', order: 1, when: { at: 30_000 } },
    {
      do: 'cancelByHand',
      order: 2,
      when: {
        on: {
          to: 'tables',
          method: 'GET',
          holds: '"columnName":"triggeredAt","condition":"neq"',
          from: 31_000,
          nth: 1,
        },
      },
    },
    { do: 'poll', process: 0, when: { at: 60_000 } },
    { do: 'place', process: 0, when: { at: 300_000 } },
  ],
});
