import { aHistory } from '../history';

/**
 * A process stood still for five minutes while it placed calls. When it goes on it asks the log once more
 * before another request leaves: by then the trigger may have said that the call may have been placed.
 */
export const pausedBeforeRequestLeaves = aHistory({
  seed: 1,
  skews: [0, 0],
  outcomes: { 1: ['no_answer'], 2: ['no_answer'], 3: ['Not Interested'] },
  triggers: [{ process: 0 }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  visibleAfterMs: 0,
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 1, to: 4 }, when: { at: 11_319 } },
    { do: 'unpublish', trigger: 0, ms: 10_000, when: { at: 129_980 } },
  ],
  faults: [
    {
      to: 'service',
      from: 2_000,
      nth: 3,
      when: 'before',
      befalls: { kind: 'pause', ms: 300_000 },
    },
  ],
});

/** The process stands still while rows of calls whose turn has not come are marked: others end them. */
export const pausedBeforeTurnsCome = aHistory({
  seed: 1300029598,
  skews: [0, 0],
  settings: { concurrency: 1 },
  triggers: [{ process: 1 }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  database: 'postgres',
  visibleAfterMs: 0,
  steps: [
    { do: 'call', process: 1, orders: { from: 12, to: 15 }, when: { at: 4486 } },
    { do: 'place', process: 0, keepOnSeconds: 600, when: { at: 76682 } },
  ],
  faults: [
    { to: 'service', from: 2000, nth: 3, when: 'after', befalls: { kind: 'pause', ms: 300000 } },
  ],
});
