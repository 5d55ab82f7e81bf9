import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../nodes/OutboundAiCalling/http/json';
import {
  errorOf,
  jsonOf,
  PROJECT,
  sharedN8n,
  withCredential,
  withScript,
  type Credential,
  type DataTableRow,
  type DataTables,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowFile,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { atAnyHour } from './exampleWorkflows';
import { logTable } from './triggerWorkflows';
import { CALLING_CREDENTIAL, callsByHand, saveCredential } from './workflows';
import { until } from './until';

/** A script that asks for the brand only. */
const SCRIPT = 21;
const CALLS_LAST_SECONDS = 1;
/** What the shop sends along, and what a browser asks for. */
const HEADER = { name: 'X-Shop-Key', value: 'of the shop' };
const PASSWORD = { user: 'owner', password: 'open sesame' };

/** Some seconds after the first attempt, a little more after the second and the third. */
const SOON = '0.02, 0.03, 0.04';
/** The table of the orders that callbacks are about. */
const ORDERS = 'Orders of callbacks';

/** How the attempts at an order's call end, the last one from then on. */
const ENDS: Record<string, string[]> = {
  'T-1': ['no_answer', 'voicemail', 'Order confirmed'],
  'T-2': ['Not Interested'],
  'T-3': ['no_answer'],
  '1042': ['no_answer'],
  'K-1': ['callback_requested'],
  'K-2': ['callback_requested'],
};
/** The customer of K-1 names a time; that of K-2 does not. */
const IN_THREE_DAYS = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
const SUMMARIES: Record<string, string> = {
  'K-1': `The customer was busy. Callback at ${IN_THREE_DAYS} 17:30.`,
  'K-2': 'The customer was busy.',
};

let n8n: SharedN8n;
let service: CallingService;
let tables: DataTables;
let n8nApiKey: string;
let credentials: Record<string, Credential>;
let callbacks: SavedWorkflow;
const rung = new Map<string, number>();

beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: CALLS_LAST_SECONDS, max: CALLS_LAST_SECONDS },
    outcomeFor: ({ orderNumber = '' }) => {
      const before = rung.get(orderNumber) ?? 0;
      rung.set(orderNumber, before + 1);
      const ends = ENDS[orderNumber] ?? ['Order confirmed'];
      const label = ends[Math.min(before, ends.length - 1)] ?? '';
      const summary = SUMMARIES[orderNumber];
      return {
        status: label === 'no_answer' ? 'failed' : 'completed',
        label,
        ...(summary === undefined ? {} : { summary }),
      };
    },
  });
  n8n = await sharedN8n();
  n8nApiKey = await n8n.client.createApiKey('Scheduled calls of the examples');
  tables = n8n.client.dataTables(n8nApiKey);
  credentials = {
    [CALLING_CREDENTIAL]: await saveCredential(n8n.client, service, { n8nApiKey }),
    httpHeaderAuth: await n8n.client.createCredential('Shop', 'httpHeaderAuth', HEADER),
    httpBasicAuth: await n8n.client.createCredential('Lists', 'httpBasicAuth', PASSWORD),
  };
  // Its trigger polls by the minute: the other examples run meanwhile.
  callbacks = await publishCallbacks();
});
afterAll(async () => {
  await service?.close();
});

/**
 * An example as a person imports it, who then chooses the credentials and a table of their own, has
 * calls placed every few seconds at any hour, and does not wait long for second attempts.
 */
async function example(name: string, table: string): Promise<WorkflowFile> {
  const text = await readFile(join(PROJECT, 'examples', `${name}.json`), 'utf8');
  let workflow = withScript(JSON.parse(text) as WorkflowFile, SCRIPT);
  for (const [type, credential] of Object.entries(credentials)) {
    workflow = withCredential(workflow, type, credential);
  }
  atAnyHour(workflow);
  workflow.settings = { ...workflow.settings, timezone: 'Asia/Kolkata' };
  for (const { type, parameters } of workflow.nodes) {
    if ('callLogTable' in parameters) parameters.callLogTable = logTable(table);
    const { options } = parameters;
    if (isRecord(options) && 'retry' in options) {
      options.retry = { plan: { outcomes: 'no_answer, voicemail, busy', afterMinutes: SOON } };
    }
    if (type === 'n8n-nodes-base.dataTable') parameters.dataTableId = logTable(ORDERS);
    if (type === 'n8n-nodes-base.scheduleTrigger') {
      parameters.rule = { interval: [{ field: 'seconds', secondsInterval: 3 }] };
    }
    if (parameters.operation === 'placeScheduled') {
      parameters.options = { maxInProgress: 3, keepOnSeconds: 8, firstCheckAfterSeconds: 1 };
    }
  }
  return workflow;
}

/** Sends to the webhook of an example, as a shop that knows its header. */
async function send(path: string, body: unknown) {
  const { body: answer } = await n8n.client.postToWebhook(path, body, {
    headers: { [HEADER.name]: HEADER.value },
  });
  return answer;
}

async function rowsOf(table: string): Promise<DataTableRow[]> {
  const found = await tables.find(table);
  return found === undefined ? [] : await tables.rows(found.id);
}

const OPEN = new Set<unknown>(['scheduled', 'placing', 'in_progress']);

/** Waits until nothing is to come for any call. */
async function whenDone(table: string): Promise<DataTableRow[]> {
  await until(async () => !(await rowsOf(table)).some(({ status }) => OPEN.has(status)));
  return await rowsOf(table);
}

/** Calls customers who ask to be called later, and has the example wait for what they say. */
async function publishCallbacks(): Promise<SavedWorkflow> {
  const orders = [
    { orderNumber: 'K-1', phone: '+12025550171', brand: 'Acme', amount: '12.50' },
    { orderNumber: 'K-2', phone: '+12025550172', brand: 'Bolt', amount: '8.90' },
  ];
  const names = ['orderNumber', 'brand', 'amount'] as const;
  const column = (name: string) => ({ name, type: 'string' as const });
  const { id } = await tables.create(ORDERS, names.map(column));
  await tables.insert(
    id,
    orders.map((order) => Object.fromEntries(names.map((name) => [name, order[name]]))),
  );
  const ordering = await example('order-call-with-attempts', 'Callbacks');
  callsByHand(ordering);
  ordering.pinData = { 'New order': orders.map((body) => ({ json: { body } })) };
  for (const { parameters } of ordering.nodes) {
    // The calls go on when the trigger begins to watch.
    if (parameters.operation === 'placeScheduled') parameters.options = { keepOnSeconds: 0 };
  }
  const workflow = await n8n.client.createWorkflow(ordering);
  await n8n.client.runManually(workflow, { trigger: 'New order' });
  await n8n.client.runManually(workflow, { trigger: 'Every minute' });
  const callback = await example('call-back-when-asked', 'Callbacks');
  return await n8n.client.publish(await n8n.client.createWorkflow(callback));
}

const callsOf = (prefix: string) =>
  service.seen.calls.filter(({ orderNumber = '' }) => orderNumber.startsWith(prefix));

describe('the examples, executed by hand', () => {
  it.each([
    [
      'order-call-with-attempts',
      'New order',
      'Schedule the call',
      [{ dryRun: true, orderNumber: '1042' }],
    ],
    ['order-call-with-attempts', 'Last word', 'Confirmed', [{ decision: 'confirmed', attempt: 3 }]],
    ['calling-hours', 'New order', 'Called', [{ decision: 'would be called' }]],
    [
      'call-back-when-asked',
      'Call me later',
      'Schedule the callback',
      [{ dryRun: true, orderNumber: '1042' }],
    ],
    [
      'paced-list',
      'List uploaded',
      'Schedule everybody',
      [
        { dryRun: true, orderNumber: '1042' },
        { dryRun: true, orderNumber: '1043' },
      ],
    ],
  ])('%s runs from "%s" to "%s" on its pinned data', async (name, trigger, destination, items) => {
    const workflow = await n8n.client.createWorkflow(await example(name, 'Pinned'));
    const execution = await n8n.client.runManually(workflow, {
      trigger,
      destinationNode: destination,
    });
    expect(jsonOf(execution, destination)).toMatchObject(items);
  });
});

describe('order-call-with-attempts, simulated by hand', () => {
  let unreached: CallingService;
  let file: WorkflowFile;
  beforeAll(async () => {
    unreached = await startCallingService();
    const credential = await saveCredential(n8n.client, unreached, { n8nApiKey });
    const imported = await example('order-call-with-attempts', 'Simulated');
    file = withCredential(imported, CALLING_CREDENTIAL, credential);
    for (const { parameters } of file.nodes) {
      const { rules } = parameters;
      if (isRecord(rules)) Object.assign(rules, { manualExecutions: 'simulate' });
    }
  });
  afterAll(async () => await unreached.close());
  afterEach(() => expect(unreached.seen.received).toEqual([]));

  const execute = async (
    trigger: string,
    change: (workflow: WorkflowFile) => void = () => undefined,
  ) => {
    const workflow = structuredClone(file);
    change(workflow);
    const saved = await n8n.client.createWorkflow(workflow);
    const execution = await n8n.client.runManually(saved, { trigger });
    expect(errorOf(execution)).toBeUndefined();
    return execution;
  };
  const order = { orderNumber: 'S-1', phone: '+12025550161', brand: 'Acme', amount: '12.50' };
  const arriving = (...orders: IDataObject[]) => ({
    'New order': orders.map((body) => ({ json: { body } })),
  });

  it('schedules an order as if in earnest, and gives a wrong one to a person', async () => {
    const execution = await execute('New order', (workflow) => {
      workflow.pinData = arriving(order, { ...order, phone: '123' });
    });
    expect(jsonOf(execution, 'Schedule the call')).toMatchObject([
      { status: 'scheduled', orderNumber: 'S-1', simulated: true },
    ]);
    expect(jsonOf(execution, 'Not scheduled')).toMatchObject([{ decision: 'ask a person' }]);
    expect(await rowsOf('Simulated')).toEqual([]);
  });

  it('places what is due as if in earnest', async () => {
    await execute('New order', (workflow) => {
      callsByHand(workflow);
      workflow.pinData = arriving(order);
    });
    expect(jsonOf(await execute('Every minute'), 'Place what is due')).toMatchObject([
      { orderNumber: 'S-1', callStatus: 'in_progress', attempt: 1, simulated: true },
    ]);
    expect(await rowsOf('Simulated')).toMatchObject([{ status: 'scheduled', orderId: null }]);
  });

  it.each([
    ['Order confirmed', 'Confirmed', 'confirmed'],
    ['Not Interested', 'Refused', 'refused'],
    ['No answer', 'Nobody reached', 'nobody reached'],
    ['Wants a discount', 'Ask a person', 'ask a person'],
  ])('after the outcome "%s" goes on to "%s"', async (simulatedOutcome, node, decision) => {
    const execution = await execute('Last word', ({ nodes, pinData = {} }) => {
      delete pinData['Last word'];
      const { parameters } = nodes.find(({ name }) => name === 'Last word') ?? {};
      Object.assign(parameters?.options ?? {}, { simulatedOutcome });
    });
    expect(jsonOf(execution, node)).toMatchObject([{ decision }]);
  });
});

describe('order-call-with-attempts', () => {
  it('decides about an order once: confirmed, refused, or nobody was reached', async () => {
    await tables.create('Attempts', []);
    const file = await example('order-call-with-attempts', 'Attempts');
    const workflow = await n8n.client.publish(await n8n.client.createWorkflow(file));
    const order = (index: number) => ({
      ...{ orderNumber: `T-${index}`, phone: `+1202555018${index}`, customerName: 'Ann' },
      ...{ brand: 'Acme', amount: '12.50' },
    });
    for (const index of [1, 2, 3]) {
      expect(await send('orders-to-schedule', order(index))).toMatchObject({
        status: 'scheduled',
        attempt: 1,
        orderNumber: `T-${index}`,
      });
    }
    const again = await send('orders-to-schedule', order(1));
    expect(again).toMatchObject({ skipped: true, reason: 'duplicate' });
    const withoutAmount = { ...order(4), amount: undefined };
    for (const faulty of [withoutAmount, { ...order(4), phone: '123' }]) {
      expect(await send('orders-to-schedule', faulty)).toEqual({
        orderNumber: 'T-4',
        decision: 'ask a person',
        why: expect.stringMatching(/^Nobody was called/),
      });
    }

    const decisions = async () =>
      (await n8n.client.executions(workflow.id)).flatMap((execution) =>
        ['Confirmed', 'Refused', 'Nobody reached', 'Ask a person'].flatMap((node) =>
          jsonOf(execution, node),
        ),
      );
    await whenDone('Attempts');
    await until(async () => (await decisions()).length >= 3);
    await n8n.client.unpublish(workflow);
    const decided = (await decisions()).map(({ orderNumber, decision, attempt }) =>
      [orderNumber, decision, attempt].join(' '),
    );
    expect(decided.sort()).toEqual(['T-1 confirmed 3', 'T-2 refused 1', 'T-3 nobody reached 4']);
    expect(callsOf('T-')).toHaveLength(3 + 1 + 4);
    expect(callsOf('T-')[0]?.body).toMatchObject({ brand_name: 'Acme', order_amount: '12.50' });
  });
});

describe('paced-list', () => {
  const LINES = Array.from(
    { length: 9 },
    (_, index) => `+1202555019${index},L-${index},Customer ${index},Acme,${index}.50`,
  );

  /** Uploads a list as the form's page does; gives the text of the page that follows. */
  async function upload(lines: string[], password = PASSWORD.password): Promise<string> {
    // Excel begins a file in UTF-8 with a mark.
    const list = ['\ufeffphone,orderNumber,customerName,brand,amount', ...lines].join('\n');
    const body = new FormData();
    body.append('field-0', new Blob([list], { type: 'text/csv' }), 'list.csv');
    const authorization = `Basic ${Buffer.from(`${PASSWORD.user}:${password}`).toString('base64')}`;
    const headers = { authorization };
    const answer = await fetch(`${n8n.client.baseUrl}/form/upload-call-list`, {
      ...{ method: 'POST', headers, body },
    });
    if (!answer.ok) return String(answer.status);
    const { formWaitingUrl } = (await answer.json()) as { formWaitingUrl: string };
    const status = new URL(formWaitingUrl);
    status.pathname += '/n8n-execution-status';
    await until(async () => (await (await fetch(status, { headers })).text()) === 'form-waiting');
    const page = await (await fetch(formWaitingUrl, { headers })).text();
    const failed = /The execution &quot;(\d+)&quot; has finished with error/.exec(page)?.[1];
    if (failed === undefined) return page;
    const { data } = await n8n.client.readExecution(failed);
    throw new Error(`The execution failed: ${JSON.stringify(data.resultData.error)}`);
  }

  it('calls everybody on a list that is uploaded, a few at a time, and nobody twice', async () => {
    await tables.create('List of the form', []);
    const file = await example('paced-list', 'List of the form');
    const workflow = await n8n.client.publish(await n8n.client.createWorkflow(file));
    expect(await upload(LINES, 'guessed')).toBe('401');
    expect(await upload([])).toContain('Nobody is called');

    const withoutNumber = await upload([
      ...LINES.slice(0, 4),
      ',L-9,Bo,Acme,1',
      '',
      'none,L-10,,Acme,1',
      '٠١٠١٢٣٤٥٦٧٨,L-11,Cy,Acme,1',
      ',,,"Acme\nLtd",1',
    ]);
    expect(withoutNumber).toContain('Nobody is called');
    expect(withoutNumber).toContain(
      'number for L-9 Bo, L-10, a line without order number and name',
    );
    expect(await rowsOf('List of the form')).toEqual([]);

    expect(await upload(LINES)).toContain('9 calls are scheduled');
    const scheduled = await rowsOf('List of the form');
    // The first may be placed by now, whose rows are replaced.
    expect(new Set(scheduled.map(({ orderNumber }) => orderNumber))).toEqual(
      new Set(LINES.map((_, index) => `L-${index}`)),
    );
    const again = await upload([...LINES, '12345,L-9,Bo,Acme,1']);
    expect(again).toContain('0 calls are scheduled');
    expect(again).toContain('9 were on a list before');
    expect(again).toMatch(/Not scheduled: L-9 12345 \(Nobody was called\. .*Correct these lines/);

    await whenDone('List of the form');
    await n8n.client.unpublish(workflow);
    const calls = callsOf('L-');
    expect(new Set(calls.map(({ orderNumber }) => orderNumber)).size).toBe(9);
    expect(calls).toHaveLength(9);
    const atOnce = calls.map(
      ({ placedAt }) =>
        calls.filter((other) => other.placedAt <= placedAt && placedAt < other.endsAt).length,
    );
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(3);
    expect(Math.max(...atOnce)).toBeGreaterThan(1);
  });
});

describe('paid-no-call', () => {
  it('cancels what is scheduled for the order, and says how many', async () => {
    const paid = await n8n.client.publish(
      await n8n.client.createWorkflow(await example('paid-no-call', 'Paid')),
    );
    // The pinned order is scheduled, called, and tried again only in half an hour.
    const file = await example('order-call-with-attempts', 'Paid');
    callsByHand(file);
    for (const { parameters } of file.nodes) {
      const { options } = parameters;
      if (isRecord(options) && 'retry' in options) {
        options.retry = { plan: { outcomes: 'no_answer', afterMinutes: '30' } };
      }
    }
    const ordering = await n8n.client.createWorkflow(file);
    await n8n.client.runManually(ordering, { trigger: 'New order' });
    const told = async () =>
      (await rowsOf('Paid')).map(({ orderNumber, attempt, status }) =>
        [orderNumber, attempt, status].join(' '),
      );
    // On a slow machine one run may end before the call does.
    await until(async () => {
      await n8n.client.runManually(ordering, { trigger: 'Every minute' });
      return (await told()).length > 1;
    });
    expect((await told()).sort()).toEqual(['1042 1 failed', '1042 2 scheduled']);
    expect(await send('orders-paid', { orderNumber: '1043' })).toMatchObject({ cancelled: 0 });
    expect(await send('orders-paid', { orderNumber: '1042' })).toMatchObject({ cancelled: 1 });
    await n8n.client.unpublish(paid);
    expect((await told()).sort()).toEqual(['1042 1 failed', '1042 2 cancelled']);
  });

  it('cancels a call that nobody has begun', async () => {
    const file = await example('order-call-with-attempts', 'Not begun');
    callsByHand(file);
    const schedule = await n8n.client.createWorkflow(file);
    await n8n.client.runManually(schedule, { trigger: 'New order' });
    const paid = await n8n.client.createWorkflow(await example('paid-no-call', 'Not begun'));
    const execution = await n8n.client.runManually(paid, { trigger: 'Order paid' });
    expect(jsonOf(execution, 'Cancel its calls')).toMatchObject([{ cancelled: 1 }]);
    expect(await rowsOf('Not begun')).toMatchObject([{ status: 'cancelled', attempt: 1 }]);
  });
});

describe('call-back-when-asked', () => {
  it('calls at the time that the customer named, or a day later', async () => {
    await until(async () => (await rowsOf('Callbacks')).length >= 4);
    await n8n.client.unpublish(callbacks);
    const executions = await n8n.client.executions(callbacks.id);
    const items = executions.flatMap((execution) => jsonOf(execution, 'Schedule the callback'));
    const byOrder = new Map(items.map((item) => [item.orderNumber, item]));
    expect(items).toHaveLength(2);
    expect(byOrder.get('K-1')).toMatchObject({
      customerPhone: '+12025550171',
      callAt: expect.stringMatching(`^${IN_THREE_DAYS}T17:30:00.*\\+05:30$`),
    });
    const later = byOrder.get('K-2');
    expect(later?.customerPhone).toBe('+12025550172');
    const dayBefore = Date.parse(String(later?.callAt)) - 86_400_000;
    const begunAt = executions.map(({ startedAt }) => Date.parse(startedAt));
    expect(dayBefore).toBeGreaterThanOrEqual(Math.min(...begunAt) - 1_000);
    expect(dayBefore).toBeLessThan(Date.now());
    const scheduled = (await rowsOf('Callbacks')).filter(({ status }) => status === 'scheduled');
    expect(scheduled.map(({ orderNumber }) => orderNumber).sort()).toEqual(['K-1', 'K-2']);
    expect(callsOf('K-')).toHaveLength(2);
  });
});
