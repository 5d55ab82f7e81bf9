import type { FailureKind } from '../../nodes/OutboundAiCalling/service/failure';
import type { CallingService as Client } from '../../nodes/OutboundAiCalling/service/callingService';
import { leapOverWaits } from '../leapOverWaits';
import { startCallingService, type CallingService, type Fault } from '../service';
import {
  callTo,
  campaignTo,
  clientOf,
  dialing,
  failureOf,
  PHONE,
  reading,
  type ClientOptions,
} from './client';

leapOverWaits();

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService({ channelPool: 1, concurrencyCap: 1 });
});
afterEach(async () => await service.close());

const requestsReceived = () => service.seen.received.length;
const rateLimit = (retryAfter?: string): Fault => ({
  kind: 'status',
  status: 429,
  ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
});

interface Row {
  kind: FailureKind;
  status: number;
  message: string;
  advice: RegExp;
  ask: (client: Client) => Promise<unknown>;
  options?: ClientOptions;
}

/** The error table of the interface, row by row. */
const rows: Record<string, Row> = {
  'a wrong key': {
    kind: 'keyRefused',
    status: 401,
    message: 'The calling service refused the API key',
    advice: /API key/,
    ask: async (client) => await client.triggerCall(callTo(PHONE)),
    options: { credential: { apiKey: 'wrong' } },
  },
  'a script that does not exist': {
    kind: 'scriptRefused',
    status: 400,
    message: 'The calling service does not accept this script ID',
    advice: /the script ID/,
    ask: async (client) => await client.triggerCall(callTo(PHONE, { scriptId: 99 })),
  },
  'no phone number': {
    kind: 'phoneRefused',
    status: 400,
    message: 'The calling service found no phone number that it can call',
    advice: /the phone number/,
    ask: async (client) => await client.triggerCall(callTo('')),
  },
  'a contact without a phone number': {
    kind: 'phoneRefused',
    status: 400,
    message: 'The calling service found no phone number that it can call',
    advice: /contacts.*"Phone Column"/,
    ask: async (client) => await client.createCampaign(campaignTo([PHONE, ''])),
  },
  'missing script variables': {
    kind: 'variablesMissing',
    status: 400,
    message: 'The script needs brand_name, order_amount',
    advice: /"Script Variables"/,
    ask: async (client) => await client.triggerCall(callTo(PHONE, { scriptId: 12 })),
  },
  'an order that does not exist': {
    kind: 'orderNotFound',
    status: 404,
    message: 'The calling service does not know this order',
    advice: /the call ID/,
    ask: async (client) => await client.readOutcome(1),
  },
  'a campaign that does not exist': {
    kind: 'campaignNotFound',
    status: 404,
    message: 'The calling service does not know this campaign',
    advice: /the campaign ID/,
    ask: async (client) => await client.controlCampaign(1, 'pause'),
  },
  'an exhausted pool': {
    kind: 'poolExhausted',
    status: 400,
    message: 'All channels of the account are in use',
    advice: /lower "Max Concurrency"/,
    ask: async (client) => {
      const start = async () =>
        await client.createCampaign(campaignTo([PHONE], { startImmediately: true }));
      await start();
      service.seen.resetRequests();
      await start();
    },
  },
};

describe('a refusal of the service', () => {
  it.each(Object.entries(rows))('for %s is told, and not asked for again', async (_name, row) => {
    const { kind, status, message, advice, ask, options } = row;
    const failure = await failureOf(ask(clientOf(service, options)));
    expect(failure).toMatchObject({ kind, status, message, mayHaveBeenProcessed: false });
    expect(failure.advice).toMatch(advice);
    expect(requestsReceived()).toBe(1);
  });

  it('lists the missing script variables', async () => {
    const failure = await failureOf(
      clientOf(service).triggerCall(callTo(PHONE, { scriptId: 12, variables: { brand_name: '' } })),
    );
    expect(failure.missingVariables).toEqual(['brand_name', 'order_amount']);
  });

  it.each([...dialing, ...reading])('is seen in a 200 as well when %s', async (_name, ask) => {
    service.faults.add({ kind: 'successFalse', message: 'No more money' });
    expect(await failureOf(ask(clientOf(service)))).toMatchObject({
      kind: 'unknown',
      concerns: 'everything',
      status: 200,
      message: 'The calling service refused: No more money',
      mayHaveBeenProcessed: false,
    });
    expect(requestsReceived()).toBe(1);
  });

  it.each([
    ['scriptId is required', 'scriptRefused'],
    ['customerPhone is required', 'phoneRefused'],
    ['Missing required script variables: a, b', 'variablesMissing'],
    ['Concurrency / pool exhausted', 'poolExhausted'],
  ])('means the same in a 200: %s', async (message, kind) => {
    service.faults.add({ kind: 'successFalse', message });
    expect(await failureOf(clientOf(service).triggerCall(callTo(PHONE)))).toMatchObject({ kind });
  });

  it.each(dialing)('that has found nothing may mean the path when %s', async (_name, ask) => {
    const failure = await failureOf(ask(clientOf({ baseUrl: `${service.baseUrl}/elsewhere` })));
    expect(failure).toMatchObject({
      kind: 'unknown',
      status: 404,
      mayHaveBeenProcessed: false,
      message: 'The calling service refused: Not found',
    });
    expect(failure.advice).toMatch(/ids of the request.*base URL/);
  });
});

describe('an answer of somebody else', () => {
  const strangers: Array<[string, Fault]> = [
    ['a web page', { kind: 'html' }],
    ['other JSON', { kind: 'json', body: { hello: 'world' } }],
    ['a list', { kind: 'json', body: [{ success: true }] }],
    ['null', { kind: 'json', body: null }],
    ['success in words', { kind: 'json', body: { success: 'true' } }],
  ];
  const cases = strangers.flatMap(([what, fault]) =>
    dialing.map(([name, ask]) => ({ what, fault, name, ask })),
  );

  it.each(cases)('is told as such: $what when $name', async ({ fault, ask }) => {
    service.faults.add(fault);
    expect(await failureOf(ask(clientOf(service)))).toMatchObject({
      kind: 'notTheService',
      status: 200,
      mayHaveBeenProcessed: true,
      message: expect.stringMatching(
        /answered, but not as the calling service does \(status 200, .+\): the/,
      ) as string,
    });
    expect(requestsReceived()).toBe(1);
  });

  it.each(dialing)('of status 404 changed nothing when %s', async (_name, ask) => {
    service.faults.add({ kind: 'status', status: 404, body: '<h1>Not found</h1>' });
    expect(await failureOf(ask(clientOf(service)))).toMatchObject({
      kind: 'notTheService',
      status: 404,
      mayHaveBeenProcessed: false,
    });
  });

  it.each(dialing.slice(0, 2))(
    'without an id may hide what was done when %s',
    async (_name, ask) => {
      service.faults.add({ kind: 'json', body: { success: true }, when: 'after' });
      expect(await failureOf(ask(clientOf(service)))).toMatchObject({
        kind: 'notTheService',
        mayHaveBeenProcessed: true,
      });
      expect(service.seen.calls.length + service.seen.campaigns.length).toBe(1);
    },
  );
});

describe('a redirect', () => {
  it.each([...dialing, ...reading])(
    'is not followed, so that the key goes nowhere else, when %s',
    async (_name, ask) => {
      const elsewhere = await startCallingService();
      try {
        service.faults.add({ kind: 'redirect', location: `${elsewhere.baseUrl}/api/v1/campaigns` });
        const failure = await failureOf(ask(clientOf(service)));
        expect(failure).toMatchObject({
          kind: 'redirected',
          status: 302,
          mayHaveBeenProcessed: false,
        });
        expect(elsewhere.seen.received).toEqual([]);
        expect(requestsReceived()).toBe(1);
      } finally {
        await elsewhere.close();
      }
    },
  );
});

describe('a redirect to what was made', () => {
  it.each([301, 302, 303, 307])('with %d may mean that it was made', async (status) => {
    const headers = { location: '/api/v1/orders/4001?from=trigger' };
    service.faults.add({ kind: 'status', status, headers, body: {} });
    const failure = await failureOf(clientOf(service).triggerCall(callTo(PHONE)));
    expect(failure).toMatchObject({ kind: 'redirected', mayHaveBeenProcessed: true });
    expect(failure.message).toContain('the call may have been placed');
  });

  it.each([
    ['/orders/3f2b8c1e-90ab-4cde-8f01-23456789abcd', true],
    ['https://other.example:8443/orders/ord_8FzQ/?from=trigger', true],
    ['https://127.0.0.1:8443', false],
    ['http://10.0.0.1:8080/api/v1/', false],
    ['https://other.example/shop2/api/v1/calls/trigger', false],
    ['/login?next=%2Fapi%2Fv1', false],
  ])('of a call: %s', async (location, mayHaveBeenProcessed) => {
    service.faults.add({ kind: 'redirect', location });
    const failure = await failureOf(clientOf(service).triggerCall(callTo(PHONE)));
    expect(failure).toMatchObject({ kind: 'redirected', mayHaveBeenProcessed });
  });

  it.each([
    ['http://other.example:8080/api/v1/campaigns/9/start', false],
    ['/api/v1/campaigns/9', true],
  ])('of a start: %s', async (location, mayHaveBeenProcessed) => {
    service.faults.add({ kind: 'redirect', location });
    const failure = await failureOf(clientOf(service).controlCampaign(9, 'start'));
    expect(failure).toMatchObject({ kind: 'redirected', mayHaveBeenProcessed });
  });
});

describe('too many requests', () => {
  it.each([...dialing, ...reading])('are tried 4 times when %s', async (_name, ask) => {
    service.faults.add({ ...rateLimit(), times: Infinity });
    expect(await failureOf(ask(clientOf(service)))).toMatchObject({
      kind: 'rateLimited',
      status: 429,
      mayHaveBeenProcessed: false,
    });
    expect(requestsReceived()).toBe(4);
  });

  it('end well when the fourth try is taken, with one call placed', async () => {
    service.faults.add({ ...rateLimit('0'), times: 3 });
    await clientOf(service).triggerCall(callTo(PHONE));
    expect(requestsReceived()).toBe(4);
    expect(service.seen.callsByPhone.get(PHONE)).toBe(1);
  });

  it('are waited for as many seconds as the service asks', async () => {
    service.faults.add(rateLimit('1'));
    const asked = performance.now();
    await clientOf(service).triggerCall(callTo(PHONE));
    expect(performance.now() - asked).toBeGreaterThan(990);
    expect(requestsReceived()).toBe(2);
  });

  it('are waited for until the time that the service names', async () => {
    const until = Math.ceil(Date.now() / 1000 + 1) * 1000;
    service.faults.add(rateLimit(new Date(until).toUTCString()));
    await clientOf(service).triggerCall(callTo(PHONE));
    expect(Date.now()).toBeGreaterThan(until - 10);
    expect(requestsReceived()).toBe(2);
  });

  it.each([
    ['seconds', () => '61', 61],
    ['a time', () => new Date(Date.now() + 120_000).toUTCString(), 119],
  ])('are told, not waited for, beyond a minute, as %s', async (_form, value, seconds) => {
    service.faults.add({ ...rateLimit(value()), times: Infinity });
    const failure = await failureOf(clientOf(service).triggerCall(callTo(PHONE)));
    expect(failure).toMatchObject({ kind: 'rateLimited', mayHaveBeenProcessed: false });
    expect(Math.abs((failure.retryAfterSeconds ?? 0) - seconds)).toBeLessThanOrEqual(1);
    expect(failure.advice).toContain(`${failure.retryAfterSeconds} seconds`);
    expect(requestsReceived()).toBe(1);
  });
});

describe('a list that is too large', () => {
  it.each<[string, unknown]>([
    ['a web page', '<html><title>413 Request Entity Too Large</title></html>'],
    ['request entity too large', { message: 'request entity too large' }],
    ['Payload too large', { success: false, message: 'Payload too large' }],
  ])('is told as such: %s', async (quoted, body) => {
    service.faults.add({ kind: 'status', status: 413, body });
    const failure = await failureOf(clientOf(service).createCampaign(campaignTo([PHONE])));
    expect(failure).toMatchObject({
      kind: 'listTooLarge',
      mayHaveBeenProcessed: false,
      message: `The list of contacts is too large for the calling service (status 413: ${quoted})`,
    });
    expect(failure.advice).toMatch(/Lower "Contacts per Campaign"/);
    expect(requestsReceived()).toBe(1);
  });
});

describe('a failure that may pass', () => {
  const passing: Array<[string, Fault, FailureKind]> = [
    ...[408, 500, 502, 503, 504].map((status): [string, Fault, FailureKind] => [
      `status ${status}`,
      { kind: 'status', status },
      'serviceFailing',
    ]),
    ['a broken connection', { kind: 'reset' }, 'connectionLost'],
    ['silence', { kind: 'hang' }, 'timedOut'],
  ];
  const at = (moments: ReadonlyArray<'before' | 'after'>, asks: typeof dialing) =>
    passing.flatMap(([what, fault, kind]) =>
      moments.flatMap((when) =>
        asks.map(([name, ask]) => ({ what, fault, kind, when, name, ask })),
      ),
    );
  const patience = (fault: Fault) => (fault.kind === 'hang' ? { timeoutMs: 1_000 } : {});

  it.each(at(['before'], reading))(
    'is tried 4 times when $name: $what',
    async ({ fault, kind, ask }) => {
      service.faults.add({ ...fault, times: Infinity });
      const failure = await failureOf(ask(clientOf(service, patience(fault))));
      expect(failure.kind).toBe(kind);
      expect(requestsReceived()).toBe(4);
    },
  );

  it.each(reading)('has had no effect when %s', async (_name, ask) => {
    for (const fault of [{ kind: 'reset' }, { kind: 'status', status: 503 }] as const) {
      service.faults.add({ ...fault, times: 4 });
      const failure = await failureOf(ask(clientOf(service)));
      expect(failure.mayHaveBeenProcessed).toBe(false);
      expect(failure.message).not.toMatch(/may have/);
    }
  });

  it('does no harm to reading an outcome when the fourth try is answered', async () => {
    const client = clientOf(service);
    const { orderId } = (await client.triggerCall(callTo(PHONE))).result;
    for (const fault of [{ kind: 'reset' }, { kind: 'status', status: 503 }] as const) {
      service.seen.resetRequests();
      service.faults.add({ ...fault, times: 3 });
      expect((await client.readOutcome(orderId)).finished).toBe(false);
      expect(service.seen.requests.outcome).toBe(4);
    }
  });

  it.each(at(['before', 'after'], dialing))(
    'is never tried again when $name: $what $when it was taken',
    async ({ fault, kind, when, ask }) => {
      await clientOf(service).createCampaign(campaignTo([PHONE]));
      service.seen.resetRequests();
      const known = [service.seen.calls.length, service.seen.campaigns.length];
      service.faults.add({ ...fault, when });
      const failure = await failureOf(ask(clientOf(service, patience(fault))));
      expect(failure).toMatchObject({ kind, mayHaveBeenProcessed: true });
      expect(failure.message).toMatch(/the (call|campaign) may have/);
      expect(failure.advice).toMatch(/before you .* again/);
      expect(requestsReceived()).toBe(1);
      const { state } = service.seen.campaigns[0]!;
      const changed =
        service.seen.calls.length > known[0]! ||
        service.seen.campaigns.length > known[1]! ||
        state !== 'not_started';
      expect(changed).toBe(when === 'after');
    },
  );

  it.each(dialing)(
    'is not what status 501 is, yet it is not tried again when %s',
    async (_n, ask) => {
      service.faults.add({ kind: 'status', status: 501 });
      expect(await failureOf(ask(clientOf(service)))).toMatchObject({
        kind: 'serviceFailing',
        mayHaveBeenProcessed: true,
      });
      expect(requestsReceived()).toBe(1);
    },
  );
});

describe('a connection that cannot be made', () => {
  const countingTries = () => {
    let tries = 0;
    const through: ClientOptions['through'] = (send) => async (request) => {
      tries++;
      return await send(request);
    };
    return { through, tries: () => tries };
  };

  it.each([...dialing, ...reading])('is tried 4 times when %s', async (_name, ask) => {
    const { through, tries } = countingTries();
    const failure = await failureOf(ask(clientOf({ baseUrl: 'http://127.0.0.1:1' }, { through })));
    expect(failure).toMatchObject({
      kind: 'unreachable',
      mayHaveBeenProcessed: false,
      message: 'The calling service at 127.0.0.1:1 could not be reached',
    });
    expect(tries()).toBe(4);
  });

  it.each(dialing)(
    'because the service does not speak https proves nothing when %s',
    async (_name, ask) => {
      const baseUrl = service.baseUrl.replace('http:', 'https:');
      const failure = await failureOf(ask(clientOf({ baseUrl })));
      expect(failure).toMatchObject({ kind: 'connectionLost', mayHaveBeenProcessed: true });
      expect(requestsReceived()).toBe(0);
    },
  );
});
