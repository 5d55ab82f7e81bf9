import { aHistory } from '../history';

/**
 * Two processes write ends at about the same time, and the database shows some of them many seconds after it
 * has numbered them. Meanwhile triggers read on every few seconds.
 */
export const endsSeenOutOfOrder = aHistory({
  skews: [0, 0],
  triggers: [
    { process: 0, fastChecks: true },
    { process: 1, fastChecks: true },
  ],
  visibleAfterMs: 14_000,
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 1, to: 8 }, when: { at: 0 } },
    { do: 'callAndWait', process: 1, orders: { from: 9, to: 16 }, when: { at: 0 } },
    ...[0, 1].flatMap((process) =>
      [40_000, 100_000].map((at) => ({ do: 'poll' as const, process, when: { at } })),
    ),
  ],
});
