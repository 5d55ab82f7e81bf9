import { aHistory } from '../history';

/**
 * A poller stands still for ten minutes just before it finds out under which time its end is to be written.
 * Others write the end and hand it over meanwhile.
 */
export const pausedWhileEndIsWritten = aHistory({
  skews: [0, 0],
  triggers: [{ process: 0 }, { process: 1 }],
  steps: [
    { do: 'schedule', process: 1, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'place', process: 1, when: { at: 5_000 } },
    { do: 'poll', process: 0, when: { at: 80_000 } },
    { do: 'poll', process: 1, when: { at: 240_000 } },
    { do: 'schedule', process: 1, orders: { from: 2, to: 2 }, when: { at: 405_000 } },
    { do: 'place', process: 1, when: { at: 410_000 } },
    { do: 'poll', process: 1, when: { at: 600_000 } },
    { do: 'poll', process: 1, when: { at: 720_000 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'GET',
      holds: 'finishedAt',
      process: 0,
      from: 80_000,
      nth: 5,
      when: 'before',
      befalls: { kind: 'pause', ms: 600_000 },
    },
  ],
});
