import { aHistory, type Fault, type Step } from '../history';

const UNTIL_THE_FIRST_OUTCOME: Step[] = [
  { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 3_000 } },
  { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 5_000 } },
  { do: 'poll', process: 0, when: { at: 70_000 } },
];

const UNTIL_THE_LAST_WORD: Step[] = [
  { do: 'place', process: 0, keepOnSeconds: 0, when: { at: 300_000 } },
  { do: 'poll', process: 0, when: { at: 370_000 } },
  { do: 'poll', process: 0, when: { at: 770_000 } },
];

const lastAttempt = (between: Step[], faults: Fault[] = []) =>
  aHistory({
    triggers: [{ process: 0, finalOnly: true, events: ['outcomeAvailable'] }],
    settings: { planMinutes: [3], doNotCall: true },
    outcomes: { 1: ['no_answer', 'Order confirmed'] },
    callSeconds: { min: 20, max: 25 },
    steps: [...UNTIL_THE_FIRST_OUTCOME, ...between, ...UNTIL_THE_LAST_WORD],
    faults,
  });

/** Nobody answers. Before the second attempt the person gets onto the do-not-call list. */
export const lastAttemptIsNotAllowed = lastAttempt([
  { do: 'doNotCall', order: 1, when: { at: 80_000 } },
]);

/** Nobody answers. Before the second attempt somebody mistypes the phone. */
export const lastAttemptIsNotPlaced = lastAttempt([
  { do: 'edit', order: 1, cells: { customerPhone: '12' }, when: { at: 80_000 } },
]);

/** Nobody answers, and nobody knows whether the second attempt was placed. */
export const lastAttemptIsInDoubt = lastAttempt(
  [],
  [
    {
      to: 'service',
      method: 'POST',
      from: 280_000,
      nth: 1,
      when: 'after',
      befalls: { kind: 'status', status: 500 },
    },
  ],
);
