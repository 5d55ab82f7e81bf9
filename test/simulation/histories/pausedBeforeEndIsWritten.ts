import { aHistory, type Fault } from '../history';

/** The other process cannot look at the first call. */
const failingLooks = Array.from({ length: 8 }, (_, index): Fault => ({
  to: 'service',
  method: 'GET',
  path: '/orders/4001/outcome',
  process: 1,
  nth: index + 1,
  when: 'before',
  befalls: { kind: 'lost' },
}));

/**
 * A poller stands still for some minutes before it inserts an end. Another trigger goes on to later ends
 * meanwhile, and never sees this one.
 */
export const pausedBeforeEndIsWritten = aHistory({
  skews: [0, 0],
  triggers: [{ process: 0 }, { process: 1 }],
  steps: [
    { do: 'schedule', process: 1, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'place', process: 1, when: { at: 5_000 } },
    { do: 'poll', process: 0, when: { at: 80_000 } },
    { do: 'schedule', process: 1, orders: { from: 2, to: 2 }, when: { at: 165_000 } },
    { do: 'place', process: 1, when: { at: 170_000 } },
    { do: 'poll', process: 1, when: { at: 260_000 } },
    { do: 'poll', process: 1, when: { at: 400_000 } },
  ],
  faults: [
    ...failingLooks,
    {
      to: 'tables',
      method: 'POST',
      path: '/rows',
      holds: '"order_confirmed"',
      process: 0,
      nth: 1,
      when: 'before',
      befalls: { kind: 'pause', ms: 230_000 },
    },
  ],
});
