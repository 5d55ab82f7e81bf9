import { aHistory } from '../history';

/** The service takes 25 seconds for each call, of which one is placed at a time. Nobody counts as called by a dead process. */
export const slowServiceOneAtATime = aHistory({
  skews: [0, 0],
  settings: { concurrency: 1 },
  placingMs: 25_000,
  triggers: [{ process: 1 }],
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 20 }, when: { at: 3_000 } },
    ...Array.from({ length: 10 }, (_, minute) => ({
      do: 'poll' as const,
      process: 1,
      when: { at: 60_000 * (minute + 1) },
    })),
  ],
});
