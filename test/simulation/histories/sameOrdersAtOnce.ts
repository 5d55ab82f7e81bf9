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
