import type { IDataObject } from 'n8n-workflow';
import {
  errorOf,
  jsonOf,
  runsOf,
  sharedN8n,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowFile,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { atAnyHour, HEADER, PAGE_LOGIN, importExample as imported } from './exampleWorkflows';
import { callsByHand } from './workflows';

/** What is done about calls of which nobody knows how they ended. */
const NOBODY_KNOWS = { maybePlaced: 'call back', givenUp: 'call back' };

let n8n: SharedN8n;
let service: CallingService;
let apiKey: string;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 20, max: 60 }, speed: 10 });
  n8n = await sharedN8n();
  apiKey = await n8n.client.createApiKey('Bad days of the examples');
});
afterAll(async () => {
  await service.close();
});
beforeEach(() => service.reset());

/** Imports an example that is to call by hand, at any hour, with tables of its own. */
async function importExample(
  name: string,
  table: { from: string; to: string },
  pinData: Record<string, IDataObject[]> = {},
): Promise<SavedWorkflow> {
  return await imported({ client: n8n.client, service, n8nApiKey: apiKey }, name, (workflow) => {
    atAnyHour(workflow);
    callsByHand(workflow);
    useTable(workflow, table);
    workflow.settings = { ...workflow.settings, timezone: 'UTC' };
    workflow.pinData = Object.fromEntries(
      Object.entries(pinData).map(([node, items]) => [node, items.map((json) => ({ json }))]),
    );
  });
}

/** Has a workflow use tables and webhooks of its own, and no call be waited for. */
function useTable({ nodes }: WorkflowFile, { from, to }: { from: string; to: string }): void {
  for (const { parameters } of nodes) {
    const locator = parameters.dataTableId as IDataObject | undefined;
    if (locator?.value === from) locator.value = to;
    const log = parameters.callLogTable as IDataObject | undefined;
    if (log !== undefined) log.value = `Log of ${to}`;
    if (typeof parameters.path === 'string') parameters.path = `bad-day-${parameters.path}`;
    const options = (parameters.options ?? {}) as IDataObject;
    // The answer comes late: nobody waits for it here.
    if (options.maxWaitMinutes !== undefined) options.maxWaitMinutes = 0.01;
    if (parameters.operation === 'placeScheduled') options.keepOnSeconds = 0;
    const { doNotCallTable: list } = (parameters.rules ?? {}) as { doNotCallTable?: IDataObject };
    if (list !== undefined) list.value = to;
  }
}

async function createTable(name: string, columns: string[], rows: IDataObject[]): Promise<string> {
  const tables = n8n.client.dataTables(apiKey);
  const { id } = await tables.create(
    name,
    columns.map((column) => ({ name: column, type: 'string' as const })),
  );
  if (rows.length > 0) await tables.insert(id, rows);
  return id;
}

/** What an execution by hand ended with: the sentence of its error, when it failed. */
async function failureOf(workflow: SavedWorkflow, trigger: string): Promise<string | undefined> {
  return errorOf(await n8n.client.runManually(workflow, { trigger }))?.message;
}

describe('the examples that call for an order', () => {
  /** By the path of their webhook; who does not answer with what becomes of an order has nodes that say it. */
  const EXAMPLES: Array<{ name: string; path: string; told?: string[] }> = [
    { name: 'cod-order-confirmation', path: 'bad-day-cod-orders' },
    { name: 'call-on-order', path: 'bad-day-new-orders' },
    { name: 'do-not-call-again', path: 'bad-day-orders-unless-listed' },
    { name: 'calling-hours', path: 'bad-day-orders-at-any-hour', told: ['Called', 'Ask a person'] },
  ];

  const phoneOf = (example: number, order: string) =>
    order === 'wrong' ? '12' : `+1202555${70 + example}0${ORDERS.indexOf(order)}`;
  const ORDERS = ['wrong', 'refused', 'in doubt'];
  const callsTo = (phone: string) => service.seen.calls.filter((call) => call.phone === phone);

  /** What becomes of an order, in the words that a shop or a person gets. */
  async function post(
    { path, told }: (typeof EXAMPLES)[number],
    workflow: SavedWorkflow,
    order: { orderNumber: string; phone: string },
  ): Promise<string> {
    const before = await n8n.client.executionSummaries(workflow.id);
    const { status, body } = await n8n.client.postToWebhook(
      path,
      { ...order, brand: 'Acme', amount: '12.50', customerName: 'Di' },
      { headers: { [HEADER.name]: HEADER.value } },
    );
    expect(status).toBe(200);
    if (told === undefined) return JSON.stringify(body);
    const executions = await n8n.client.waitForExecutions(workflow.id, before.length + 1);
    const newest = executions.sort((one, other) => Number(other.id) - Number(one.id))[0];
    if (newest === undefined) throw new Error('The workflow did not run');
    return JSON.stringify(told.flatMap((node) => jsonOf(newest, node)));
  }

  it.each(EXAMPLES.map((example, index) => [example.name, { ...example, index }] as const))(
    '%s gives a wrong or refused order and one in doubt to a person, and the day after calls whom it has not called',
    async (name, { index, ...example }) => {
      const list = { from: 'Do not call', to: `Do not call ${index}` };
      if (name === 'do-not-call-again')
        await createTable(list.to, ['phone', 'reason', 'until'], []);
      const workflow = await n8n.client.publish(await importExample(name, list));
      const day = async () => {
        const answers: Record<string, string> = {};
        for (const order of ORDERS) {
          const about = { orderNumber: `${name} ${order}`, phone: phoneOf(index, order) };
          answers[order] = await post(example, workflow, about);
        }
        return answers;
      };
      const about = (order: string) => ({
        route: 'trigger' as const,
        match: ({ body }: { body: unknown }) =>
          (body as IDataObject).customerPhone === phoneOf(index, order),
      });
      service.faults.add(
        { kind: 'status', status: 401, ...about('refused') },
        // The line breaks after the service has begun to dial.
        { kind: 'reset', when: 'after', ...about('in doubt') },
      );
      const first = await day();
      expect(first.wrong).toMatch(/person.*Customer Phone|Customer Phone.*person/);
      expect(first.refused).toMatch(/person.*API key|API key.*person/);
      expect(first['in doubt']).toMatch(/may have been/);
      expect(callsTo(phoneOf(index, 'refused'))).toHaveLength(0);

      const second = await day();
      expect(second.wrong).toMatch(/person/);
      expect(second.refused).not.toMatch(/error|person should|Ask a person/);
      expect(callsTo(phoneOf(index, 'refused'))).toHaveLength(1);
      // Nobody is called again who may have been called; but somebody has to look at the order.
      expect(second['in doubt']).toMatch(/may have been|shows/);
      expect(callsTo(phoneOf(index, 'in doubt'))).toHaveLength(1);
      await n8n.client.unpublish(workflow);
    },
  );
});

describe('orders without a number', () => {
  it.each([
    ['call-on-order', 'bad-day-new-orders'],
    ['do-not-call-again', 'bad-day-orders-unless-listed'],
  ])('%s gives the next one of a customer to a person', async (name, path) => {
    const list = { from: 'Do not call', to: `No number ${name}` };
    if (name === 'do-not-call-again') await createTable(list.to, ['phone'], []);
    const workflow = await n8n.client.publish(await importExample(name, list));
    const order = { phone: '+12025550195', brand: 'Acme', amount: '12.50' };
    const send = async () =>
      await n8n.client.postToWebhook(path, order, { headers: { [HEADER.name]: HEADER.value } });
    expect((await send()).body).toMatchObject({ callStatus: 'in_progress' });
    expect((await send()).body).toMatchObject({ reason: 'duplicate', nextStep: 'Ask a person' });
    await n8n.client.unpublish(workflow);
  });
});

describe('calls that end without an outcome', () => {
  const REASONS = ['notPlaced', 'cancelled', 'maybePlaced', 'givenUp'];

  it.each([
    {
      name: 'act-on-outcome',
      trigger: 'Call ended',
      decided: { ...{ notPlaced: 'not called', cancelled: 'not called' }, ...NOBODY_KNOWS },
    },
    {
      name: 'order-call-with-attempts',
      trigger: 'Last word',
      decided: { notPlaced: 'ask a person', maybePlaced: 'ask a person', givenUp: 'ask a person' },
    },
  ])('$name decides about each, with the reason', async ({ name, trigger, decided }) => {
    const ends = REASONS.map((endReason) => ({
      ...{ event: 'outcomeUnavailable', endReason, orderNumber: endReason, attempt: 1 },
      ...{ customerPhone: '+12025550190', message: `It was ${endReason}`, finished: false },
    }));
    const workflow = await importExample(
      name,
      { from: 'Calls', to: 'Without outcomes' },
      { [trigger]: ends },
    );
    const execution = await n8n.client.runManually(workflow, { trigger });
    const told = workflow.nodes
      .filter(({ type }) => type === 'n8n-nodes-base.set')
      .flatMap((node) =>
        runsOf(execution, node.name).length > 0 ? jsonOf(execution, node.name) : [],
      );
    expect(Object.fromEntries(told.map((item) => [item.orderNumber, item.decision]))).toEqual(
      decided,
    );
    expect(told.map(({ orderNumber, why }) => [orderNumber, why])).toEqual(
      told.map(({ orderNumber }) => [orderNumber, `It was ${String(orderNumber)}`]),
    );
  });
});

describe('order-call-with-attempts', () => {
  it('calls everybody once though the service dies in the middle', async () => {
    const orders = [0, 1, 2].map((index) => ({
      body: {
        orderNumber: `W-${index}`,
        phone: `+120255504${index}0`,
        brand: 'Acme',
        amount: '12',
      },
    }));
    const workflow = await importExample(
      'order-call-with-attempts',
      { from: 'Calls', to: 'a dead service' },
      { 'New order': orders },
    );
    await n8n.client.runManually(workflow, { trigger: 'New order' });
    const tables = n8n.client.dataTables(apiKey);
    const { id } = (await tables.find('Log of a dead service')) ?? { id: '' };
    const statuses = async () => (await tables.rows(id)).map(({ status }) => status).sort();
    const placeDue = async () => await failureOf(workflow, 'Every minute');

    const route = 'trigger' as const;
    // It begins to dial one of them, and lets nobody in when the others are to be called.
    service.faults.add({ kind: 'reset', when: 'after', route });
    service.faults.add({ kind: 'status', status: 401, route, times: Infinity });
    expect(await placeDue()).toMatch(/may have been/);
    expect(await statuses()).toEqual(['maybe_placed', 'scheduled', 'scheduled']);
    expect(service.seen.calls).toHaveLength(1);

    service.faults.clear();
    // Some minutes later.
    const dueAt = new Date().toISOString();
    await tables.update(id, { column: 'status', equals: 'scheduled' }, { dueAt });
    expect(await placeDue()).toBeUndefined();
    expect(await statuses()).toEqual(['in_progress', 'in_progress', 'maybe_placed']);
    expect(await placeDue()).toBeUndefined();
    expect([...service.seen.callsByPhone.values()]).toEqual([1, 1, 1]);
  });
});

describe('paced-list', () => {
  it('schedules the others of a list with bad lines, names these, and nobody twice the day after', async () => {
    const line = (index: number, more: IDataObject = {}) => ({
      ...{ phone: `+120255503${index}0`, orderNumber: `P-${index}`, brand: 'Acme', amount: '12' },
      ...more,
    });
    const upload = async (...lines: IDataObject[]) => {
      const workflow = await importExample(
        'paced-list',
        { from: 'Calls', to: 'Lists' },
        { 'List uploaded': [{}], 'Read the lines': lines },
      );
      const execution = await n8n.client.runManually(workflow, {
        ...{ trigger: 'List uploaded', destinationNode: 'Schedule everybody' },
      });
      expect(errorOf(execution)).toBeUndefined();
      return jsonOf(execution, 'Schedule everybody');
    };
    const first = await upload(
      line(0),
      line(1, { phone: '12345' }),
      line(2, { amount: '' }),
      line(3, { phone: '+33 6 12 34 56 78' }),
    );
    expect(first).toMatchObject([
      { status: 'scheduled' },
      { error: expect.stringContaining('Customer Phone') },
      { error: expect.stringContaining('order_amount') },
      { status: 'scheduled' },
    ]);
    const second = await upload(line(0), line(1), line(2), line(3, { phone: '+33612345678' }));
    expect(second.map(({ status, reason }) => status ?? reason)).toEqual([
      ...['duplicate', 'scheduled', 'scheduled', 'duplicate'],
    ]);
  });
});

describe('paid-no-call, the day after', () => {
  it('cancels nothing for a payment that names no order, and says so', async () => {
    const paid = async (body: IDataObject) => {
      const workflow = await importExample(
        'paid-no-call',
        { from: 'Calls', to: 'Lists' },
        { 'Order paid': [{ body }] },
      );
      return await n8n.client.runManually(workflow, { trigger: 'Order paid' });
    };
    for (const body of [{}, { orderNumber: '' }, { orderNumber: ' ' }]) {
      expect(errorOf(await paid(body))?.message).toContain('missing');
    }
    expect(jsonOf(await paid({ orderNumber: 'P-9' }), 'Cancel its calls')).toMatchObject([
      { cancelled: 0 },
    ]);
    expect(jsonOf(await paid({ orderNumber: 'P-0' }), 'Cancel its calls')).toMatchObject([
      { cancelled: 1 },
    ]);
  });
});

describe('report-page', () => {
  it('says why when it cannot count the calls', async () => {
    const workflow = await importExample('report-page', { from: 'Calls', to: 'no calls' });
    await n8n.client.publish(workflow);
    const login = Buffer.from(`${PAGE_LOGIN.user}:${PAGE_LOGIN.password}`).toString('base64');
    const page = await fetch(`${n8n.client.baseUrl}/webhook/bad-day-calls-report`, {
      headers: { authorization: `Basic ${login}` },
    });
    await n8n.client.unpublish(workflow);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).toContain('There is no data table "Log of no calls"');
  });
});

describe('scheduled-cod-campaign', () => {
  const TRIGGER = 'Every weekday at ten';
  let days = 0;

  async function orders(...statuses: string[]) {
    const name = `Shop on bad day ${++days}`;
    const order = (status: string, index: number) => ({
      ...{ orderNumber: `D-${index}`, customerName: 'Di', notes: '', status },
      phone: `+1202555${String(days).padStart(2, '0')}${String(index).padStart(2, '0')}`,
    });
    const columns = ['orderNumber', 'customerName', 'phone', 'notes', 'status'];
    const id = await createTable(name, columns, statuses.map(order));
    const tables = n8n.client.dataTables(apiKey);
    const workflow = await importExample('scheduled-cod-campaign', { from: 'orders', to: name });
    return {
      run: async () => await failureOf(workflow, TRIGGER),
      statuses: async () => (await tables.rows(id)).map(({ status }) => status),
      insert: async (status: string) => await tables.insert(id, [order(status, 50)]),
      /** A person writes another status into all rows that have one. */
      write: async (from: string, status: string) => {
        await tables.update(id, { column: 'status', equals: from }, { status });
      },
    };
  }

  const inCampaigns = () => service.seen.campaigns.map(({ contacts }) => contacts.length);

  it('puts nobody into a second campaign when the answer to the start is lost', async () => {
    service.faults.add({ kind: 'reset', route: 'controlCampaign', when: 'after' });
    const { run, statuses, insert } = await orders('new', 'new');
    expect(await run()).toContain('2 orders have the status check');
    expect(await statuses()).toEqual(['check', 'check']);

    await insert('new');
    expect(await run()).toContain('2 orders have the status check');
    expect(await statuses()).toEqual(['check', 'check', 'calling']);
    expect(inCampaigns()).toEqual([2, 1]);
  });

  it('tells of everybody whom the service has refused, and calls them once they are new again', async () => {
    service.faults.add({
      ...{ kind: 'status', status: 503 },
      ...{ route: 'createCampaign', times: Infinity },
    });
    const { run, statuses, write } = await orders('new');
    expect(await run()).toContain('1 orders have the status check');
    expect(await run()).toContain('1 orders have the status check');
    service.faults.clear();
    await write('check', 'new');
    expect(await run()).toBeUndefined();
    expect(await statuses()).toEqual(['calling']);
    expect(inCampaigns()).toEqual([1]);
  });

  it('tells of orders that n8n has left half-way, and calls the others', async () => {
    const { run, statuses } = await orders('starting', 'new', 'done');
    expect(await run()).toContain('1 orders have the status check');
    expect(await statuses()).toEqual(['check', 'calling', 'done']);
    expect(inCampaigns()).toEqual([1]);
  });
});

describe('campaign-opening-hours', () => {
  it('pauses at the next quarter of an hour what it could not pause at closing time', async () => {
    const contacts = Array.from({ length: 1_000 }, (_, index) => ({
      customerPhone: `+1202555${1000 + index}`,
    }));
    const created = await fetch(`${service.baseUrl}/api/v1/campaigns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'test-key' },
      body: JSON.stringify({ scriptId: 7, contacts, startImmediately: true }),
    });
    const { campaign_id: campaignId } = (await created.json()) as { campaign_id: number };
    const to = 'Pauses of a bad day';
    const columns = ['campaignId', 'name', 'going'];
    const id = await createTable(to, columns, [
      { campaignId: '999999', name: 'Mistyped', going: 'yes' },
      { campaignId: String(campaignId), name: 'Autumn', going: 'yes' },
    ]);
    const workflow = await importExample('campaign-opening-hours', { from: 'Campaigns', to });
    const close = async () => await failureOf(workflow, 'Outside the hours');

    service.faults.add({
      ...{ kind: 'status', status: 503 },
      ...{ route: 'controlCampaign', times: Infinity },
    });
    expect(await close()).toContain('2 campaigns could not be paused');
    expect(service.seen.campaigns[0]?.state).toBe('running');
    service.faults.clear();
    expect(await close()).toContain('1 campaigns could not be paused');
    expect(service.seen.campaigns[0]?.state).toBe('paused');

    const mistyped = { column: 'name', equals: 'Mistyped' };
    await n8n.client.dataTables(apiKey).update(id, mistyped, { going: 'no' });
    expect(await close()).toBeUndefined();
  });
});

describe('ndr-follow-up', () => {
  it('calls the others of a report with bad rows, and nobody twice when it comes again', async () => {
    const workflow = await importExample('ndr-follow-up', { from: 'Calls', to: 'Deliveries' });
    await n8n.client.publish(workflow);
    const delivery = (orderNumber: string, more: IDataObject = {}) => ({
      ...{ orderNumber, phone: '+12025550181', customerName: 'Bo', brand: 'Acme', attempt: 1 },
      ...more,
    });
    const deliveries = [
      delivery('X-1', { phone: '12' }),
      delivery('X-2', { attempt: undefined }),
      delivery('X-3', { phone: '+12025550182' }),
      delivery('X-4', { attempt: undefined, phone: '+12025550183' }),
    ];
    const report = async (executions: number) => {
      await n8n.client.postToWebhook(
        'bad-day-failed-deliveries',
        { deliveries },
        { headers: { [HEADER.name]: HEADER.value } },
      );
      const all = await n8n.client.waitForExecutions(workflow.id, executions);
      const newest = all.sort((one, other) => Number(other.id) - Number(one.id))[0];
      if (newest === undefined) throw new Error('The workflow did not run');
      expect(newest.status).toBe('success');
      return Object.fromEntries(
        ['Called before', 'Deliver again', 'Return', 'Ask a person']
          .flatMap((node) => (runsOf(newest, node).length === 0 ? [] : jsonOf(newest, node)))
          .map(({ orderNumber, decision, why }) => [orderNumber, [decision, why].join(': ')]),
      );
    };
    // The line breaks after the service has begun to dial.
    service.faults.add({ kind: 'reset', route: 'trigger', when: 'after' });
    const first = await report(1);
    expect(Object.keys(first).sort()).toEqual(['X-1', 'X-2', 'X-3', 'X-4']);
    expect(first['X-1']).toMatch(/^ask a person: .*Customer Phone/);
    expect(first['X-2']).toMatch(/^ask a person: .*Duplicate Key is empty/);
    expect(first['X-3']).toMatch(/^ask a person: .*may have been/);
    expect(service.seen.calls).toHaveLength(1);

    const second = await report(2);
    expect(second['X-3']).toMatch(/^called before/);
    expect(service.seen.calls).toHaveLength(1);
    await n8n.client.unpublish(workflow);
  });
});

describe('call-back-when-asked', () => {
  it('reads the time after its words only, forgets nobody, and tells of whom it cannot call', async () => {
    const to = 'Asked for callbacks';
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const summaries: Record<string, string> = {
      'T-1': `Ordered on 2026-01-02 10:00. Callback at ${day} 17:30, please.`,
      'T-2': 'Callback at 2020-01-02 10:00',
      'T-3': 'Callback at 2026-99-99 99:99',
      'T-4': `Callback at ${day} 09:00, or callback at ${day} 17:30`,
      'T-5': `Not before ${day} 10:00`,
    };
    const numbers = Object.keys(summaries);
    const rows = numbers.map((orderNumber) => ({ orderNumber, brand: 'Acme', amount: '12' }));
    await createTable(
      to,
      ['orderNumber', 'brand', 'amount'],
      [...rows, { orderNumber: 'T-7', brand: 'Acme', amount: '12' }],
    );
    const asked = (orderNumber: string, summary: string, index: number, phone?: string) => ({
      ...{ orderNumber, summary, customerName: 'Cy', orderId: 100 + index },
      customerPhone: phone ?? `+120255501${String(index).padStart(2, '0')}`,
    });
    const items = [
      ...numbers.map((number, index) => asked(number, summaries[number] ?? '', index)),
      asked('T-6', '', 6),
      asked('T-7', '', 7, '12'),
    ];
    const workflow = await importExample(
      'call-back-when-asked',
      { from: 'Orders', to },
      { 'Call me later': items },
    );
    const execution = await n8n.client.runManually(workflow, { trigger: 'Call me later' });
    const byOrder = new Map(
      jsonOf(execution, 'Schedule the callback').map((item) => [item.orderNumber, item.callAt]),
    );
    expect([...byOrder.keys()]).toEqual(expect.arrayContaining(numbers));
    expect(Date.parse(String(byOrder.get('T-1')))).toBe(Date.parse(`${day}T17:30:00Z`));
    for (const number of ['T-2', 'T-3', 'T-4', 'T-5']) {
      const inHours = (Date.parse(String(byOrder.get(number))) - Date.now()) / 3_600_000;
      expect(inHours).toBeGreaterThan(23.5);
      expect(inHours).toBeLessThan(24);
    }
    const told = errorOf(execution)?.message ?? '';
    expect(told).toContain('Not everybody of these orders will be called back');
    expect(told).toMatch(/T-6.*T-7/);
  });
});
