import { aHistory } from '../history';

const OUTCOMES = Array.from({ length: 95 }, (_, index) => [
  String(index + 1),
  index % 2 === 0 ? ['no_answer'] : ['voicemail'],
]);

/** The tables of n8n become full: placed calls are written into their old rows, and count for the cap of every process. */
export const capInFullLog = aHistory({
  seed: 21044795,
  skews: [0, 0, 0, 0],
  outcomes: Object.fromEntries(OUTCOMES),
  settings: { planMinutes: [2], preventDuplicates: true, maxCallsPerDay: 100, maxInProgress: 40 },
  triggers: [{ process: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  steps: [
    { do: 'callAndWait', process: 2, orders: { from: 1, to: 78 }, tries: 3, when: { at: 3_728 } },
    { do: 'schedule', process: 0, orders: { from: 80, to: 95 }, tries: 3, when: { at: 8_353 } },
    { do: 'place', process: 1, keepOnSeconds: 50, when: { at: 143_473 } },
    { do: 'poll', process: 0, when: { at: 297_631 } },
    { do: 'cancelByHand', order: 121, when: { at: 150_211 } },
    { do: 'cancelByHand', order: 109, when: { at: 80_346 } },
    { do: 'cancelExecution', step: 2, when: { at: 91_374 } },
    { do: 'tablesFull', ms: 300_000, when: { at: 110_316 } },
  ],
});
