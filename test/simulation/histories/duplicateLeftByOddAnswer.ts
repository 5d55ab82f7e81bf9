import { aHistory } from '../history';

/** While a duplicate is withdrawn from a list, n8n answers that it has changed nothing, and has. */
export const duplicateLeftByOddAnswer = aHistory({
  seed: 341011300,
  settings: { preventDuplicates: true },
  hasNoLog: true,
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  visibleAfterMs: 0,
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 1, to: 1 }, when: { at: 80 } },
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 5_993 } },
  ],
  faults: [
    {
      ...{ to: 'tables', method: 'PATCH', path: '/update', from: 2_000, nth: 6, when: 'after' },
      befalls: { kind: 'odd', body: [] },
    },
  ],
});
