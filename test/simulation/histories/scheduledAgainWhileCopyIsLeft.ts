import { aHistory } from '../history';

/**
 * A person copies the row of an end whose transcript the service does not give yet, and then schedules the
 * call again in the first of the two rows. The copy counts from then on, and its outcome is told.
 */
export const scheduledAgainWhileCopyIsLeft = aHistory({
  seed: 70002385,
  skews: [0, 0],
  triggers: [{ process: 1, finalOnly: true }],
  database: 'sqlite',
  visibleAfterMs: 0,
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  minutes: 5,
  steps: [
    { do: 'schedule', process: 1, orders: { from: 5, to: 5 }, when: { at: 15_122 } },
    { do: 'serviceFails', ms: 300_000, status: 429, retryAfter: 30, when: { at: 92_433 } },
    { do: 'copyRow', order: 5, when: { at: 143_946 } },
    { do: 'scheduleByHand', order: 5, when: { at: 374_207 } },
  ],
});
