import { aHistory, type Fault } from '../history';

const CAP = 17;

/**
 * Two executions were killed as the service took their calls. What they have left in the log is closed while
 * another execution calls under the cap: their calls count all the same.
 */
export const marksOfTheDeadUnderCap = aHistory({
  skews: [0, 0, 0],
  settings: { maxCallsPerDay: CAP, maxInProgress: 40 },
  triggers: [{ process: 1 }],
  steps: [
    { do: 'call', process: 1, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'call', process: 2, orders: { from: 2, to: 2 }, when: { at: 0 } },
    { do: 'schedule', process: 0, orders: { from: 11, to: 22 }, when: { at: 5_000 } },
    {
      do: 'schedule',
      process: 0,
      orders: { from: 23, to: 32 },
      delayMinutes: 5,
      when: { at: 6_000 },
    },
    {
      do: 'schedule',
      process: 0,
      orders: { from: 40, to: 40 },
      delayMinutes: 120,
      when: { at: 10_000 },
    },
    { do: 'place', process: 0, keepOnSeconds: 900, when: { at: 20_000 } },
    { do: 'poll', process: 1, when: { at: 250_000 } },
  ],
  callSeconds: { min: 1_800, max: 1_800 },
  faults: [1, 2].map((process): Fault => ({
    to: 'service',
    method: 'POST',
    process,
    nth: 1,
    when: 'after',
    befalls: { kind: 'kill' },
  })),
});
