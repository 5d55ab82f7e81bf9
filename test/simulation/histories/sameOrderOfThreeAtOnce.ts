import { aHistory } from '../history';

/**
 * Three executions want the same call at once. One schedules it where duplicates are allowed, and sees the call of
 * another about to be placed, which sees it. One of them goes on.
 */
export const sameOrderOfThreeAtOnce = aHistory({
  seed: 70015874,
  skews: [0, 0],
  triggers: [{ process: 1, finalOnly: true, events: ['outcomeAvailable'] }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 400,
  visibleAfterMs: 0,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 3, to: 3 }, tries: 3, when: { at: 13_080 } },
    { do: 'place', process: 0, when: { at: 78_011 } },
    { do: 'place', process: 0, when: { at: 183_058 } },
    {
      do: 'callAndWait',
      process: 0,
      orders: { from: 3, to: 3 },
      tries: 3,
      settings: { preventDuplicates: true },
      when: { at: 13_112 },
    },
    {
      do: 'schedule',
      process: 0,
      orders: { from: 3, to: 3 },
      tries: 3,
      settings: { preventDuplicates: true },
      when: { at: 13_754 },
    },
  ],
  faults: [
    {
      to: 'tables',
      method: 'GET',
      process: 0,
      from: 2_000,
      nth: 1,
      when: 'before',
      befalls: { kind: 'pause', ms: 300_000 },
    },
  ],
});
