import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { startCallingService, type CallingService } from '../service';
import {
  errorOf,
  itemsOf,
  jsonOf,
  PreparedN8n,
  versionOf,
  type Credential,
  type Execution,
  type N8nRelease,
  type WorkflowNode,
} from '../../scripts/n8n';
import { agentWorkflow, TOOL } from '../n8n/agentWorkflow';
import { startChatModel } from '../n8n/chatModel';
import { callPhones, phoneWorkflow } from '../n8n/phoneWorkflow';
import { logTable, outcomeWorkflow, waitForFired, watching } from '../n8n/triggerWorkflows';
import {
  CALLING_CREDENTIAL,
  CALLING_NODE,
  callingNode,
  saveCredential,
  workflowOf,
} from '../n8n/workflows';

const CONTINUING = { onError: 'continueRegularOutput' } as const;
const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const ALWAYS = { start: '00:00', end: '00:00', days: EVERY_DAY };
const PHONE = '+12025550101';
const CAMPAIGN_ID = "={{ $('campaign.create').item.json.campaignId }}";
const LOG = 'Compatibility log';

/** One way to use each operation that needs no call log, in an order in which each finds what it needs. */
const OPERATIONS: Record<string, INodeParameters> = {
  'call.trigger': {
    scriptId: 12,
    customerPhone: PHONE,
    scriptVariables: {
      mappingMode: 'defineBelow',
      value: { brand_name: 'Acme', order_amount: '49.90' },
    },
  },
  'call.triggerAndWait': { scriptId: 7, customerPhone: '+12025550102' },
  'call.getOutcome': { orderId: "={{ $('call.trigger').item.json.orderId }}", inProgress: 'wait' },
  'campaign.create': { scriptId: 7, contactPhone: PHONE },
  'campaign.start': { campaignId: CAMPAIGN_ID },
  'campaign.pause': { campaignId: CAMPAIGN_ID },
  'campaign.resume': { campaignId: CAMPAIGN_ID },
  'campaign.stop': { campaignId: CAMPAIGN_ID },
};

/** The same for operations on a call log. */
const LOG_OPERATIONS: Record<string, INodeParameters> = {
  'call.schedule': { scriptId: 7, customerPhone: PHONE, callLogTable: logTable(LOG) },
  'call.placeScheduled': { callLogTable: logTable(LOG), options: { keepOnSeconds: 0 } },
  'call.cancelScheduled': {
    callLogTable: logTable(LOG),
    cancelBy: 'phone',
    cancelValue: PHONE,
  },
  'callLog.report': { callLogTable: logTable(LOG) },
  'callLog.prune': { callLogTable: logTable(LOG), pruneBy: 'age', olderThanDays: 30 },
};

/** What n8n adds to every list of operations: it leads to the node for HTTP requests. */
const N8NS_OWN_OPERATION = '__CUSTOM_API_CALL__';

const LOGGED_CALL: INodeParameters = {
  scriptId: 7,
  customerPhone: '+12025550103',
  callLog: 'dataTable',
  callLogTable: logTable(LOG),
};

describe.each<{ release: N8nRelease; hasDataTables: boolean }>([
  { release: 'newest', hasDataTables: true },
  { release: 'reference', hasDataTables: true },
  { release: 'n8n 1', hasDataTables: false },
])('$release', ({ release, hasDataTables }) => {
  let n8n: PreparedN8n;
  let service: CallingService;
  let credential: Credential;
  /** What the credential holds that has a key for n8n's API. */
  let n8nFields: IDataObject;
  let logging: Credential;

  beforeAll(async () => {
    service = await startCallingService({ callSeconds: { min: 5, max: 10 } });
    n8n = await PreparedN8n.start({ release });
    credential = await saveCredential(n8n.client, service);
    const n8nApiKey = hasDataTables
      ? await n8n.client.createApiKey('call log')
      : await n8n.client.createApiKey('call log', ['workflow:list']);
    n8nFields = { n8nApiKey, n8nApiUrl: `${n8n.client.baseUrl}/api/v1` };
    logging = await saveCredential(n8n.client, service, n8nFields);
  });

  afterAll(async () => {
    await n8n?.stop();
    await service?.close();
  });

  async function run(...steps: WorkflowNode[]): Promise<Execution> {
    const workflow = workflowOf('Operations', [{}], ...steps);
    return await n8n.client.runManually(await n8n.client.createWorkflow(workflow));
  }

  it('is the version that is meant', async () => {
    const settings = await n8n.client.session.rest<{ versionCli: string }>('GET', '/settings');
    expect(settings.versionCli).toBe(versionOf(release));
  });

  it('offers the operations that are tried here, and no others', async () => {
    const node = (await n8n.client.nodeTypes()).find(({ name }) => name === CALLING_NODE);
    const offered = (node?.properties ?? [])
      .filter(({ name }) => name === 'operation')
      .flatMap(({ options = [], displayOptions }) =>
        options.map((option) => {
          const value = 'value' in option ? String(option.value) : '';
          return `${String(displayOptions?.show?.resource?.[0])}.${value}`;
        }),
      )
      .filter((operation) => !operation.endsWith(N8NS_OWN_OPERATION));
    const tried = [...Object.keys(OPERATIONS), ...Object.keys(LOG_OPERATIONS)];
    expect(offered.sort()).toEqual(tried.sort());
  });

  it('does every operation that needs no call log', async () => {
    const nodes = Object.entries(OPERATIONS).map(([operation, parameters]) =>
      callingNode(operation, operation, credential, parameters),
    );
    const execution = await run(...nodes);
    expect(errorOf(execution)).toBeUndefined();
    const given = (node: string) => jsonOf(execution, node)[0];
    expect(given('call.trigger')).toMatchObject({ callStatus: 'in_progress', scriptId: 12 });
    for (const node of ['call.triggerAndWait', 'call.getOutcome']) {
      expect(given(node)).toMatchObject({ finished: true, outcomeKey: expect.any(String) });
    }
    expect(given('campaign.create')).toMatchObject({ state: 'not_started', contactCount: 1 });
    expect(given('campaign.start')).toMatchObject({ state: 'running' });
    expect(given('campaign.pause')).toMatchObject({ state: 'paused' });
    expect(given('campaign.resume')).toMatchObject({ state: 'running' });
    expect(given('campaign.stop')).toMatchObject({ state: 'stopped' });
  });

  it('keeps rules that need no data table in production', async () => {
    const rules = {
      preventDuplicates: true,
      callingHours: { hours: { ...ALWAYS, customersTimezone: true } },
    };
    const phones = ['+12025550105', '+12025550105', 'none'];
    const workflow = phoneWorkflow('rules', credential, { rules }, CONTINUING);
    const saved = await n8n.client.publish(await n8n.client.createWorkflow(workflow));
    const [called, twice, unreadable] = jsonOf(await callPhones(n8n.client, saved, phones), 'Call');
    await n8n.client.unpublish(saved);
    expect(called).toMatchObject({ callStatus: 'in_progress' });
    expect(twice).toMatchObject({ skipped: true, reason: 'duplicate' });
    expect(unreadable?.error).toMatch(/phone number/i);
    expect(service.seen.callsByPhone.get('+12025550105')).toBe(1);
  });

  it("calls each customer of the data as an AI agent's tool", async () => {
    const model = await startChatModel(({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? { text: 'Done.' }
        : { calls: [{ tool: TOOL, args: { topic: 'cup' } }] },
    );
    const access = { apiKey: 'none', url: model.url };
    const chat = await n8n.client.createCredential('Model', 'openAiApi', access);
    const phones = [1, 2].map((last) => `+1202555012${last}`);
    const orders = phones.map((phone, index) => ({ phone, order: `T-${index}` }));
    const workflow = agentWorkflow({ calling: credential, model: chat }, orders, 3);
    await n8n.client.runManually(await n8n.client.createWorkflow(workflow));
    await model.close();
    const called = service.seen.calls.map(({ phone }) => phone);
    expect(called.filter((phone) => phones.includes(phone)).sort()).toEqual(phones);
  });

  it('shows the variables of a script as fields', async () => {
    const { fields } = await n8n.client.resourceMapperFields({
      nodeType: CALLING_NODE,
      method: 'getScriptVariables',
      parameter: 'scriptVariables',
      parameters: { resource: 'call', operation: 'trigger', scriptId: 12 },
      credentials: { [CALLING_CREDENTIAL]: { id: credential.id, name: credential.name } },
    });
    expect(fields.map(({ id }) => id)).toEqual(['brand_name', 'order_amount']);
  });

  it('tests the credential: a good key, a refused one, and n8n itself', async () => {
    const good = { baseUrl: service.baseUrl, apiKey: 'test-key' };
    const test = async (data: IDataObject) =>
      await n8n.client.testCredential(CALLING_CREDENTIAL, data);
    expect(await test(good)).toEqual({
      status: 'OK',
      message: 'The calling service accepted the API key',
    });
    expect(await test({ ...good, baseUrl: `${n8n.client.baseUrl}` })).toMatchObject({
      status: 'Error',
    });
    expect(await test({ ...good, ...n8nFields })).toEqual(
      hasDataTables
        ? { status: 'OK', message: expect.stringMatching(/n8n accepted the n8n API key/) }
        : { status: 'Error', message: expect.stringMatching(/no data tables.*need n8n 2/) },
    );
  });

  it('says what a trigger cannot read when it is published', async () => {
    const parameters = { watch: 'orderIds', orderIds: '12, banana' };
    const workflow = outcomeWorkflow('Unreadable', credential, parameters);
    const saved = await n8n.client.createWorkflow(workflow);
    await expect(n8n.client.publish(saved)).rejects.toThrow(/Not a call ID: "banana"/);
  });

  it('starts a workflow when a call has ended', async () => {
    const other = await startCallingService({ callSeconds: { min: 5, max: 10 } });
    const calling = await saveCredential(n8n.client, other);
    const saved = await n8n.client.createWorkflow(outcomeWorkflow('Outcomes', calling));
    await n8n.client.publish(saved);
    await run(callingNode('Call', 'call.trigger', calling, OPERATIONS['call.trigger']));
    const items = await waitForFired(n8n.client, saved.id, 1);
    await n8n.client.unpublish(saved);
    await other.close();
    const orderId = other.seen.calls[0]?.orderId;
    expect(items).toEqual([
      expect.objectContaining({ event: 'outcomeAvailable', orderId, finished: true }),
    ]);
  });

  if (hasDataTables) {
    it('keeps a call log, reports on it and prunes it', async () => {
      const nodes = Object.entries(LOG_OPERATIONS).map(([operation, parameters]) =>
        callingNode(operation, operation, logging, parameters),
      );
      const execution = await run(
        callingNode('Call', 'call.trigger', logging, LOGGED_CALL),
        ...nodes,
      );
      expect(errorOf(execution)).toBeUndefined();
      expect(jsonOf(execution, 'callLog.report')[0]).toMatchObject({ totals: { calls: 2 } });
      expect(itemsOf(execution, 'callLog.prune')).toHaveLength(1);
    });

    it('starts a workflow when a call of the log has ended', async () => {
      const tables = n8n.client.dataTables(String(n8nFields.n8nApiKey));
      await tables.create('Another log', LOG_COLUMNS);
      const workflow = outcomeWorkflow('Logged outcomes', logging, watching('Another log'));
      const saved = await n8n.client.createWorkflow(workflow);
      await n8n.client.publish(saved);
      await run(
        callingNode('Call', 'call.trigger', logging, {
          ...LOGGED_CALL,
          callLogTable: logTable('Another log'),
        }),
      );
      expect(await waitForFired(n8n.client, saved.id, 1)).toHaveLength(1);
      await n8n.client.unpublish(saved);
    });
  } else {
    const needsN8n2 = {
      message: expect.stringMatching(/has no data tables/),
      description: expect.stringMatching(/need n8n 2/),
    };

    it('says that a call log needs n8n 2, and calls nobody', async () => {
      const before = service.seen.requests.trigger;
      const execution = await run(callingNode('Call', 'call.trigger', logging, LOGGED_CALL));
      expect(errorOf(execution)).toMatchObject(needsN8n2);
      expect(errorOf(execution)?.message).toMatch(/^Nobody was called/);
      expect(service.seen.requests.trigger).toBe(before);
    });

    it('says so of a do-not-call list, and calls nobody', async () => {
      const before = service.seen.requests.trigger;
      const rules = { doNotCallTable: logTable('Do not call') };
      const parameters = { ...OPERATIONS['call.trigger'], rules };
      const execution = await run(callingNode('Call', 'call.trigger', logging, parameters));
      expect(errorOf(execution)).toMatchObject(needsN8n2);
      expect(service.seen.requests.trigger).toBe(before);
    });

    it.each(Object.entries(LOG_OPERATIONS))('says so in %s', async (operation, parameters) => {
      const execution = await run(callingNode('Log', operation, logging, parameters));
      expect(errorOf(execution)).toMatchObject(needsN8n2);
    });

    it('says so where the editor lists the tables', async () => {
      const listing = n8n.client.resourceLocatorResults({
        nodeType: CALLING_NODE,
        method: 'searchDataTables',
        parameter: 'callLogTable',
        parameters: { resource: 'call', operation: 'trigger' },
        credentials: { [CALLING_CREDENTIAL]: { id: logging.id, name: logging.name } },
      });
      await expect(listing).rejects.toThrow(/no data tables/);
    });

    it('says so when a trigger that watches a call log is published', async () => {
      const workflow = outcomeWorkflow('Logged outcomes', logging, watching(LOG));
      const saved = await n8n.client.createWorkflow(workflow);
      await expect(n8n.client.publish(saved)).rejects.toThrow(/no data tables/);
    });
  }
});
