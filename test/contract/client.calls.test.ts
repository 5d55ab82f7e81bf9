import { startCallingService, type CallingService } from '../service';
import { callTo, clientOf, failureOf, PHONE } from './client';
import { stoppedClock } from './clock';

const pass = stoppedClock();
let service: CallingService;
beforeEach(async () => {
  service = await startCallingService();
});
afterEach(async () => await service.close());

describe('triggering a call', () => {
  it('places it with every field that was given', async () => {
    const { result, body } = await clientOf(service).triggerCall({
      scriptId: 12,
      customerPhone: PHONE,
      customerName: 'Zoë',
      orderNumber: 'A-17',
      orderNotes: 'Ring twice',
      campaignName: 'May',
      variables: { brand_name: 'Acme', order_amount: '12.50' },
    });
    expect(result).toEqual({
      orderId: service.seen.calls[0]?.orderId,
      scriptId: 12,
      callStatus: 'in_progress',
      message: 'Call started',
    });
    expect(body).toMatchObject({ success: true, action: 'trigger_call' });
    expect(service.seen.received[0]?.body).toEqual({
      scriptId: 12,
      customerPhone: PHONE,
      customerName: 'Zoë',
      orderNumber: 'A-17',
      orderNotes: 'Ring twice',
      campaignName: 'May',
      brand_name: 'Acme',
      order_amount: '12.50',
    });
  });

  it('lets no script variable take the place of a field', async () => {
    await clientOf(service).triggerCall(callTo(PHONE, { variables: { customerPhone: '+1999' } }));
    expect(service.seen.calls.map(({ phone }) => phone)).toEqual([PHONE]);
  });

  it.each([
    ['versioned', '/api/v1/calls/trigger', /^\/api\/v1\/orders\/\d+\/outcome$/],
    ['unversioned', '/api/trigger-call', /^\/api\/order\/\d+\/call-outcome$/],
  ])('and reading its outcome use the %s paths', async (pathForm, triggerPath, outcomePath) => {
    const client = clientOf(service, { credential: { pathForm } });
    const { orderId } = (await client.triggerCall(callTo(PHONE))).result;
    pass(60);
    expect(await client.readOutcome(orderId)).toMatchObject({ finished: true });
    await client.checkAccess();
    expect(await client.askScriptVariables(12)).toEqual(['brand_name', 'order_amount']);
    expect(service.seen.received.map(({ url }) => url)).toEqual([
      triggerPath,
      expect.stringMatching(outcomePath),
      expect.stringMatching(outcomePath),
      triggerPath,
    ]);
  });

  it.each([
    ['bearer', 'authorization', 'Bearer test-key', 'x-api-key'],
    ['xApiKey', 'x-api-key', 'test-key', 'authorization'],
  ])('sends the key in the form %s, and in no other', async (headerForm, name, value, other) => {
    const credential = { headerForm, apiKey: '  test-key\n' };
    await clientOf(service, { credential }).triggerCall(callTo(PHONE));
    expect(service.seen.received[0]?.headers[name]).toBe(value);
    expect(service.seen.received[0]?.headers).not.toHaveProperty(other);
  });
});

describe('reading an outcome', () => {
  it('tells a call in progress from one that has ended', async () => {
    const client = clientOf(service);
    const { orderId } = (await client.triggerCall(callTo(PHONE, { orderNumber: 'A-17' }))).result;
    expect(await client.readOutcome(orderId)).toEqual({
      finished: false,
      body: { success: false, message: 'Call is still in progress' },
    });
    expect(service.seen.requests.outcome).toBe(1);
    pass(60);
    const reading = await client.readOutcome(orderId);
    const { outcome } = service.seen.calls[0]!;
    expect(reading).toMatchObject({
      finished: true,
      result: {
        orderId,
        orderNumber: 'A-17',
        callStatus: outcome.status,
        callOutcome: outcome.label,
        callDurationSec: outcome.talkSec,
        totalCallCost: outcome.cost,
        summary: outcome.summary,
      },
    });
  });

  it('fails for an order that another key placed', async () => {
    await service.close();
    service = await startCallingService({ apiKeys: ['test-key', 'other'] });
    const { orderId } = (await clientOf(service).triggerCall(callTo(PHONE))).result;
    const other = clientOf(service, { credential: { apiKey: 'other' } });
    expect(await failureOf(other.readOutcome(orderId))).toMatchObject({
      kind: 'orderNotFound',
      status: 404,
    });
  });
});

describe('asking for the variables of a script', () => {
  it('learns their names where the service checks them first', async () => {
    const client = clientOf(service);
    expect(await client.askScriptVariables(12)).toEqual(['brand_name', 'order_amount']);
    expect(await client.askScriptVariables(21)).toEqual(['brand_name']);
    expect(await client.askScriptVariables(7)).toBeUndefined();
  });

  it.each(['phoneFirst', 'scriptOnly'] as const)(
    'learns nothing where the service checks %s',
    async (checks) => {
      service.switches.checks = checks;
      expect(await clientOf(service).askScriptVariables(12)).toBeUndefined();
    },
  );

  it('fails for a script that does not exist', async () => {
    expect(await failureOf(clientOf(service).askScriptVariables(99))).toMatchObject({
      kind: 'scriptRefused',
    });
  });

  it.each([{ kind: 'reset' }, { kind: 'status', status: 503 }, { kind: 'html' }] as const)(
    'tells of no call that may have been placed when it fails by %p',
    async (fault) => {
      service.faults.add({ ...fault, times: Infinity });
      const failure = await failureOf(clientOf(service).askScriptVariables(12));
      expect(failure.message).not.toMatch(/may have been placed/);
      expect(failure.advice).not.toMatch(/may have been called/);
      expect(failure.mayHaveBeenProcessed).toBe(false);
    },
  );

  afterEach(() => {
    expect(service.seen.calls).toEqual([]);
    expect(service.seen.received.length).toBeGreaterThan(0);
    for (const { body } of service.seen.received) expect(Object.keys(body!)).toEqual(['scriptId']);
  });
});

describe('checking the access', () => {
  it('passes when address and key are right', async () => {
    await clientOf(service).checkAccess();
    expect(service.seen.requests).toMatchObject({ outcome: 1, trigger: 0 });
  });

  it('passes even when the order that it asks for is in progress', async () => {
    const inProgress = { success: false, message: 'Call is still in progress' };
    service.faults.add({ kind: 'status', status: 404, body: inProgress });
    await clientOf(service).checkAccess();
  });

  it('fails when the key is not the right one', async () => {
    const client = clientOf(service, { credential: { apiKey: 'test-key-2' } });
    expect(await failureOf(client.checkAccess())).toMatchObject({ kind: 'keyRefused' });
  });

  it.each([
    [{ kind: 'html' }, 'notTheService'],
    [{ kind: 'status', status: 404, body: '<h1>Not found</h1>' }, 'notTheService'],
    [{ kind: 'json', body: { hello: 'world' } }, 'notTheService'],
    [{ kind: 'redirect', location: 'https://elsewhere.example/' }, 'redirected'],
    [{ kind: 'status', status: 403 }, 'unknown'],
    [{ kind: 'html', status: 401 }, 'notTheService'],
    [{ kind: 'html', status: 403 }, 'notTheService'],
    [{ kind: 'status', status: 500 }, 'serviceFailing'],
    [{ kind: 'status', status: 429 }, 'rateLimited'],
    [{ kind: 'reset' }, 'connectionLost'],
  ] as const)('fails when the answer is %p', async (fault, kind) => {
    service.faults.add({ ...fault, times: Infinity });
    expect(await failureOf(clientOf(service).checkAccess())).toMatchObject({ kind });
  });

  it('fails when nobody listens at the address', async () => {
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1' });
    expect(await failureOf(client.checkAccess())).toMatchObject({ kind: 'unreachable' });
  });
});
