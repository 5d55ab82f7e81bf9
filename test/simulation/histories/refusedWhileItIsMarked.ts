import { aHistory } from '../history';

/** n8n marks the rows of a list for longer than a refusal waits to be written: the refused one is among them. */
export const refusedWhileItIsMarked = aHistory({
  seed: 207_524,
  skews: [0, 0],
  outcomes: { 2: ['Order confirmed'], 3: ['no_answer'] },
  settings: { doNotCall: true },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 400,
  isInOrder: true,
  database: 'postgres',
  visibleAfterMs: 0,
  steps: [
    { do: 'callAndWait', process: 1, orders: { from: 2, to: 3 }, when: { at: 29 } },
    { do: 'doNotCall', order: 3, when: { at: 514 } },
  ],
});
