import type {
  IDataObject,
  INodeExecutionData,
  INodeProperties,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { placedCalls } from '../../nodes/OutboundAiCalling/placedCalls';
import {
  callRules,
  createRules,
  placeRules,
  scheduleRules,
  startRules,
} from '../../nodes/OutboundAiCalling/rules/rules';
import { startCallingService, type CallingService } from '../service';
import { rulesAndOptions } from '../rulesAndOptions';
import { closedHours } from './closedHours';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { ProcessedKeys } from './processedKeys';

const TEST_PHONE = '+12025550199';
const PHONES = ['+12025550101', '+12025550102', '+12025550103'];

let service: CallingService;
let keys: ProcessedKeys;
beforeAll(async () => {
  keys = await ProcessedKeys.install();
  service = await startCallingService({ speed: 1000 });
});
beforeEach(() => {
  keys.clear();
  service.reset();
});
afterAll(async () => await service.close());

const itemsOf = (phones: string[]): INodeExecutionData[] =>
  phones.map((phone, index) => ({ json: { phone, number: `A-${index}` } }));
const callOf = (settings: IDataObject, more: IDataObject = {}): IDataObject => ({
  resource: 'call',
  operation: 'trigger',
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  additionalFields: { orderNumber: '={{ $json.number }}', customerName: 'Nathan' },
  ...rulesAndOptions(settings),
  ...more,
});
const run = async (
  mode: WorkflowExecuteMode,
  parameters: IDataObject,
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> =>
  await execute({
    parameters,
    mode,
    items: itemsOf(PHONES),
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    ...more,
  });
const phonesCalled = () => service.seen.calls.map(({ phone }) => phone).sort();

const testCalls = { manualExecutions: 'testPhone', testPhone: '(202) 555-0199' };
const withCountry = { ...testCalls, defaultCountry: 'US' };

describe('a manual execution', () => {
  it('calls the customers unless another choice was made', async () => {
    jsonOf(await run('manual', callOf({})));
    jsonOf(await run('manual', callOf({ manualExecutions: 'call' })));
    expect(phonesCalled()).toEqual([...PHONES, ...PHONES].sort());
  });

  it('calls nobody when the rule was only added', () => {
    for (const rules of [callRules, scheduleRules, placeRules, createRules, startRules]) {
      const added = (rules.options as INodeProperties[]).find(
        ({ name }) => name === 'manualExecutions',
      );
      expect(added?.default).toBe('dryRun');
    }
  });

  it.each(['trigger', 'triggerAndWait', 'schedule'])(
    'refuses to call the customers beside a test phone (%s)',
    async (operation) => {
      const parameters = callOf(
        { manualExecutions: 'call', testPhone: TEST_PHONE },
        { operation, callLogTable: { mode: 'name', value: 'Calls' } },
      );
      const { error } = await run('manual', parameters);
      expect(error?.message).toBe(
        'Nobody was called. Manual Executions is "Call", and there is a test phone',
      );
      expect(error?.description).toContain('Choose "Call Test Phone"');
      expect(service.seen.received).toEqual([]);
    },
  );

  it('calls the customers in production, where a test phone has no effect', async () => {
    jsonOf(await run('trigger', callOf({ manualExecutions: 'call', testPhone: TEST_PHONE })));
    expect(phonesCalled()).toEqual(PHONES);
  });

  it('rings the test phone in place of every customer, and says so', async () => {
    const output = jsonOf(await run('manual', callOf(withCountry)));
    expect(phonesCalled()).toEqual([TEST_PHONE, TEST_PHONE, TEST_PHONE]);
    expect(output[0]).toEqual({
      orderId: expect.any(Number),
      scriptId: 7,
      callStatus: expect.any(String),
      customerPhone: TEST_PHONE,
      orderNumber: 'A-0',
      message: expect.any(String),
      testCall: true,
    });
    expect(new Set(output.map(({ orderId }) => orderId)).size).toBe(3);
    const sent = service.seen.received.map(({ body }) => body);
    expect(JSON.stringify(sent)).toContain('Nathan');
    expect(JSON.stringify(sent)).not.toContain('testCall');
  });

  it('rings one test phone for all items, whatever country an expression gives for each', async () => {
    const items = ['FR', 'DE'].map((country, index) => ({
      json: { phone: PHONES[index], number: `A-${index}`, country },
    }));
    const ofItems = (testPhone: string) =>
      callOf({ ...testCalls, testPhone, defaultCountry: '={{ $json.country }}' });
    const { error } = await run('manual', ofItems('06 12 34 56 78'), { items });
    expect(error?.message).toContain('Test Phone "06 12 34 56 78" has no country code');
    expect(phonesCalled()).toEqual([]);
    jsonOf(await run('manual', ofItems('+33 6 12 34 56 78'), { items }));
    expect(phonesCalled()).toEqual(['+33612345678', '+33612345678']);
  });

  it('marks the raw output of a test call too', async () => {
    const [item] = jsonOf(await run('manual', callOf(withCountry, { simplify: false })));
    expect(item).toMatchObject({ success: true, testCall: true });
  });

  it('tells no trigger of this instance of a test call', async () => {
    const note = jest.spyOn(placedCalls, 'note');
    jsonOf(await run('manual', callOf(withCountry)));
    expect(note).not.toHaveBeenCalled();
    jsonOf(await run('manual', callOf({})));
    expect(note).toHaveBeenCalledTimes(3);
    note.mockRestore();
  });

  it('asks of a test call nothing that protects customers, and claims nothing', async () => {
    const rules = { ...withCountry, ...closedHours(), preventDuplicates: true };
    for (const outsideCallingHours of ['skip', 'fail']) {
      jsonOf(await run('manual', callOf({ ...rules, outsideCallingHours })));
    }
    expect(phonesCalled()).toHaveLength(6);
    expect(keys.size).toBe(0);
  });

  it('waits for the outcome of a test call', async () => {
    const waiting = callOf(withCountry, { operation: 'triggerAndWait' });
    const rulesAndWait = { ...waiting, options: { defaultCountry: 'US', maxWaitMinutes: 0 } };
    const [item] = jsonOf(await run('manual', rulesAndWait));
    expect(item).toMatchObject({ customerPhone: TEST_PHONE, testCall: true });
  });

  it('does what a test phone alone says', async () => {
    jsonOf(await run('manual', callOf({ testPhone: TEST_PHONE })));
    expect(phonesCalled()).toEqual([TEST_PHONE, TEST_PHONE, TEST_PHONE]);
  });

  it.each([
    [{ manualExecutions: 'testPhone' }, 'Test Phone is missing'],
    [{ manualExecutions: 'testPhone', testPhone: '' }, 'Test Phone is missing'],
    [{ testPhone: 'my phone' }, 'Test Phone "my phone" is not a phone number'],
    [{ manualExecutions: 'testPhone', testPhone: '202 555 0199' }, 'has no country code'],
    [{ manualExecutions: 'dry' }, 'Manual Executions is none of call, testPhone, dryRun'],
    [{ manualExecutions: '' }, 'Manual Executions is none of call, testPhone, dryRun'],
    [{ manualExecutions: null }, 'Manual Executions is none of call, testPhone, dryRun'],
  ])('calls nobody when %j', async (settings, message) => {
    const parameters = callOf(settings as IDataObject);
    const { error } = await run('manual', parameters, { items: itemsOf(PHONES.slice(0, 1)) });
    expect(error?.message).toMatch(/^Nobody was called\. /);
    expect(error?.message).toContain(message);
    expect(service.seen.received).toEqual([]);
  });

  it('says where the test phone is entered', async () => {
    const parameters = callOf({ manualExecutions: 'testPhone' });
    const { error } = await run('manual', parameters, { items: itemsOf(PHONES.slice(0, 1)) });
    expect((error as { description?: string }).description).toContain('Add the rule "Test Phone"');
  });

  it('tells a Default Country that is none once', async () => {
    const parameters = callOf({ ...testCalls, testPhone: TEST_PHONE, defaultCountry: 'XX' });
    const { error } = await run('manual', parameters, { items: itemsOf(PHONES.slice(0, 1)) });
    expect(error?.message).toBe('Nobody was called. Default Country is not a country code');
  });
});

describe('a dry run', () => {
  it.each(['trigger', 'triggerAndWait'])('of %s tells what would happen', async (operation) => {
    const execution = await run('manual', callOf({ manualExecutions: 'dryRun' }, { operation }));
    expect(jsonOf(execution)).toEqual(
      PHONES.map((customerPhone, index) => ({
        dryRun: true,
        wouldCall: true,
        customerPhone,
        orderNumber: `A-${index}`,
        scriptId: 7,
      })),
    );
    expect(service.seen.received).toEqual([]);
    expect(JSON.stringify(execution.contextData)).not.toContain('subject');
  });

  it('says why somebody would not be called, and when they would', async () => {
    const parameters = callOf({ manualExecutions: 'dryRun', ...closedHours() });
    const execution = await run('manual', parameters);
    expect(hintsOf(execution)).toEqual([
      expect.stringMatching(/^3 of 3 would not be called: 3 outside calling hours \(next .*\)$/),
    ]);
    const [item] = jsonOf(execution);
    expect(item).toMatchObject({
      dryRun: true,
      wouldCall: false,
      reason: 'outsideCallingHours',
      nextAllowedAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('knows who was called before, and claims nobody', async () => {
    const [first = '', second = ''] = PHONES;
    const set = { preventDuplicates: true };
    jsonOf(await run('trigger', callOf(set), { items: itemsOf([first]) }));
    const dryRun = callOf({ ...set, manualExecutions: 'dryRun' });
    for (let times = 0; times < 2; times++) {
      const phones = [first, second, PHONES[2] ?? ''];
      const output = jsonOf(await run('manual', dryRun, { items: itemsOf(phones) }));
      expect(output.map(({ wouldCall }) => wouldCall)).toEqual([false, true, true]);
      expect(output[0]).toMatchObject({ reason: 'duplicate', customerPhone: first });
    }
    expect(keys.size).toBe(1);
    jsonOf(await run('trigger', callOf(set)));
    expect(phonesCalled()).toEqual([...PHONES].sort());
  });

  it('knows whom an earlier try of the execution has called, or may have', async () => {
    service.faults.add({ kind: 'reset', when: 'after' });
    const items = itemsOf(PHONES.slice(0, 1));
    const failed = await run('manual', callOf({}), { items });
    expect(failed.error?.message).toMatch(/^Somebody may have been called/);
    const dryRun = callOf({ manualExecutions: 'dryRun' });
    const retry = await run('manual', dryRun, { retryOf: failed });
    expect(jsonOf(retry).map(({ wouldCall }) => wouldCall)).toEqual([false, true, true]);
    expect(jsonOf(retry)[0]).toMatchObject({ reason: 'earlierTry', customerPhone: PHONES[0] });
    expect(hintsOf(retry)).toEqual([
      '1 of 3 would not be called: 1 called or scheduled by an earlier try, or possibly so',
    ]);
  });

  it('sees that an item is a duplicate of another that would be called', async () => {
    const parameters = callOf({
      duplicateKey: '={{ $json.key ?? "the same" }}',
      manualExecutions: 'dryRun',
    });
    const output = jsonOf(await run('manual', parameters));
    expect(output.map(({ wouldCall }) => wouldCall)).toEqual([true, false, false]);
    expect(keys.size).toBe(0);
  });

  it.each<[string, IDataObject, string]>([
    ['is outside the hours', closedHours(), 'outsideCallingHours'],
    ['is the same as another', {}, 'duplicate'],
  ])(
    'gives the reason of the execution for a call that stands twice and %s',
    async (_, rules, reason) => {
      const twice = { items: itemsOf(['+12025550101', '+12025550101']) };
      const reasons = async (mode: WorkflowExecuteMode) => {
        const more = { additionalFields: {} };
        const parameters = callOf({ ...rules, manualExecutions: 'dryRun' }, more);
        return jsonOf(await run(mode, parameters, twice)).map((item) => item.reason);
      };
      const dry = await reasons('manual');
      expect(dry[1]).toBe(reason);
      expect(dry).toEqual(await reasons('trigger'));
    },
  );

  it('forgets none of the keys that the store is full of', async () => {
    const trial = jest.spyOn(keys, 'checkProcessedAndRecord');
    jsonOf(await run('manual', callOf({ preventDuplicates: true, manualExecutions: 'dryRun' })));
    expect(trial.mock.calls.map(([, , , options]) => options)).toEqual([{ mode: 'entries' }]);
    trial.mockRestore();
  });

  it('tells that a rule cannot be asked', async () => {
    keys.isAway = true;
    const { error } = await run(
      'manual',
      callOf({ preventDuplicates: true, manualExecutions: 'dryRun' }),
    ).finally(() => (keys.isAway = false));
    expect(error?.message).toMatch(/^Nobody was called\. .*The database is away/);
  });

  it('refuses what a real run refuses', async () => {
    const dryRun = { manualExecutions: 'dryRun' };
    const messages: Array<[IDataObject, string]> = [
      [{ ...dryRun, maxCalls: 2 }, '3 calls are more than "Max Calls" allows (2)'],
      [
        { ...dryRun, ...closedHours(), outsideCallingHours: 'fail' },
        'Calling Hours do not allow a call now',
      ],
    ];
    for (const [settings, message] of messages) {
      expect((await run('manual', callOf(settings))).error?.message).toContain(message);
    }
    const wrong = await run('manual', callOf(dryRun), { items: itemsOf(['none']) });
    expect(wrong.error?.message).toContain('Customer Phone "none" is not a phone number');
  });

  it('may be chosen for some items only', async () => {
    const choice = "={{ $json.number === 'A-1' ? 'call' : 'dryRun' }}";
    const output = jsonOf(await run('manual', callOf({ manualExecutions: choice })));
    expect(output.map(({ dryRun = false }) => dryRun)).toEqual([true, false, true]);
    expect(phonesCalled()).toEqual([PHONES[1]]);
    const told = await run('manual', callOf({ manualExecutions: choice, ...closedHours() }));
    expect(hintsOf(told)).toEqual([
      expect.stringMatching(/^1 of 1 not called: 1 outside/),
      expect.stringMatching(/^2 of 2 would not be called: 2 outside/),
    ]);
  });
});

describe('an error after test calls', () => {
  const ofOrder = (number: string) => ({
    route: 'trigger' as const,
    match: ({ body }: { body: unknown }) => (body as IDataObject).orderNumber === number,
  });
  const refuse = (number: string) =>
    service.faults.add({ kind: 'status', status: 401, ...ofOrder(number) });
  const lose = (number: string) =>
    service.faults.add({ kind: 'reset', when: 'after', ...ofOrder(number) });
  const calls = callOf({ ...withCountry, concurrency: 1 });
  const messageOf = async (more: Partial<ExecutionRequest> = {}) =>
    (await run('manual', calls, more)).error?.message;

  it.each([
    ['A-1', refuse, 'was rung once'],
    ['A-2', refuse, 'was rung 2 times'],
    ['A-1', lose, 'was rung once or more'],
    ['A-0', lose, 'may have been rung'],
  ])('says that no customer was called (%s, %p)', async (number, fail, was) => {
    fail(number);
    expect(await messageOf()).toMatch(
      new RegExp(`^The test phone ${was}, and no customer was called\\. `),
    );
  });

  it('says it in the item of a call that may have been placed', async () => {
    lose('A-1');
    const settings = { onError: 'continueRegularOutput' as const };
    const { items } = await run('manual', calls, { settings });
    expect(items[1]?.json.error).toMatch(
      /^The test phone may have been rung, and no customer was called\. /,
    );
  });

  it('says it of earlier tries, and calls the customers when they are asked for', async () => {
    refuse('A-1');
    const failed = await run('manual', calls);
    const credential = { baseUrl: 'http://calls.example', apiKey: 'test-key' };
    expect(await messageOf({ retryOf: failed, credential })).toMatch(
      /^The test phone was rung once by an earlier try, and no customer was called\. /,
    );
    refuse('A-1');
    const real = await run('manual', callOf({ concurrency: 1 }), { retryOf: failed });
    expect(real.error?.message).toMatch(/^1 person was called\. /);
  });

  it('says it of other nodes', async () => {
    const before = callOf(withCountry);
    refuse('A-1');
    const later = { ...calls, customerPhone: PHONES[0], additionalFields: { orderNumber: 'A-1' } };
    const { error } = await run('manual', later, { before, items: itemsOf(PHONES.slice(0, 1)) });
    expect(error?.message).toMatch(
      /^The test phone was rung once earlier in this execution, and no customer was called\. /,
    );
  });
});

describe('a production execution', () => {
  it.each<WorkflowExecuteMode>([
    'trigger',
    'webhook',
    'integrated',
    'cli',
    'chat',
    'error',
    'agent',
  ])('in mode %s calls the customers, whatever is set for manual ones', async (mode) => {
    for (const settings of [
      { manualExecutions: 'dryRun' },
      withCountry,
      { manualExecutions: 'testPhone', testPhone: 'no number' },
      { manualExecutions: 'nonsense' },
    ]) {
      service.reset();
      const output = jsonOf(await run(mode, callOf(settings)));
      expect(output.map(({ customerPhone }) => customerPhone)).toEqual(PHONES);
      expect(output.some((item) => 'testCall' in item || 'dryRun' in item)).toBe(false);
      expect(phonesCalled()).toEqual(PHONES);
    }
  });

  it('is not what an evaluation is, which a person starts to try the workflow', async () => {
    jsonOf(await run('evaluation', callOf(withCountry)));
    expect(phonesCalled()).toEqual([TEST_PHONE, TEST_PHONE, TEST_PHONE]);
  });
});

/** What is left of how a sub-workflow began when n8n's tool for agents runs it, or when it has waited. */
const subWorkflowOf = (source: WorkflowExecuteMode): ExecutionRequest['origin'] => ({
  parentExecution: {
    executionId: 'parent',
    workflowId: 'parent',
    executionContext: { version: 1, establishedAt: 0, source },
  },
});

describe('an execution in a mode of production that somebody tries out', () => {
  const dryRun = callOf({ manualExecutions: 'dryRun' });

  it.each<WorkflowExecuteMode>(['integrated', 'retry'])(
    'calls nobody when it is a sub-workflow of a manual one: mode %s',
    async (mode) => {
      for (const source of ['manual', 'evaluation'] as const) {
        const output = jsonOf(await run(mode, dryRun, { origin: subWorkflowOf(source) }));
        expect(output.map((item) => item.dryRun)).toEqual([true, true, true]);
      }
      expect(phonesCalled()).toEqual([]);
    },
  );

  /** What n8n keeps below a sub-workflow: the trigger of the first workflow, and how the one above was started. */
  const below = (type: string, source: WorkflowExecuteMode): ExecutionRequest['origin'] => ({
    parentExecution: {
      executionId: 'parent',
      workflowId: 'parent',
      executionContext: {
        ...{ version: 1, establishedAt: 0, source, parentExecutionId: 'first' },
        triggerNode: { name: 'Start', type: `n8n-nodes-base.${type}` },
      },
    },
  });

  it.each<[string, WorkflowExecuteMode, number]>([
    ['manualTrigger', 'integrated', 0],
    ['manualTrigger', 'cli', 3],
    ['webhook', 'integrated', 3],
  ])('below a sub-workflow that %s began in mode %s it calls %d', async (type, source, calls) => {
    jsonOf(await run('integrated', dryRun, { origin: below(type, source) }));
    expect(phonesCalled()).toHaveLength(calls);
  });

  it('calls the customers when it is a sub-workflow of a production one', async () => {
    jsonOf(await run('integrated', dryRun, { origin: subWorkflowOf('webhook') }));
    expect(phonesCalled()).toEqual(PHONES);
  });

  it("calls nobody when n8n's AI assistant runs a draft", async () => {
    const origin = { manualData: { userId: 'user', source: 'instance_ai' } } as const;
    const output = jsonOf(await run('webhook', dryRun, { origin }));
    expect(output.map((item) => item.dryRun)).toEqual([true, true, true]);
    expect(phonesCalled()).toEqual([]);
  });
});

describe('the retry of a manual execution', () => {
  it('rings the test phone and no customer', async () => {
    service.faults.add({ kind: 'status', status: 400, times: 1 });
    const failed = await run('manual', callOf(withCountry));
    expect(failed.error).toBeDefined();
    const before = service.seen.calls.length;
    jsonOf(await run('retry', callOf(withCountry), { retryOf: failed }));
    expect(service.seen.calls.length).toBe(3);
    expect(before).toBeLessThan(3);
    expect(new Set(phonesCalled())).toEqual(new Set([TEST_PHONE]));
  });

  it('calls the customers whom only test calls were about, when that was changed meanwhile', async () => {
    service.faults.add({ kind: 'status', status: 400, times: 1 });
    const failed = await run('manual', callOf(withCountry));
    expect(failed.error).toBeDefined();
    service.reset();
    jsonOf(await run('retry', callOf({ manualExecutions: 'call' }), { retryOf: failed }));
    expect(phonesCalled()).toEqual(PHONES);
  });

  it('of production stays production', async () => {
    service.faults.add({ kind: 'status', status: 400, times: 1 });
    const failed = await run('trigger', callOf(withCountry));
    expect(failed.error).toBeDefined();
    jsonOf(await run('retry', callOf(withCountry), { retryOf: failed }));
    expect(phonesCalled()).toEqual(PHONES);
  });
});

describe('campaigns', () => {
  const create = (more: IDataObject): IDataObject => ({
    resource: 'campaign',
    operation: 'create',
    scriptId: 7,
    campaignName: 'Autumn',
    kind: 'list',
    contactsSource: 'inputItems',
    contactPhone: '={{ $json.phone }}',
    ...more,
  });
  const dryRun = { rules: { manualExecutions: 'dryRun' } };

  it('of a dry run are told, one item each, and not created', async () => {
    const parameters = create({
      ...dryRun,
      startImmediately: true,
      options: { contactsPerCampaign: 2, invalidContacts: 'skip' },
    });
    const items = itemsOf([...PHONES, 'nobody']);
    expect(jsonOf(await run('manual', parameters, { items }))).toEqual([
      {
        ...{ dryRun: true, wouldCall: true, name: 'Autumn (1/2)', kind: 'list', contactCount: 1 },
        ...{ part: 1, parts: 2 },
        skippedContacts: [{ row: 4, phone: 'nobody', reason: expect.any(String) }],
      },
      {
        ...{ dryRun: true, wouldCall: true, name: 'Autumn (2/2)', kind: 'list', contactCount: 2 },
        ...{ part: 2, parts: 2 },
      },
    ]);
    expect(service.seen.received).toEqual([]);
  });

  it('that are not to be started would call nobody', async () => {
    const [item] = jsonOf(await run('manual', create(dryRun)));
    expect(item).toMatchObject({ dryRun: true, wouldCall: false, name: 'Autumn', contactCount: 3 });
  });

  it('tell in a dry run what a real run refuses', async () => {
    const parameters = create({ ...dryRun, contactPhone: 'none' });
    const { error } = await run('manual', parameters, { items: itemsOf(PHONES.slice(0, 1)) });
    expect(error?.message).toMatch(/^Nobody was called\. Contact 1 \(none\)/);
  });

  it('are created and started in production', async () => {
    jsonOf(await run('trigger', create({ ...dryRun, startImmediately: true })));
    expect(service.seen.campaigns).toHaveLength(1);
  });

  it.each(['start', 'resume'])('are not told to %s in a dry run', async (operation) => {
    const parameters = { resource: 'campaign', operation, campaignId: '317', ...dryRun };
    const [item] = jsonOf(await run('manual', parameters));
    expect(item).toEqual({ dryRun: true, wouldCall: true, campaignId: 317, action: operation });
    expect(service.seen.received).toEqual([]);
    const production = await run('trigger', parameters, { items: itemsOf(PHONES.slice(0, 1)) });
    expect(production.error).toBeDefined(); // there is no campaign 317
    expect(service.seen.received).not.toEqual([]);
  });

  it.each(['create', 'start', 'resume'])('are refused a test phone: %s', async (operation) => {
    const rules = { manualExecutions: 'testPhone', testPhone: TEST_PHONE };
    const parameters = { ...create({ rules }), operation, campaignId: '317' };
    const { error } = await run('manual', parameters, { items: itemsOf(PHONES.slice(0, 1)) });
    expect(error?.message).toContain('Manual Executions is none of call, dryRun');
    expect(service.seen.received).toEqual([]);
  });
});
