import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { callNotices } from '../../nodes/OutboundAiCalling/rules/manualExecutions';
import order from '../../examples/order-call-with-attempts.json';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { disagreement, outputSchemas } from '../outputSchemas';
import { startCallingService, type CallingService } from '../service';
import { closedHours } from './closedHours';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { ProcessedKeys } from './processedKeys';

const PHONES = ['+12025550101', '+12025550102', '+12025550103'];

let service: CallingService;
let tables: DataTablesServer;
let keys: ProcessedKeys;
beforeAll(async () => {
  keys = await ProcessedKeys.install();
  tables = await startDataTablesServer();
  service = await startCallingService({ speed: 1000 });
});
beforeEach(() => {
  keys.clear();
  tables.reset();
  service.reset();
});
/** Nothing is sent, claimed or written by any of these. */
afterEach(() => {
  expect(service.seen.received).toEqual([]);
  expect(tables.writes).toEqual([]);
  expect(keys.size).toBe(0);
});
afterAll(async () => {
  await tables.close();
  await service.close();
});

const items = PHONES.map((phone, index) => ({ json: { phone, number: `A-${index}` } }));
const run = async (
  parameters: IDataObject,
  rules: IDataObject = {},
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> =>
  await execute({
    parameters: {
      resource: 'call',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.number }}' },
      callLogTable: { mode: 'name', value: 'Calls' },
      ...parameters,
      rules: { manualExecutions: 'simulate', ...rules },
    },
    mode: 'manual',
    items,
    credential: {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey: 'n8n-key',
      n8nApiUrl: `${tables.baseUrl}/api/v1`,
    },
    ...more,
  });
const outcomes = { simulatedOutcomes: 'Order confirmed; No Answer' };

describe('a simulated execution', () => {
  it('gives what Call Customer gives after a call', async () => {
    const output = jsonOf(await run({ operation: 'trigger', callLog: 'dataTable' }));
    expect(output[1]).toEqual({
      orderId: expect.any(Number),
      scriptId: 7,
      callStatus: 'in_progress',
      customerPhone: PHONES[1],
      orderNumber: 'A-1',
      message: 'Simulated: nobody was called',
      simulated: true,
    });
    expect(new Set(output.map(({ orderId }) => orderId)).size).toBe(3);
  });

  it('gives the items the outcomes in turn, as Call Customer and Wait gives them', async () => {
    const retry = { plan: { outcomes: 'no answer', afterMinutes: '30' } };
    const asked = { operation: 'triggerAndWait', callLog: 'dataTable', options: { retry } };
    const output = jsonOf(await run(asked, outcomes));
    expect(output.map(({ outcomeKey }) => outcomeKey)).toEqual([
      'order_confirmed',
      'no_answer',
      'order_confirmed',
    ]);
    expect(output[1]).toMatchObject({
      finished: true,
      callOutcome: 'No Answer',
      orderNumber: 'A-1',
      customerPhone: PHONES[1],
      attempt: 1,
      nextAttemptAt: expect.any(String),
      simulated: true,
    });
    expect(output[0]).toMatchObject({ attempt: 1, nextAttemptAt: null });
  });

  it('gives what Schedule Call gives', async () => {
    const callAt = '2027-03-01T09:30:00';
    const [item] = jsonOf(await run({ operation: 'schedule', callAt }));
    expect(item).toEqual({
      callId: expect.any(String),
      status: 'scheduled',
      callAt: '2027-03-01T09:30:00+05:30',
      attempt: 1,
      customerPhone: PHONES[0],
      orderNumber: 'A-0',
      simulated: true,
    });
  });

  it('gives what creating, starting and resuming a campaign give', async () => {
    const campaign = { resource: 'campaign', campaignId: 317 };
    const list = { contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}' };
    const create = { ...campaign, operation: 'create', startImmediately: true, ...list };
    expect(jsonOf(await run(create))).toMatchObject([
      { contactCount: 3, state: 'running', started: true, simulated: true },
    ]);
    for (const operation of ['start', 'resume']) {
      const [item] = jsonOf(await run({ ...campaign, operation }));
      expect(item).toMatchObject({ campaignId: 317, state: 'running', simulated: true });
    }
  });

  it.each(['trigger', 'triggerAndWait', 'schedule'])('asks the rules (%s)', async (operation) => {
    const twice: INodeExecutionData[] = [...items, ...items.slice(0, 1)];
    const rules = operation === 'schedule' ? {} : closedHours();
    const output = jsonOf(await run({ operation }, { ...outcomes, ...rules }, { items: twice }));
    const reason = operation === 'schedule' ? undefined : 'outsideCallingHours';
    expect(output[0]?.reason).toBe(reason);
    expect(output[3]).toMatchObject({ skipped: true, reason: 'duplicate', simulated: true });
  });

  it('lets only whom it would have called leave by "Called"', async () => {
    const options = { notCalledOutput: true };
    const twice = [...items, ...items.slice(0, 1)];
    const { run: done } = await run({ operation: 'trigger', options }, {}, { items: twice });
    const [first] = done.data.resultData.runData['Outbound AI Calling'] ?? [];
    expect(first?.data?.main?.map((branch) => branch?.length)).toEqual([3, 1]);
  });

  it('is what simulated outcomes alone mean, and is refused beside "Call"', async () => {
    const only = { ...outcomes, manualExecutions: undefined };
    const parameters = { operation: 'trigger' };
    expect(jsonOf(await run(parameters, only))[0]).toMatchObject({ simulated: true });
    const { error } = await run(parameters, { ...outcomes, manualExecutions: 'call' });
    expect(error?.message).toContain('is "Call", and there are simulated outcomes');
    const [notice] = callNotices('rings');
    expect(notice?.displayOptions?.hide).toHaveProperty(['/rules.simulatedOutcomes']);
  });

  it('is described for the editor', async () => {
    const schemas = await outputSchemas();
    for (const operation of ['trigger', 'triggerAndWait', 'schedule']) {
      const output = jsonOf(await run({ operation }, outcomes));
      const schema = schemas.get(`call/${operation}`);
      expect(schema?.properties).toHaveProperty('simulated');
      expect(output.flatMap((item) => disagreement(schema, item))).toEqual([]);
    }
  });
});

describe('the example order-call-with-attempts', () => {
  const node = order.nodes.find(({ name }) => name === 'Schedule the call');
  const parameters = node?.parameters as IDataObject;
  const posted = (phone: string) => ({
    json: { body: { phone, orderNumber: 'A-1', brand: 'Acme', amount: '12', customerName: 'Ada' } },
  });

  it('schedules nobody, and sends wrong orders to its other branch, without a service', async () => {
    const settings = { onError: 'continueErrorOutput' as const };
    const some = [posted(PHONES[0] as string), posted('nobody')];
    const rules = parameters.rules as IDataObject;
    const done = await run(
      { ...parameters, scriptId: 7 },
      { ...rules, manualExecutions: 'simulate' },
      { items: some, settings },
    );
    const output = jsonOf(done);
    expect(output).toMatchObject([
      { status: 'scheduled', simulated: true },
      { error: expect.any(String) },
    ]);
  });
});
