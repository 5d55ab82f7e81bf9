import { aHistory } from '../history';

/** A person corrects a phone after the call was placed, before the row of the placed call is written a second time. */
export const copyOfPlacedRow = aHistory({
  seed: 20018832,
  skews: [0, 0],
  outcomes: { '2': ['voicemail', 'no_answer'] },
  settings: { maxCallsPerDay: 2 },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 400,
  database: 'sqlite',
  visibleAfterMs: 0,
  steps: [
    { do: 'schedule', process: 1, orders: { from: 2, to: 2 }, tries: 3, when: { at: 14524 } },
    { do: 'place', process: 0, when: { at: 19057 } },
    { do: 'edit', order: 2, cells: { customerPhone: '+12025556003' }, when: { at: 37009 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'POST',
      from: 2000,
      nth: 5,
      when: 'after',
      befalls: { kind: 'slow', ms: 40000 },
    },
  ],
});
