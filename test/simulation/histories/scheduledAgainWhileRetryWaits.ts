import { aHistory } from '../history';

/**
 * A retry asks once more how a call has ended, and a person has had that call placed again meanwhile. The outcome
 * of the first call does not become that of the second.
 */
export const scheduledAgainWhileRetryWaits = aHistory({
  seed: 1850001996,
  skews: [0, 0],
  outcomes: { '10': ['Not Interested'], '11': ['Order confirmed', 'no_answer'] },
  settings: { planMinutes: [30] },
  triggers: [{ process: 1 }],
  callSeconds: { min: 30, max: 30 },
  latencyMs: 10,
  steps: [
    { do: 'callAndWait', process: 1, orders: { from: 10, to: 11 }, when: { at: 450 } },
    { do: 'scheduleByHand', order: 11, when: { at: 94_000 } },
    { do: 'place', process: 1, when: { at: 160_000 } },
    { do: 'retry', process: 0, step: 0, when: { at: 161_000 } },
  ],
  faults: [
    {
      to: 'service',
      process: 1,
      from: 2_000,
      nth: 1,
      when: 'after',
      befalls: { kind: 'status', status: 503 },
    },
  ],
});
