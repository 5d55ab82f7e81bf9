import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionError, INodeParameters } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { startCallingService, type CallingService } from '../service';
import {
  errorOf,
  jsonOf,
  N8nRequestFailed,
  sharedN8n,
  type Credential,
  type DataTables,
  type SavedWorkflow,
  type SharedN8n,
} from '../../scripts/n8n';
import { openLogOf } from './loggedFromOutside';
import {
  fired,
  logTable,
  ONE_MORE_POLL_MS,
  orderIdsOf,
  outcomeWorkflow,
  waitForFired,
  watching,
} from './triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from './workflows';
import { until } from './until';

/** This Instance gives all calls of its account: this is that of one test alone. */
const OWN_KEY = 'own-key';

let n8n: SharedN8n;
let service: CallingService;
let apiKey: string;
let tables: DataTables;

beforeAll(async () => {
  // A call lasts as many seconds as its order number says.
  const outcomeFor = ({ orderNumber }: { orderNumber?: string | undefined }) => ({
    lastsSec: Number(orderNumber),
  });
  service = await startCallingService({ outcomeFor, apiKeys: ['test-key', OWN_KEY] });
  n8n = await sharedN8n();
  const { client } = n8n;
  apiKey = await client.createApiKey('Call log in trouble');
  tables = client.dataTables(apiKey);
});

afterAll(async () => {
  await service?.close();
});

/** A credential that also opens n8n's data tables. */
async function saveFullCredential(): Promise<Credential> {
  return await saveCredential(n8n.client, service, { n8nApiKey: apiKey });
}

async function publish(
  name: string,
  calling: Credential,
  parameters: INodeParameters = {},
): Promise<SavedWorkflow> {
  const workflow = outcomeWorkflow(name, calling, parameters);
  const saved = await n8n.client.createWorkflow(workflow);
  return await n8n.client.publish(saved);
}

/** Places a call with the action node, and gives its order id. */
async function place(
  calling: Credential,
  { seconds, table }: { seconds: number; table?: string },
): Promise<number> {
  const node = callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '+12025550100',
    additionalFields: { orderNumber: String(seconds) },
    ...(table === undefined ? {} : { callLog: 'dataTable', callLogTable: logTable(table) }),
  });
  const workflow = await n8n.client.createWorkflow(workflowOf('Place a call', [{}], node));
  const execution = await n8n.client.runManually(workflow);
  return Number(jsonOf(execution, 'Call')[0]?.orderId);
}

async function deleteTable(name: string): Promise<void> {
  const table = await tables.find(name);
  await n8n.client.session.send('DELETE', `/api/v1/data-tables/${table?.id}`, {
    headers: { 'X-N8N-API-KEY': apiKey },
  });
}

/** What the list of executions shows of the polls that failed, the last first. */
async function failures({ id }: SavedWorkflow): Promise<Array<ExecutionError | undefined>> {
  const summaries = await n8n.client.executionSummaries(id);
  const failed = summaries.filter(({ status }) => status === 'error');
  return await Promise.all(
    failed.map(async (summary) => errorOf(await n8n.client.readExecution(summary.id))),
  );
}

async function firstFailure(workflow: SavedWorkflow): Promise<ExecutionError | undefined> {
  await until(async () => (await failures(workflow)).length > 0);
  return (await failures(workflow)).at(-1);
}

async function isPublished({ id }: SavedWorkflow): Promise<boolean> {
  return (await n8n.client.readWorkflow(id)).active;
}

describe('a published trigger', () => {
  it.concurrent('whose key is refused says so to its owner, and loses nothing', async () => {
    const { client } = n8n;
    const calling = await saveCredential(client, service, { apiKey: OWN_KEY });
    const workflow = await publish('Key', calling);
    const orderId = await place(calling, { seconds: 1 });
    let isWithdrawn = true;
    service.faults.add({
      kind: 'status',
      status: 401,
      body: { success: false, message: 'Unauthorized' },
      times: Infinity,
      match: ({ url }) => isWithdrawn && url.includes(`/${orderId}/`),
    });
    expect(await firstFailure(workflow)).toMatchObject({
      message: 'Nobody was called by reading outcomes. The calling service refused the API key',
      description: expect.stringMatching(/Copy the API key again .* into the credential/),
    });
    expect(await isPublished(workflow)).toBe(true);
    isWithdrawn = false;
    await waitForFired(client, workflow.id, 1);
    await delay(ONE_MORE_POLL_MS);
    expect(orderIdsOf(await fired(client, workflow.id))).toEqual([orderId]);
  });

  it.concurrent(
    'whose call log is deleted goes on with the one that the next call makes',
    async () => {
      const table = 'Deleted';
      const calling = await saveFullCredential();
      await openLogOf(service, n8n.client.baseUrl, apiKey, table);
      const workflow = await publish(table, calling, watching(table));
      await place(calling, { seconds: 1, table });
      await deleteTable(table);
      const message =
        'Nobody was called by reading outcomes. There is no data table "Deleted" for the call log: create it in n8n, or choose another';
      // A poll that was under way fails before it, in other words.
      const failure = async () =>
        (await failures(workflow)).find((failed) => failed?.message === message);
      await until(async () => (await failure()) !== undefined);
      expect(await failure()).toMatchObject({
        description: expect.stringMatching(
          /was deleted.*publish a trigger that watches a log of that name, or log a call in it/,
        ),
      });
      expect(await isPublished(workflow)).toBe(true);
      const orderId = await place(calling, { seconds: 1, table });
      const items = await waitForFired(n8n.client, workflow.id, 1);
      expect(orderIdsOf(items)).toEqual([orderId]);
    },
  );

  it.concurrent(
    'whose call log is deleted under a poll goes on with one made by hand',
    async () => {
      const table = 'Deleted under a poll';
      const calling = await saveFullCredential();
      await openLogOf(service, n8n.client.baseUrl, apiKey, table);
      const workflow = await publish(table, calling, watching(table));
      const open = await place(calling, { seconds: 600, table });
      const isLookedAt = () => service.seen.received.some(({ url }) => url.includes(`/${open}/`));
      await until(isLookedAt);
      expect(isLookedAt()).toBe(true);
      await deleteTable(table);
      expect(await firstFailure(workflow)).toMatchObject({
        message: 'Nobody was called by reading outcomes. The data table does not exist',
        description: expect.stringMatching(/Choose another data table/),
      });
      expect(await isPublished(workflow)).toBe(true);
      await tables.create(table, LOG_COLUMNS);
      const orderId = await place(calling, { seconds: 1, table });
      const items = await waitForFired(n8n.client, workflow.id, 1);
      expect(orderIdsOf(items)).toEqual([orderId]);
    },
  );

  it.concurrent(
    'gives up an order that the service never knows, once and with the reason',
    async () => {
      const calling = await saveCredential(n8n.client, service);
      const workflow = await publish('Unknown', calling, {
        events: ['outcomeUnavailable'],
        watch: 'orderIds',
        orderIds: '987654',
        options: { giveUpAfterHours: 0.01 },
      });
      await waitForFired(n8n.client, workflow.id, 1);
      await delay(ONE_MORE_POLL_MS);
      expect(await fired(n8n.client, workflow.id)).toEqual([
        expect.objectContaining({
          event: 'outcomeUnavailable',
          eventId: expect.stringMatching(/^[0-9a-f]{16}-987654-outcomeUnavailable$/),
          orderId: 987654,
          endReason: 'givenUp',
          message: expect.stringMatching(/0.01 hours: the order is unknown/),
        }),
      ]);
    },
  );
});

describe('order ids that are none', () => {
  it.concurrent(
    'are named when the workflow is to be published, which it then is not',
    async () => {
      const calling = await saveCredential(n8n.client, service);
      const saved = await n8n.client.createWorkflow(
        outcomeWorkflow('Banana', calling, { watch: 'orderIds', orderIds: '12, banana' }),
      );
      const refusal = await n8n.client.publish(saved).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(N8nRequestFailed);
      expect(refusal).toMatchObject({
        message: expect.stringMatching(/Not a call ID: "banana"/),
      });
      expect(await isPublished(saved)).toBe(false);
    },
  );
});
