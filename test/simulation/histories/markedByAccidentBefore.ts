import { aHistory } from '../history';

const NOT_REACHED = [104, 105, 107, 108, 110, 116, 117, 120, 121, 125, 127, 134, 138];

/**
 * A row that was marked by accident, and waited again, is marked for its call. The results of the rows next to it are
 * written before its own, and its row must stay until then.
 */
export const markedByAccidentBefore = aHistory({
  seed: 110006125,
  skews: [0, 0, 0, 0],
  outcomes: Object.fromEntries(NOT_REACHED.map((order) => [order, ['no_answer']])),
  settings: { planMinutes: [30, 120, 1440], preventDuplicates: true, maxInProgress: 40 },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 30, max: 97_200 },
  latencyMs: 400,
  isInOrder: true,
  visibleAfterMs: 12_000,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 101, to: 198 }, when: { at: 11_150 } },
    {
      do: 'edit',
      order: 106,
      cells: { customerPhone: '+12025556112' },
      when: { at: 76_598 },
    },
    { do: 'place', process: 2, keepOnSeconds: 50, when: { at: 150_713 } },
    { do: 'pruneByAge', process: 1, when: { at: 60_000_000 } },
    { do: 'poll', process: 1, when: { at: 62_400_000 } },
    { do: 'place', process: 1, keepOnSeconds: 50, when: { at: 81_600_000 } },
  ],
  people: 52,
});
