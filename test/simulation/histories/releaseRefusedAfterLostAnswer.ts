import { aHistory } from '../history';

/**
 * A list was made due, and the answer was lost. When it is asked again n8n refuses: nobody knows by that
 * whether its calls are scheduled.
 */
export const releaseRefusedAfterLostAnswer = aHistory({
  database: 'sqlite',
  visibleAfterMs: 0,
  latencyMs: 10,
  steps: [{ do: 'schedule', process: 0, orders: { from: 1, to: 3 }, when: { at: 0 } }],
  faults: [
    {
      to: 'tables',
      method: 'PATCH',
      holds: '"data":{"batch":"","lockedUntil":0}',
      from: 2_000,
      nth: 1,
      when: 'after',
      befalls: { kind: 'status', status: 502 },
    },
    {
      to: 'tables',
      method: 'PATCH',
      holds: '"data":{"batch":"","lockedUntil":0}',
      from: 2_000,
      nth: 2,
      when: 'before',
      befalls: { kind: 'status', status: 400, message: 'Data table size limit exceeded' },
    },
  ],
});
