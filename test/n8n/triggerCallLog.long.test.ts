import { setTimeout as delay } from 'node:timers/promises';
import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { startCallingService, type CallingService } from '../service';
import { openCallLog } from './callLogFromOutside';
import {
  jsonOf,
  startPreparedN8n,
  type Credential,
  type DataTableRow,
  type PreparedN8n,
  type SavedWorkflow,
} from '../../scripts/n8n';
import {
  CALL_LOG_CREDENTIAL,
  fired,
  orderIdsOf,
  outcomeWorkflow,
  TRIGGER,
  waitForFired,
} from './triggerWorkflows';
import { saveCredential } from './workflows';

jest.setTimeout(900_000);

const SCOPES = [
  'dataTable:list',
  'dataTable:create',
  'dataTableRow:create',
  'dataTableRow:read',
  'dataTableRow:update',
];

/** An execution's end, or 5 seconds, and then the note about each of its calls. */
const NOTED_WITHIN_MS = 7_000;

let n8n: PreparedN8n;
let service: CallingService;
let calling: Credential;
let callLog: Credential;
let apiKey: string;
let phones = 0;

beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 5, max: 40 } });
  n8n = await startPreparedN8n();
  calling = await saveCredential(n8n.client, service);
  apiKey = await n8n.client.createApiKey('Call log', SCOPES);
  callLog = await n8n.client.createCredential('Call log', CALL_LOG_CREDENTIAL, {
    baseUrl: `${n8n.client.baseUrl}/api/v1`,
    apiKey,
  });
});

afterAll(async () => {
  await n8n?.stop();
  await service?.close();
});

const table = (name: string) => ({ mode: 'name', value: name });

async function publish(name: string, log: string, parameters = {}): Promise<SavedWorkflow> {
  const workflow = outcomeWorkflow(
    name,
    { calling, callLog },
    { watch: 'callLog', callLogTable: { __rl: true, ...table(log) }, ...parameters },
  );
  const saved = await n8n.client.createWorkflow(workflow);
  return await n8n.client.publish(saved);
}

async function place(log: CallLog, count: number): Promise<number[]> {
  const entries = await log.writeAhead(
    Array.from({ length: count }, () => ({
      customerPhone: `+1202555${String(phones++).padStart(4, '0')}`,
      customerName: 'Ada',
      scriptId: 7,
    })),
  );
  const orderIds: number[] = [];
  for (const entry of entries) {
    const response = await fetch(`${service.baseUrl}/api/v1/calls/trigger`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'test-key' },
      body: JSON.stringify({ scriptId: 7, customerPhone: `+1202555${String(phones++)}` }),
    });
    const { order_id: orderId } = (await response.json()) as { order_id: number };
    await log.placed(entry, orderId);
    orderIds.push(orderId);
  }
  return orderIds;
}

async function rowsOf(log: CallLog): Promise<DataTableRow[]> {
  const key = await n8n.client.createApiKey(`Reader ${Math.random()}`);
  return await n8n.client.dataTables(key).rows(log.tableId);
}

describe('a call log', () => {
  // Those that wait for polls wait together.
  it.concurrent(
    'is made by the trigger, filled ahead, and shows how every call ended',
    async () => {
      const workflow = await publish('Reads Calls', 'Calls');
      const other = await publish('Reads Calls too', 'Calls');
      const log = await openCallLog(n8n.client.baseUrl, apiKey, table('Calls'));
      const orderIds = await place(log, 20);
      const items = await waitForFired(n8n.client, workflow.id, 20);
      await waitForFired(n8n.client, other.id, 20);
      await delay(8_000);
      expect(orderIdsOf(await fired(n8n.client, workflow.id))).toEqual(orderIds);
      expect(orderIdsOf(await fired(n8n.client, other.id))).toEqual(orderIds);
      expect(items[0]).toMatchObject({
        event: 'outcomeAvailable',
        customerPhone: expect.stringMatching(/^\+1202555/),
        customerName: 'Ada',
        finished: true,
      });
      for (const row of await rowsOf(log)) {
        expect(row).toMatchObject({
          status: expect.stringMatching(/completed|failed/),
          outcome: expect.any(String),
          finishedAt: expect.any(String),
          nextCheckAt: null,
        });
      }
      await n8n.client.unpublish(workflow);
      await n8n.client.unpublish(other);
    },
  );

  it.concurrent(
    'fires once for an outcome that is open again later, and for an order that is known late',
    async () => {
      // Two triggers ask, so that the first look at the outcome is not the last.
      const readers = [
        await publish('Tempted', 'Tempting'),
        await publish('Tempted too', 'Tempting'),
      ];
      const log = await openCallLog(n8n.client.baseUrl, apiKey, table('Tempting'));
      const orderIds = await place(log, 2);
      const [openAgain, knownLate] = orderIds;
      const asksFor = (orderId: number | undefined) => (request: { url: string }) =>
        request.url.includes(`/${orderId}/`);
      const endsAt = service.seen.calls.find(({ orderId }) => orderId === openAgain)?.endsAt ?? NaN;
      let readings = 0;
      const asksAgain = (request: { url: string }) =>
        asksFor(openAgain)(request) && Date.now() > endsAt && ++readings > 1;
      const notFound = { kind: 'status', status: 404, times: 3 } as const;
      const refusal = (message: string) => ({ body: { success: false, message } });
      service.faults.add(
        { ...notFound, match: asksAgain, ...refusal('Call is still in progress') },
        { ...notFound, match: asksFor(knownLate), ...refusal('Order not found') },
      );
      for (const { id } of readers) await waitForFired(n8n.client, id, 2);
      await delay(8_000);
      for (const workflow of readers) {
        expect(orderIdsOf(await fired(n8n.client, workflow.id))).toEqual(orderIds);
        await n8n.client.unpublish(workflow);
      }
      for (const row of await rowsOf(log)) {
        expect(row).toMatchObject({ status: expect.stringMatching(/completed|failed/) });
      }
      expect(readings).toBe(4); // one that was complete, then three that were not
      service.faults.clear();
    },
  );

  it.concurrent(
    'marks rows that were edited into nonsense, and goes on with the others',
    async () => {
      const workflow = await publish('Reads edited', 'Edited');
      const log = await openCallLog(n8n.client.baseUrl, apiKey, table('Edited'));
      const orderIds = await place(log, 6);
      const rows = (await rowsOf(log)).map(({ id }) => id);
      await log.note(rows.slice(0, 1), { orderId: 'banana' });
      await log.note(rows.slice(1, 2), { triggeredAt: '0001-01-01T00:00:00.000Z' });
      await waitForFired(n8n.client, workflow.id, 4);
      await delay(8_000);
      expect(orderIdsOf(await fired(n8n.client, workflow.id))).toEqual(orderIds.slice(2));
      const after = await rowsOf(log);
      expect(after[0]).toMatchObject({
        status: 'invalid',
        lastError: 'orderId is not an order id: banana',
      });
      expect(after[1]).toMatchObject({
        status: 'invalid',
        lastError: expect.stringMatching(/time/),
      });
      await n8n.client.unpublish(workflow);
    },
  );

  it('names the scope that an API key lacks, and the columns that a table lacks', async () => {
    const { baseUrl } = n8n.client;
    const missing = SCOPES.filter((scope) => scope !== 'dataTableRow:update');
    const weak = await n8n.client.createApiKey('Weak', missing);
    await expect(openCallLog(baseUrl, weak, table('Calls'))).rejects.toThrow(
      /lacks the scope "dataTableRow:update"/,
    );
    const key = await n8n.client.createApiKey('Tables');
    await n8n.client.dataTables(key).create('Bare', [{ name: 'orderId', type: 'string' }]);
    await expect(openCallLog(baseUrl, apiKey, table('Bare'))).rejects.toThrow(
      /"Bare" lacks columns.*orderNumber \(string\).*lastError \(string\)/,
    );
  });

  it('moves a status only from the one that is expected', async () => {
    const log = await openCallLog(n8n.client.baseUrl, apiKey, table('Moves'));
    const call = { customerPhone: '+12025550100', scriptId: 7 };
    const [a, b, c] = await log.writeAhead([call, call, call]);
    if (a === undefined || b === undefined || c === undefined) throw new Error('no entries');
    await log.placed(a, 4001);
    await log.notPlaced(a, 'too late');
    await log.notPlaced(b, 'refused');
    await log.maybePlaced(c, 'reset');
    await log.placed(b, 4002);
    expect(await rowsOf(log)).toMatchObject([
      { status: 'in_progress', orderId: '4001', lastError: null },
      { status: 'not_placed', orderId: null, lastError: 'refused', nextCheckAt: null },
      { status: 'maybe_placed', lastError: 'reset' },
    ]);
  });
});

describe('n8n killed ten times while 100 calls are placed and end', () => {
  it('hands over every call, and twice only what it had no time to note', async () => {
    const workflow = await publish('Reads through kills', 'Kills');
    let log = await openCallLog(n8n.client.baseUrl, apiKey, table('Kills'));
    const orderIds: number[] = [];
    const kills: number[] = [];
    for (let kill = 0; kill < 10; kill++) {
      orderIds.push(...(await place(log, 10)));
      await delay(Math.random() * 20_000);
      kills.push(Date.now());
      await n8n.restart('kill');
      log = await openCallLog(n8n.client.baseUrl, apiKey, table('Kills'));
    }
    const startsOf = async () => {
      const starts = new Map<number, number[]>();
      for (const execution of await n8n.client.executions(workflow.id)) {
        for (const { orderId } of jsonOf(execution, TRIGGER)) {
          const earlier = starts.get(Number(orderId)) ?? [];
          starts.set(Number(orderId), [Date.parse(execution.startedAt), ...earlier]);
        }
      }
      return starts;
    };
    for (let wait = 0; wait < 200 && (await startsOf()).size < 100; wait++) await delay(1_000);
    await delay(8_000);
    const starts = await startsOf();
    expect([...starts.keys()].sort((a, b) => a - b)).toEqual(orderIds);
    const doubles = [...starts.values()].filter(({ length }) => length > 1);
    process.stderr.write(`handed over twice: ${doubles.length} of ${orderIds.length}\n`);
    const timeToKill = doubles.map(([first = 0]) =>
      Math.min(...kills.filter((kill) => kill >= first).map((kill) => kill - first)),
    );
    if (doubles.length > 0) process.stderr.write(`ms to the kill: ${timeToKill.join(', ')}\n`);
    expect(timeToKill.filter((ms) => ms > NOTED_WITHIN_MS)).toEqual([]);
  });
});
