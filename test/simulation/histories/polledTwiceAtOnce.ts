import { aHistory } from '../history';

/** Two polls of a trigger in one process read the same end at once: one of them hands it over. */
export const polledTwiceAtOnce = aHistory({
  seed: 20038045,
  skews: [0, 0],
  outcomes: {
    '1': ['no_answer'],
    '2': ['Order confirmed'],
    '3': ['Order confirmed', 'voicemail', 'no_answer'],
    '4': ['Order confirmed', 'voicemail', 'no_answer'],
    '5': ['Not Interested', 'Order confirmed', 'Order confirmed'],
  },
  settings: { preventDuplicates: true },
  triggers: [{ process: 0, fastChecks: true }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 40,
  database: 'postgres',
  visibleAfterMs: 12000,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 5 }, when: { at: 14721 } },
    { do: 'place', process: 1, when: { at: 159208 } },
    { do: 'poll', process: 0, when: { at: 126298 } },
    { do: 'poll', process: 0, when: { at: 187455 } },
    { do: 'retry', process: 1, step: 0, when: { at: 110365 } },
  ],
  faults: [],
});
