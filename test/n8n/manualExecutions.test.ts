import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
  errorOf,
  jsonOf,
  runsOf,
  sharedN8n,
  type Credential,
  type DataTableRow,
  type Execution,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowNode,
} from '../../scripts/n8n';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { startCallingService, type CallingService } from '../service';
import { callPhones, phoneWorkflow } from './phoneWorkflow';
import { logTable, orderIdsOf, outcomeWorkflow, waitForFired, watching } from './triggerWorkflows';
import { until } from './until';
import { saveCredential, workflowOf } from './workflows';

const TEST_PHONE = '+12025550199';
const PHONES = ['+12025550101', '+12025550102', '+12025550103'];
const EVERY_DAY = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const ALWAYS = { start: '00:00', end: '00:00', days: EVERY_DAY, timezone: 'UTC' };
const OTHER_KEY = 'other-key';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let apiKey: string;
beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: 1, max: 1 },
    apiKeys: ['test-key', OTHER_KEY],
  });
  n8n = await sharedN8n();
  apiKey = await n8n.client.createApiKey('Call log by hand');
  calling = await saveCredential(n8n.client, service, { n8nApiKey: apiKey });
});
afterAll(async () => {
  await service?.close();
});
beforeEach(() => service.reset());

/** Publishes a workflow whose log has the same name, and whose webhook has phones pinned. */
async function publish(
  path: string,
  rules: IDataObject,
  credential = calling,
): Promise<SavedWorkflow> {
  const workflow = phoneWorkflow(path, credential, {
    callLog: 'dataTable',
    callLogTable: logTable(path),
    additionalFields: { orderNumber: '={{ $json.phone.slice(-3) }}', customerName: 'Nathan' },
    rules,
  } as INodeParameters);
  const pinData = { Phones: [{ json: { body: { phones: PHONES } } }] };
  return await n8n.client.publish(await n8n.client.createWorkflow({ ...workflow, pinData }));
}

/** Presses "Execute step" in the panel of the node "Call". */
const byHand = async (workflow: SavedWorkflow): Promise<Execution> =>
  await n8n.client.runManually(workflow, { trigger: 'Phones', destinationNode: 'Call' });

async function rowsOf(path: string): Promise<DataTableRow[] | undefined> {
  const tables = n8n.client.dataTables(apiKey);
  const table = await tables.find(path);
  return table === undefined ? undefined : await tables.rows(table.id);
}

const phonesCalled = () => service.seen.calls.map(({ phone }) => phone).sort();
const outputOf = (execution: Execution) => {
  expect(errorOf(execution)).toBeUndefined();
  return jsonOf(execution, 'Call');
};
const hours = { callingHours: { hours: ALWAYS } };

describe('one workflow, by hand and in production', () => {
  it('calls the customers both ways, each once, when nothing else was chosen', async () => {
    const workflow = await publish('by-hand-call', { preventDuplicates: true, ...hours });
    const called = outputOf(await byHand(workflow));
    expect(called.map(({ customerPhone }) => customerPhone)).toEqual(PHONES);
    const skipped = outputOf(await callPhones(n8n.client, workflow, PHONES, 2));
    expect(skipped.map(({ reason }) => reason)).toEqual(Array(3).fill('duplicate'));
    expect(phonesCalled()).toEqual(PHONES);
  });

  it('a dry run changes nothing: production calls everybody of whom it spoke', async () => {
    const dryRun = { manualExecutions: 'dryRun', preventDuplicates: true, ...hours };
    const workflow = await publish('by-hand-dry', dryRun);
    const tried = await byHand(workflow);
    expect(outputOf(tried)).toEqual(
      PHONES.map((customerPhone) => ({
        dryRun: true,
        wouldCall: true,
        customerPhone,
        orderNumber: customerPhone.slice(-3),
        scriptId: 7,
      })),
    );
    expect(service.seen.received).toEqual([]);
    expect(await rowsOf('by-hand-dry')).toBeUndefined();
    const [run] = runsOf(tried, 'Call');
    expect(run?.hints?.map(({ message }) => message)).toEqual([
      expect.stringContaining('is missing or incomplete'),
    ]);

    outputOf(await callPhones(n8n.client, workflow, PHONES, 2));
    expect(phonesCalled()).toEqual(PHONES);
    const before = await rowsOf('by-hand-dry');
    expect(before).toHaveLength(3);

    const again = outputOf(await byHand(workflow));
    expect(again.map(({ wouldCall, reason }) => [wouldCall, reason])).toEqual(
      Array(3).fill([false, 'duplicate']),
    );
    expect(await rowsOf('by-hand-dry')).toEqual(before);
    expect(phonesCalled()).toEqual(PHONES);
  });

  it('a test call rings the test phone, is marked, and fires no trigger', async () => {
    const rules = { manualExecutions: 'testPhone', testPhone: TEST_PHONE, preventDuplicates: true };
    // The calls of other tests were placed by another account.
    const own = await saveCredential(n8n.client, service, { n8nApiKey: apiKey, apiKey: OTHER_KEY });
    const workflow = await publish('by-hand-test', { ...rules, ...hours }, own);
    await n8n.client.dataTables(apiKey).create('by-hand-test', LOG_COLUMNS);
    const outcomes = await n8n.client.publish(
      await n8n.client.createWorkflow(outcomeWorkflow('Outcomes', own, watching('by-hand-test'))),
    );
    const ofInstance = await n8n.client.publish(
      await n8n.client.createWorkflow(outcomeWorkflow('Outcomes of the instance', own)),
    );
    const tested = outputOf(await byHand(workflow));
    expect(tested.map((item) => [item.customerPhone, item.testCall])).toEqual(
      Array(3).fill([TEST_PHONE, true]),
    );
    expect(phonesCalled()).toEqual(Array(3).fill(TEST_PHONE));
    const rows = (await rowsOf('by-hand-test')) ?? [];
    expect(rows.map(({ customerPhone, customerName }) => [customerPhone, customerName])).toEqual(
      Array(3).fill([TEST_PHONE, 'Test call (Nathan)']),
    );
    expect(JSON.parse(String(rows[0]?.request))).toMatchObject({ testCall: true });

    const called = outputOf(await callPhones(n8n.client, workflow, PHONES, 2));
    expect(phonesCalled()).toEqual([...PHONES, ...Array<string>(3).fill(TEST_PHONE)]);
    expect(called.some((item) => 'testCall' in item)).toBe(false);
    for (const { id } of [outcomes, ofInstance]) {
      const fired = await waitForFired(n8n.client, id, 3);
      expect(orderIdsOf(fired)).toEqual(orderIdsOf(called));
    }
    const ended = ((await rowsOf('by-hand-test')) ?? []).map(({ finishedAt }) => finishedAt);
    expect(ended).not.toContain(null);
    expect(ended).toHaveLength(6);
  });

  it('test calls ring outside calling hours, and dry runs say what they would do', async () => {
    const at = (ms: number) => new Date(Date.now() + ms * 3_600_000).toISOString().slice(11, 16);
    const closed = { callingHours: { hours: { ...ALWAYS, start: at(2), end: at(3) } } };
    const test = { manualExecutions: 'testPhone', testPhone: TEST_PHONE, ...closed };
    const testing = await publish('closed-test', test);
    expect(outputOf(await byHand(testing))).toHaveLength(3);
    expect(phonesCalled()).toEqual(Array(3).fill(TEST_PHONE));
    const dry = await publish('closed-dry', { manualExecutions: 'dryRun', ...closed });
    expect(outputOf(await byHand(dry))[0]).toMatchObject({
      wouldCall: false,
      reason: 'outsideCallingHours',
      nextAllowedAt: expect.any(String),
    });
    for (const workflow of [testing, dry]) {
      const [item] = outputOf(await callPhones(n8n.client, workflow, PHONES, 2));
      expect(item).toMatchObject({ skipped: true, reason: 'outsideCallingHours' });
    }
    expect(phonesCalled()).toEqual(Array(3).fill(TEST_PHONE));
  });

  it('a missing test phone stops manual executions only', async () => {
    const workflow = await publish('no-test-phone', { manualExecutions: 'testPhone' });
    const failed = errorOf(await byHand(workflow));
    expect(failed?.message).toBe('Nobody was called. Test Phone is missing');
    expect(service.seen.received).toEqual([]);
    outputOf(await callPhones(n8n.client, workflow, PHONES, 2));
    expect(phonesCalled()).toEqual(PHONES);
  });

  it('a failed test, retried by hand, rings the test phone again and no customer', async () => {
    const workflow = await publish('retried-test', { testPhone: TEST_PHONE });
    service.faults.add({ kind: 'status', status: 400, times: 1 });
    const failed = await byHand(workflow);
    expect(failed.status).toBe('error');
    const retry = await n8n.client.waitForExecution(await n8n.client.retryExecution(failed.id));
    expect(outputOf(retry)).toHaveLength(3);
    expect(new Set(phonesCalled())).toEqual(new Set([TEST_PHONE]));
  });

  describe('in a sub-workflow too, whose parent was started by hand', () => {
    const runIt = (sub: SavedWorkflow, options: IDataObject) =>
      workflowOf('Parent', [{ body: { phones: PHONES } }], {
        name: 'Run it',
        type: 'n8n-nodes-base.executeWorkflow',
        typeVersion: 1.2,
        position: [0, 0],
        parameters: {
          workflowId: { __rl: true, mode: 'id', value: sub.id },
          workflowInputs: { mappingMode: 'defineBelow', value: {} },
          options,
        },
      } as WorkflowNode);

    /** @param before nodes that run one after the other before the phones are called */
    async function publishSub(path: string, before: WorkflowNode[]): Promise<SavedWorkflow> {
      const [, ...calls] = phoneWorkflow(path, calling, { rules: { testPhone: TEST_PHONE } }).nodes;
      const sub = workflowOf(path, [], ...before, ...calls);
      const [start] = sub.nodes;
      if (start !== undefined) start.type = 'n8n-nodes-base.executeWorkflowTrigger';
      return await n8n.client.publish(await n8n.client.createWorkflow(sub));
    }

    it('holds', async () => {
      const sub = await publishSub('sub-workflow', []);
      const run = await n8n.client.runManually(await n8n.client.createWorkflow(runIt(sub, {})));
      expect(jsonOf(run, 'Run it').map(({ testCall }) => testCall)).toEqual([true, true, true]);
      expect(phonesCalled()).toEqual(Array(3).fill(TEST_PHONE));
    });

    it('holds after it has waited', async () => {
      const resumeUrl: WorkflowNode = {
        name: 'Address',
        type: 'n8n-nodes-base.set',
        typeVersion: 3.4,
        position: [100, 0],
        parameters: {
          includeOtherFields: true,
          assignments: {
            assignments: [
              { id: 'url', name: 'url', type: 'string', value: '={{ $execution.resumeUrl }}' },
            ],
          },
          options: {},
        },
      };
      const wait: WorkflowNode = {
        name: 'Wait',
        type: 'n8n-nodes-base.wait',
        typeVersion: 1.1,
        position: [150, 0],
        webhookId: 'waiting-sub',
        parameters: { resume: 'webhook', options: {} },
      };
      const back: WorkflowNode = {
        name: 'Back',
        type: 'n8n-nodes-base.set',
        typeVersion: 3.4,
        position: [180, 0],
        parameters: { mode: 'raw', jsonOutput: "={{ $('Address').item.json }}", options: {} },
      };
      const sub = await publishSub('waiting-sub', [resumeUrl, wait, back]);
      const parent = runIt(sub, { waitForSubWorkflow: false });
      await n8n.client.runManually(await n8n.client.createWorkflow(parent));
      let waiting: Execution | undefined;
      await until(async () => {
        [waiting] = await n8n.client.executions(sub.id);
        return waiting?.status === 'waiting';
      });
      const [{ url }] = jsonOf(waiting as Execution, 'Address') as [{ url: string }];
      expect((await fetch(url)).ok).toBe(true);
      const ended = await n8n.client.waitForExecution((waiting as Execution).id);
      expect(outputOf(ended).map(({ testCall }) => testCall)).toEqual([true, true, true]);
      expect(phonesCalled()).toEqual(Array(3).fill(TEST_PHONE));
    });
  });
});
