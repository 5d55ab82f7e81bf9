import { aHistory, type History } from '../history';

const INSERT = {
  to: 'tables',
  method: 'POST',
  path: '/rows',
  holds: '"status":"scheduled"',
} as const;

/**
 * A process stands still while it writes a list, for so long that others end its calls. It does not say that they
 * are scheduled.
 */
function standingStill(...faults: History['faults']): History {
  return aHistory({
    skews: [0, 0],
    triggers: [{ process: 1 }],
    steps: [
      { do: 'schedule', process: 0, orders: { from: 1, to: 3 }, when: { at: 3_000 } },
      ...[1, 2, 3, 4, 5, 6].map((time) => ({
        do: 'place' as const,
        process: 1,
        when: { at: 200_000 * time },
      })),
    ],
    faults,
  });
}

export const stoodStillWhileListIsWritten = standingStill({
  ...INSERT,
  nth: 1,
  when: 'after',
  befalls: { kind: 'pause', ms: 900_000 },
});

export const stoodStillBeforeListIsReleased = standingStill({
  to: 'tables',
  method: 'PATCH',
  path: '/rows/update',
  holds: '"batch":"","lockedUntil":0',
  nth: 1,
  when: 'before',
  befalls: { kind: 'pause', ms: 900_000 },
});

/** Its rows are written once more while others end the calls. Nobody sees these ends yet. */
export const stoodStillBeforeListIsWrittenAgain: History = {
  ...standingStill(
    { ...INSERT, nth: 1, when: 'after', befalls: { kind: 'lost' } },
    { ...INSERT, nth: 2, when: 'before', befalls: { kind: 'pause', ms: 900_000 } },
  ),
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 3 }, when: { at: 3_000 } },
    { do: 'place', process: 1, when: { at: 903_000 } },
  ],
  database: 'postgres',
  visibleAfterMs: 12_000,
};
