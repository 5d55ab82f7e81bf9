import { aHistory } from '../history';

/**
 * A call waits for another one to the same person while n8n answers late for ten minutes: its row is marked and given
 * back without an answer. Nobody has cancelled it.
 */
export const waitsForTurnWhileN8nIsLate = aHistory({
  seed: 392_017_448,
  skews: [0, 0],
  outcomes: { 2: ['no_answer'], 3: ['Order confirmed'], 4: ['no_answer'], 5: ['voicemail'] },
  settings: { maxCallsPerPersonPerDay: 3 },
  triggers: [{ process: 0 }, { process: 1, finalOnly: true }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  database: 'postgres',
  visibleAfterMs: 20,
  minutes: 15,
  people: 3,
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 2, to: 5 }, when: { at: 18_592 } },
    { do: 'place', process: 0, when: { at: 179_034 } },
    { do: 'place', process: 1, when: { at: 57_032 } },
    { do: 'serviceFails', ms: 300_000, status: 429, when: { at: 118_326 } },
    { do: 'tablesSlow', ms: 600_000, lateMs: 40_000, when: { at: 34_607 } },
  ],
  faults: [
    { to: 'tables', from: 2_000, nth: 3, when: 'after', befalls: { kind: 'status', status: 500 } },
  ],
});
