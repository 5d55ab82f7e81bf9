import { aHistory } from '../history';

/** A person retries a loop twice at once that had failed in its first round. Later rounds call nobody twice either. */
export const loopRetriedTwiceAtOnce = aHistory({
  skews: [0, 0],
  triggers: [{ process: 0 }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 4 }, rounds: 2, when: { at: 3_700 } },
    { do: 'retry', process: 1, step: 0, when: { at: 62_100 } },
    { do: 'retry', process: 0, step: 0, when: { at: 62_300 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'GET',
      from: 2_000,
      nth: 1,
      when: 'after',
      befalls: { kind: 'odd', body: '<h1>Welcome</h1>' },
    },
  ],
});
