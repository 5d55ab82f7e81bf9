import { aHistory, type Fault, type Step } from '../history';

/** The service surely refuses these requests of those that place calls. */
const refused = (...requests: number[]): Fault[] =>
  requests.map((nth) => ({
    to: 'service',
    method: 'POST',
    nth,
    when: 'before',
    befalls: { kind: 'status', status: 400, message: 'Concurrency / pool exhausted' },
  }));

const TRIGGERS = [{ process: 0 }, { process: 0, finalOnly: true }];

/** For a moment the service has no channel left. n8n tries the list again, and a trigger polls in between. */
export const calledInSecondTry = aHistory({
  triggers: TRIGGERS,
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 3 }, tries: 3, when: { at: 3_000 } },
    ...[4_000, 5_000, 7_000, 70_000].map((at) => ({
      do: 'poll' as const,
      process: 0,
      when: { at },
    })),
  ],
  faults: refused(1, 2),
});

const asked = (times: number): Step => ({
  do: 'call',
  process: 0,
  orders: { from: 1, to: 1 },
  asks: { times, apartMs: 40_000 },
  when: { at: 3_000 },
});

/** An agent asks again for a call for which the service had no channel left. */
export const calledWhenAgentAsksAgain = aHistory({
  triggers: TRIGGERS,
  steps: [asked(3), { do: 'poll', process: 0, when: { at: 30_000 } }],
  faults: refused(1, 2),
});

/** As before, but the key is exchanged until the agent asks again. */
export const calledWhenAgentAsksAgainWithNewKey = aHistory({
  triggers: TRIGGERS,
  steps: [
    asked(2),
    { do: 'exchangeKey', when: { at: 20_000 } },
    { do: 'exchangeKey', when: { at: 120_000 } },
  ],
  faults: refused(1),
});

/** As before, but n8n does not delete the row that was written with the first key. */
export const calledWithNewKeyWhileTablesFail = aHistory({
  latencyMs: 2_000,
  database: 'postgres',
  visibleAfterMs: 0,
  triggers: TRIGGERS,
  steps: [
    {
      do: 'call',
      process: 0,
      orders: { from: 1, to: 1 },
      tries: 3,
      asks: { times: 1, apartMs: 30 },
      settings: { maxCallsPerDay: 4 },
      when: { at: 13_000 },
    },
    { do: 'tablesFail', ms: 20_000, when: { at: 25_900 } },
    { do: 'exchangeKey', when: { at: 26_000 } },
  ],
});
