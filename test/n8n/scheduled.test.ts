import { setTimeout as delay } from 'node:timers/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
  jsonOf,
  sharedN8n,
  type Credential,
  type DataTables,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowFile,
} from '../../scripts/n8n';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { startCallingService, type CallingService } from '../service';
import { fired, logTable, outcomeWorkflow, waitForFired, watching } from './triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from './workflows';
import { until } from './until';

const CALLS_LAST_MS = 3_000;
/** Of attempts that nobody answers, by order number. */
const UNANSWERED: Record<string, number> = { 'A-0': 1, 'A-1': 9, 'B-0': 1, 'B-1': 9, 'C-0': 9 };

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let tables: DataTables;
const rung = new Map<string, number>();

beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: CALLS_LAST_MS / 1000, max: CALLS_LAST_MS / 1000 },
    outcomeFor: ({ orderNumber = '' }) => {
      const before = rung.get(orderNumber) ?? 0;
      rung.set(orderNumber, before + 1);
      return before < (UNANSWERED[orderNumber] ?? 0)
        ? { status: 'failed', label: 'no_answer' }
        : { status: 'completed', label: 'Order confirmed' };
    },
  });
  n8n = await sharedN8n();
  const n8nApiKey = await n8n.client.createApiKey('Scheduled');
  tables = n8n.client.dataTables(n8nApiKey);
  calling = await saveCredential(n8n.client, service, { n8nApiKey });
});
afterAll(async () => {
  await service?.close();
});

async function schedule(table: string, orders: string[]): Promise<IDataObject[]> {
  const items = orders.map((order, index) => ({
    order,
    phone: `+1202555${order.charCodeAt(0)}0${index}`,
  }));
  const parameters: INodeParameters = {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.order }}' },
    callLogTable: logTable(table),
    rules: { preventDuplicates: true },
    // Two seconds after the first attempt, three after the second.
    options: { retry: { plan: { outcomes: 'no_answer', afterMinutes: '0.03, 0.05' } } },
  };
  const node = callingNode('Schedule', 'call.schedule', calling, parameters);
  const workflow = await n8n.client.createWorkflow(workflowOf(`Schedules ${table}`, items, node));
  return jsonOf(await n8n.client.runManually(workflow), 'Schedule');
}

/** Places what is due, every few seconds. */
async function publishPlacing(table: string): Promise<SavedWorkflow> {
  const clock = {
    name: 'Every few seconds',
    type: 'n8n-nodes-base.scheduleTrigger',
    typeVersion: 1.2,
    position: [0, 0] as [number, number],
    parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 5 }] } },
  };
  const place = callingNode('Place', 'call.placeScheduled', calling, {
    callLogTable: logTable(table),
    options: { maxInProgress: 2, firstCheckAfterSeconds: 4, keepOnSeconds: 20 },
  });
  const file: WorkflowFile = {
    name: `Places ${table}`,
    nodes: [clock, { ...place, position: [220, 0] }],
    connections: { [clock.name]: { main: [[{ node: 'Place', type: 'main', index: 0 }]] } },
  };
  return await n8n.client.publish(await n8n.client.createWorkflow(file));
}

async function rowsOf(table: string) {
  const found = await tables.find(table);
  return found === undefined ? [] : await tables.rows(found.id);
}

/** Waits until every attempt has ended, and has its end written in a row of its own. */
async function untilDone(table: string): Promise<IDataObject[]> {
  let rows: IDataObject[] = [];
  await until(async () => {
    rows = await rowsOf(table);
    return rows.length > 0 && rows.every(({ finishedAt }) => Boolean(finishedAt));
  });
  return rows;
}

const told = (rows: IDataObject[]) =>
  rows
    .map(({ orderNumber, attempt, outcomeKey, status }) =>
      [orderNumber, attempt, outcomeKey ?? status].join(' '),
    )
    .sort();

describe('calls that are scheduled', () => {
  it('ring, two at a time, and again when nobody answers, without a trigger', async () => {
    const output = await schedule('List', ['A-0', 'A-1', 'A-2']);
    expect(output.map(({ status }) => status)).toEqual(['scheduled', 'scheduled', 'scheduled']);
    expect(service.seen.received).toEqual([]);
    const placing = await publishPlacing('List');
    const rows = await untilDone('List');
    await n8n.client.unpublish(placing);
    expect(told(rows)).toEqual([
      'A-0 1 no_answer',
      'A-0 2 order_confirmed',
      'A-1 1 no_answer',
      'A-1 2 no_answer',
      'A-1 3 no_answer',
      'A-2 1 order_confirmed',
    ]);
    expect(Object.fromEntries(rung)).toMatchObject({ 'A-0': 2, 'A-1': 3, 'A-2': 1 });
    const placed = async () =>
      (await n8n.client.executions(placing.id)).flatMap((execution) => jsonOf(execution, 'Place'));
    // The execution that placed the last one may still be going on.
    await until(async () => (await placed()).length >= 6);
    expect(await placed()).toHaveLength(6);
  });

  it('start a workflow once an order, with the outcome of its last attempt', async () => {
    await tables.create('Fired', LOG_COLUMNS);
    const parameters = { ...watching('Fired'), options: { finalOnly: true } };
    const file = outcomeWorkflow('Last outcomes', calling, parameters);
    const trigger = await n8n.client.publish(await n8n.client.createWorkflow(file));
    await schedule('Fired', ['B-0', 'B-1']);
    const placing = await publishPlacing('Fired');
    await untilDone('Fired');
    // The trigger polls every minute.
    await waitForFired(n8n.client, trigger.id, 2);
    await n8n.client.unpublish(placing);
    await n8n.client.unpublish(trigger);
    const items = await fired(n8n.client, trigger.id);
    expect(
      items
        .map(({ orderNumber, attempt, outcomeKey }) => [orderNumber, attempt, outcomeKey])
        .sort(),
    ).toEqual([
      ['B-0', 2, 'order_confirmed'],
      ['B-1', 3, 'no_answer'],
    ]);
  });

  it('are cancelled by an order number in other capitals, and however its accents are written', async () => {
    await schedule('Accents', ['U\u0308nal-1', 'K\u00fc-2', 'K\u00fc-20']);
    for (const cancelValue of ['\u00fcnal-1', 'KU\u0308-2']) {
      const by = { callLogTable: logTable('Accents'), cancelBy: 'orderNumber', cancelValue };
      const node = callingNode('Cancel', 'call.cancelScheduled', calling, by);
      const cancelling = await n8n.client.createWorkflow(workflowOf('Cancels', [{}], node));
      const output = jsonOf(await n8n.client.runManually(cancelling), 'Cancel');
      expect(output).toEqual([{ cancelled: 1, message: '1 call is not placed any more' }]);
    }
    const rows = await rowsOf('Accents');
    expect(rows.map(({ status }) => status).sort()).toEqual([
      'cancelled',
      'cancelled',
      'scheduled',
    ]);
  });

  it('are not used up by a service that is down: one is tried alone, and later each time', async () => {
    await schedule('Down', ['D-0', 'D-1', 'D-2', 'D-3', 'D-4']);
    const place = async (maxInProgress: number) => {
      const options = { maxInProgress, keepOnSeconds: 0 };
      const parameters = { callLogTable: logTable('Down'), options };
      const node = callingNode('Place', 'call.placeScheduled', calling, parameters);
      const placing = await n8n.client.createWorkflow(workflowOf('Places once', [{}], node));
      return (await n8n.client.runManually(placing)).data.resultData.error?.message;
    };
    service.faults.add({ kind: 'status', status: 503, route: 'trigger', times: 9 });
    for (let run = 0; run < 2; run++) {
      expect(await place(1)).toMatch(/^Somebody may have been called\./);
    }
    expect(await place(1)).toMatch(
      /^Nobody was called\. Each of the last 2 calls may have been placed.* One call is tried at \d\d:\d\d/,
    );
    service.faults.clear();
    expect(await place(2)).toBeUndefined();
    const rows = await rowsOf('Down');
    expect(rows.map(({ status }) => status).sort()).toEqual([
      ...['in_progress', 'in_progress', 'maybe_placed', 'maybe_placed', 'scheduled'],
    ]);
  });

  it('are cancelled while they ring: the call goes on, and nobody is called again', async () => {
    await schedule('Cancelled', ['C-0']);
    const outcomes = service.faults.hold({ route: 'outcome', times: Infinity });
    const placing = await publishPlacing('Cancelled');
    while ((rung.get('C-0') ?? 0) === 0) await delay(50);
    const parameters = {
      callLogTable: logTable('Cancelled'),
      cancelBy: 'orderNumber',
      cancelValue: 'C-0',
    };
    const node = callingNode('Cancel', 'call.cancelScheduled', calling, parameters);
    const cancelling = await n8n.client.createWorkflow(workflowOf('Cancels', [{}], node));
    const output = jsonOf(await n8n.client.runManually(cancelling), 'Cancel');
    expect(output).toMatchObject([{ cancelled: 1 }]);
    outcomes();
    const rows = await untilDone('Cancelled');
    await delay(8_000);
    await n8n.client.unpublish(placing);
    expect(rung.get('C-0')).toBe(1);
    expect(told(rows)).toEqual(['C-0 1 no_answer', 'C-0 2 cancelled']);
  });
});
