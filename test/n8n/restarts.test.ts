import { setTimeout as delay } from 'node:timers/promises';
import { startCallingService, type CallingService } from '../service';
import {
  errorOf,
  jsonOf,
  PreparedN8n,
  type Credential,
  type WorkflowFile,
} from '../../scripts/n8n';
import { SCOPES } from '../../nodes/OutboundAiCalling/dataTables/n8nApi';
import { HEADER, importExample } from './exampleWorkflows';
import { openLogOf, placeLogged } from './loggedFromOutside';
import { callPhones, phoneWorkflow } from './phoneWorkflow';
import {
  fired,
  ONE_MORE_POLL_MS,
  orderIdsOf,
  outcomeWorkflow,
  waitForFired,
  watching,
} from './triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from './workflows';

const FIRST = '+12025550101';
const SECOND = '+12025550102';

let n8n: PreparedN8n;
let service: CallingService;
let calling: Credential;

beforeAll(async () => {
  // The editor is prepared anew at each start: a third of what a start costs.
  n8n = await PreparedN8n.start({ env: { N8N_DISABLE_UI: 'true' } });
});
afterAll(async () => await n8n?.stop());

beforeEach(async () => {
  // A call lasts as many seconds as its order number says.
  const outcomeFor = ({ orderNumber = '1' }: { orderNumber?: string | undefined }) => ({
    lastsSec: Number(orderNumber),
  });
  service = await startCallingService({ outcomeFor });
  calling = await saveCredential(n8n.client, service);
});
afterEach(async () => await service.close());

async function publish(workflow: WorkflowFile) {
  return await n8n.client.publish(await n8n.client.createWorkflow(workflow));
}

/** Places a call that lasts so many seconds with the action node, and gives its order id. */
async function place(seconds: number): Promise<number> {
  const node = callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: FIRST,
    additionalFields: { orderNumber: String(seconds) },
  });
  const workflow = await n8n.client.createWorkflow(workflowOf('Place a call', [{}], node));
  return Number(jsonOf(await n8n.client.runManually(workflow), 'Call')[0]?.orderId);
}

describe('Prevent Duplicates', () => {
  it('calls a key once: within an execution, across executions and a restart of n8n', async () => {
    const rules = { preventDuplicates: true };
    const workflow = await publish(phoneWorkflow('once-only', calling, { rules }));
    const skipped = (customerPhone: string) => ({
      skipped: true,
      reason: 'duplicate',
      customerPhone,
    });
    const placed = expect.objectContaining({ orderId: expect.any(Number) });

    const before = await callPhones(n8n.client, workflow, [FIRST, FIRST]);
    expect(jsonOf(before, 'Call')).toEqual([placed, skipped(FIRST)]);
    await n8n.restart();
    const after = await callPhones(n8n.client, workflow, [FIRST, SECOND], 2);
    expect(jsonOf(after, 'Call')).toEqual([skipped(FIRST), placed]);
    expect(service.seen.calls).toHaveLength(2);
  });
});

describe('an execution in which n8n was killed', () => {
  it('calls nobody again when a person retries it, and says that it cannot know whom it has called', async () => {
    const { client } = n8n;
    const workflow = await publish(
      phoneWorkflow('cut-off', calling, { options: { concurrency: 1 } }),
    );
    service.faults.hold({
      route: 'trigger',
      match: ({ body }) => JSON.stringify(body).includes(SECOND),
    });
    await client.postToWebhook('cut-off', { phones: [FIRST, SECOND] });
    while (service.seen.calls.length === 0) await delay(50);
    await n8n.restart('kill');
    const crashed = (await client.executionSummaries(workflow.id))[0]?.id ?? '';
    await client.session.rest('POST', `/executions/${crashed}/retry`, {
      body: { loadWorkflow: false },
    });
    const retry = (await client.executionSummaries(workflow.id))[0]?.id ?? '';
    expect(retry).not.toBe(crashed);
    const { message } = errorOf(await client.waitForExecution(retry)) ?? {};
    expect(message).toContain('Somebody may have been called by an earlier try');
    expect(service.seen.calls).toHaveLength(1);
  });
});

describe('cod-order-confirmation', () => {
  it('calls nobody again whose call went on when n8n was killed, and has a person look at the order', async () => {
    const example = await importExample(
      { client: n8n.client, service, n8nApiKey: '' },
      'cod-order-confirmation',
    );
    await n8n.client.publish(example);
    const order = { orderNumber: '20', phone: SECOND, brand: 'Acme', amount: '12.50' };
    const post = async () =>
      await n8n.client.postToWebhook('cod-orders', order, {
        headers: { [HEADER.name]: HEADER.value },
      });
    const broken = post().then(
      () => 'answered',
      () => 'broken off',
    );
    while (service.seen.calls.length === 0) await delay(100);
    await n8n.restart('kill');
    expect(await broken).toBe('broken off');

    const { body } = await post();
    expect(body).toMatchObject({
      decision: 'called before',
      nextStep: expect.stringContaining('Otherwise a person should look at it'),
    });
    expect(service.seen.calls).toHaveLength(1);
  });
});

describe('a published trigger', () => {
  it('forgets, when n8n is killed, only the calls placed since the last outcome', async () => {
    const { client } = n8n;
    const workflow = await publish(outcomeWorkflow('Killed', calling));
    const open = await place(60);
    const handedOver = await place(1);
    await waitForFired(client, workflow.id, 1);
    await place(10); // since the last outcome
    await n8n.restart('kill');

    const later = [await place(1), await place(20)];
    const expected = [open, handedOver, ...later];
    await waitForFired(client, workflow.id, expected.length);
    await delay(ONE_MORE_POLL_MS);
    expect(orderIdsOf(await fired(client, workflow.id))).toEqual(expected);
    const summaries = await client.executionSummaries(workflow.id);
    expect(summaries.filter(({ status }) => status === 'error')).toEqual([]);
  });
});

describe('a published trigger that watches a call log', () => {
  it('fires nothing again, whether n8n was stopped or killed', async () => {
    const { client } = n8n;
    const n8nApiKey = await client.createApiKey('Call log', SCOPES);
    const credential = await saveCredential(client, service, { n8nApiKey });
    const workflow = await publish(outcomeWorkflow('Restarted', credential, watching('Restarts')));
    const placed = async (count: number) =>
      await placeLogged(
        await openLogOf(service, client.baseUrl, n8nApiKey, 'Restarts'),
        service,
        count,
      );
    const firedIds = async () => orderIdsOf(await fired(client, workflow.id));

    const orderIds = await placed(5);
    await waitForFired(client, workflow.id, 5);
    // The execution has ended, and the place is written.
    await delay(5_000);
    for (const how of ['stop', 'kill'] as const) {
      await n8n.restart(how);
      await delay(ONE_MORE_POLL_MS);
      expect(await firedIds()).toEqual(orderIds);
    }
    const more = await placed(2);
    await waitForFired(client, workflow.id, 7);
    expect(await firedIds()).toEqual([...orderIds, ...more].sort((a, b) => a - b));
  });
});
