import { aHistory } from '../history';

/**
 * A process stands still for five minutes when it has marked its calls, and a person cancels one of them. When
 * it goes on it asks the log once more before the request leaves.
 */
export const cancelledWhileProcessStandsStill = aHistory({
  seed: 1,
  skews: [0, 0],
  triggers: [{ process: 0 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  database: 'sqlite',
  visibleAfterMs: 0,
  steps: [
    { do: 'call', process: 0, orders: { from: 2, to: 4 }, when: { at: 14_054 } },
    { do: 'cancel', process: 1, order: 3, by: 'orderNumber', when: { at: 142_176 } },
    { do: 'cancel', process: 1, order: 2, by: 'orderNumber', when: { at: 142_176 } },
    { do: 'cancel', process: 1, order: 4, by: 'orderNumber', when: { at: 142_176 } },
  ],
  faults: [
    {
      to: 'service',
      method: 'POST',
      from: 2_000,
      nth: 2,
      when: 'before',
      befalls: { kind: 'pause', ms: 300_000 },
    },
  ],
});
