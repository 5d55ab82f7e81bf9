import { aHistory } from '../history';

/** A process gives back the place of a call that it could not place. Another process places it, and its place counts. */
export const placeOfGivenBackCall = aHistory({
  seed: 21020590,
  skews: [0, 0],
  outcomes: { '1': ['no_answer'] },
  settings: { planMinutes: [2, 5], maxCallsPerPersonPerDay: 2 },
  triggers: [{ process: 1, finalOnly: true, fastChecks: true }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 400,
  database: 'postgres',
  visibleAfterMs: 400,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 3931 } },
    { do: 'place', process: 0, when: { at: 1781 } },
    { do: 'place', process: 1, when: { at: 179933 } },
  ],
  faults: [
    {
      to: 'tables',
      process: 0,
      from: 37,
      nth: 5,
      when: 'after',
      befalls: { kind: 'slow', ms: 40000 },
    },
  ],
});
