import { contactsDiffer } from '../../nodes/OutboundAiCalling/service/answers';
import type { CallingService } from '../../nodes/OutboundAiCalling/service/callingService';
import {
  CallingServiceError,
  mayHaveBeenProcessed,
} from '../../nodes/OutboundAiCalling/service/failure';
import type { Answer } from '../../nodes/OutboundAiCalling/http/exchange';
import { startBreakingServer } from '../service/breakingServer';
import { fc, runs, seed } from '../generators';
import { callTo, campaignTo, clientOf, failureOf, PHONE } from './client';

/** A client of a service that gives one answer to everything. */
function clientAnswered(answer: Partial<Answer>): { client: CallingService; sent: () => number } {
  let sent = 0;
  const client = clientOf(
    { baseUrl: 'http://127.0.0.1:1' },
    {
      through: () => async () => {
        sent++;
        return { status: 200, headers: {}, body: undefined, ...answer };
      },
    },
  );
  return { client, sent: () => sent };
}

const nested = (depth: number) => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};
const odd = { toString: 1, valueOf: 1 };
const trigger = async (client: CallingService) => await client.triggerCall(callTo(PHONE));

describe('an answer that is odd', () => {
  it.each([
    ['20,000 nested arrays', { extra: nested(20_000), message: nested(20_000) }],
    ['a message that is no text', { message: odd }],
    ['a status that is no text', { call_status: odd, callStatus: nested(20_000) }],
    ['numbers beyond all bounds', { script_id: 1e308 * 10, call_status: -1e300 }],
    ['a field __proto__', JSON.parse('{"__proto__": {"order_id": 5, "message": "x"}}') as object],
  ])('still says which call was placed: %s', async (_what, more) => {
    const body = { ...more, success: true, order_id: 14001 };
    expect((await trigger(clientAnswered({ body }).client)).result.orderId).toBe(14001);
  });

  it('of a conversation is read as far as it can be', async () => {
    const transcript = [
      { speaker: odd, text: odd, timestamp: odd },
      { speaker: 'agent', text: nested(20_000), timestamp: nested(20_000) },
      ...Array.from({ length: 200_000 }, () => ({ speaker: 'agent', text: 'x', timestamp: 1 })),
    ];
    const body = {
      success: true,
      orderId: 1002,
      callStatus: 'completed',
      callDurationSec: 9,
      transcript,
    };
    const reading = await clientAnswered({ body }).client.readOutcome(1002);
    expect(reading).toMatchObject({ finished: true });
  });

  it('that cannot be read at all is told, and may hide a call', async () => {
    const body = new Proxy(
      {},
      {
        get: () => {
          throw new Error('No');
        },
      },
    );
    for (const ask of [trigger, async (c: CallingService) => await c.controlCampaign(1, 'pause')]) {
      expect(await failureOf(ask(clientAnswered({ body }).client))).toMatchObject({
        kind: 'unreadableAnswer',
        mayHaveBeenProcessed: true,
      });
    }
  });

  it('does not become an endless message', async () => {
    const body = { success: false, message: 'x'.repeat(1_000_000) };
    const failure = await failureOf(trigger(clientAnswered({ status: 400, body }).client));
    expect(failure.message.length).toBeLessThan(600);
  });
});

describe('an answer about something else', () => {
  it.each([
    ['an outcome', 200, { success: true, orderId: 9999, callStatus: 'completed' }],
    ['one that is no number', 200, { success: true, order_id: 'x', callStatus: 'completed' }],
    ['one of two ids', 200, { success: true, orderId: 1002, order_id: 9999 }],
    [
      'still in progress',
      404,
      { success: false, message: 'Call is still in progress', orderId: 9 },
    ],
  ])('is not taken for the order that was asked for: %s', async (_what, status, body) => {
    expect(
      await failureOf(clientAnswered({ status, body }).client.readOutcome(1002)),
    ).toMatchObject({ kind: 'otherRecord', mayHaveBeenProcessed: false });
  });

  it('is not taken for the campaign that was to be started', async () => {
    const body = { success: true, campaign_id: 901, state: 'running' };
    expect(
      await failureOf(clientAnswered({ body }).client.controlCampaign(900, 'start')),
    ).toMatchObject({ kind: 'otherRecord', mayHaveBeenProcessed: true });
  });
});

it.each(['in_progress', 'In_Progress', 'IN PROGRESS', 'in-progress', 'inProgress'])(
  'a call that is %p has not ended',
  async (callStatus) => {
    const body = { success: true, orderId: 1002, callStatus };
    const { client } = clientAnswered({ body });
    expect(await client.readOutcome(1002)).toMatchObject({ finished: false });
    const placed = await clientAnswered({ body }).client.triggerCall(callTo(PHONE));
    expect(placed.result.callStatus).toBe('in_progress');
  },
);

it('a call whose outcome is still to come goes on, with what it has so far', async () => {
  const body = { success: true, callStatus: 'completed', callOutcome: 'Queued for analysis' };
  const said = { callStatus: 'completed', callOutcome: 'Queued for analysis' };
  expect(await clientAnswered({ body }).client.readOutcome(1002)).toEqual({
    ...{ finished: false, body },
    soFar: { finished: true, body, result: expect.objectContaining(said) },
  });
  const early = { success: true, callStatus: 'ringing', callOutcome: 'Pending' };
  expect(await clientAnswered({ body: early }).client.readOutcome(1002)).toEqual({
    ...{ finished: false, body: early },
  });
});

it.each([
  ['Call is still in progress.', true],
  ['The call 1002 is still in progress, retry later', true],
  ['Order 1002 is still in progress or not found', false],
  ['Call is still in progress of being deleted', false],
  ['Still in progress is no state of an order', false],
])('the refusal %p says in so many words that the call goes on: %p', async (message, saysSo) => {
  const { client } = clientAnswered({ status: 404, body: { success: false, message } });
  const reading = client.readOutcome(1002);
  if (saysSo) expect(await reading).toMatchObject({ finished: false });
  else expect(await failureOf(reading)).toMatchObject({ kind: 'unknown' });
});

describe('a new campaign of ten contacts', () => {
  const phones = Array.from({ length: 10 }, (_, index) => `+1202555010${index}`);
  const created = (more: object) =>
    clientAnswered({ body: { success: true, campaign_id: 317, ...more } }).client.createCampaign(
      campaignTo(phones),
    );

  it.each<[unknown, string]>([
    ...[1, 0, '9'].map((count): [unknown, string] => [count, `with ${count} of 10 contacts`]),
    [12, 'with 10 contacts, but the calling service counts 12'],
    ['10 contacts', 'with 10 contacts, but the calling service counts 10 contacts'],
    ['1,998', 'with 10 contacts, but the calling service counts 1,998'],
    [{ loaded: 1 }, 'with 10 contacts, but the calling service counts {"loaded":1}'],
  ])('of which the service counts %j is told', async (contact_count, message) => {
    const { result, otherCount = '' } = await created({ contact_count, started: false });
    expect(contactsDiffer(result, otherCount)).toMatchObject({
      kind: 'contactsDiffer',
      mayHaveBeenProcessed: true,
      campaignId: undefined,
      message: `Campaign 317 was created ${message}`,
      advice: expect.stringMatching(/^It was not started\./),
    });
    for (const more of [{ started: true }, { state: 'dialing' }]) {
      const odd = await created({ contact_count, ...more });
      expect(contactsDiffer(odd.result, odd.otherCount ?? '')).toMatchObject({
        campaignId: 317,
        advice: expect.stringMatching(/^It may be running\./),
      });
    }
  });

  it.each<[object, boolean | null, string]>([
    [{}, null, 'unknown'],
    [{ started: false }, false, 'not_started'],
    [{ state: 'paused', started: false }, false, 'not_started'],
    [{ state: 'running' }, true, 'running'],
    [{ started: true }, true, 'running'],
    [{ state: 'active' }, null, 'active'],
    [{ state: 'dialing', started: false }, null, 'dialing'],
    [{ started: 'true' }, null, 'unknown'],
    [{ started: 1 }, null, 'unknown'],
    [{ state: { name: 'running' } }, null, 'unknown'],
  ])('of which the service says %j is started: %j', async (more, started, state) => {
    const { result } = await created(more);
    expect(result).toMatchObject({ started, state, contactCount: 10 });
  });
});

it.each([
  ['start', /may be running now, and people may be called/],
  ['resume', /may be running now, and people may be called/],
  ['pause', /may still be running and calling people/],
  ['stop', /may still be running and calling people/],
] as const)('a lost answer to %s says what the campaign may do', async (action, advice) => {
  const failure = await failureOf(
    clientOf(
      { baseUrl: 'http://127.0.0.1:1' },
      { through: () => async () => ({ fault: 'lost' as const }) },
    ).controlCampaign(317, action),
  );
  expect(failure).toMatchObject({ kind: 'connectionLost', mayHaveBeenProcessed: true });
  expect(failure.advice).toMatch(advice);
  expect(failure.message).toMatch(/running/);
});

it('a wait that ends at night is followed by no call, and what objects comes through', async () => {
  const { client, sent } = clientAnswered({ status: 429, body: { success: false } });
  const night = new Error('It is night');
  let asked = 0;
  const beforeEachTry = () => {
    if (++asked === 2) throw night;
  };
  await expect(client.triggerCall(callTo(PHONE), beforeEachTry)).rejects.toBe(night);
  expect([sent(), asked]).toEqual([1, 2]);
});

/** Values that answers are read for, right and wrong. */
const value = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown> },
  fc.integer(),
  fc.constantFrom<unknown>(true, false, 'true', null, odd, 14001, '14001', Infinity, '', 'x'),
);
const field = fc.constantFrom(
  ...['success', 'message', 'order_id', 'orderId', 'script_id', 'call_status', 'callStatus'],
  ...['campaign_id', 'campaignId', 'state', 'status', 'contact_count', 'started', 'action'],
  ...['transcript', 'callDurationSec', 'totalCallCost', 'callOutcome', 'orderNumber', 'summary'],
  ...['__proto__', 'constructor', 'toString', 'kind', 'name'],
);
const turn = fc.dictionary(fc.constantFrom('speaker', 'text', 'timestamp'), value);
const message = fc.constantFrom(
  'Call is still in progress',
  'Order not found',
  'scriptId is required',
  'Missing required script variables: a, b',
  'Concurrency / pool exhausted',
  'customerPhone is required',
);
const record = fc
  .tuple(
    fc.array(fc.tuple(field, value), { maxLength: 8 }),
    fc.option(fc.boolean(), { nil: undefined }),
    fc.option(message, { nil: undefined }),
    fc.option(fc.array(turn, { maxLength: 4 }), { nil: undefined }),
  )
  .map(([fields, success, said, transcript]) => ({
    ...Object.fromEntries(fields),
    ...(success === undefined ? {} : { success }),
    ...(said === undefined ? {} : { message: said }),
    ...(transcript === undefined ? {} : { transcript }),
  }));
const body = fc.oneof(
  { weight: 6, arbitrary: record as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: fc.anything() },
  { weight: 1, arbitrary: fc.string() },
);
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(200, 201, 400, 401, 403, 404, 408, 409, 429, 500, 503) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 999 }) },
);
const headers = fc.oneof(
  fc.constant({}),
  fc.dictionary(
    fc.constantFrom('retry-after', 'location', 'content-type'),
    fc.constantFrom('61', '0', 'x'),
  ),
);
/** Nesting is put in later: a value that is nested so deep could not be shown when a test fails. */
const nesting = fc.option(fc.record({ name: field, depth: fc.nat(20_000) }), { nil: undefined });
const answer = fc.record({ status, headers, body, nesting });

type Drawn = Answer & { nesting: { name: string; depth: number } | undefined };

function answerOf({ nesting: put, ...given }: Drawn): Answer {
  if (put !== undefined && isRecord(given.body) && !Array.isArray(given.body)) {
    return { ...given, body: { ...given.body, [put.name]: nested(put.depth) } };
  }
  return given;
}

const isRecord = (said: unknown): said is Record<string, unknown> =>
  typeof said === 'object' && said !== null;
/** What no service answers that has acted: a status of HTTP for those who are not let in, or words. */
const refuses = ({ status: code, body: said }: Answer) =>
  [401, 403, 404, 405, 407, 410, 411, 413, 414, 415, 429, 431].includes(code) ||
  [301, 302, 307, 308].includes(code) ||
  (code >= 200 && code < 500 && code !== 408 && isRecord(said) && said.success === false);

const asks: Array<{ name: string; dials: boolean; ask: (c: CallingService) => Promise<unknown> }> =
  [
    { name: 'trigger', dials: true, ask: trigger },
    {
      name: 'create',
      dials: true,
      ask: async (c) => await c.createCampaign(campaignTo([PHONE, '+12025550124'])),
    },
    ...(['start', 'pause', 'resume', 'stop'] as const).map((action) => ({
      name: action,
      dials: true,
      ask: async (c: CallingService) => await c.controlCampaign(14001, action),
    })),
    { name: 'outcome', dials: false, ask: async (c) => await c.readOutcome(14001) },
    { name: 'variables', dials: false, ask: async (c) => await c.askScriptVariables(7) },
    { name: 'access', dials: false, ask: async (c) => await c.checkAccess() },
  ];

describe(`whatever is answered (seed ${seed})`, () => {
  it.each(asks)('a result or a told failure comes of it: $name', async ({ name, dials, ask }) => {
    await fc.assert(
      fc.asyncProperty(answer, async (drawn) => {
        const given = answerOf(drawn);
        const { client, sent } = clientAnswered(given);
        const result = await ask(client).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (result === undefined) return;
        if (!(result instanceof CallingServiceError)) throw result;
        expect(result.advice).toMatch(/\.$/);
        expect(mayHaveBeenProcessed(result)).toBe(result.mayHaveBeenProcessed);
        if (!dials) return expect(result.mayHaveBeenProcessed).toBe(false);
        if (!refuses(given)) expect(result.mayHaveBeenProcessed).toBe(true);
        const isIdempotent = name === 'pause' || name === 'stop';
        if (result.mayHaveBeenProcessed && !isIdempotent) expect(sent()).toBe(1);
      }),
      { numRuns: runs(200, 600), endOnFailure: true },
    );
  });

  it('the same comes of bytes over a real connection', async () => {
    const bytes = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
      fc.nat(30_000).map((depth) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))),
      record.map((said) => {
        try {
          return Buffer.from(JSON.stringify(said) ?? '');
        } catch {
          return Buffer.alloc(0);
        }
      }),
    );
    let next = { status: 200, content: Buffer.alloc(0) };
    const server = await startBreakingServer([], { respond: () => next });
    try {
      const client = clientOf(server);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 200, max: 599 }), bytes, async (code, content) => {
          next = { status: code, content };
          const result = await trigger(client).catch((error: unknown) => error);
          if (result instanceof Error) expect(result).toBeInstanceOf(CallingServiceError);
        }),
        { numRuns: runs(200, 600), endOnFailure: true },
      );
    } finally {
      await server.close();
    }
  });
});
