import { aHistory } from '../history';

/**
 * A process stands still while it writes a list, for so long that others end its calls. It does not say that they
 * are scheduled.
 */
export const stoodStillWhileListIsWritten = aHistory({
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
  faults: [
    {
      to: 'tables',
      method: 'POST',
      path: '/rows',
      holds: '"status":"scheduled"',
      nth: 1,
      when: 'after',
      befalls: { kind: 'pause', ms: 900_000 },
    },
  ],
});
