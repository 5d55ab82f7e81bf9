import { aHistory } from '../history';

/** A list is called twice at the same moment, by one node: each is called once. */
export const sameListCalledAtOnce = aHistory({
  seed: 2,
  settings: { preventDuplicates: true },
  latencyMs: 10,
  visibleAfterMs: 20,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 12 }, when: { at: 3_000 } },
    { do: 'call', process: 0, orders: { from: 1, to: 12 }, when: { at: 3_000 } },
  ],
});

/** A list is scheduled twice at the same moment: one execution schedules it, and both end. */
export const sameListScheduledAtOnce = aHistory({
  seed: 3,
  database: 'sqlite',
  latencyMs: 40,
  visibleAfterMs: 0,
  settings: { preventDuplicates: true },
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 3 }, when: { at: 3_000 } },
    { do: 'schedule', process: 0, orders: { from: 1, to: 3 }, when: { at: 3_000 } },
  ],
});

/** A long list is scheduled twice within a moment: who waits asks n8n about all of its calls at once. */
export const longListScheduledAtOnce = aHistory({
  outcomes: Object.fromEntries(
    Array.from({ length: 800 }, (_, index) => [index + 1, ['Order confirmed']]),
  ),
  latencyMs: 40,
  settings: { maxInProgress: 100 },
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 800 }, when: { at: 1_000 } },
    { do: 'schedule', process: 0, orders: { from: 1, to: 800 }, when: { at: 1_100 } },
  ],
});
