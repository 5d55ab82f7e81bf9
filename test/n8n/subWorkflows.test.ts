import { NodeConnectionTypes, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import {
  errorOf,
  jsonOf,
  sharedN8n,
  type Credential,
  type Execution,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowNode,
} from '../../scripts/n8n';
import { until } from './until';
import { callingNode, saveCredential, START, workflowOf } from './workflows';

const PHONE = '+12025550133';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;

beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  calling = await saveCredential(n8n.client, service);
});

afterAll(async () => {
  await service?.close();
});

beforeEach(() => {
  service.reset();
});

const node = (name: string, type: string, version: number, parameters: INodeParameters) =>
  ({
    name,
    type: `n8n-nodes-base.${type}`,
    typeVersion: version,
    position: [0, 0],
    parameters,
  }) satisfies WorkflowNode;

/** A published workflow that others call, with nodes one after the other. */
async function subWorkflow(name: string, ...steps: WorkflowNode[]): Promise<SavedWorkflow> {
  const { connections, ...workflow } = workflowOf(name, [], ...steps);
  const start = node(START, 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
  const nodes = [start, ...workflow.nodes.slice(1)];
  return await n8n.client.publish(await n8n.client.createWorkflow({ name, nodes, connections }));
}

const executing = ({ id, name }: SavedWorkflow, mode: 'once' | 'each' = 'once') =>
  node(`Execute ${name}`, 'executeWorkflow', 1.2, {
    source: 'database',
    workflowId: { __rl: true, mode: 'id', value: id },
    workflowInputs: { mappingMode: 'defineBelow', value: {} },
    mode,
    options: {},
  });

/** Asks the emulated service for something else: an answer comes once it has been told to give one. */
const asking = () =>
  node('Ask', 'httpRequest', 4.2, { url: `${service.baseUrl}/stock`, options: {} });
const answerOnce = () => service.faults.add({ kind: 'json', route: 'unknown' });

/** The sub-workflow at the end, in which the node that calls is set to Dry Run. */
const callsDry = async () =>
  await subWorkflow(
    'Calls',
    callingNode('Call', 'call.trigger', calling, {
      scriptId: 7,
      customerPhone: PHONE,
      rules: { manualExecutions: 'dryRun' },
    }),
  );

async function byHand(...nodes: WorkflowNode[]): Promise<Execution> {
  const workflow = workflowOf('By hand', [{ order: 'C-1' }], ...nodes);
  return await n8n.client.runManually(await n8n.client.createWorkflow(workflow));
}

const retried = async ({ id }: Execution) =>
  await n8n.client.waitForExecution(await n8n.client.retryExecution(id));

async function onlyExecutionOf({ id }: SavedWorkflow): Promise<Execution> {
  const [execution] = await n8n.client.waitForExecutions(id, 1);
  if (execution === undefined) throw new Error('It was not executed');
  return execution;
}

async function expectDryRun(calls: SavedWorkflow): Promise<void> {
  const items = jsonOf(await onlyExecutionOf(calls), 'Call');
  expect(service.seen.calls.map(({ phone }) => phone)).toEqual([]);
  expect(items).toEqual([expect.objectContaining({ dryRun: true })]);
}

const REFUSED = { success: false, message: 'Concurrency pool exhausted' };

const CALLS = {
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  additionalFields: { orderNumber: '={{ $json.order }}' },
  options: { concurrency: 1 },
};

const ORDERS = [1, 2, 3].map((number) => ({
  phone: `+1202555010${number}`,
  order: `A-${number}`,
}));

async function runParent(sub: SavedWorkflow, mode: 'once' | 'each', items: IDataObject[] = ORDERS) {
  const parent = workflowOf('Parent', items, executing(sub, mode));
  return await n8n.client.runManually(await n8n.client.createWorkflow(parent));
}

const refuseTheLast = () =>
  service.faults.add({
    kind: 'status',
    status: 400,
    body: REFUSED,
    route: 'trigger',
    match: ({ body }) => (body as IDataObject).orderNumber === 'A-3',
  });

describe('a sub-workflow that calls', () => {
  it('once for each item: no error says that nobody was called when people were', async () => {
    const sub = await subWorkflow(
      'Sub-workflow',
      callingNode('Call', 'call.trigger', calling, CALLS),
    );
    refuseTheLast();
    const execution = await runParent(sub, 'each');
    expect(service.seen.calls).toHaveLength(2);
    expect(errorOf(execution)?.message).not.toMatch(/^Nobody was called\b/);
  });

  it('that fails: a retry advised to call nobody twice does not call people again', async () => {
    const sub = await subWorkflow(
      'Sub-workflow',
      callingNode('Call', 'call.trigger', calling, CALLS),
    );
    refuseTheLast();
    const execution = await runParent(sub, 'once');
    const advice = String(errorOf(execution)?.description);
    expect(service.seen.calls).toHaveLength(2);
    const isAdvised = advice.includes('retry this execution: it calls nobody twice');
    await n8n.client.waitForExecution(await n8n.client.retryExecution(execution.id));
    const most = Math.max(...service.seen.callsByPhone.values());
    expect({ isAdvised, most }).not.toEqual({ isAdvised: true, most: 2 });
  });

  it('that fails: the retry that it advises, of its own execution, calls nobody twice', async () => {
    const sub = await subWorkflow(
      'Sub-workflow',
      callingNode('Call', 'call.trigger', calling, CALLS),
    );
    refuseTheLast();
    const execution = await runParent(sub, 'once');
    expect(errorOf(execution)?.description).toContain(
      'retry this execution (that of the sub-workflow, not the one that started it)',
    );
    expect((await retried(await onlyExecutionOf(sub))).status).toBe('success');
    expect([...service.seen.callsByPhone.values()]).toEqual([1, 1, 1]);
  });

  it('may have called: a retry advised to call nobody twice does not call the person again', async () => {
    const sub = await subWorkflow(
      'Sub-workflow',
      callingNode('Call', 'call.trigger', calling, CALLS),
    );
    service.faults.add({ kind: 'reset', route: 'trigger', when: 'after' });
    const execution = await runParent(sub, 'once', ORDERS.slice(0, 1));
    const advice = String(errorOf(execution)?.description);
    const isAdvised = advice.includes('retry this execution: it calls nobody twice');
    await n8n.client.waitForExecution(await n8n.client.retryExecution(execution.id));
    const rung = service.seen.callsByPhone.get('+12025550101');
    expect({ isAdvised, rung }).not.toEqual({ isAdvised: true, rung: 2 });
  });

  it('creates a campaign for each item: no error says that nobody was called while they run', async () => {
    const create = callingNode('Create', 'campaign.create', calling, {
      scriptId: 7,
      campaignName: '={{ $json.order }}',
      contactsSource: 'inputItems',
      contactPhone: '={{ $json.phone }}',
      startImmediately: true,
      options: { maxConcurrency: 1 },
    });
    const sub = await subWorkflow('Sub-workflow', create);
    service.faults.add({
      kind: 'status',
      status: 400,
      body: { success: false, message: 'Something is wrong' },
      route: 'createCampaign',
      match: ({ body }) => (body as IDataObject).name === 'A-3',
    });
    const execution = await runParent(sub, 'each');
    expect(service.seen.campaigns.map(({ state }) => state)).toEqual(['running', 'running']);
    expect(errorOf(execution)?.message).not.toMatch(/^Nobody was called\b/);
  });

  it('has called people: an error of the workflow behind it does not say that nobody was called', async () => {
    const sub = await subWorkflow(
      'Sub-workflow',
      callingNode('Call', 'call.trigger', calling, CALLS),
    );
    const boss = callingNode('Call the boss', 'call.trigger', calling, {
      scriptId: 7,
      customerPhone: 'none',
    });
    const parent = workflowOf('Parent', ORDERS, executing(sub, 'once'), boss);
    const execution = await n8n.client.runManually(await n8n.client.createWorkflow(parent));
    expect(service.seen.calls).toHaveLength(3);
    expect(errorOf(execution)?.message).not.toMatch(/^Nobody was called\b/);
    const retry = errorOf(await retried(execution));
    expect(retry?.message).toMatch(/^Nobody was called by this node\. /);
    expect(retry?.description).toContain('retry this execution: it calls nobody twice');
  });

  it('has called people in another branch: the retry of the workflow speaks of its node alone', async () => {
    const sub = await subWorkflow(
      'Sub-workflow',
      callingNode('Call', 'call.trigger', calling, CALLS),
    );
    const boss = callingNode('Call the boss', 'call.trigger', calling, {
      scriptId: 7,
      customerPhone: 'none',
    });
    const executes = executing(sub, 'once');
    const parent = workflowOf('Parent', ORDERS, executes, boss);
    const type = NodeConnectionTypes.Main;
    const to = [executes, boss].map(({ name }) => ({ node: name, type, index: 0 }));
    const connections = { [START]: { main: [to] } };
    const nodes = parent.nodes.map((one, place) => ({
      ...one,
      position: [0, place * 200] as [number, number],
    }));
    const workflow = await n8n.client.createWorkflow({ ...parent, nodes, connections });
    const execution = await n8n.client.runManually(workflow);
    expect(errorOf(execution)?.message).toMatch(/^3 people were called earlier in this execution/);
    const retry = errorOf(await retried(execution));
    expect(retry?.message).toMatch(/^Nobody was called by this node\. /);
  });

  it('stands behind a node that calls: its error is certain', async () => {
    const sub = await subWorkflow(
      'Sub-workflow',
      callingNode('Call', 'call.trigger', calling, CALLS),
    );
    const boss = callingNode('Call the boss', 'call.trigger', calling, {
      scriptId: 7,
      customerPhone: 'none',
    });
    const execution = await byHand(boss, executing(sub, 'once'));
    expect(errorOf(execution)?.message).toMatch(/^Nobody was called\. /);
  });
});

describe('a dry run by hand rings nobody in the sub-workflow of a sub-workflow', () => {
  it('at once', async () => {
    const calls = await callsDry();
    await byHand(executing(await subWorkflow('Between', executing(calls))));
    await expectDryRun(calls);
  });

  it('when the execution has failed before, and is retried by hand', async () => {
    const calls = await callsDry();
    const between = await subWorkflow('Between', executing(calls));
    const failed = await byHand(asking(), executing(between));
    expect(failed.status).toBe('error');
    answerOnce();
    expect((await retried(failed)).status).toBe('success');
    await expectDryRun(calls);
  });

  it('when the sub-workflow between has failed before, and is retried by itself', async () => {
    const calls = await callsDry();
    const between = await subWorkflow('Between', asking(), executing(calls));
    await byHand(executing(between));
    answerOnce();
    expect((await retried(await onlyExecutionOf(between))).status).toBe('success');
    await expectDryRun(calls);
  });

  it('when the sub-workflow between has waited', async () => {
    const calls = await callsDry();
    const url: INodeParameters = {
      assignments: {
        assignments: [
          { id: 'u', name: 'url', type: 'string', value: '={{ $execution.resumeUrl }}' },
        ],
      },
      includeOtherFields: true,
      options: {},
    };
    const wait = { ...node('Wait', 'wait', 1.1, { resume: 'webhook', options: {} }) };
    const between = await subWorkflow(
      'Between',
      node('Url', 'set', 3.4, url),
      { ...wait, webhookId: `wait-${Math.random()}` },
      executing(calls),
    );
    const parent = await n8n.client.createWorkflow(
      workflowOf('By hand', [{ order: 'C-1' }], executing(between)),
    );
    await n8n.client.startManually(parent);
    const waiting = async () =>
      (await n8n.client.executions(between.id)).find(({ status }) => status === 'waiting');
    await until(async () => (await waiting()) !== undefined);
    const execution = await waiting();
    const [item = {}]: IDataObject[] = execution ? jsonOf(execution, 'Url') : [];
    expect((await fetch(String(item.url))).status).toBe(200);
    await until(async () => (await n8n.client.executionSummaries(calls.id)).length > 0);
    await expectDryRun(calls);
  });
});
