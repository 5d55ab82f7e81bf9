import { aHistory } from '../history';

/** n8n is killed while a call lasts, and has saved nothing of the execution, which a person then retries. */
export const retriedUnsaved = aHistory({
  seed: 7_001,
  outcomes: { '1': ['Order confirmed'], '2': ['Order confirmed'] },
  settings: {},
  callSeconds: { min: 20, max: 120 },
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 1, to: 2 }, when: { at: 1_000 } },
    { do: 'kill', process: 0, when: { at: 8_000 } },
    { do: 'retry', process: 1, step: 0, leftNoTrace: true, when: { at: 60_000 } },
  ],
});
