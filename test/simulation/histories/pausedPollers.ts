import { aHistory, type Fault, type History } from '../history';

/** A poller stands still just before it inserts an end, while the other process polls for another trigger. */
function pausedPoller(ms: number, otherFaults: Fault[]): History {
  return aHistory({
    skews: [0, 0],
    triggers: [{ process: 0 }, { process: 1 }],
    steps: [
      { do: 'schedule', process: 1, orders: { from: 1, to: 1 }, when: { at: 0 } },
      { do: 'place', process: 1, when: { at: 5_000 } },
      { do: 'poll', process: 0, when: { at: 80_000 } },
      { do: 'schedule', process: 1, orders: { from: 2, to: 2 }, when: { at: 165_000 } },
      { do: 'place', process: 1, when: { at: 170_000 } },
      ...[260_000, 400_000, 520_000].map((at) => ({
        do: 'poll' as const,
        process: 1,
        when: { at },
      })),
    ],
    faults: [
      ...otherFaults,
      {
        to: 'tables',
        method: 'POST',
        path: '/rows',
        holds: '"order_confirmed"',
        process: 0,
        nth: 1,
        when: 'before',
        befalls: { kind: 'pause', ms },
      },
    ],
  });
}

/** The other process cannot look at the first call: its trigger goes on to later ends, and never sees this one. */
export const pausedBeforeEndIsWritten = pausedPoller(
  230_000,
  Array.from({ length: 8 }, (_, index): Fault => ({
    to: 'service',
    method: 'GET',
    path: '/orders/4001/outcome',
    process: 1,
    nth: index + 1,
    when: 'before',
    befalls: { kind: 'lost' },
  })),
);

/** The other process writes the end meanwhile and hands it over: the second end must not fire. */
export const pausedWhileEndIsWritten = pausedPoller(600_000, []);
