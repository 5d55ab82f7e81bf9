import { aHistory } from '../history';

/** n8n renews the mark of a call, whose request was refused, and says of no row that it has. */
export const renewalUnconfirmed = aHistory({
  seed: 394003036,
  latencyMs: 10,
  visibleAfterMs: 0,
  callSeconds: { min: 5, max: 30 },
  skews: [0, 0],
  steps: [{ do: 'call', process: 1, orders: { from: 1, to: 2 }, tries: 3, when: { at: 3_553 } }],
  faults: [
    {
      ...{ to: 'tables', method: 'PATCH', process: 1, from: 2_000, nth: 5, when: 'after' },
      befalls: { kind: 'odd', body: [] },
    },
    {
      ...{ to: 'service', process: 1, from: 2_000, nth: 2, when: 'before' },
      befalls: { kind: 'refused' },
    },
  ],
});
