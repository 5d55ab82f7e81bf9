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

/** A trigger reads an end in an answer that was on its way for long; one with a lower id is not visible yet. */
export const endSeenInSlowAnswer = aHistory({
  seed: 600276287,
  skews: [0, 0],
  outcomes: { 1: ['no_answer'], 2: ['no_answer'], 3: ['Not Interested'], 4: ['Not Interested'] },
  settings: { preventDuplicates: true },
  triggers: [{ process: 0 }, { process: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  visibleAfterMs: 12_000,
  steps: [
    { do: 'callAndWait', process: 1, orders: { from: 1, to: 1 }, tries: 3, when: { at: 18_446 } },
    { do: 'callAndWait', process: 0, orders: { from: 2, to: 4 }, when: { at: 8_968 } },
    { do: 'place', process: 1, keepOnSeconds: 50, when: { at: 130_911 } },
    { do: 'poll', process: 1, when: { at: 82_063 } },
    { do: 'unpublish', trigger: 0, ms: 200_000, when: { at: 210_155 } },
    { do: 'tablesFull', ms: 2_000, when: { at: 88_695 } },
  ],
  faults: [
    {
      to: 'tables',
      process: 1,
      from: 2_000,
      nth: 24,
      when: 'before',
      befalls: { kind: 'slow', ms: 40_000 },
    },
    {
      to: 'service',
      from: 2_000,
      nth: 3,
      when: 'before',
      befalls: { kind: 'status', status: 429 },
    },
    { to: 'tables', process: 1, from: 2_000, nth: 15, when: 'after', befalls: { kind: 'lost' } },
  ],
});
