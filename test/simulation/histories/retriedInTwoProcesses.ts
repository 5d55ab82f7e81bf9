import { aHistory } from '../history';

/** A failed execution is retried in two processes, one after the other. */
export const retriedInTwoProcesses = aHistory({
  seed: 22024246,
  skews: [0, 0],
  outcomes: { '1': ['no_answer'] },
  settings: {},
  triggers: [{ process: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  database: 'postgres',
  visibleAfterMs: 12000,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 1 }, when: { at: 12185 } },
    { do: 'retry', process: 1, step: 0, when: { at: 144220 } },
    { do: 'retry', process: 0, step: 0, when: { at: 196993 } },
  ],
  faults: [
    {
      to: 'tables',
      from: 2000,
      nth: 10,
      when: 'after',
      befalls: { kind: 'odd', body: { hello: 'world' } },
    },
  ],
});
