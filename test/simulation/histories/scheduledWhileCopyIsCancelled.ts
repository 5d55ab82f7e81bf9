import { aHistory } from '../history';

/**
 * An agent has asked twice for a call. A person cancels the row of one request while that of the other is on its way
 * to a slow service. Another workflow that schedules the same order must not take it for cancelled.
 */
export const scheduledWhileCopyIsCancelled = aHistory({
  seed: 860_002_261,
  begins: { at: '2027-03-01T06:30:00Z', timezone: 'Asia/Kolkata' },
  skews: [0, 0],
  settings: { preventDuplicates: true },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 400,
  database: 'postgres',
  visibleAfterMs: 0,
  placingMs: 25_000,
  steps: [
    {
      do: 'call',
      process: 1,
      orders: { from: 6, to: 6 },
      asks: { times: 2, apartMs: 30 },
      when: { at: 15_158 },
    },
    {
      do: 'schedule',
      process: 1,
      orders: { from: 5, to: 6 },
      asks: { times: 2, apartMs: 0 },
      when: { at: 18_482 },
    },
    { do: 'cancelByHand', order: 6, when: { at: 25_755 } },
  ],
});
