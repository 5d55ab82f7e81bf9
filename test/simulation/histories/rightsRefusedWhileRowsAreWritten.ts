import { aHistory } from '../history';

/** The rows come in after n8n has refused the right to delete them, and after the next try has looked for them. */
export const rightsRefusedWhileRowsAreWritten = aHistory({
  seed: 20_012_859,
  skews: [0, 0],
  outcomes: { 1: ['Sipariş onaylandı'] },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  database: 'postgres',
  visibleAfterMs: 12_000,
  steps: [
    {
      do: 'callAndWait',
      process: 1,
      orders: { from: 1, to: 1 },
      tries: 3,
      when: { at: 2_818 },
    },
  ],
  faults: [
    {
      to: 'tables',
      method: 'DELETE',
      process: 1,
      from: 2_000,
      nth: 1,
      when: 'before',
      befalls: { kind: 'status', status: 400, message: 'Data table size limit exceeded' },
    },
  ],
});
