import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { execute, jsonOf } from './engine';
import { hintsOf } from './hints';

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService({ speed: 1000 });
});
afterEach(async () => await service.close());

const credential = (fields: IDataObject = {}) => ({
  baseUrl: service.baseUrl,
  apiKey: 'test-key',
  ...fields,
});
const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
const phoneOf = (index: number) => `+1202555${String(1000 + index)}`;
const itemsOf = (count: number): INodeExecutionData[] =>
  Array.from({ length: count }, (_, index) => ({ json: { phone: phoneOf(index), index } }));
const trigger = (more: IDataObject = {}) => ({
  resource: 'call',
  operation: 'trigger',
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  ...more,
});
const mapped = (value: IDataObject, ...required: string[]) => ({
  mappingMode: 'defineBelow',
  value,
  schema: required.map((id) => ({
    id,
    displayName: id,
    required: true,
    defaultMatch: false,
    display: true,
    type: 'string',
  })),
});

describe('triggering calls', () => {
  it('gives one item a call, in order and paired, with what the interface answers', async () => {
    const execution = await execute({
      parameters: trigger({ additionalFields: { orderNumber: '={{ "A-" + $json.index }}' } }),
      items: itemsOf(25),
      credential: credential(),
    });
    const output = jsonOf(execution);
    expect(output.map(({ customerPhone }) => customerPhone)).toEqual(
      itemsOf(25).map(({ json }) => json.phone),
    );
    expect(output[3]).toEqual({
      orderId: expect.any(Number),
      scriptId: 7,
      callStatus: 'in_progress',
      customerPhone: phoneOf(3),
      orderNumber: 'A-3',
      message: 'Call started',
    });
    expect(execution.items.map(({ pairedItem }) => pairedItem)).toEqual(
      itemsOf(25).map((_, item) => ({ item })),
    );
  });

  it('sends the script id as a number and every variable, whatever the expressions gave', async () => {
    await execute({
      parameters: trigger({
        scriptId: '={{ "12" }}',
        scriptVariables: mapped({ brand_name: 'Acme' }, 'brand_name'),
        additionalFields: {
          customerName: 'Ann',
          moreVariables: { variable: [{ name: 'order_amount', value: '={{ 12.5 }}' }] },
        },
      }),
      items: itemsOf(1),
      credential: credential(),
    }).then(jsonOf);
    expect(service.seen.received[0]?.body).toEqual({
      scriptId: 12,
      customerPhone: phoneOf(0),
      customerName: 'Ann',
      brand_name: 'Acme',
      order_amount: '12.5',
    });
  });

  it.each([
    [{}, { authorization: 'Bearer test-key' }, 'x-api-key'],
    [{ headerForm: 'xApiKey' }, { 'x-api-key': 'test-key' }, 'authorization'],
  ])('sends exactly one header with %j', async (fields, header, other) => {
    await execute({
      parameters: trigger(),
      items: itemsOf(1),
      credential: credential(fields),
    }).then(jsonOf);
    expect(service.seen.received[0]?.headers).toMatchObject(header);
    expect(service.seen.received[0]?.headers).not.toHaveProperty(other);
  });

  it('returns the body of the service as it came when not simplified', async () => {
    const [raw] = jsonOf(
      await execute({
        parameters: trigger({ simplify: false }),
        items: itemsOf(1),
        credential: credential(),
      }),
    );
    expect(raw).toMatchObject({ success: true, action: 'trigger_call', script_id: 7 });
  });

  it('keeps as many requests under way as "Concurrency" says, and no more', async () => {
    const release = service.faults.hold({ times: Infinity });
    const execution = execute({
      parameters: trigger({ options: { concurrency: 50 } }),
      items: itemsOf(200),
      credential: credential(),
    });
    await pause(1_000);
    release();
    jsonOf(await execution);
    expect(service.seen.mostInFlight.trigger).toBe(50);
    expect(service.seen.calls).toHaveLength(200);
  });
});

describe('input that cannot be called', () => {
  const check = async (parameters: IDataObject, item: IDataObject = { phone: phoneOf(0) }) =>
    await execute({ parameters, items: [{ json: item }], credential: credential() });

  it.each([
    [trigger({ scriptId: 0 }), 'Script ID is missing'],
    [trigger({ scriptId: '={{ "1.5" }}' }), 'Script ID is not a positive whole number'],
    [trigger({ customerPhone: '={{ "" }}' }), 'Customer Phone is missing'],
    [trigger({ customerPhone: '9876543210' }), 'Customer Phone "9876543210" has no country code'],
    [trigger({ options: { defaultCountry: 'Narnia' } }), 'Default Country is not a country code'],
    [
      trigger({ scriptVariables: mapped({ a: '' }, 'a', 'b') }),
      'Script Variables lack values for a, b',
    ],
    [
      trigger({
        additionalFields: { moreVariables: { variable: [{ name: 'customerPhone', value: 'x' }] } },
      }),
      'Script Variables cannot be sent: "customerPhone" is a name that the calling service uses',
    ],
    [
      trigger({
        additionalFields: { moreVariables: { variable: [{ name: '__proto__', value: 'x' }] } },
      }),
      '"__proto__" is a name that the calling service uses',
    ],
  ])('%# is refused before anything is sent: %2$s', async (parameters, message) => {
    const { error } = await check(parameters);
    expect(error?.message).toMatch(/^Nobody was called\. /);
    expect(error?.message).toContain(message);
    expect(error?.description).toContain('Nothing was sent.');
    expect(error?.context?.itemIndex).toBe(0);
    expect(service.seen.received).toEqual([]);
  });

  it('is told for all items at once, the first 20 mistakes in full', async () => {
    const items = itemsOf(60).map(({ json }, index) => ({
      json: index % 2 === 0 ? json : { phone: 'x' },
    }));
    const { error } = await execute({ parameters: trigger(), items, credential: credential() });
    expect(error?.message).toBe('Nobody was called. 30 mistakes in 30 items: nothing was sent');
    expect(error?.description).toContain('In item 1: Customer Phone "x" is not a phone number.');
    expect(error?.description).toContain('… and 10 more');
    expect(service.seen.received).toEqual([]);
  });

  it('names its row by the order number, or by the phone where there is none', async () => {
    const fine = { json: { phone: phoneOf(0), order: 'A-15' } };
    const wrongPhone = { json: { phone: 'x', order: ' A-16 ' } };
    const wrongCountry = { json: { phone: phoneOf(2), country: 'Narnia' } };
    const parameters = trigger({
      additionalFields: { orderNumber: '={{ $json.order ?? "" }}' },
      options: { defaultCountry: '={{ $json.country ?? "" }}' },
    });
    const of = async (...items: INodeExecutionData[]) =>
      (await execute({ parameters, items, credential: credential() })).error;
    expect((await of(fine, wrongPhone))?.message).toBe(
      'Nobody was called. In item 1, order A-16: Customer Phone "x" is not a phone number',
    );
    expect((await of(wrongPhone))?.message).toBe(
      'Nobody was called. Customer Phone "x" is not a phone number',
    );
    const { description } = (await of(wrongPhone, fine, wrongCountry)) ?? {};
    expect(description).toContain('In item 0, order A-16: Customer Phone "x"');
    expect(description).toContain(
      `In item 2, ${phoneOf(2)}: Default Country is not a country code.`,
    );
    expect(service.seen.received).toEqual([]);
  });

  it('is told once when all items have it, as a mistake of the settings', async () => {
    const items = itemsOf(3);
    const run = async (more: IDataObject) =>
      (await execute({ parameters: trigger(more), items, credential: credential() })).error;
    const one = await run({ scriptId: 0 });
    expect(one?.message).toBe('Nobody was called. Script ID is missing');
    expect(one?.description).toContain('Nothing was sent for any of the 3 items.');
    expect(one?.context?.itemIndex).toBeUndefined();
    // Of the option only the first item is read.
    const option = await run({ options: { concurrency: 0 } });
    expect(option?.message).toMatch(/^Nobody was called\. Concurrency is not /);
    items[1] = { json: { phone: 'x' } };
    const two = await run({ scriptId: 0 });
    expect(two?.message).toBe('Nobody was called. 2 mistakes in 3 items: nothing was sent');
    expect(two?.description).toMatch(
      /^All items: Script ID is missing\. .*<br>In item 1: Customer/,
    );
    expect(service.seen.received).toEqual([]);
  });

  it('carries its own error when the node continues on error, and the others are called', async () => {
    const items = itemsOf(3);
    items[1] = { json: { phone: 'x' } };
    const execution = await execute({
      parameters: trigger(),
      items,
      credential: credential(),
      settings: { onError: 'continueRegularOutput' },
    });
    expect(jsonOf(execution)).toEqual([
      expect.objectContaining({ orderId: expect.any(Number) }),
      {
        error: 'Nobody was called. Customer Phone "x" is not a phone number',
        customerPhone: 'x',
      },
      expect.objectContaining({ orderId: expect.any(Number) }),
    ]);
    expect(execution.items[1]?.pairedItem).toEqual({ item: 1 });
    expect(service.seen.calls).toHaveLength(2);
    expect(hintsOf(execution)).toEqual(['1 of 3 not called: 1 failed']);
  });

  it('leaves phone and order number in the item when the node continues on error', async () => {
    service.faults.add({
      kind: 'status',
      status: 400,
      match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(1),
    });
    const items = [
      { json: { phone: phoneOf(0), order: 'A-15' } },
      { json: { phone: phoneOf(1), order: 'A-16' } },
      { json: { phone: ' x ', order: ' A-17 ' } },
    ];
    const execution = await execute({
      parameters: trigger({ additionalFields: { orderNumber: '={{ $json.order }}' } }),
      items,
      credential: credential(),
      settings: { onError: 'continueRegularOutput' },
    });
    expect(jsonOf(execution)).toEqual([
      expect.objectContaining({ orderId: expect.any(Number), orderNumber: 'A-15' }),
      { error: expect.any(String), customerPhone: phoneOf(1), orderNumber: 'A-16' },
      { error: expect.any(String), customerPhone: 'x', orderNumber: 'A-17' },
    ]);
    expect(hintsOf(execution)).toEqual(['2 of 3 not called: 2 failed']);
  });

  it('is more than "Max Calls" allows', async () => {
    const { error } = await execute({
      parameters: trigger({ rules: { maxCalls: 5 } }),
      items: itemsOf(6),
      credential: credential(),
    });
    expect(error?.message).toBe('Nobody was called. 6 calls are more than "Max Calls" allows (5)');
    expect(service.seen.received).toEqual([]);
  });

  it('is more than "Max Calls" allows, also in a retry, which says whom the earlier try has called', async () => {
    service.faults.add({
      kind: 'status',
      status: 400,
      match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(1),
    });
    const request = { items: itemsOf(2), credential: credential() };
    const options = { concurrency: 1 };
    const first = await execute({ ...request, parameters: trigger({ options }) });
    const parameters = trigger({ rules: { maxCalls: 1 } });
    const { error } = await execute({ ...request, parameters, retryOf: first });
    expect(error?.message).toMatch(/^1 person was called by an earlier try: .*"Max Calls"/);
    const ids = service.seen.calls.map(({ orderId }) => orderId);
    expect(error?.context?.data).toEqual({ placedOrderIds: ids });
    expect(error?.description).not.toMatch(/Nobody/);
  });
});

describe('a call that fails', () => {
  it('says that it may have been placed, and is not tried again', async () => {
    service.faults.add({ kind: 'reset', when: 'after' });
    const { error } = await execute({
      parameters: trigger(),
      items: itemsOf(1),
      credential: credential(),
    });
    expect(error?.message).toMatch(
      /^Somebody may have been called\. .*the call may have been placed/,
    );
    expect(service.seen.calls).toHaveLength(1);
  });

  it('stops further calls, and the error names the orders already placed', async () => {
    service.faults.add({
      kind: 'status',
      status: 400,
      match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(10),
    });
    const { error } = await execute({
      parameters: trigger({ options: { concurrency: 1 } }),
      items: itemsOf(30),
      credential: credential(),
    });
    const ids = service.seen.calls.map(({ orderId }) => orderId);
    expect(ids).toHaveLength(10);
    expect(error?.message).toMatch(/^10 people were called\. /);
    expect(error?.message).toContain(`. In item 10, ${phoneOf(10)}: `);
    expect(error?.context).toMatchObject({ itemIndex: 10, data: { placedOrderIds: ids } });
    expect(error?.description).toContain(`call IDs at the service ${ids.join(', ')}`);
  });

  it('advises a retry, not another execution, when somebody was called', async () => {
    const later = { kind: 'rateLimit', retryAfter: 3_600 } as const;
    const run = { items: itemsOf(2), credential: credential() };
    const parameters = trigger({ options: { concurrency: 1 } });
    for (const [called, advice] of [
      [1, 'Retry this execution (it calls nobody twice) after that'],
      [0, 'Run the node again after that'],
    ] as const) {
      service.faults.add({
        ...later,
        match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(called),
      });
      const { error } = await execute({ ...run, parameters });
      expect(error?.description).toContain(advice);
    }
  });

  it('awaits the calls under way before it tells', async () => {
    await service.close();
    service = await startCallingService({ answerDelayMs: 100 });
    service.faults.add({
      kind: 'status',
      status: 400,
      match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(4),
    });
    const { error } = await execute({
      parameters: trigger({ options: { concurrency: 10 } }),
      items: itemsOf(100),
      credential: credential(),
    });
    expect(service.seen.calls.length).toBeLessThan(20);
    expect((error?.context?.data as IDataObject).placedOrderIds).toHaveLength(
      service.seen.calls.length,
    );
  });

  it('is told apart for each item when the node continues on error', async () => {
    service.faults.add({
      kind: 'status',
      status: 503,
      match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(1),
    });
    const output = jsonOf(
      await execute({
        parameters: trigger(),
        items: itemsOf(3),
        credential: credential(),
        settings: { onError: 'continueRegularOutput' },
      }),
    );
    expect(output[1]).toEqual({
      customerPhone: phoneOf(1),
      error: expect.stringMatching(
        /^Somebody may have been called\. .*the call may have been placed/,
      ),
    });
    expect(service.seen.calls).toHaveLength(2);
  });
});

describe('a cancelled execution', () => {
  it('sends nothing more', async () => {
    const release = service.faults.hold({ times: Infinity });
    await execute({
      parameters: trigger({ options: { concurrency: 5 } }),
      items: itemsOf(500),
      credential: credential(),
      cancelWhen: () => service.seen.inFlight.trigger === 5,
    });
    release();
    await pause(600);
    expect(service.seen.requests.trigger).toBe(5);
  });
});

describe('reading an outcome', () => {
  const getOutcome = (more: IDataObject = {}) => ({
    resource: 'call',
    operation: 'getOutcome',
    orderId: '={{ $json.orderId }}',
    ...more,
  });
  const place = async (): Promise<IDataObject> => {
    const [placed] = jsonOf(
      await execute({ parameters: trigger(), items: itemsOf(1), credential: credential() }),
    );
    return placed ?? {};
  };

  it('gives outcome, key, transcript and cost of a finished call', async () => {
    const { orderId } = await place();
    await pause(80);
    const output = jsonOf(
      await execute({
        parameters: getOutcome(),
        items: [{ json: { orderId } }],
        credential: credential(),
      }),
    );
    expect(output).toEqual([
      {
        orderId,
        callStatus: expect.any(String),
        callOutcome: expect.any(String),
        outcomeKey: expect.stringMatching(/^[a-z_]+$/),
        callDurationSec: expect.any(Number),
        totalCallCost: expect.any(Number),
        summary: expect.any(String),
        transcript: expect.any(Array),
        finished: true,
      },
    ]);
  });

  it.each([
    ['returnStatus', [{ orderId: expect.any(Number), callStatus: 'in_progress', finished: false }]],
    ['fail', undefined],
  ])('of a call in progress with %p', async (inProgress, output) => {
    await service.close();
    service = await startCallingService({ speed: 1 });
    const { orderId } = await place();
    const execution = await execute({
      parameters: getOutcome({ inProgress }),
      items: [{ json: { orderId } }],
      credential: credential(),
    });
    if (output === undefined) expect(execution.error?.message).toContain('still in progress');
    else expect(jsonOf(execution)).toEqual(output);
  });

  it('looks at once, then every 5 seconds, and gives the status when the time is up', async () => {
    await service.close();
    service = await startCallingService({ callSeconds: { min: 17, max: 17 } });
    const wait = async (maxWaitMinutes: number) => {
      const { orderId } = await place();
      return await execute({
        parameters: getOutcome({ inProgress: 'wait', options: { maxWaitMinutes } }),
        items: [{ json: { orderId } }],
        credential: credential(),
      }).then(jsonOf);
    };
    const [patient, hasty] = await Promise.all([wait(1), wait(0.05)]);
    expect(patient).toEqual([expect.objectContaining({ finished: true })]);
    expect(hasty).toEqual([expect.objectContaining({ finished: false })]);
    expect(service.seen.requests.outcome).toBe(5 + 2);
  });

  describe('with Wait', () => {
    const refusal = (message: string) => ({ status: 404, body: { success: false, message } });
    const inProgress = { kind: 'status', ...refusal('Call is still in progress') } as const;
    const wait = async () => {
      const { orderId } = await place();
      const options = { maxWaitMinutes: 1 };
      return await execute({
        parameters: getOutcome({ inProgress: 'wait', options }),
        items: [{ json: { orderId } }],
        credential: credential(),
      });
    };

    it.each([
      ['fails', { kind: 'status', status: 503 }],
      ['refuses in words of its own', { kind: 'status', ...refusal('Call in progress') }],
      ['is hidden behind a page of a proxy', { kind: 'html', status: 200 }],
    ] as const)('looks again when the service at first %s', async (_what, fault) => {
      service.faults.add({ ...fault, route: 'outcome', times: 4 });
      expect(jsonOf(await wait())).toMatchObject([{ finished: true }]);
    });

    it('gives a call that was read as in progress when the service then fails until Max Wait', async () => {
      service.faults.add({ ...inProgress, route: 'outcome', times: 1 });
      service.faults.add({ kind: 'status', status: 503, route: 'outcome', times: Infinity });
      expect(jsonOf(await wait())).toEqual([
        {
          ...{ orderId: expect.any(Number), callStatus: 'in_progress', finished: false },
          outcomeError: 'The calling service failed (status 503: Fault 503)',
        },
      ]);
    });

    it('fails when the service fails until Max Wait and has never told of the call', async () => {
      service.faults.add({ kind: 'status', status: 503, route: 'outcome', times: Infinity });
      const { error } = await wait();
      expect(error?.message).toMatch(/by reading outcomes\. The calling service failed/);
    });

    it('fails at once when the service does not know the call', async () => {
      service.faults.add({
        ...{ kind: 'status', route: 'outcome', times: Infinity },
        ...refusal('Order not found'),
      });
      expect((await wait()).error?.message).toMatch(/does not know this order/);
      expect(service.seen.requests.outcome).toBe(1);
    });

    it('fails when the service refuses the key of a call that was read', async () => {
      service.faults.add({ ...inProgress, route: 'outcome', times: 1 });
      service.faults.add({ kind: 'status', status: 401, route: 'outcome', times: Infinity });
      expect((await wait()).error?.message).toMatch(/refused the API key/);
    });
  });

  it.each(['={{ "" }}', 'abc', '-1', '1/../2', '1.5', '={{ null }}'])(
    'refuses the order id %p before anything is sent',
    async (orderId) => {
      const { error } = await execute({
        parameters: getOutcome({ orderId }),
        credential: credential(),
      });
      expect(error?.message).toContain('Call ID at the Service is');
      expect(service.seen.received).toEqual([]);
    },
  );

  it('tells an unknown order from a call in progress', async () => {
    const { error } = await execute({
      parameters: getOutcome({ orderId: '99' }),
      credential: credential(),
    });
    expect(error?.message).toBe(
      'Nobody was called by reading outcomes. The calling service does not know this order',
    );
  });
});

describe('triggering and waiting', () => {
  it('gives the order id of a call that goes on, also when not simplified', async () => {
    await service.close();
    service = await startCallingService({ speed: 1 });
    const options = { maxWaitMinutes: 0 };
    const more = { operation: 'triggerAndWait', simplify: false, options };
    const request = { items: itemsOf(1), credential: credential() };
    const [item] = jsonOf(await execute({ ...request, parameters: trigger(more) }));
    expect(item).toMatchObject({
      success: false,
      orderId: service.seen.calls[0]?.orderId,
      customerPhone: phoneOf(0),
    });
  });

  it.each(['simplified', 'raw', 'selectedFields'])(
    'gives the order number of a call that goes on (%s)',
    async (output) => {
      await service.close();
      service = await startCallingService({ speed: 1 });
      const shown = { output, fields: ['outcomeKey'] };
      const options = { maxWaitMinutes: 0 };
      const additionalFields = { orderNumber: 'A-1' };
      const more = { operation: 'triggerAndWait', ...shown, additionalFields, options };
      const request = { items: itemsOf(1), credential: credential() };
      const [item] = jsonOf(await execute({ ...request, parameters: trigger(more) }));
      expect(item).toMatchObject({ customerPhone: phoneOf(0), orderNumber: 'A-1' });
      expect(item).not.toHaveProperty('outcomeKey');
    },
  );

  it('survives a service that is away for a moment, and gives the outcome', async () => {
    service.faults.add({ kind: 'status', status: 503, route: 'outcome', times: 2 });
    const output = jsonOf(
      await execute({
        parameters: trigger({ operation: 'triggerAndWait' }),
        items: itemsOf(2),
        credential: credential(),
      }),
    );
    expect(output).toEqual(
      itemsOf(2).map(({ json }) =>
        expect.objectContaining({ finished: true, customerPhone: json.phone }),
      ),
    );
    expect(service.seen.calls).toHaveLength(2);
  });
});
