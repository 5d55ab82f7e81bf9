import { aHistory } from '../history';

/** The customer stands on the do-not-call list when the second attempt is due: that was the last word. */
export const nextAttemptRefused = aHistory({
  settings: { planMinutes: [2], doNotCall: true },
  outcomes: { 1: ['no_answer'] },
  triggers: [{ process: 0, finalOnly: true }],
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'place', process: 0, when: { at: 5_000 } },
    { do: 'doNotCall', order: 1, when: { at: 30_000 } },
  ],
  callSeconds: { min: 60, max: 60 },
});
