import { aHistory, phoneOf, type Step } from '../history';

/** Nobody answers, and a second attempt follows after three minutes. */
const secondAttempt = (...steps: Step[]) =>
  aHistory({
    settings: { planMinutes: [3] },
    outcomes: { 2: ['no_answer'] },
    callSeconds: { min: 20, max: 25 },
    steps: [
      { do: 'schedule', process: 0, orders: { from: 2, to: 2 }, when: { at: 0 } },
      { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 2_000 } },
      ...steps,
    ],
  });

/**
 * When the second attempt is due, a person has scheduled the first one again. With another phone, the second does
 * not wait for it as calls to one person do.
 */
export const nextAttemptDueWhileScheduledAgain = secondAttempt(
  {
    ...{ do: 'edit', order: 2, cells: { customerPhone: phoneOf(900) } },
    ...{ where: { status: 'scheduled' }, when: { at: 200_000 } },
  },
  { do: 'scheduleByHand', order: 2, when: { at: 240_000 } },
  { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 250_000 } },
);

/** The second attempt rings when a person schedules the first one again. */
export const scheduledAgainWhileNextRings = secondAttempt(
  { do: 'place', process: 0, when: { at: 220_000 } },
  { do: 'scheduleByHand', order: 2, when: { at: 222_000 } },
  { do: 'place', process: 0, when: { at: 224_000 } },
);

/** Two attempts reach nobody, the third waits, and the first one, scheduled again, reaches the customer. */
export const confirmedInAttemptScheduledAgain = aHistory({
  settings: { planMinutes: [2, 60] },
  outcomes: { 1: ['no_answer', 'no_answer', 'Order confirmed', 'voicemail'] },
  callSeconds: { min: 20, max: 25 },
  triggers: [{ process: 0, finalOnly: true }],
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 2_000 } },
    { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 180_000 } },
    { do: 'scheduleByHand', order: 1, when: { at: 300_000 } },
    { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 310_000 } },
  ],
});
