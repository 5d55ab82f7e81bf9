import { aHistory } from '../history';

/**
 * A person empties the cell `batch` of a call that waits, just before a process ends what dead executions have
 * left behind. The call is of no list, and is placed.
 */
export const batchEmptiedWhileDeadAreEnded = aHistory({
  skews: [0, 0],
  triggers: [{ process: 1 }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  steps: [
    { do: 'schedule', process: 1, orders: { from: 5, to: 5 }, when: { at: 8_000 } },
    { do: 'call', process: 0, orders: { from: 1, to: 1 }, when: { at: 20_000 } },
    { do: 'edit', order: 5, cells: { batch: null }, when: { at: 28_000 } },
  ],
  faults: [
    {
      to: 'tables',
      holds: 'before it came to this call',
      nth: 1,
      when: 'before',
      befalls: { kind: 'pause', ms: 20_000 },
    },
  ],
});
