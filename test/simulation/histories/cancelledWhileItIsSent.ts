import { aHistory } from '../history';

/**
 * Each call of a list is cancelled, some while the slow service is being asked for them and the marks of others are
 * renewed. What became of those that ring is written all the same.
 */
export const cancelledWhileItIsSent = aHistory({
  skews: [0, 0],
  settings: { concurrency: 3 },
  triggers: [{ process: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  placingMs: 25_000,
  minutes: 14,
  steps: [
    { do: 'call', process: 1, orders: { from: 1, to: 15 }, when: { at: 16_000 } },
    ...Array.from({ length: 15 }, (_, index) => ({
      ...{ do: 'cancel' as const, process: 0, order: index + 1, by: 'orderNumber' as const },
      when: { at: 60_000 + index * 500 },
    })),
  ],
});
