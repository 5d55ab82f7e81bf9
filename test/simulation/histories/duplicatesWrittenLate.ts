import { aHistory } from '../history';

/**
 * A process stands still while it schedules calls that others have placed, and gives up on its insert. n8n writes these
 * rows as well, after the rows of the second insert are deleted.
 */
export const duplicatesWrittenLate = aHistory({
  skews: [0, 0],
  database: 'postgres',
  visibleAfterMs: 12_000,
  settings: { preventDuplicates: true },
  outcomes: { 1: ['Order confirmed'], 2: ['Order confirmed'] },
  steps: [
    { do: 'schedule', process: 1, orders: { from: 1, to: 2 }, when: { at: 3_000 } },
    { do: 'schedule', process: 0, orders: { from: 1, to: 2 }, when: { at: 10_000 } },
    { do: 'place', process: 1, when: { at: 60_000 } },
  ],
  faults: [
    {
      to: 'tables',
      process: 0,
      method: 'POST',
      path: '/rows',
      holds: '"status":"scheduled"',
      nth: 1,
      when: 'before',
      befalls: { kind: 'pause', ms: 300_000 },
    },
  ],
});
