import type { CallingService } from '../../nodes/OutboundAiCalling/service/callingService';
import { controlMessage } from '../../nodes/OutboundAiCalling/actions/campaign/campaignMessage';
import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import { startBreakingServer } from '../service/breakingServer';
import { callTo, campaignTo, clientOf, failureOf, PHONE } from './client';

const refusal = (message: string) => JSON.stringify({ success: false, message });
const page = (title: string) => `<!doctype html><html><body><h1>${title}</h1></body></html>`;

/** None of them says in so many words what it is about; `said` is what has to be quoted. */
const odd: Array<{ status: number; content: string; said?: string }> = [
  ...[
    'No calls today',
    'Daily limit reached',
    'The account is suspended',
    'Invoice 17 is overdue',
    'Script engine is unavailable',
    'Script not found in cache, try again',
    'Phone number provider is down',
    'No phone number available to call from',
    'Number is temporarily blocked',
    'Order service not available',
    'Campaign limit reached',
    'Duplicate request',
    'Database connection pool exhausted',
    'Maintenance until 06:00',
    'Outside of allowed hours',
    'Validation failed',
    'Internal: null is not an object',
    'Order 4002 not found',
    'Campaign 318 not found',
    'Campaign 318 is already paused',
    'Campaign 318 has been stopped',
    'Не получилось',
    'ok',
    'true',
  ].map((said, index) => ({
    status: [200, 400, 402, 403, 404, 409, 410, 418, 422, 451][index % 10] ?? 400,
    content: refusal(said),
    said,
  })),
  ...[200, 201, 400, 402, 403, 404, 422].map((status) => ({
    status,
    content: '{"success":false}',
  })),
  ...[200, 400, 401, 402, 403, 404, 409, 418, 422].map((status) => ({
    status,
    content: page('Sign in'),
    said: 'a web page',
  })),
  ...[204, 400, 403, 404, 422].map((status) => ({ status, content: '', said: 'no content' })),
  ...[200, 400, 402, 403, 404, 422].map((status) => ({
    status,
    content: '{"error":"Payment is late"}',
    said: 'Payment is late',
  })),
  { status: 404, content: '{"error":{"message":"No route"}}', said: 'No route' },
  ...['"message":["Payment is late"]', '"message":{"account":["Payment is late"]}'].map((said) => ({
    status: 400,
    content: `{"success":false,${said}}`,
    said: 'Payment is late',
  })),
  {
    status: 422,
    content: '{"success":false,"errors":[{"msg":"Payment is late"}]}',
    said: 'Payment is late',
  },
  { status: 200, content: '[]' },
  { status: 400, content: 'upstream says no', said: 'upstream says no' },
  { status: 503, content: refusal('Come back later'), said: 'Come back later' },
  { status: 500, content: page('Oops'), said: 'a web page' },
];

/** What ends a call, a waiting or a campaign for good, or blames what the answer does not speak of. */
const FINAL = new Set([
  ...['scriptRefused', 'phoneRefused', 'variablesMissing', 'orderNotFound', 'campaignNotFound'],
  ...['stopRefused', 'wrongState', 'keyRefused', 'poolExhausted', 'balanceTooLow'],
]);

const operations: Array<[string, (client: CallingService) => Promise<unknown>]> = [
  ['triggering a call', async (client) => await client.triggerCall(callTo(PHONE))],
  ['reading an outcome', async (client) => await client.readOutcome(4001)],
  ['creating a campaign', async (client) => await client.createCampaign(campaignTo([PHONE]))],
  ...(['start', 'pause', 'resume', 'stop'] as const).map(
    (action): [string, (client: CallingService) => Promise<unknown>] => [
      `asking to ${action} a campaign`,
      async (client) => await client.controlCampaign(317, action),
    ],
  ),
  ['asking for script variables', async (client) => await client.askScriptVariables(7)],
  ['checking the access', async (client) => await client.checkAccess()],
];

describe('an answer that does not say in so many words what it means', () => {
  let next = { status: 200, content: Buffer.alloc(0) };
  let server: Awaited<ReturnType<typeof startBreakingServer>>;
  beforeAll(async () => {
    server = await startBreakingServer([], { respond: () => next });
  });
  afterAll(async () => await server.close());

  it.each(operations)('ends nothing, blames nothing and is quoted when %s', async (_name, ask) => {
    const wrong: string[] = [];
    for (const { status, content, said } of odd) {
      next = { status, content: Buffer.from(content) };
      const error = await ask(clientOf(server)).then(
        () => 'a success',
        (thrown: unknown) => thrown,
      );
      const isQuoted = said === undefined || String(error).includes(said);
      const isOpen =
        error instanceof CallingServiceError &&
        error.concerns === 'everything' &&
        !FINAL.has(error.kind);
      if (!isQuoted || !isOpen) wrong.push(`${status} ${content}: ${String(error)}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('an answer that contradicts itself', () => {
  let next = { status: 200, content: Buffer.alloc(0) };
  let server: Awaited<ReturnType<typeof startBreakingServer>>;
  beforeAll(async () => {
    server = await startBreakingServer([], { respond: () => next });
  });
  afterAll(async () => await server.close());
  const answered = (status: number, content: object | string) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    next = { status, content: Buffer.from(text) };
    return clientOf(server);
  };

  it.each<[number, object | string]>([
    [200, { success: false, message: 'Call placed; recording failed' }],
    [200, { success: false, call_status: 'in_progress' }],
    [200, { success: false, action: 'trigger_call', order_id: 'ORD-4001' }],
    [400, { success: false, message: 'Duplicate', data: { order_id: 4001 } }],
    [409, { success: false, message: 'Duplicate call: order_id 4001 was already placed' }],
    [200, { success: false, message: 'timeout waiting for telephony provider' }],
    [404, 'upstream timed out'],
    [429, { success: false, message: 'This call was already placed' }],
  ])('shows that a call may have been placed: %i %j', async (status, content) => {
    const failure = await failureOf(answered(status, content).triggerCall(callTo(PHONE)));
    expect(failure.mayHaveBeenProcessed).toBe(true);
    expect(failure.advice).toContain('before you trigger it again');
  });

  it.each(['No free channels', 'Insufficient wallet balance', 'Something went wrong'])(
    'is none where only the failure is told: %s',
    async (message) => {
      const client = answered(400, { success: false, message });
      const failure = await failureOf(client.triggerCall(callTo(PHONE)));
      expect(failure.mayHaveBeenProcessed).toBe(false);
    },
  );

  it('gives the one id that can be used', async () => {
    const client = answered(200, { success: true, order_id: '', orderId: 4001 });
    expect((await client.triggerCall(callTo(PHONE))).result.orderId).toBe(4001);
  });

  it('names both ids where they differ', async () => {
    const placed = answered(200, { success: true, order_id: 4001, orderId: 4002 });
    expect(await failureOf(placed.triggerCall(callTo(PHONE)))).toMatchObject({
      mayHaveBeenProcessed: true,
      message: 'The calling service accepted the call but gave several ids (4001, 4002) for it',
    });
    const created = answered(200, { success: true, campaign_id: 317, campaignId: '318' });
    expect((await failureOf(created.createCampaign(campaignTo([PHONE])))).message).toContain(
      'several ids (317, 318)',
    );
  });

  it.each<[number, object]>([
    [400, { success: false, message: 'API key is not valid. Renew your plan in order to go on.' }],
    [404, { success: false, message: 'Order not found: the API key was revoked' }],
    [404, { success: false, message: 'Order not found for this API key' }],
    [404, { success: false, message: 'No account for this key; order one at our shop' }],
    [200, { success: false, message: 'Unknown key. Please order an account.' }],
    [400, { success: false, message: 'In order to use this API, confirm your mail address' }],
    [401, { success: false, message: 'Call is still in progress' }],
    [401, { success: false, message: 'Order not found' }],
    [404, { success: false, message: 'Maintenance is still in progress' }],
    [200, { success: true }],
  ])('does not show that the key is right: %i %j', async (status, content) => {
    const failure = await failureOf(answered(status, content).checkAccess());
    expect(`${failure.message} ${failure.advice}`).not.toContain('Call ID at the Service');
  });

  it('takes "Call not found" for the sentence about an order', async () => {
    await answered(404, { success: false, message: 'Call not found' }).checkAccess();
  });

  it.each([
    { success: false, message: 'Campaign is paused', state: 'running' },
    { success: false, message: 'Campaign was paused' },
    { success: true, state: 'running' },
    { success: true, state: 'paused', status: 'running' },
    { success: true, state: 'dialing' },
    { success: true, action: 'resume_campaign' },
  ])('does not show that a campaign is paused: %j', async (content) => {
    for (const action of ['pause', 'stop'] as const) {
      const failure = await failureOf(answered(200, content).controlCampaign(317, action));
      expect(failure.advice).not.toContain('calls nobody');
    }
  });

  it.each<[object, string]>([
    [{ state: 'stopped' }, 'says that its state is stopped'],
    [{ started: false, message: 'No free channels' }, 'says that its state is not_started'],
    [{ action: 'pause_campaign' }, 'names the action pause_campaign'],
  ])('does not show that a campaign was started: %j', async (content, why) => {
    const client = answered(200, { success: true, ...content });
    expect(await failureOf(client.controlCampaign(317, 'start'))).toMatchObject({
      mayHaveBeenProcessed: true,
      message: `The calling service accepted the request to start campaign 317, but ${why}: the campaign may have been started and be running`,
    });
  });

  it('promises no state of a campaign where none is given', async () => {
    const client = answered(200, { success: true, message: 'Nothing done: campaign is running' });
    const { result } = await client.controlCampaign(317, 'pause');
    expect(result.state).toBe('unknown');
    expect(controlMessage('pause', result)).toContain('gave no state that could be read');
  });

  it.each(['Script not found', 'Order not found', 'customerPhone is not valid'])(
    'is about no single call where the key is refused: %s',
    async (message) => {
      const client = answered(401, { success: false, message });
      expect(await failureOf(client.triggerCall(callTo(PHONE)))).toMatchObject({
        concerns: 'everything',
      });
    },
  );
});
