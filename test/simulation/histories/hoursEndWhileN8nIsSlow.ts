import { aHistory, type History } from '../history';

const withRules = (rules: History['settings']): History =>
  aHistory({
    settings: { hours: { start: '09:00', end: '12:01' }, ...rules },
    latencyMs: 2_000,
    steps: Array.from({ length: 12 }, (_, index) => ({
      do: 'call' as const,
      process: 0,
      orders: { from: index + 1, to: index + 1 },
      when: { at: 40_000 + 1_000 * index },
    })),
  });

/** n8n is slow, and the calling hours end while the log is asked for other calls about the orders. */
export const hoursEndWhileDuplicatesAreAsked = withRules({ preventDuplicates: true });

/** The same, while the rows of the calls are marked. */
export const hoursEndWhileRowsAreMarked = withRules({});
