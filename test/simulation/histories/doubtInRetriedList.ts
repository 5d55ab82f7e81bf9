import { aHistory } from '../history';

/** The answer to one of the first requests is lost, and the node tries again: it calls all others. */
export const doubtInRetriedList = aHistory({
  settings: { concurrency: 2 },
  steps: [{ do: 'call', process: 0, orders: { from: 1, to: 12 }, tries: 3, when: { at: 0 } }],
  faults: [
    {
      to: 'service',
      method: 'POST',
      from: 2_000,
      nth: 3,
      when: 'after',
      befalls: { kind: 'lost' },
    },
  ],
});

/** Two retries begin one after the other in one process, the second while the first one's requests are under way. */
export const retriedWhileItCalls = aHistory({
  triggers: [{ process: 0 }],
  placingMs: 5_000,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 2 }, when: { at: 3_000 } },
    { do: 'retry', process: 0, step: 0, when: { at: 30_000 } },
    { do: 'retry', process: 0, step: 0, when: { at: 32_000 } },
  ],
  faults: [
    {
      to: 'service',
      method: 'POST',
      from: 2_900,
      nth: 1,
      when: 'before',
      befalls: { kind: 'status', status: 401 },
    },
  ],
});
