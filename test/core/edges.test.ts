import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Container } from '@n8n/di';
import { Logger } from '@n8n/backend-common';
import { rulesAndOptions } from '../rulesAndOptions';
import { startCallingService, type CallingService } from '../service';
import { AgentTool, execute, jsonOf, type ExecutionRequest } from './engine';
import { ProcessedKeys } from './processedKeys';

let service: CallingService;
let keys: ProcessedKeys;
beforeAll(async () => {
  keys = await ProcessedKeys.install();
});
beforeEach(async () => {
  keys.clear();
  keys.isAway = false;
  service = await startCallingService({ speed: 1000, channelPool: 100 });
});
afterEach(async () => await service.close());

const phoneOf = (index: number) => `+1202555${String(1000 + index)}`;
const itemsOf = (count: number, from = 0): INodeExecutionData[] =>
  Array.from({ length: count }, (_, index) => ({
    json: { phone: phoneOf(from + index), order: `A-${from + index}` },
  }));
const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const goesOn = { onError: 'continueRegularOutput' } as const;
const isFor = (index: number) => ({
  route: 'trigger' as const,
  match: ({ body }: { body: unknown }) => (body as IDataObject).customerPhone === phoneOf(index),
});
const trigger = (chosen: IDataObject = {}, more: IDataObject = {}) => ({
  resource: 'call',
  operation: 'trigger',
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  additionalFields: { orderNumber: '={{ $json.order }}' },
  ...rulesAndOptions(chosen),
  ...more,
});
const run = async (request: Omit<ExecutionRequest, 'credential'>, credential: IDataObject = {}) =>
  await execute({
    ...request,
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key', ...credential },
  });
/** So many requests to call somebody have arrived. */
const sent = (count: number) => () => service.seen.requests.trigger >= count;
const most = () => Math.max(...service.seen.callsByPhone.values());
/** A cancelled execution goes on behind n8n's back: waits for what it does, but not for ever. */
async function settled(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!isSo() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}
/** What n8n's log is told while `act` runs, and by what goes on after it. */
async function loggedBy(act: () => Promise<unknown>): Promise<string[]> {
  const warn = jest.spyOn(Container.get(Logger), 'warn').mockImplementation(() => undefined);
  await act();
  await settled(() => warn.mock.calls.length > 0);
  const told = warn.mock.calls.map(([message]) => message);
  warn.mockRestore();
  return told;
}

describe('what was done before', () => {
  it('is known by a retry whose items come in another order', async () => {
    service.faults.add({ kind: 'status', status: 400, ...isFor(3) });
    const parameters = trigger({ concurrency: 1 });
    const failed = await run({ parameters, items: itemsOf(5) });
    expect(failed.error?.message).toMatch(/^3 people were called\. /);
    const items = itemsOf(5).reverse();
    const output = jsonOf(await run({ parameters, items, retryOf: failed }));
    expect(output.map(({ orderNumber }) => orderNumber)).toEqual(
      items.map(({ json }) => json.order),
    );
    expect(service.seen.calls).toHaveLength(5);
    expect(most()).toBe(1);
  });

  it('is known by a retry with another script, and a may-be fails again', async () => {
    service.faults.add({ kind: 'reset', when: 'after', ...isFor(2) });
    const failed = await run({ parameters: trigger({ concurrency: 1 }), items: itemsOf(5) });
    const again = await run({
      parameters: trigger({ concurrency: 1 }, { scriptId: 21, simplify: false }),
      items: itemsOf(5),
      retryOf: failed,
      settings: goesOn,
    });
    expect(again.items[2]?.json.error).toMatch(/^Somebody may have been called\. /);
    expect(most()).toBe(1);
  });

  it.each(['={{ "A" + Math.random() }}', '={{ $now.toMillis() }}'])(
    'is known by Retry On Fail when the order number is %s',
    async (orderNumber) => {
      service.faults.add({ kind: 'status', status: 400, ...isFor(1) });
      const parameters = trigger({ concurrency: 1 }, { additionalFields: { orderNumber } });
      const { items, error } = await run({ parameters, items: itemsOf(2), settings: retries });
      expect(error).toBeUndefined();
      expect(most()).toBe(1);
      expect(items[0]?.json).toMatchObject({ skipped: true, reason: 'earlierTry' });
      expect(items[1]?.json).toMatchObject({
        customerPhone: phoneOf(1),
        callStatus: 'in_progress',
      });
    },
  );

  it('is known by a retry by hand to which an order number was added', async () => {
    service.faults.add({ kind: 'status', status: 400, ...isFor(1) });
    const without = trigger({ concurrency: 1 }, { additionalFields: {} });
    const failed = await run({ parameters: without, items: itemsOf(2) });
    const again = await run({ parameters: trigger(), items: itemsOf(2), retryOf: failed });
    expect(again.items.map(({ json }) => json.reason)).toEqual(['earlierTry', undefined]);
    expect(most()).toBe(1);
  });

  it('is known by a retry by hand whose column of the phone was corrected', async () => {
    service.faults.add({ kind: 'status', status: 400, ...isFor(1) });
    const failed = await run({ parameters: trigger({ concurrency: 1 }), items: itemsOf(2) });
    const items = itemsOf(2).map(({ json }, index) => ({
      json: { ...json, phone: phoneOf(7 + index) },
    }));
    const again = await run({ parameters: trigger(), items, retryOf: failed });
    expect(again.items.map(({ json }) => json.reason)).toEqual(['earlierTry', undefined]);
    expect(service.seen.calls.map(({ phone }) => phone)).toEqual([phoneOf(0), phoneOf(8)]);
  });

  it('about another order of the same person keeps no order from being called', async () => {
    const match = ({ body }: { body: unknown }) => (body as IDataObject).orderNumber === 'A-2';
    service.faults.add({ kind: 'status', status: 400, route: 'trigger', match });
    const items = ['A-1', 'A-2'].map((order) => ({ json: { phone: phoneOf(0), order } }));
    const failed = await run({ parameters: trigger({ concurrency: 1 }), items });
    expect(failed.error).toBeDefined();
    jsonOf(await run({ parameters: trigger(), items, retryOf: failed }));
    expect(service.seen.calls.map(({ phone }) => phone)).toEqual([phoneOf(0), phoneOf(0)]);
  });

  it('with another account keeps a person from being called again, and its order ID is not read there', async () => {
    const outcomeFor = () => ({ status: 'completed', label: 'Order confirmed' });
    const other = await startCallingService({ speed: 100_000, outcomeFor });
    // Somebody else's call there, with the same order ID.
    const there = { baseUrl: other.baseUrl };
    await run({ parameters: trigger(), items: itemsOf(1, 9) }, there);
    service.faults.add({ kind: 'status', status: 401, ...isFor(1) });
    const failed = await run({ parameters: trigger({ concurrency: 1 }), items: itemsOf(2) });
    expect(service.seen.calls).toHaveLength(1);
    const waiting = { ...trigger({ maxWaitMinutes: 0.001 }), operation: 'triggerAndWait' };
    const again = { parameters: waiting, items: itemsOf(2), retryOf: failed };
    const [first, second] = jsonOf(await run(again, there));
    expect(first).toEqual({
      skipped: true,
      reason: 'earlierTry',
      customerPhone: phoneOf(0),
      orderNumber: 'A-0',
      message: expect.stringContaining(
        `with another account (call ID ${service.seen.calls[0]?.orderId})`,
      ),
    });
    expect(second).toMatchObject({ customerPhone: phoneOf(1), outcomeKey: 'order_confirmed' });
    expect(other.seen.calls.map(({ phone }) => phone)).toEqual([phoneOf(9), phoneOf(1)]);
    await other.close();
  });

  it('counts as maybe when the execution was cancelled while the request was under way', async () => {
    await service.close();
    service = await startCallingService({ answerDelayMs: 300 });
    const cancelled = await run({ parameters: trigger(), items: itemsOf(2), cancelWhen: sent(2) });
    const again = await run({ parameters: trigger(), items: itemsOf(2), retryOf: cancelled });
    expect(again.error?.message).toMatch(/^Somebody may have been called\. /);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(service.seen.requests.trigger).toBe(2);
  });

  it('does not keep the rounds of a loop from calling again', async () => {
    const output = jsonOf(await run({ parameters: trigger(), items: itemsOf(2), rounds: 3 }));
    expect(output).toHaveLength(6);
    expect([...service.seen.callsByPhone.values()]).toEqual([3, 3]);
  });

  it('is made with one account: a credential that differs between the items is refused', async () => {
    const asked = { parameters: trigger(), items: itemsOf(4) };
    const different = { apiKey: '={{ $itemIndex > 1 ? "another-key" : "test-key" }}' };
    const refused = await run(asked, different);
    expect(refused.error?.message).toContain(
      'The credential differs between the items: item 2 does not have the account of item 0',
    );
    expect(service.seen.requests.trigger).toBe(0);
    jsonOf(await run(asked, { apiKey: '={{ $json.phone ? "test-key" : "" }}' }));
    expect(service.seen.requests.trigger).toBe(4);
  });

  const campaign = (count: number, more: IDataObject = {}) => ({
    resource: 'campaign',
    operation: 'create',
    scriptId: 7,
    campaignName: 'Orders',
    contactsSource: 'json',
    contactsJson: itemsOf(count).map(({ json }) => ({
      customerPhone: json.phone,
      orderNumber: json.order,
    })) as unknown as IDataObject,
    startImmediately: true,
    ...more,
  });
  const listed = () =>
    service.seen.received
      .filter(({ route }) => route === 'createCampaign')
      .flatMap(({ body }) => (body as { contacts: IDataObject[] }).contacts)
      .map(({ customerPhone }) => customerPhone);

  it('is known by a campaign that is retried with other parts', async () => {
    service.faults.add({ kind: 'status', status: 401, route: 'controlCampaign' });
    const failed = await run({
      parameters: campaign(6, { options: { contactsPerCampaign: 2 } }),
    });
    expect(failed.error?.message).toMatch(/^Nobody was called\. /);
    const output = jsonOf(
      await run({
        parameters: campaign(7, { options: { contactsPerCampaign: 5 } }),
        retryOf: failed,
      }),
    );
    expect(output.map(({ started }) => started)).toEqual([true, true, true, true]);
    expect(listed().sort()).toEqual(itemsOf(7).map(({ json }) => json.phone));
  });

  const list = (from: number, count: number): INodeExecutionData => ({
    json: {
      list: itemsOf(count, from).map(({ json }) => ({
        customerPhone: json.phone,
      })) as IDataObject[],
    },
  });
  const lists = { contactsJson: '={{ $json.list }}', campaignName: '={{ "C" + $itemIndex }}' };

  it('belongs to the list of its contacts, wherever that stands in a retry', async () => {
    service.faults.add({
      kind: 'status',
      status: 400,
      route: 'createCampaign',
      match: ({ body }) => (body as IDataObject).name === 'C1',
    });
    const parameters = campaign(0, lists);
    const failed = await run({ parameters, items: [list(0, 2), list(10, 3)] });
    expect(failed.error?.message).toMatch(/^1 campaign was started\. /);
    expect(failed.error?.description).toMatch(/1\/1 is campaign \d+ \(running\)/);
    const items = [list(10, 3), list(0, 2)];
    const output = jsonOf(await run({ parameters, items, retryOf: failed }));
    expect(output.map(({ contactCount, parts }) => [contactCount, parts])).toEqual([
      [3, 1],
      [2, 1],
    ]);
    expect(new Set(listed()).size).toBe(5);
  });

  it('of a campaign that may have been started is said once, and truly', async () => {
    service.faults.add({ kind: 'reset', when: 'after', route: 'controlCampaign' });
    const { error } = await run({ parameters: campaign(2), settings: retries });
    expect(error?.message).toMatch(/^Somebody may have been called\. (?!Somebody|Nobody)/);
    expect(error?.description).toMatch(/it may be running/);
    expect(service.seen.requests.controlCampaign).toBe(1);
  });

  it.each(['start', 'resume'])('keeps %s from being sent twice', async (operation) => {
    const made = jsonOf(await run({ parameters: campaign(3, { startImmediately: false }) }));
    const [first] = made;
    const more = jsonOf(
      await run({ parameters: campaign(2000, { startImmediately: operation !== 'start' }) }),
    );
    const id = more[0]?.campaignId;
    if (operation === 'resume') {
      await run({
        parameters: { resource: 'campaign', operation: 'pause', campaignId: String(id) },
      });
    }
    service.seen.resetRequests();
    const { error } = await run({
      parameters: { resource: 'campaign', operation, campaignId: '={{ $json.id }}' },
      items: [{ json: { id } }, { json: { id: 999_999 } }],
      settings: retries,
    });
    expect(error?.message).toBeDefined();
    const sent = service.seen.received.filter(({ url }) => url.includes(`/${String(id)}/`));
    expect(sent).toHaveLength(1);
    expect(first).toMatchObject({ started: false });
  });

  it('lets an agent pause again what was resumed meanwhile', async () => {
    const [made] = jsonOf(await run({ parameters: campaign(2000) }));
    const args = { id: made?.campaignId };
    const tool = (operation: string) =>
      new AgentTool({
        parameters: { resource: 'campaign', operation, campaignId: '={{ $fromAI("id") }}' },
        credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
      });
    const [pause, resume] = [tool('pause'), tool('resume')];
    for (const agent of [pause, resume, pause]) await agent.prepare()(args);
    expect(service.seen.campaigns[0]?.state).toBe('paused');
  });

  it('keeps the campaigns of one agent apart', async () => {
    const agent = new AgentTool({
      parameters: campaign(0, {
        contactsJson: '={{ $fromAI("list") }}',
        startImmediately: '={{ $fromAI("start") }}',
      }),
      credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    });
    const first = await agent.prepare()({ ...list(0, 2).json, start: false });
    const second = await agent.prepare()({ ...list(10, 3).json, start: true });
    expect([first, second].map((text) => (JSON.parse(text) as unknown[]).length)).toEqual([1, 1]);
    const states = service.seen.campaigns.map(({ state }) => state);
    expect(states).toEqual(['not_started', expect.stringMatching(/running|completed/)]);
  });
});

describe('what was claimed', () => {
  it('is given back when the service refuses, and nobody is left out', async () => {
    service.faults.add({ kind: 'status', status: 400, ...isFor(7) });
    const parameters = trigger({ preventDuplicates: true, concurrency: 10 });
    const { error } = await run({ parameters, items: itemsOf(30) });
    expect(error).toBeDefined();
    expect(keys.size).toBe(service.seen.calls.length);
    jsonOf(await run({ parameters, items: itemsOf(30) }));
    expect(service.seen.callsByPhone.size).toBe(30);
    expect(most()).toBe(1);
  });

  it('is given back on cancellation, but for requests that may have arrived', async () => {
    await service.close();
    service = await startCallingService({ answerDelayMs: 100 });
    const concurrency = 5;
    const parameters = trigger({ preventDuplicates: true, concurrency });
    await run({ parameters, items: itemsOf(50), cancelWhen: sent(8) });
    const unsure = () => keys.size - service.seen.requests.trigger;
    await settled(() => unsure() === 0);
    expect(unsure()).toBeGreaterThanOrEqual(0);
    expect(unsure()).toBeLessThanOrEqual(concurrency);
  });

  it('and cannot be given back does not hide why', async () => {
    service.faults.add({ kind: 'status', status: 400, ...isFor(0) });
    const remove = jest.spyOn(keys, 'removeProcessed').mockRejectedValue(new Error('away'));
    const { error } = await run({
      parameters: trigger({ preventDuplicates: true }),
      items: itemsOf(1),
    });
    remove.mockRestore();
    expect(error?.message).toMatch(/^Nobody was called\. (?!.*away)/);
  });

  it('cannot be claimed while the database is away: nobody is called, which is told', async () => {
    keys.isAway = true;
    const parameters = trigger({ preventDuplicates: true });
    const failed = await run({ parameters, items: itemsOf(2) });
    expect(failed.error?.message).toMatch(/^Nobody was called\. .*The database is away/);
    keys.isAway = false;
    jsonOf(await run({ parameters, items: itemsOf(2), retryOf: failed }));
    expect(service.seen.calls).toHaveLength(2);
  });

  it('is no duplicate when the answer to the claim was lost: nobody knows, which is told', async () => {
    const parameters = trigger({ preventDuplicates: true });
    // One of two was called by an execution before.
    jsonOf(await run({ parameters, items: itemsOf(1) }));
    for (const item of itemsOf(2)) {
      keys.isMute = true;
      const failed = await run({ parameters, items: [item] });
      expect(failed.error?.message).toMatch(/^Nobody was called\. .*the database was lost/);
      keys.isMute = false;
      const again = await run({ parameters, items: [item], retryOf: failed });
      expect(again.error?.message).toMatch(/^Nobody was called\. .*nobody knows whether it was/);
    }
    expect(service.seen.calls).toHaveLength(1);
  });

  it('takes "A-1" and "A-1 " for one order', async () => {
    const parameters = trigger({ preventDuplicates: true });
    const items = ['A-1', 'A-1 '].map((order) => ({ json: { phone: phoneOf(0), order } }));
    const output = jsonOf(await run({ parameters, items }));
    expect(output[1]).toMatchObject({ skipped: true, reason: 'duplicate' });
  });

  it.each([
    '={{ "" }}',
    '={{ " " }}',
    '={{ null }}',
    '={{ undefined }}',
    '={{ [] }}',
    '={{ {} }}',
    '={{ [""] }}',
    '=order-{{ $json.odrer }}',
    '={{ $json.odrer }} of {{ $json.shop',
  ])('never has the key %s, which all would share', async (duplicateKey) => {
    const { error } = await run({ parameters: trigger({ duplicateKey }), items: itemsOf(1) });
    expect(error?.message).toContain('Duplicate Key is empty: its expression gives nothing');
    expect(service.seen.received).toEqual([]);
  });

  it.each(['orderNumber', '=orderNumber'])('never has the key %s of all orders', async (fixed) => {
    const { error } = await run({
      parameters: trigger({ duplicateKey: fixed }),
      items: itemsOf(1),
    });
    expect(error?.message).toBe('Nobody was called. Duplicate Key is the same for every order');
    expect(service.seen.received).toEqual([]);
  });

  it.each([
    ...['={{ "orderNumber" }}', '={{ $workflow.id }}', '=ORD-{{ $now.year }} {{ $workflow.id }}'],
    ...['={{ $now.toFormat("yyyy-MM-dd") }}', '={{ DateTime.now().toISODate() }}'],
    ...['={{ $if($today.isWeekend, "Sunday", $workflow.id) }}', '={{ $itemIndex }}'],
    ...['={{ $execution.id }}', '={{ $runIndex }}', '={{ $parameter.scriptId }}', '={{ $mode }}'],
  ])('never has the key %s, which uses no data of the order', async (duplicateKey) => {
    const { error } = await run({ parameters: trigger({ duplicateKey }), items: itemsOf(1) });
    expect(error?.message).toBe(
      'Nobody was called. Duplicate Key is the same for every order: its expression uses no data of the order',
    );
    expect(service.seen.received).toEqual([]);
  });

  it.each([
    ...['=day {{ $now.day }} {{ $json.order }}', "={{ $('Orders').first().json.order }}"],
    ...['={{ $input.item.json.order }}', '={{ $node["Orders"].json.order }}'],
    ...[
      '={{ $execution.id }} {{ $items("Orders")[0].json.order }}',
      '={{ $parameter.customerPhone }}',
    ],
  ])('may have the key %s', async (duplicateKey) => {
    const { error } = await run({ parameters: trigger({ duplicateKey }), items: itemsOf(1) });
    expect(error?.message ?? '').not.toContain('is the same for every order');
  });
});

describe('what happened', () => {
  it('is told in the log of n8n when the execution is cancelled', async () => {
    await service.close();
    service = await startCallingService({ answerDelayMs: 100 });
    const told = await loggedBy(
      async () =>
        await run({
          parameters: trigger({ concurrency: 5 }),
          items: itemsOf(50),
          cancelWhen: sent(12),
        }),
    );
    expect(told).toHaveLength(1);
    const [text = ''] = told;
    const ids = (/call IDs at the service ([\d, ]+)\./.exec(text)?.[1] ?? '')
      .split(', ')
      .map(Number);
    const items = (/items ([\d, ]+)\./.exec(text)?.[1] ?? '').split(', ').map(Number);
    for (const { orderId, phone } of service.seen.calls) {
      expect(ids.includes(orderId) || items.some((item) => phoneOf(item) === phone)).toBe(true);
    }
    expect(ids.length).toBeGreaterThan(4);
  });

  it('is the failure of an item, never that another one was stopped by it', async () => {
    await service.close();
    service = await startCallingService({ answerDelayMs: 30 });
    service.faults.add({ kind: 'reset', when: 'after', times: 1, ...isFor(4) });
    const { error } = await run({
      parameters: trigger({ preventDuplicates: true, concurrency: 3 }),
      items: itemsOf(30),
    });
    expect(error?.message).toMatch(/(called|may have been)\. .*the call may have been placed/);
    expect(error?.context?.itemIndex).toBe(4);
  });

  it('in one reading leaves the outcomes of the others', async () => {
    service.faults.add({ kind: 'status', status: 401, route: 'outcome', times: 1 });
    const output = jsonOf(
      await run({
        parameters: trigger({ maxWaitMinutes: 1 }, { operation: 'triggerAndWait' }),
        items: itemsOf(3),
      }),
    );
    expect(output.filter(({ finished }) => finished === true)).toHaveLength(2);
    expect(output.filter(({ outcomeError }) => outcomeError !== undefined)).toHaveLength(1);
    for (const { orderId } of output) expect(orderId).toEqual(expect.any(Number));
  });

  it.each<[string, object]>([
    ['asks for pauses', { kind: 'rateLimit' }],
    ['fails', { kind: 'status', status: 503 }],
    [
      'knows no such call',
      { kind: 'status', status: 404, body: { success: false, message: 'Order not found' } },
    ],
  ])('never advises to call again when the service %s', async (_, fault) => {
    service.faults.add({ ...fault, route: 'outcome', times: 500 } as never);
    const parameters = trigger({ maxWaitMinutes: 0.1 }, { operation: 'triggerAndWait' });
    const [item] = jsonOf(await run({ parameters, items: itemsOf(1) }));
    expect(item?.outcomeError).toMatch(
      new RegExp(`with Call > Get Outcome and the Call ID at the Service ${item?.orderId}\\.$`),
    );
    expect(item?.outcomeError).not.toMatch(/run the (node|workflow) again|Check "/i);
  });

  it.each<[string, IDataObject, IDataObject]>([
    ['Max Calls', trigger({ maxCalls: 2 }), {}],
    ['a bad credential', trigger(), { apiKey: '' }],
    [
      'a call log that cannot be written',
      trigger(
        {},
        {
          callLog: 'dataTable',
          callLogTable: { __rl: true, mode: 'name', value: 'Calls' },
        },
      ),
      {},
    ],
  ])('with "continue on error" is told in each item: %s', async (_, parameters, credential) => {
    const { items, error } = await run(
      { parameters, items: itemsOf(3), settings: goesOn },
      credential,
    );
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json)).toEqual(
      itemsOf(3).map(({ json }) => ({
        error: expect.stringMatching(/^Nobody was called\. /),
        customerPhone: json.phone,
        orderNumber: expect.stringMatching(/^A-/),
      })),
    );
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
    expect(service.seen.received).toEqual([]);
  });

  it('to a campaign stands in its item also when not simplified', async () => {
    const contacts = (count: number) =>
      itemsOf(count).map(({ json }) => ({ customerPhone: json.phone }));
    const create = async (startImmediately: boolean) =>
      jsonOf(
        await run({
          parameters: {
            resource: 'campaign',
            operation: 'create',
            scriptId: 7,
            simplify: false,
            contactsSource: 'json',
            contactsJson: contacts(2) as unknown as IDataObject,
            startImmediately,
          },
        }),
      );
    expect(await create(true)).toMatchObject([{ success: true, state: 'running', started: true }]);
    service.faults.add({
      kind: 'status',
      status: 400,
      route: 'controlCampaign',
      body: {
        success: false,
        message: 'No channels available',
      },
    });
    expect(await create(false)).toMatchObject([{ state: 'not_started', started: false }]);
  });

  it('is said of missing script variables, too', async () => {
    const { error } = await run({ parameters: trigger({}, { scriptId: 12 }), items: itemsOf(1) });
    expect(error?.message).toMatch(/^Nobody was called\. /);
  });
});

describe('Get Outcome with Wait', () => {
  it('gives at once what has ended', async () => {
    const [placed] = jsonOf(await run({ parameters: trigger(), items: itemsOf(1) }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begun = performance.now();
    const output = jsonOf(
      await run({
        parameters: {
          resource: 'call',
          operation: 'getOutcome',
          orderId: String(placed?.orderId),
          inProgress: 'wait',
        },
      }),
    );
    expect(output).toMatchObject([{ finished: true }]);
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
