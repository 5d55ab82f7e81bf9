import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { startCallingService, type CallingService } from '../service';
import {
  QueueModeN8n,
  type Credential,
  type DataTableRow,
  type N8nClient,
  type WorkflowFile,
} from '../../scripts/n8n';
import { logTable } from './triggerWorkflows';
import { callingNode, saveCredential } from './workflows';

jest.setTimeout(600_000);

const BATCHES = 12;
const ORDERS_IN_BATCH = 5;
const CAP = 30;

let n8n: QueueModeN8n;
let client: N8nClient;
let service: CallingService;
let calling: Credential;
let apiKey: string;

beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 5, max: 60 }, answerDelayMs: 200 });
  n8n = await QueueModeN8n.start(2);
  client = n8n.main.client;
  apiKey = await client.createApiKey('Call log');
  calling = await saveCredential(client, service, {
    n8nApiKey: apiKey,
    n8nApiUrl: `${client.baseUrl}/api/v1`,
  });
});

afterAll(async () => {
  await n8n?.stop();
  await service?.close();
});
beforeEach(() => service.reset());

/** Orders come in by webhook, as many as a shop sends at once. */
function orderWorkflow(table: string, rules: INodeParameters): WorkflowFile {
  const call = callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    callLog: 'dataTable',
    callLogTable: logTable(table),
    rules,
    options: { concurrency: 2 },
  });
  const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
  return {
    name: table,
    nodes: [
      {
        name: 'Webhook',
        type: 'n8n-nodes-base.webhook',
        typeVersion: 2,
        position: [0, 0],
        parameters: { httpMethod: 'POST', path: table, options: {} },
        webhookId: table,
      },
      {
        name: 'Each order',
        type: 'n8n-nodes-base.splitOut',
        typeVersion: 1,
        position: [220, 0],
        parameters: { fieldToSplitOut: 'body.orders', options: {} },
      },
      { ...call, position: [440, 0] },
    ],
    connections: { Webhook: link('Each order'), 'Each order': link('Call') },
  };
}

async function rowsOf(table: string): Promise<DataTableRow[]> {
  const tables = client.dataTables(apiKey);
  const found = await tables.find(table);
  return found === undefined ? [] : await tables.rows(found.id);
}

/** All orders at once, to both workers; waits until every one has its row. */
async function order(table: string, phones: string[], rules: INodeParameters): Promise<void> {
  await client.publish(await client.createWorkflow(orderWorkflow(table, rules)));
  await client.postToWebhook(table, { orders: [{ phone: '+12025559999' }] });
  const isSettled = ({ checks }: DataTableRow) => checks !== null;
  const settled = async () => (await rowsOf(table)).filter(isSettled).length;
  while ((await settled()) < 1) await delay(500);
  const posts = Array.from({ length: BATCHES }, async (_, batch) => {
    const some = phones.slice(batch * ORDERS_IN_BATCH, (batch + 1) * ORDERS_IN_BATCH);
    await client.postToWebhook(table, { orders: some.map((phone) => ({ phone })) });
  });
  await Promise.all(posts);
  const deadline = Date.now() + 180_000;
  while ((await settled()) < phones.length + 1 && Date.now() < deadline) await delay(1_000);
  await delay(2_000);
}

const phoneOf = (number: number) => `+1202555${String(number).padStart(4, '0')}`;

it('holds a cap exactly while two workers place calls at once', async () => {
  const phones = Array.from({ length: BATCHES * ORDERS_IN_BATCH }, (_, n) => phoneOf(n));
  await order('capped', phones, { maxCallsPerDay: CAP });
  expect(service.seen.calls).toHaveLength(CAP);
  const rows = await rowsOf('capped');
  expect(rows.filter(({ status }) => status === 'not_placed')).toHaveLength(
    phones.length + 1 - CAP,
  );
});

it('calls nobody twice a day while two workers place calls to the same people', async () => {
  const phones = Array.from({ length: BATCHES * ORDERS_IN_BATCH }, (_, n) => phoneOf(n % 17));
  await order('persons', phones, { maxCallsPerPersonPerDay: 1 });
  expect(service.seen.calls).toHaveLength(17 + 1);
  expect(new Set(service.seen.callsByPhone.values())).toEqual(new Set([1]));
});
