import { aHistory } from '../history';

/** A person moves a row while a cap is about to put it back. The person's time counts. */
export const movedWhilePutBack = aHistory({
  seed: 31014102,
  skews: [0, 0],
  outcomes: {
    '1': ['Not Interested', 'no_answer'],
    '2': ['voicemail'],
    '3': ['Not Interested', 'voicemail'],
    '4': ['no_answer', 'Not Interested'],
    '5': ['no_answer', 'Order confirmed'],
  },
  settings: { maxCallsPerDay: 4 },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  database: 'postgres',
  visibleAfterMs: 0,
  steps: [
    { do: 'schedule', process: 1, orders: { from: 1, to: 5 }, when: { at: 10130 } },
    { do: 'place', process: 1, when: { at: 43567 } },
    { do: 'editDueAt', order: 5, minutes: 2880, when: { at: 44173 } },
  ],
  faults: [],
});
