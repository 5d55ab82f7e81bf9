import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../nodes/OutboundAiCalling/http/json';
import {
  jsonOf,
  runsOf,
  sharedN8n,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowFile,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { atAnyHour, HEADER, importExample as imported } from './exampleWorkflows';
import { openLogOf } from './loggedFromOutside';
import { callsByHand } from './workflows';
import { until } from './until';

/** How the calls for some orders end. */
const LABELS: Record<string, string> = {
  'E-1': 'Order confirmed',
  'E-2': 'Not Interested',
  'E-3': 'voicemail',
  'F-1': 'Do not call again',
};

/** The orders whose calls are acted on. */
const ORDERS = ['E-1', 'E-2', 'E-3'];

let n8n: SharedN8n;
let service: CallingService;
let apiKey: string;
beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: 20, max: 60 },
    speed: 10,
    outcomeFor: ({ orderNumber = '' }) =>
      orderNumber in LABELS ? { status: 'completed', label: LABELS[orderNumber] } : undefined,
  });
  n8n = await sharedN8n();
  apiKey = await n8n.client.createApiKey('Call log of the examples');
});
afterAll(async () => {
  await service.close();
});
beforeEach(() => service.reset());

/** Sends to the webhook of an example, as a shop that knows its header. */
async function send(path: string, body: unknown) {
  return await n8n.client.postToWebhook(path, body, { headers: { [HEADER.name]: HEADER.value } });
}

/** Imports an example as a person does: the file, then the credentials in its nodes. */
async function importExample(
  name: string,
  change?: (workflow: WorkflowFile) => void,
): Promise<SavedWorkflow> {
  return await imported({ client: n8n.client, service, n8nApiKey: apiKey }, name, change);
}

describe('cod-order-confirmation', () => {
  it('calls for an order once, also when the shop sends it twice', async () => {
    const workflow = await n8n.client.publish(await importExample('cod-order-confirmation'));
    const order = {
      orderNumber: 'A-1',
      phone: '+12025550114',
      brand: 'Acme',
      amount: '12.50',
      customerName: 'Ann',
    };
    const answers = await Promise.all(
      [order, order].map(async (body) => await send('cod-orders', body)),
    );
    const decisions = answers.map(({ body }) => (body as IDataObject).decision);
    expect(decisions.filter((decision) => decision === 'called before')).toHaveLength(1);
    expect(service.seen.calls).toHaveLength(1);
    expect(service.seen.calls[0]?.body).toMatchObject({ brand_name: 'Acme', orderNumber: 'A-1' });
    await n8n.client.unpublish(workflow);
  });
});

describe('call-on-order and act-on-outcome', () => {
  it('call at once, keep a log, and decide when a call has ended', async () => {
    await openLogOf(service, n8n.client.baseUrl, apiKey, 'Calls');
    const acting = await n8n.client.publish(await importExample('act-on-outcome'));
    const calling = await n8n.client.publish(await importExample('call-on-order'));
    const post = async (orderNumber: string, phone: string) => {
      const order = { orderNumber, phone, brand: 'Acme', amount: '12.50', customerName: 'Ann' };
      return (await send('new-orders', order)).body as IDataObject;
    };
    const answers = await Promise.all(
      ORDERS.map(async (number, index) => await post(number, `+1202555016${index}`)),
    );
    expect(await post('E-1', '+12025550160')).toMatchObject({ skipped: true, reason: 'duplicate' });
    expect(service.seen.calls).toHaveLength(3);

    const decisions = async () =>
      (await n8n.client.executions(acting.id)).flatMap((execution) =>
        ['Confirmed', 'Cancelled', 'Call back'].flatMap((node) => jsonOf(execution, node)),
      );
    const logged = async () => {
      const tables = n8n.client.dataTables(apiKey);
      return await tables.rows((await tables.find('Calls'))?.id ?? '');
    };
    await until(async () => (await decisions()).length >= 3);
    await until(async () => (await logged()).filter((row) => row.finishedAt).length >= 3);
    const decided = Object.fromEntries(
      (await decisions()).map(({ orderId, decision }) => [Number(orderId), decision]),
    );
    expect(answers.map(({ orderId }) => decided[Number(orderId)])).toEqual([
      'confirmed',
      'cancelled',
      'call back',
    ]);
    expect(Object.keys(decided)).toHaveLength(3);
    await n8n.client.unpublish(acting);
    await n8n.client.unpublish(calling);

    const rows = await logged();
    const ended = rows.filter(({ finishedAt }) => finishedAt !== null);
    const shown = ended.map(({ orderNumber, outcome }) => [orderNumber, outcome]);
    expect(shown.sort()).toEqual(ORDERS.map((number) => [number, LABELS[number]]));
    expect(rows.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
  });
});

describe('ndr-follow-up', () => {
  it('asks once for each failed attempt, also when the courier reports it again', async () => {
    const workflow = await importExample('ndr-follow-up');
    await n8n.client.publish(workflow);
    const deliveries = ['B-1', 'B-2', 'B-3'].map((orderNumber, index) => ({
      orderNumber,
      phone: `+1202555014${index}`,
      customerName: 'Bo',
      brand: 'Acme',
      attempt: 1,
      reason: 'nobody at home',
    }));
    /** What each order's decision was in the newest of so many executions. */
    const report = async (executions: number) => {
      await send('failed-deliveries', { deliveries });
      const all = await n8n.client.waitForExecutions(workflow.id, executions);
      const newest = all.sort((one, other) => Number(other.id) - Number(one.id))[0];
      if (newest === undefined) throw new Error('The workflow did not run');
      return ['Called before', 'Deliver again', 'Return', 'Ask a person'].flatMap((node) =>
        runsOf(newest, node).length === 0 ? [] : jsonOf(newest, node),
      );
    };
    const first = await report(1);
    expect(first.map(({ orderNumber }) => orderNumber).sort()).toEqual(['B-1', 'B-2', 'B-3']);
    expect(first.map(({ decision }) => decision)).not.toContain('called before');

    const second = await report(2);
    expect(second.map(({ orderNumber }) => orderNumber).sort()).toEqual(['B-1', 'B-2', 'B-3']);
    expect(second.map(({ decision }) => decision)).toEqual(Array(3).fill('called before'));
    expect(service.seen.calls).toHaveLength(3);
    expect(service.seen.calls[0]?.body.brand_name).toBe('Acme');
    await n8n.client.unpublish(workflow);
  });
});

describe('calling-hours', () => {
  it('skips an order outside the hours, waits until they begin, and calls then', async () => {
    // The order brings the hours, so they begin only after n8n has taken it, however slow n8n is.
    const workflow = await importExample('calling-hours', ({ nodes }) => {
      const rules = nodes.find(({ name }) => name === 'Call within the hours')?.parameters
        .rules as IDataObject;
      rules.callingHours = {
        hours: {
          start: "={{ $('New order').first().json.body.opens }}",
          end: "={{ $('New order').first().json.body.closes }}",
          days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
          timezone: 'Asia/Kolkata',
          customersTimezone: false,
        },
      };
    });
    await n8n.client.publish(workflow);
    const opensAt = new Date(Math.ceil((Date.now() + 20_000) / 60_000) * 60_000);
    const inKolkata = (date: Date) => new Date(date.getTime() + 19_800_000).toISOString();
    const clock = (date: Date) => inKolkata(date).slice(11, 16);
    const hours = { opens: clock(opensAt), closes: clock(new Date(opensAt.getTime() + 600_000)) };
    const order = { orderNumber: 'C-1', phone: '+12025550114', brand: 'Acme', ...hours };
    await send('orders-at-any-hour', order);
    const [execution] = await n8n.client.waitForExecutions(workflow.id, 1);

    expect(execution?.status).toBe('success');
    expect(service.seen.calls).toHaveLength(1);
    const runs = execution?.data.resultData.runData['Call within the hours'] ?? [];
    expect(runs[0]?.data?.main?.[0]?.[0]?.json).toMatchObject({
      skipped: true,
      reason: 'outsideCallingHours',
      nextAllowedAt: inKolkata(opensAt).replace('Z', '+05:30'),
    });
    expect(runs.at(-1)?.data?.main?.[0]?.[0]?.json).toHaveProperty('orderId');
    expect(service.seen.calls[0]?.body.orderNumber).toBe('C-1');
  });
});

describe('scheduled-cod-campaign', () => {
  it('calls about each new order of the table once, one a day for each customer', async () => {
    const tables = n8n.client.dataTables(await n8n.client.createApiKey('Orders of the examples'));
    const column = (name: string) => ({ name, type: 'string' as const });
    const table = await tables.create(
      'orders',
      ['orderNumber', 'customerName', 'phone', 'notes', 'status'].map(column),
    );
    const order = (index: number, status: string, phone = `+1202555013${index}`) => ({
      orderNumber: `D-${index}`,
      customerName: 'Di',
      phone,
      notes: 'Two parcels',
      status,
    });
    await tables.insert(table.id, [
      order(1, 'new'),
      order(2, 'new'),
      order(3, 'done'),
      order(4, 'new', 'unknown'),
      // Another order of the same customer.
      order(5, 'new', '+12025550131'),
      // The webhook of the first order came twice.
      order(1, 'new'),
    ]);
    const trigger = 'Every weekday at ten';
    const asImported = await importExample('scheduled-cod-campaign');
    const tried = await n8n.client.runManually(asImported, { trigger });
    expect(jsonOf(tried, 'Call them all')).toMatchObject([{ dryRun: true, contactCount: 2 }]);
    expect(service.seen.received).toEqual([]);
    const statuses = async () => (await tables.rows(table.id)).map(({ status }) => status).sort();
    expect(await statuses()).toEqual(['done', 'new', 'new', 'new', 'new', 'new']);

    const workflow = await importExample('scheduled-cod-campaign', (file) => {
      atAnyHour(file);
      callsByHand(file);
    });
    const run = async () => await n8n.client.runManually(workflow, { trigger });
    const execution = await run();
    expect(jsonOf(execution, 'Call them all')).toEqual([
      expect.objectContaining({
        contactCount: 2,
        started: true,
        state: 'running',
        skippedContacts: [
          expect.objectContaining({ row: 3, phone: 'unknown' }),
          expect.objectContaining({ row: 4, phone: '+12025550131' }),
          expect.objectContaining({ row: 5, reason: 'The order is listed before' }),
        ],
      }),
    ]);
    expect(await statuses()).toEqual(['calling', 'calling', 'calling', 'done', 'left out', 'new']);

    // The next days.
    await run();
    await run();
    expect(await statuses()).toEqual([
      ...['calling', 'calling', 'calling', 'calling'],
      ...['done', 'left out'],
    ]);
    expect(service.seen.campaigns.map(({ contacts }) => contacts.length)).toEqual([2, 1]);
  });
});

describe('do-not-call-again', () => {
  it('puts whoever asks for it on the list, and calls them no more', async () => {
    const tables = n8n.client.dataTables(apiKey);
    const column = (name: string) => ({ name, type: 'string' as const });
    const list = await tables.create('Do not call', ['phone', 'reason', 'until'].map(column));
    const workflow = await n8n.client.publish(await importExample('do-not-call-again'));
    const post = async (orderNumber: string) =>
      (
        await send('orders-unless-listed', {
          orderNumber,
          phone: '+12025550177',
          brand: 'Acme',
        })
      ).body as IDataObject;
    expect(await post('F-1')).toHaveProperty('orderId');

    await until(async () => (await tables.rows(list.id)).length > 0);
    await n8n.client.unpublish(workflow);
    expect(await tables.rows(list.id)).toEqual([
      expect.objectContaining({
        phone: '+12025550177',
        reason: expect.stringContaining('order F-1'),
        until: null,
      }),
    ]);
    await n8n.client.publish(workflow);
    expect(await post('F-2')).toMatchObject({ skipped: true, reason: 'doNotCall' });
    await n8n.client.unpublish(workflow);
    expect(service.seen.calls).toHaveLength(1);
  });
});

describe('campaign-opening-hours', () => {
  it('pauses at closing time, and resumes at opening time, unless it is closed', async () => {
    // So many that it goes on for minutes.
    const contacts = Array.from({ length: 1_000 }, (_, index) => ({
      customerPhone: `+1202555${1000 + index}`,
    }));
    const created = await fetch(`${service.baseUrl}/api/v1/campaigns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'test-key' },
      body: JSON.stringify({
        scriptId: 7,
        contacts,
        startImmediately: true,
      }),
    });
    const { campaign_id: campaignId } = (await created.json()) as { campaign_id: number };
    const tables = n8n.client.dataTables(apiKey);
    const column = (name: string) => ({ name, type: 'string' as const });
    const table = await tables.create('Campaigns', ['campaignId', 'name', 'going'].map(column));
    await tables.insert(table.id, [
      { campaignId: String(campaignId), name: 'Autumn', going: 'yes' },
      { campaignId: '999999', name: 'Over', going: 'no' },
    ]);
    const atHours = async (name: string, start: number, end: number) => {
      const clock = (hours: number) =>
        new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
      return await importExample('campaign-opening-hours', (workflow) => {
        workflow.name = name;
        callsByHand(workflow);
        const { parameters } = workflow.nodes.find((node) => node.name === 'Resume') ?? {};
        (parameters?.rules as IDataObject).callingHours = {
          hours: { start: clock(start), end: clock(end), days: 'sun,mon,tue,wed,thu,fri,sat' },
        };
        workflow.settings = { ...workflow.settings, timezone: 'UTC' };
      });
    };
    const open = await atHours('Open', -2, 2);
    const closed = await atHours('Closed', 2, 4);
    const run = async (workflow: SavedWorkflow, trigger: string, node: string) =>
      jsonOf(await n8n.client.runManually(workflow, { trigger }), node);

    expect(await run(open, 'Outside the hours', 'Pause')).toMatchObject([
      { campaignId, action: 'pause_campaign', state: 'paused' },
    ]);
    expect(await run(closed, 'At opening time', 'Resume')).toMatchObject([
      { skipped: true, reason: 'outsideCallingHours', campaignId, action: 'resume' },
    ]);
    expect(await run(open, 'At opening time', 'Resume')).toMatchObject([
      { campaignId, action: 'resume_campaign', state: 'running' },
    ]);
    // The workflow tries again: a campaign that runs is no failure.
    const again = await n8n.client.runManually(open, { trigger: 'At opening time' });
    expect(again.status).toBe('success');
    expect(Object.keys(again.data.resultData.runData)).toContain('Waits');
    expect(service.seen.campaigns[0]?.state).toBe('running');
  });
});

describe('the examples that call at once', () => {
  /** Hours that are over, or have not begun. */
  function closed({ nodes }: WorkflowFile): void {
    const inHours = (hours: number) =>
      new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
    for (const { parameters } of nodes) {
      if (!isRecord(parameters.rules)) continue;
      (parameters.rules as IDataObject).callingHours = {
        hours: {
          ...{ start: inHours(2), end: inHours(4), timezone: 'UTC' },
          days: 'sun,mon,tue,wed,thu,fri,sat',
        },
      };
    }
  }

  const AGAIN = { reason: 'outsideCallingHours', nextStep: /^Send the order again after \d{4}-/ };

  it.each([
    [
      'cod-order-confirmation',
      'cod-orders',
      { decision: 'call back', ...AGAIN, nextStep: /person/ },
    ],
    ['call-on-order', 'new-orders', AGAIN],
    ['do-not-call-again', 'orders-unless-listed', AGAIN],
  ])('%s calls nobody at night, and the shop learns what to do', async (name, path, expected) => {
    const workflow = await importExample(name, closed);
    await n8n.client.publish(workflow);
    const { body } = await send(path, {
      ...{ orderNumber: `N-${name}`, phone: '+12025550115', brand: 'Acme', amount: '12.50' },
    });
    await n8n.client.unpublish(workflow);
    expect(body).toMatchObject({
      ...expected,
      nextStep: expect.stringMatching(expected.nextStep),
      nextAllowedAt: expect.any(String),
    });
    expect(service.seen.calls).toEqual([]);
  });
});
