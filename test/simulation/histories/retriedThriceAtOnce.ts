import { aHistory } from '../history';

/** A person retries an execution three times at once, and rows become visible late. One of the three calls. */
export const retriedThriceAtOnce = aHistory({
  seed: 123,
  skews: [0, 0],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 40,
  visibleAfterMs: 12_000,
  steps: [
    { do: 'callAndWait', process: 1, orders: { from: 1, to: 1 }, when: { at: 7_097 } },
    { do: 'retry', process: 1, step: 0, when: { at: 99_790 } },
    { do: 'retry', process: 0, step: 0, when: { at: 99_790 } },
    { do: 'retry', process: 0, step: 0, when: { at: 99_790 } },
  ],
  faults: [
    {
      to: 'service',
      method: 'POST',
      from: 2_000,
      nth: 1,
      when: 'before',
      befalls: { kind: 'status', status: 400, message: 'Concurrency / pool exhausted' },
    },
  ],
});
