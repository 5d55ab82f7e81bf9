import { aHistory, type Fault } from '../history';

/** A failed execution is retried in another process, where nobody knows whether the call is placed, and again. */
const retriedTwice = (befalls: Fault['befalls']) =>
  aHistory({
    skews: [0, 0],
    triggers: [{ process: 0 }],
    steps: [
      { do: 'call', process: 0, orders: { from: 1, to: 1 }, when: { at: 3_000 } },
      { do: 'retry', process: 1, step: 0, when: { at: 30_000 } },
      { do: 'retry', process: 0, step: 0, when: { at: 60_000 } },
      { do: 'poll', process: 0, when: { at: 400_000 } },
    ],
    faults: [
      {
        to: 'service',
        method: 'POST',
        process: 0,
        nth: 1,
        when: 'before',
        befalls: { kind: 'status', status: 401 },
      },
      { to: 'service', method: 'POST', process: 1, from: 20_000, nth: 1, when: 'after', befalls },
    ],
  });

export const retriedTwiceAfterKill = retriedTwice({ kind: 'kill' });
export const retriedTwiceAfterLostAnswer = retriedTwice({ kind: 'lost' });
export const retriedTwiceWhileRequestIsSlow = retriedTwice({ kind: 'slow', ms: 40_000 });

/** A list is refused, then scheduled by a retry. Nobody knows whether its call is placed when it is retried again. */
export const scheduledAgainAfterDoubt = aHistory({
  skews: [0, 0],
  triggers: [{ process: 0 }],
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 3_000 } },
    { do: 'retry', process: 1, step: 0, when: { at: 30_000 } },
    { do: 'place', process: 0, when: { at: 40_000 } },
    { do: 'retry', process: 0, step: 0, when: { at: 120_000 } },
    { do: 'place', process: 0, when: { at: 140_000 } },
    { do: 'poll', process: 0, when: { at: 400_000 } },
  ],
  faults: [
    ...[1, 2, 3, 4].map((nth): Fault => ({
      to: 'tables',
      method: 'POST',
      path: '/rows',
      holds: 'A-1',
      process: 0,
      nth,
      when: 'before',
      befalls: { kind: 'status', status: 500 },
    })),
    { to: 'service', method: 'POST', nth: 1, when: 'after', befalls: { kind: 'lost' } },
  ],
});
