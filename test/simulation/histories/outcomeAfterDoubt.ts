import { aHistory } from '../history';

/** A process that has placed calls stands still. Its calls count as calls that may have been placed, until it writes their outcomes. */
export const outcomeAfterDoubt = aHistory({
  seed: 20043237,
  skews: [0, 0],
  outcomes: {
    '1': ['voicemail'],
    '2': ['no_answer'],
    '3': ['no_answer', 'no_answer', 'no_answer'],
    '4': ['Not Interested'],
  },
  settings: {},
  triggers: [{ process: 1, finalOnly: true, events: ['outcomeAvailable'] }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  database: 'postgres',
  visibleAfterMs: 0,
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 1, to: 4 }, tries: 3, when: { at: 19993 } },
    { do: 'poll', process: 1, when: { at: 245326 } },
  ],
  faults: [
    {
      to: 'service',
      process: 0,
      from: 2000,
      nth: 4,
      when: 'after',
      befalls: { kind: 'pause', ms: 300000 },
    },
  ],
});
