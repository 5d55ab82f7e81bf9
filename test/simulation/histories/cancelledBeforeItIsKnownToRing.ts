import { aHistory } from '../history';

/**
 * A process stands still with a call that rings, and the call is cancelled. Others count it as in doubt, and its
 * next attempt as cancelled, before the process goes on. The call has one last word.
 */
export const cancelledBeforeItIsKnownToRing = aHistory({
  seed: 1800032303,
  skews: [0, 0],
  outcomes: { '4': ['voicemail'] },
  settings: { planMinutes: [2], concurrency: 2 },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  isInOrder: true,
  minutes: 14,
  visibleAfterMs: 0,
  steps: [
    { do: 'call', process: 1, orders: { from: 1, to: 11 }, when: { at: 4_925 } },
    { do: 'cancel', process: 0, order: 4, by: 'orderNumber', when: { at: 95_000 } },
  ],
  faults: [
    {
      to: 'service',
      from: 2_000,
      nth: 6,
      when: 'after',
      befalls: { kind: 'pause', ms: 300_000 },
    },
  ],
});
