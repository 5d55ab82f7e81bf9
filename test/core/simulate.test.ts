import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { callNotice } from '../../nodes/OutboundAiCalling/rules/manualExecutions';
import { disagreement, outputSchemas } from '../outputSchemas';
import { closedHours } from './closedHours';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

const PHONES = ['+12025550101', '+12025550102', '+12025550103'];

const world = useServiceAndTables({ speed: 1000 });
let schemas: Awaited<ReturnType<typeof outputSchemas>>;
beforeAll(async () => {
  schemas = await outputSchemas();
});
/** Nothing is sent, claimed or written by any of these. */
afterEach(() => {
  expect(world.service.seen.received).toEqual([]);
  expect(world.tables.writes).toEqual([]);
  expect(world.keys.size).toBe(0);
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
    credential: world.credential(),
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

  it('gives the outcomes in turn also to the rounds of a loop', async () => {
    const loop = { items: items.slice(0, 1), rounds: 3 };
    const output = jsonOf(await run({ operation: 'triggerAndWait' }, outcomes, loop));
    expect(output.map(({ outcomeKey }) => outcomeKey)).toEqual([
      'order_confirmed',
      'no_answer',
      'order_confirmed',
    ]);
    expect(new Set(output.map(({ orderId }) => orderId)).size).toBe(3);
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

  it('gives each campaign of each list an id of its own', async () => {
    const lists = [PHONES.slice(0, 2), PHONES.slice(2)].map((phones) => ({ json: { phones } }));
    const create = {
      ...{ resource: 'campaign', operation: 'create', contactsSource: 'json' },
      contactsJson: '={{ $json.phones.map((phone) => ({ phone })) }}',
      options: { contactsPerCampaign: 1 },
    };
    const output = jsonOf(await run(create, {}, { items: lists }));
    expect(new Set(output.map(({ campaignId }) => campaignId)).size).toBe(3);
  });

  it.each(['trigger', 'triggerAndWait', 'schedule'])('asks the rules (%s)', async (operation) => {
    const twice: INodeExecutionData[] = [...items, ...items.slice(0, 1)];
    const rules = operation === 'schedule' ? {} : closedHours();
    const output = jsonOf(await run({ operation }, { ...outcomes, ...rules }, { items: twice }));
    const reason = operation === 'schedule' ? undefined : 'outsideCallingHours';
    expect(output[0]?.reason).toBe(reason);
    const repeated = reason ?? 'duplicate';
    expect(output[3]).toMatchObject({ skipped: true, reason: repeated, simulated: true });
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
    expect(callNotice('rings').displayOptions?.hide).toHaveProperty(['/rules.simulatedOutcomes']);
  });

  it('is described for the editor', async () => {
    for (const operation of ['trigger', 'triggerAndWait', 'schedule']) {
      const output = jsonOf(await run({ operation }, outcomes));
      const schema = schemas.get(`call/${operation}`);
      expect(schema?.properties).toHaveProperty('simulated');
      expect(output.flatMap((item) => disagreement(schema, item))).toEqual([]);
    }
  });
});

describe('a node after a simulated one', () => {
  const rules = { manualExecutions: 'simulate' };
  const create = {
    ...{ resource: 'campaign', operation: 'create', scriptId: 7, startImmediately: true, rules },
    ...{ contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}' },
  };
  const ofCampaign = (operation: string) => ({
    ...{ resource: 'campaign', operation, campaignId: '={{ $json.campaignId }}' },
  });
  const call = {
    ...{ resource: 'call', operation: 'trigger', scriptId: 7, rules },
    customerPhone: '={{ $json.phone }}',
  };
  const after = async (before: IDataObject, parameters: IDataObject) =>
    await execute({ before, parameters, mode: 'manual', items, credential: world.credential() });

  it.each([
    ['start', 'running'],
    ['pause', 'paused'],
    ['resume', 'running'],
    ['stop', 'stopped'],
  ])('simulates to %s a simulated campaign', async (operation, state) => {
    const output = jsonOf(await after(create, ofCampaign(operation)));
    expect(output).toEqual([
      {
        campaignId: expect.any(Number),
        action: `${operation}_campaign`,
        state,
        message: expect.any(String),
        simulated: true,
      },
    ]);
    const schema = schemas.get(`campaign/${operation}`);
    expect(output.flatMap((item) => disagreement(schema, item))).toEqual([]);
  });

  it('starts no simulated campaign in a dry run', async () => {
    const dryRun = { ...ofCampaign('start'), rules: { manualExecutions: 'dryRun' } };
    expect(jsonOf(await after(create, dryRun))).toMatchObject([{ dryRun: true, wouldCall: true }]);
  });

  it.each(['fail', 'returnStatus', 'wait'])(
    'gives a simulated outcome to a simulated call (%s)',
    async (inProgress) => {
      const orderId = '={{ $json.orderId }}';
      const read = { resource: 'call', operation: 'getOutcome', orderId, inProgress };
      const output = jsonOf(await after(call, read));
      expect(output).toHaveLength(3);
      expect(output[0]).toMatchObject({
        ...{ orderId: expect.any(Number), callStatus: 'completed', finished: true },
        ...{ callOutcome: 'Order confirmed', outcomeKey: 'order_confirmed', simulated: true },
      });
      const schema = schemas.get('call/getOutcome');
      expect(output.flatMap((item) => disagreement(schema, item))).toEqual([]);
    },
  );
});

it('stops a campaign by hand whose ID is higher than simulated ones', async () => {
  const stop = { resource: 'campaign', operation: 'stop', campaignId: 1_732_800_000_123 };
  const credential = world.credential();
  await execute({ parameters: stop, mode: 'manual', credential });
  expect(world.service.seen.received.splice(0)).toHaveLength(1);
});

describe('a production execution', () => {
  it.each([
    { resource: 'call', operation: 'getOutcome', orderId: 9_000_000_001 },
    ...['start', 'pause', 'resume', 'stop'].map((operation) => ({
      ...{ resource: 'campaign', operation, campaignId: 9_000_000_001 },
    })),
  ])('asks the service about every ID: $operation', async (parameters) => {
    const { error } = await execute({ parameters, credential: world.credential() });
    expect(error?.message).toContain('does not know this');
    expect(world.service.seen.received.splice(0)).toHaveLength(1);
  });
});

describe('Place Scheduled Calls by hand', () => {
  const callIds: unknown[] = [];
  const place = async (rules: IDataObject, more: Partial<ExecutionRequest> = {}) =>
    await run({ operation: 'placeScheduled', options: { maxInProgress: 2 } }, rules, {
      items: [{ json: {} }],
      ...more,
    });

  /** Published executions have scheduled these calls, of which nothing may have changed afterwards. */
  async function scheduled(rules: IDataObject = {}): Promise<void> {
    const written = await run({ operation: 'schedule' }, rules, { mode: 'trigger' });
    callIds.splice(0, callIds.length, ...jsonOf(written).map(({ callId }) => callId));
    world.tables.writes.length = 0;
    world.keys.clear();
  }

  it('gives what it gives for the calls that have a free channel now', async () => {
    await scheduled();
    const output = jsonOf(await place({ manualExecutions: 'simulate' }));
    expect(output).toEqual(
      [0, 1].map((index) => ({
        orderId: expect.any(Number),
        scriptId: 7,
        callStatus: 'in_progress',
        customerPhone: PHONES[index],
        orderNumber: `A-${index}`,
        message: 'Simulated: nobody was called',
        callId: callIds[index],
        attempt: 1,
        simulated: true,
      })),
    );
    expect(new Set(output.map(({ orderId }) => orderId)).size).toBe(2);
    const schema = schemas.get('call/placeScheduled');
    expect(output.flatMap((item) => disagreement(schema, item))).toEqual([]);
  });

  it('tells in a dry run of each call that is due whether it would be placed', async () => {
    await scheduled({ maxCallsPerDay: 1 });
    const done = await place({ manualExecutions: 'dryRun' });
    const output = jsonOf(done);
    const told = { dryRun: true, scriptId: 7, attempt: 1 };
    expect(output).toMatchObject([
      { ...told, wouldCall: true, customerPhone: PHONES[0], orderNumber: 'A-0' },
      { ...told, wouldCall: false, reason: 'dailyCap', callId: callIds[1] },
      { ...told, wouldCall: false, reason: 'dailyCap', callId: callIds[2] },
    ]);
    expect(hintsOf(done).join()).toContain('2 of 3 would not be called: 2 over a daily cap');
    const schema = schemas.get('call/placeScheduled');
    expect(output.flatMap((item) => disagreement(schema, item))).toEqual([]);
  });

  it('leaves out whom a rule keeps from being called, and says so', async () => {
    await scheduled(closedHours());
    const done = await place({ manualExecutions: 'simulate' });
    expect(jsonOf(done)).toEqual([]);
    expect(hintsOf(done).join()).toContain('3 of 3 would not be called: 3 outside calling hours');
  });

  it('names rows that nobody can read, and changes none', async () => {
    await scheduled();
    const [first] = world.tables.rowsOf('Calls');
    Object.assign(first ?? {}, { customerPhone: 'nobody' });
    const done = await place({ manualExecutions: 'simulate' });
    expect(jsonOf(done).map(({ orderNumber }) => orderNumber)).toEqual(['A-1', 'A-2']);
    expect(hintsOf(done).join()).toContain('customerPhone');
    expect(first).toMatchObject({ status: 'scheduled' });
  });

  it('says when nothing is due', async () => {
    const none = await place({ manualExecutions: 'simulate' });
    expect(jsonOf(none)).toEqual([]);
    expect(hintsOf(none).join()).toContain('No call is due');
  });
});
