import { aHistory } from '../history';

/** Two n8n look at the same calls, because the clock of one is minutes ahead: locks have run out there. */
export const clocksFarApart = aHistory({
  seed: 19,
  skews: [0, 0],
  outcomes: {
    '1': ['no_answer'],
    '2': ['Sipariş onaylandı'],
    '3': ['voicemail'],
    '4': ['Not Interested'],
    '5': ['Sipariş onaylandı'],
  },
  settings: { planMinutes: [2, 5] },
  triggers: [{ process: 0 }, { process: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  isInOrder: true,
  minutes: 11,
  database: 'postgres',
  visibleAfterMs: 12_000,
  steps: [
    { do: 'setClock', process: 1, ms: 100_000, when: { at: 0 } },
    { do: 'call', process: 0, orders: { from: 1, to: 5 }, when: { at: 17_000 } },
  ],
  faults: [],
});
