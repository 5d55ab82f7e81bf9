import { aHistory, type Fault } from '../history';

/** A failed execution is retried twice at once, in two processes. */
const retriedAtOnce = (kind: 'call' | 'schedule', apartMs: number, faults: Fault[] = []) =>
  aHistory({
    skews: [0, 0],
    triggers: [{ process: 0 }],
    steps: [
      { do: kind, process: 0, orders: { from: 1, to: 3 }, when: { at: 3_000 } },
      { do: 'retry', process: 1, step: 0, when: { at: 30_000 } },
      { do: 'retry', process: 0, step: 0, when: { at: 30_000 + apartMs } },
      { do: 'place', process: 0, when: { at: 90_000 } },
      { do: 'poll', process: 0, when: { at: 400_000 } },
    ],
    faults: [
      {
        to: kind === 'call' ? 'service' : 'tables',
        method: 'POST',
        process: 0,
        from: 2_900,
        nth: 1,
        when: 'before',
        befalls: {
          kind: 'status',
          status: kind === 'call' ? 401 : 400,
          message: 'Data table size limit exceeded',
        },
      },
      ...faults,
    ],
  });

export const calledByTwoRetriesAtOnce = retriedAtOnce('call', 0);
export const calledByTwoRetriesOneAfterTheOther = retriedAtOnce('call', 100);
/** The other retry has deleted the rows of this one before it reads whose rows are there. */
export const overtakenByOtherRetry = retriedAtOnce('call', 60, [
  {
    to: 'tables',
    process: 1,
    from: 29_900,
    nth: 8,
    when: 'before',
    befalls: { kind: 'slow', ms: 50 },
  },
]);
export const scheduledByTwoRetriesAtOnce = retriedAtOnce('schedule', 0);

/** The later retry takes over rows that the earlier one is about to make due; its key is claimed already. */
export const takenOverBeforeItIsDue = aHistory({
  seed: 71004134,
  skews: [0, 0],
  settings: { preventDuplicates: true },
  triggers: [{ process: 1, finalOnly: true }],
  latencyMs: 40,
  database: 'sqlite',
  visibleAfterMs: 0,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 646 } },
    { do: 'retry', process: 0, step: 0, when: { at: 51_827 } },
    { do: 'retry', process: 1, step: 0, when: { at: 52_027 } },
  ],
  faults: [
    {
      to: 'tables',
      from: 2_000,
      nth: 6,
      when: 'before',
      befalls: { kind: 'status', status: 400, message: 'Data table size limit exceeded' },
    },
  ],
});

/** A retry that stood still, and whose rows another one has taken over, shares its memory with a third. */
export const scheduledByThirdRetry = aHistory({
  seed: 500853084,
  skews: [0, 0],
  outcomes: { 1: ['Not Interested'] },
  settings: { doNotCall: true },
  triggers: [{ process: 0 }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 10,
  database: 'sqlite',
  visibleAfterMs: 0,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 13_182 } },
    { do: 'place', process: 1, keepOnSeconds: 50, when: { at: 120_207 } },
    { do: 'tablesFail', ms: 20_000, when: { at: 4_774 } },
    { do: 'kill', process: 0, when: { at: 87_016 } },
    { do: 'retry', process: 0, step: 0, when: { at: 116_290 } },
    { do: 'retry', process: 0, step: 0, when: { at: 116_490 } },
    { do: 'retry', process: 1, step: 0, when: { at: 116_690 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'GET',
      from: 2_000,
      nth: 18,
      when: 'before',
      befalls: { kind: 'pause', ms: 300_000 },
    },
  ],
});

/** Each of three retries sees the rows of the others at another time, and two of them share a process. */
export const calledByThreeRetriesUnderCap = aHistory({
  seed: 1260003984,
  skews: [0, 0],
  outcomes: {
    '1': ['Sipariş onaylandı'],
    '2': ['Sipariş onaylandı', 'no_answer'],
    '3': ['voicemail', 'voicemail'],
    '4': ['Order confirmed'],
    '5': ['Order confirmed', 'no_answer'],
    '6': ['no_answer', 'no_answer'],
  },
  settings: { maxCallsPerDay: 3 },
  triggers: [{ process: 0 }, { process: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 40,
  database: 'postgres',
  visibleAfterMs: 12000,
  steps: [
    { do: 'call', process: 1, orders: { from: 1, to: 6 }, when: { at: 680 } },
    { do: 'place', process: 1, when: { at: 151877 } },
    { do: 'place', process: 0, when: { at: 161736 } },
    { do: 'poll', process: 1, when: { at: 48988 } },
    { do: 'poll', process: 1, when: { at: 173242 } },
    { do: 'tablesFail', ms: 20000, when: { at: 3022 } },
    { do: 'tablesFull', ms: 60000, refusesChanges: true, when: { at: 248793 } },
    { do: 'retry', process: 1, step: 0, when: { at: 107663 } },
    { do: 'retry', process: 1, step: 0, when: { at: 107663 } },
    { do: 'retry', process: 1, step: 0, when: { at: 107663 } },
  ],
  faults: [],
});

/** All calls are placed, then the tables are full: all further tries fail. The text of an error names 20 calls. */
export const manyCallsBeforeTablesAreFull = aHistory({
  seed: 1300010604,
  skews: [0, 0, 0, 0],
  settings: {},
  triggers: [{ process: 1, finalOnly: true, events: ['outcomeAvailable'] }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  placingMs: 25000,
  isInOrder: true,
  database: 'sqlite',
  visibleAfterMs: 0,
  steps: [
    { do: 'callAndWait', process: 0, orders: { from: 1, to: 91 }, tries: 3, when: { at: 11811 } },
    { do: 'tablesFull', ms: 60000, refusesChanges: true, when: { at: 213634 } },
  ],
  faults: [],
});
