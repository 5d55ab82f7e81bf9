import { aHistory } from '../history';

/**
 * A process stands still while it asks for duplicates with its row marked. Its call counts as in doubt, a person
 * schedules it again, and another execution has just placed it when the first one goes on.
 */
export const stoodStillWhileRulesAreAsked = aHistory({
  seed: 1_510_027_168,
  skews: [0, 0],
  outcomes: { 1: ['voicemail'] },
  settings: { planMinutes: [2, 5], preventDuplicates: true },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  minutes: 13,
  database: 'postgres',
  visibleAfterMs: 12_000,
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 1, to: 1 }, when: { at: 17_396 } },
    { do: 'scheduleByHand', order: 1, when: { at: 304_046 } },
  ],
  faults: [
    { to: 'tables', method: 'GET', from: 2_000, nth: 7, when: 'after', befalls: { kind: 'lost' } },
    {
      to: 'tables',
      method: 'GET',
      from: 2_000,
      nth: 8,
      when: 'after',
      befalls: { kind: 'pause', ms: 300_000 },
    },
  ],
});
