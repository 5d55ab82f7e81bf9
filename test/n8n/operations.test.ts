import type { IDataObject, INodeParameters, ResourceMapperField } from 'n8n-workflow';
import {
  startCallingService,
  switchPositions,
  type CallingService,
  type CallingServiceOptions,
  type Switches,
} from '../service';
import {
  errorOf,
  freePort,
  itemsOf,
  jsonOf,
  sharedN8n,
  type Credential,
  type Execution,
  type SharedN8n,
  type WorkflowNode,
} from '../../scripts/n8n';
import {
  CALLING_CREDENTIAL,
  CALLING_NODE,
  callingNode,
  saveCredential,
  workflowOf,
} from './workflows';

/** Calls last until shortly before the node looks for the first time, 15 seconds after placing. */
const CALLS: CallingServiceOptions = {
  callSeconds: { min: 20, max: 20 },
  speed: 2,
  outcomeFor: () => ({
    status: 'completed',
    label: 'Order confirmed',
    talkSec: 14,
    cost: 0.21,
    summary: 'The customer confirmed the order.',
    turns: [
      { speaker: 'agent', text: 'Shall we deliver your order?', atSec: 0 },
      { speaker: 'customer', text: 'Yes, please.', atSec: 6.5 },
    ],
  }),
};
const PHONE = '+12025550101';
const OTHER_PHONE = '+12025550102';

/** What the node makes of the ending above. */
const ENDED = {
  callStatus: 'completed',
  callOutcome: 'Order confirmed',
  outcomeKey: 'order_confirmed',
  callDurationSec: 14,
  totalCallCost: 0.21,
  summary: 'The customer confirmed the order.',
  transcript: [
    { speaker: 'agent', text: 'Shall we deliver your order?', offsetSec: 0 },
    { speaker: 'customer', text: 'Yes, please.', offsetSec: 6.5 },
  ],
  finished: true,
};

/** The documented position of all switches, then each switch in each of its other positions. */
const POSITIONS: Array<Partial<Switches>> = [
  {},
  ...Object.entries(switchPositions).flatMap(([name, [, ...others]]) =>
    others.map((position) => ({ [name]: position })),
  ),
];

function nameOf(position: Partial<Switches>): string {
  const [[name, value] = []] = Object.entries(position);
  return name === undefined ? 'everything is as documented' : `"${name}" is ${value}`;
}

let n8n: SharedN8n;
const services: CallingService[] = [];

/** Executions that take long are started at once and waited for by the tests that are about them. */
const underWay = new Map<string, { service: CallingService; execution: Promise<Execution> }>();

async function startService(options: CallingServiceOptions = {}): Promise<CallingService> {
  const service = await startCallingService({ ...CALLS, ...options });
  services.push(service);
  return service;
}

/** The id by which a service knows its first campaign. */
function firstCampaignOf({ seen }: CallingService): number | undefined {
  return seen.campaigns[0]?.campaignId;
}

async function run(items: IDataObject[], ...steps: WorkflowNode[]): Promise<Execution> {
  const workflow = await n8n.client.createWorkflow(workflowOf('Operations', items, ...steps));
  return await n8n.client.runManually(workflow);
}

beforeAll(async () => {
  n8n = await sharedN8n();
  for (const position of POSITIONS) await begin(nameOf(position), everyOperation, position);
  await begin('raw', everyOperationRaw);
  await begin('waiting', waitingForOutcomes);
});

afterAll(async () => {
  await Promise.all(services.map(async (service) => await service.close()));
});

async function begin(
  name: string,
  steps: (credential: Credential) => WorkflowNode[],
  switches: Partial<Switches> = {},
): Promise<void> {
  const service = await startService({ switches });
  const credential = await saveCredential(n8n.client, service);
  const execution = run([{ phone: PHONE }], ...steps(credential));
  execution.catch(() => undefined); // a failure is told by the tests that wait for it
  underWay.set(name, { service, execution });
}

async function finished(name: string): Promise<{ service: CallingService; execution: Execution }> {
  const { service, execution } = underWay.get(name) ?? {};
  if (service === undefined || execution === undefined) throw new Error(`${name} was not begun`);
  return { service, execution: await execution };
}

const VARIABLES = {
  mappingMode: 'defineBelow',
  value: { brand_name: 'Acme', order_amount: '49.90' },
};

function everyOperation(credential: Credential): WorkflowNode[] {
  const node = (name: string, operation: string, parameters: INodeParameters) =>
    callingNode(name, operation, credential, parameters);
  const campaignId = "={{ $('Create').item.json.campaignId }}";
  return [
    node('Trigger', 'call.trigger', {
      scriptId: 12,
      customerPhone: PHONE,
      scriptVariables: VARIABLES,
      additionalFields: { orderNumber: '1042', customerName: 'Nathan' },
    }),
    node('In progress', 'call.getOutcome', { orderId: '={{ $json.orderId }}' }),
    node('Trigger and wait', 'call.triggerAndWait', { scriptId: 7, customerPhone: OTHER_PHONE }),
    node('Outcome', 'call.getOutcome', { orderId: "={{ $('Trigger').item.json.orderId }}" }),
    node('Create', 'campaign.create', {
      scriptId: 7,
      campaignName: 'Orders of 3 May',
      kind: 'ndr',
      contactPhone: PHONE,
    }),
    node('Start campaign', 'campaign.start', { campaignId }),
    node('Pause', 'campaign.pause', { campaignId }),
    node('Resume', 'campaign.resume', { campaignId }),
    callingNode(
      'Stop',
      'campaign.stop',
      credential,
      { campaignId },
      { onError: 'continueRegularOutput' },
    ),
  ];
}

function everyOperationRaw(credential: Credential): WorkflowNode[] {
  const node = (name: string, operation: string, parameters: INodeParameters) =>
    callingNode(name, operation, credential, { ...parameters, simplify: false });
  const campaignId = "={{ $('Create').item.json.campaign_id }}";
  return [
    node('Trigger', 'call.trigger', {
      scriptId: 7,
      customerPhone: PHONE,
      additionalFields: { orderNumber: '1042' },
    }),
    node('In progress', 'call.getOutcome', { orderId: '={{ $json.order_id }}' }),
    node('Trigger and wait', 'call.triggerAndWait', { scriptId: 7, customerPhone: OTHER_PHONE }),
    node('Outcome', 'call.getOutcome', { orderId: "={{ $('Trigger').item.json.order_id }}" }),
    node('Create', 'campaign.create', { scriptId: 7, contactPhone: PHONE }),
    node('Start campaign', 'campaign.start', { campaignId }),
    node('Stop', 'campaign.stop', { campaignId }),
  ];
}

function waitingForOutcomes(credential: Credential): WorkflowNode[] {
  const orderId = "={{ $('Trigger').item.json.orderId }}";
  const node = (name: string, operation: string, parameters: INodeParameters) =>
    callingNode(name, operation, credential, parameters);
  return [
    node('Trigger', 'call.trigger', { scriptId: 7, customerPhone: PHONE }),
    node('No time', 'call.triggerAndWait', {
      scriptId: 7,
      customerPhone: OTHER_PHONE,
      options: { maxWaitMinutes: 0 },
    }),
    callingNode(
      'Fail',
      'call.getOutcome',
      credential,
      { orderId, inProgress: 'fail' },
      { onError: 'continueRegularOutput' },
    ),
    node('Wait', 'call.getOutcome', { orderId, inProgress: 'wait' }),
    node('Fail no more', 'call.getOutcome', { orderId, inProgress: 'fail' }),
  ];
}

describe.each(POSITIONS.map((position) => ({ name: nameOf(position), position })))(
  'when $name',
  ({ name, position }) => {
    const labels = {
      documented: 'Order confirmed',
      lower: 'order confirmed',
      upper: 'ORDER CONFIRMED',
    };
    const ended = { ...ENDED, callOutcome: labels[position.labels ?? 'documented'] };
    const output = async (node: string) => jsonOf((await finished(name)).execution, node);

    it('a call is triggered', async () => {
      expect(await output('Trigger')).toEqual([
        {
          orderId: 4001,
          scriptId: 12,
          callStatus: 'in_progress',
          customerPhone: PHONE,
          orderNumber: '1042',
          message: 'Call started',
        },
      ]);
    });

    it('a call that goes on is given as in progress', async () => {
      expect(await output('In progress')).toEqual([
        { orderId: 4001, callStatus: 'in_progress', finished: false },
      ]);
    });

    it('a call is triggered and waited for', async () => {
      expect(await output('Trigger and wait')).toEqual([
        { orderId: 4002, ...ended, customerPhone: OTHER_PHONE },
      ]);
    });

    it('the outcome of a call is read', async () => {
      expect(await output('Outcome')).toEqual([{ orderId: 4001, orderNumber: '1042', ...ended }]);
    });

    it('a campaign is created, started, paused and resumed', async () => {
      const { service } = await finished(name);
      const campaignId = firstCampaignOf(service);
      const [created] = await output('Create');
      expect(created).toEqual({
        campaignId,
        name: 'Orders of 3 May',
        kind: 'ndr',
        state: 'not_started',
        contactCount: 1,
        started: false,
        part: 1,
        parts: 1,
        message:
          'Created with 1 contact. Nobody is called before you start it with Campaign > Start.',
      });
      const control = (action: string, state: string, message: string) => [
        { campaignId, action: `${action}_campaign`, state, message },
      ];
      expect(await output('Start campaign')).toEqual(
        control('start', 'running', 'Started: calling has begun.'),
      );
      expect(await output('Pause')).toEqual(
        control('pause', 'paused', 'Paused: nobody else is called before it is resumed.'),
      );
      expect(await output('Resume')).toEqual(
        control('resume', 'running', 'Resumed: calling goes on.'),
      );
    });

    it(
      position.stop === 'refused'
        ? 'stopping a campaign says that the service takes no stop, and to pause it'
        : 'a campaign is stopped',
      async () => {
        const { execution, service } = await finished(name);
        const [item] = itemsOf(execution, 'Stop');
        if (position.stop === 'refused') {
          expect(item?.json.error).toMatch(/does not accept "stop"/);
          expect(item?.error).toMatchObject({ description: expect.stringMatching(/Pause/) });
          expect(service.seen.campaigns[0]?.state).toBe('running');
        } else {
          expect(item?.json).toEqual({
            campaignId: firstCampaignOf(service),
            action: 'stop_campaign',
            state: 'stopped',
            message: 'Stopped for good: nobody else is called.',
          });
        }
      },
    );

    it('the service gets everything in its primary form', async () => {
      const { service } = await finished(name);
      const [trigger] = service.seen.received;
      expect(trigger?.body).toEqual({
        scriptId: 12,
        customerPhone: PHONE,
        brand_name: 'Acme',
        order_amount: '49.90',
        orderNumber: '1042',
        customerName: 'Nathan',
      });
      const create = service.seen.received.find(({ route }) => route === 'createCampaign');
      expect(create?.body).toEqual({
        scriptId: 7,
        name: 'Orders of 3 May',
        kind: 'ndr',
        startImmediately: false,
        contacts: [{ customerPhone: PHONE }],
      });
    });
  },
);

describe('without "Simplify"', () => {
  const transcript = [
    { speaker: 'agent', text: 'Shall we deliver your order?', timestamp: 0 },
    { speaker: 'customer', text: 'Yes, please.', timestamp: 6500 },
  ];
  const { callDurationSec, totalCallCost, summary, callOutcome, callStatus } = ENDED;
  const end = { callStatus, callDurationSec, callOutcome, totalCallCost, summary, transcript };

  it.each<[string, IDataObject]>([
    [
      'Trigger',
      {
        success: true,
        action: 'trigger_call',
        order_id: 4001,
        script_id: 7,
        call_status: 'in_progress',
        message: 'Call started',
      },
    ],
    ['In progress', { success: false, message: 'Call is still in progress' }],
    ['Trigger and wait', { success: true, orderId: 4002, ...end }],
    ['Outcome', { success: true, orderId: 4001, orderNumber: '1042', ...end }],
    [
      'Create',
      {
        success: true,
        action: 'create_campaign',
        kind: 'cod',
        campaign_id: expect.any(Number),
        name: expect.stringMatching(/^Campaign \d+$/),
        state: 'not_started',
        contact_count: 1,
        started: false,
        message: 'Campaign created',
      },
    ],
    [
      'Stop',
      {
        success: true,
        action: 'stop_campaign',
        campaign_id: expect.any(Number),
        state: 'stopped',
        message: 'Campaign is stopped',
      },
    ],
  ])('"%s" gives the body of the service as it came', async (node, body) => {
    const { execution } = await finished('raw');
    expect(jsonOf(execution, node)).toEqual([body]);
  });
});

describe('a call that has not ended', () => {
  it('fails when the person wants that, with what to do', async () => {
    const { execution } = await finished('waiting');
    const [item] = itemsOf(execution, 'Fail');
    expect(item?.json.error).toMatch(/4001 is still in progress/);
    expect(item?.error).toMatchObject({ description: expect.stringMatching(/"Wait"/) });
  });

  it('is waited for when the person wants that', async () => {
    const { execution } = await finished('waiting');
    expect(jsonOf(execution, 'Wait')).toEqual([{ orderId: 4001, ...ENDED }]);
    expect(jsonOf(execution, 'Fail no more')).toEqual([{ orderId: 4001, ...ENDED }]);
  });

  it('is given as in progress, not as an error, when the time for waiting is up', async () => {
    const { execution } = await finished('waiting');
    expect(jsonOf(execution, 'No time')).toEqual([
      { orderId: 4002, callStatus: 'in_progress', finished: false, customerPhone: OTHER_PHONE },
    ]);
  });
});

describe('the credential', () => {
  it.each([
    ['bearer', 'versioned', '/api/v1/calls/trigger', '/api/v1/orders/4001/outcome'],
    ['bearer', 'unversioned', '/api/trigger-call', '/api/order/4001/call-outcome'],
    ['xApiKey', 'versioned', '/api/v1/calls/trigger', '/api/v1/orders/4001/outcome'],
    ['xApiKey', 'unversioned', '/api/trigger-call', '/api/order/4001/call-outcome'],
  ])('sends its key as %s on %s paths', async (headerForm, pathForm, triggerPath, outcomePath) => {
    const service = await startService();
    const credential = await saveCredential(n8n.client, service, { headerForm, pathForm });
    const execution = await run(
      [{}],
      callingNode('Trigger', 'call.trigger', credential, { scriptId: 7, customerPhone: PHONE }),
      callingNode('Outcome', 'call.getOutcome', credential, { orderId: '={{ $json.orderId }}' }),
    );
    expect(execution.status).toBe('success');
    expect(service.seen.received.map(({ url }) => url)).toEqual([triggerPath, outcomePath]);
    for (const { headers } of service.seen.received) {
      expect([headers.authorization, headers['x-api-key']]).toEqual(
        headerForm === 'bearer' ? ['Bearer test-key', undefined] : [undefined, 'test-key'],
      );
    }
  });

  it('says that campaigns need versioned paths when it names the others', async () => {
    const service = await startService();
    const credential = await saveCredential(n8n.client, service, { pathForm: 'unversioned' });
    const parameters = { scriptId: 7, contactPhone: PHONE };
    const execution = await run(
      [{}],
      callingNode('Create', 'campaign.create', credential, parameters),
    );
    expect(errorOf(execution)).toMatchObject({
      message: expect.stringMatching(/versioned paths/),
      description: expect.stringMatching(/Path Form/),
    });
    expect(service.seen.received).toEqual([]);
  });
});

describe('the contacts of a campaign', () => {
  const CSV = `\uFEFFPhone;customerName;brand_name\r\n${PHONE};"Nathan; Olive";Acme\r\n${OTHER_PHONE};Ann;Acme\r\n`;
  const people = [
    { customerPhone: PHONE, customerName: 'Nathan; Olive', brand_name: 'Acme' },
    { customerPhone: OTHER_PHONE, customerName: 'Ann', brand_name: 'Acme' },
  ];
  const people21 = { scriptId: 21, campaignName: 'Autumn' };
  const toFile: WorkflowNode = {
    name: 'To file',
    type: 'n8n-nodes-base.convertToFile',
    typeVersion: 1.1,
    position: [0, 0],
    parameters: { operation: 'csv', binaryPropertyName: 'list' },
  };
  const sources: Array<[string, IDataObject[], WorkflowNode[], INodeParameters]> = [
    [
      'the input items',
      people,
      [],
      {
        contactsSource: 'inputItems',
        contactPhone: '={{ $json.customerPhone }}',
        contactFields: {
          customerName: '={{ $json.customerName }}',
          moreFields: { field: [{ name: 'brand_name', value: '={{ $json.brand_name }}' }] },
        },
      },
    ],
    ['JSON', [{}], [], { contactsSource: 'json', contactsJson: JSON.stringify(people) }],
    [
      'CSV text',
      [{ csv: CSV }],
      [],
      { contactsSource: 'csvText', csvText: '={{ $json.csv }}', phoneColumn: 'Phone' },
    ],
    [
      'a CSV file',
      people,
      [toFile],
      {
        contactsSource: 'csvFile',
        binaryPropertyName: 'list',
        phoneColumn: 'customerPhone',
      },
    ],
  ];

  it.each(sources)('come from %s', async (_, items, before, parameters) => {
    const service = await startService();
    const credential = await saveCredential(n8n.client, service);
    const create = callingNode('Create', 'campaign.create', credential, {
      ...people21,
      ...parameters,
    });
    const execution = await run(items, ...before, create);
    expect(errorOf(execution)).toBeUndefined();
    expect(jsonOf(execution, 'Create')).toEqual([
      {
        campaignId: firstCampaignOf(service),
        name: 'Autumn',
        kind: 'cod',
        state: 'not_started',
        contactCount: 2,
        started: false,
        part: 1,
        parts: 1,
        message:
          'Created with 2 contacts. Nobody is called before you start it with Campaign > Start.',
      },
    ]);
    expect(service.seen.received).toHaveLength(1);
    expect(service.seen.received[0]?.body).toMatchObject({ contacts: people, name: 'Autumn' });
  });

  it('are split over several campaigns, of which none dials before all are loaded', async () => {
    const service = await startService();
    const credential = await saveCredential(n8n.client, service);
    const list = [1, 2, 3, 4, 5].map((digit) => ({ phone: `+1202555010${digit}` }));
    const execution = await run(
      list,
      callingNode('Create', 'campaign.create', credential, {
        scriptId: 7,
        campaignName: 'Autumn',
        contactPhone: '={{ $json.phone }}',
        startImmediately: true,
        options: { contactsPerCampaign: 2, maxConcurrency: 3 },
      }),
    );
    expect(errorOf(execution)).toBeUndefined();
    expect(service.seen.received.map(({ route }) => route)).toEqual([
      ...['createCampaign', 'createCampaign', 'createCampaign'],
      ...['controlCampaign', 'controlCampaign', 'controlCampaign'],
    ]);
    const parts = jsonOf(execution, 'Create');
    expect(parts).toMatchObject(
      [1, 2, 3].map((part) => ({
        name: `Autumn (${part}/3)`,
        state: 'running',
        started: true,
        part,
        parts: 3,
      })),
    );
    expect(parts.reduce((sum, { contactCount }) => sum + Number(contactCount), 0)).toBe(5);
    const loaded = service.seen.campaigns.flatMap(({ contacts }) => contacts);
    expect(loaded.map(({ phone }) => phone)).toEqual(list.map(({ phone }) => phone));
    expect(itemsOf(execution, 'Create')[0]?.pairedItem).toEqual(list.map((_, item) => ({ item })));
  });

  it('that cannot be called are all told, and nothing is created', async () => {
    const service = await startService();
    const credential = await saveCredential(n8n.client, service);
    const parameters = { scriptId: 7, contactPhone: '={{ $json.phone }}' };
    const items = [{ phone: PHONE }, { phone: '12' }, { phone: 'Ann' }];
    const execution = await run(
      items,
      callingNode('Create', 'campaign.create', credential, parameters),
    );
    const error = errorOf(execution);
    expect(`${error?.message} ${error?.description}`).toMatch(/Contact 2.*Contact 3/s);
    expect(service.seen.received).toEqual([]);
  });

  it('that cannot be called are listed with the first campaign when they are to be skipped', async () => {
    const service = await startService();
    const credential = await saveCredential(n8n.client, service);
    const execution = await run(
      [{ phone: PHONE }, { phone: 'Ann' }, { phone: PHONE }],
      callingNode('Create', 'campaign.create', credential, {
        scriptId: 7,
        contactPhone: '={{ $json.phone }}',
        options: { invalidContacts: 'skip', duplicateContacts: 'removeByPhone' },
      }),
    );
    expect(jsonOf(execution, 'Create')).toEqual([
      expect.objectContaining({
        contactCount: 1,
        skippedContacts: [
          { row: 2, phone: 'Ann', reason: expect.stringMatching(/phone number/) },
          { row: 3, phone: PHONE, reason: expect.stringMatching(/before/) },
        ],
      }),
    ]);
  });
});

describe('many items', () => {
  const items = [{ phone: PHONE }, { phone: 'Ann' }, { phone: OTHER_PHONE }];
  const trigger = (credential: Credential, onError?: WorkflowNode['onError']) =>
    callingNode(
      'Trigger',
      'call.trigger',
      credential,
      { scriptId: 7, customerPhone: '={{ $json.phone }}' },
      { ...(onError === undefined ? {} : { onError }) },
    );
  const started = async () => {
    const service = await startService();
    return { service, credential: await saveCredential(n8n.client, service) };
  };

  it('are all checked before anybody is called, and the error names the item', async () => {
    const { service, credential } = await started();
    const execution = await run(items, trigger(credential));
    expect(execution.status).toBe('error');
    expect(errorOf(execution)).toMatchObject({
      name: 'NodeOperationError',
      message: 'Nobody was called. In item 1: Customer Phone "Ann" is not a phone number',
      description: expect.stringMatching(/Nothing was sent/),
      context: { itemIndex: 1 },
    });
    expect(service.seen.received).toEqual([]);
  });

  it('with several mistakes are told of all of them', async () => {
    const { credential } = await started();
    const parameters = { scriptId: '={{ $json.script }}', customerPhone: '={{ $json.phone }}' };
    const execution = await run(
      [{ phone: PHONE, script: 'seven' }, { script: 7 }],
      callingNode('Trigger', 'call.trigger', credential, parameters),
    );
    expect(errorOf(execution)?.message).toMatch(/^Nobody was called\. 2 mistakes in 2 items/);
    expect(errorOf(execution)?.description).toMatch(
      /In item 0, \+12025550101: Script ID.*In item 1: Customer Phone/s,
    );
  });

  it('each carry their own error when the workflow goes on', async () => {
    const { service, credential } = await started();
    service.faults.add({ kind: 'status', status: 500, route: 'trigger', times: 9, match: isOther });
    const execution = await run(items, trigger(credential, 'continueRegularOutput'));
    expect(itemsOf(execution, 'Trigger')).toMatchObject([
      { json: { orderId: 4001, customerPhone: PHONE }, pairedItem: { item: 0 } },
      {
        json: {
          error: 'Nobody was called. Customer Phone "Ann" is not a phone number',
          customerPhone: 'Ann',
        },
        pairedItem: { item: 1 },
      },
      {
        json: { error: expect.stringMatching(/failed \(status 500/), customerPhone: OTHER_PHONE },
        pairedItem: { item: 2 },
      },
    ]);
    expect(service.seen.requests.trigger).toBe(2);
  });

  it('go separate ways when errors have an output of their own', async () => {
    const { service, credential } = await started();
    service.faults.add({ kind: 'reset', route: 'trigger', match: isOther });
    const execution = await run(items, trigger(credential, 'continueErrorOutput'));
    expect(itemsOf(execution, 'Trigger', { output: 0 })).toMatchObject([
      { json: { customerPhone: PHONE }, pairedItem: { item: 0 } },
    ]);
    expect(itemsOf(execution, 'Trigger', { output: 1 })).toMatchObject([
      {
        json: { ...items[1], error: expect.stringMatching(/not a phone number/) },
        pairedItem: { item: 1 },
      },
      { json: { ...items[2], error: expect.stringMatching(/broke/) }, pairedItem: { item: 2 } },
    ]);
  });

  it('stay paired through every operation on calls', async () => {
    const { credential } = await started();
    const twoItems = [{ phone: OTHER_PHONE }, { phone: PHONE }];
    const execution = await run(
      twoItems,
      trigger(credential),
      callingNode('Outcome', 'call.getOutcome', credential, { orderId: '={{ $json.orderId }}' }),
      {
        name: 'Back to the start',
        type: 'n8n-nodes-base.set',
        typeVersion: 3.4,
        position: [0, 0],
        parameters: {
          mode: 'raw',
          jsonOutput: '={{ { phone: $("By hand").item.json.phone, orderId: $json.orderId } }}',
        },
      },
    );
    const back = jsonOf(execution, 'Back to the start');
    expect(back.map(({ phone }) => phone)).toEqual([OTHER_PHONE, PHONE]);
    expect(jsonOf(execution, 'Trigger').map(({ orderId }) => orderId)).toEqual(
      back.map(({ orderId }) => orderId),
    );
  });

  it('after a failure are not called any more, and the error tells which calls were placed', async () => {
    const { service, credential } = await started();
    service.faults.add({ kind: 'status', status: 401, route: 'trigger', match: isOther });
    const parameters = {
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      options: { concurrency: 1 },
    };
    const execution = await run(
      [{ phone: PHONE }, { phone: OTHER_PHONE }, { phone: '+12025550103' }],
      callingNode('Trigger', 'call.trigger', credential, parameters),
    );
    expect(errorOf(execution)).toMatchObject({
      name: 'NodeApiError',
      message: `1 person was called. In item 1, ${OTHER_PHONE}: The calling service refused the API key: Fault 401`,
      httpCode: '401',
      description: expect.stringMatching(/4001/),
      context: { itemIndex: 1 },
    });
    expect(service.seen.calls.map(({ phone }) => phone)).toEqual([PHONE]);
    expect(service.seen.requests.trigger).toBe(2);
  });

  function isOther({ body }: { body: unknown }): boolean {
    return (body as IDataObject).customerPhone === OTHER_PHONE;
  }
});

describe('an error, as n8n stores it', () => {
  it.each<[string, INodeParameters, RegExp, RegExp]>([
    ['call.getOutcome', { orderId: '9999' }, /does not know this order/, /the call ID/],
    ['campaign.pause', { campaignId: '9999' }, /does not know this campaign/, /the campaign ID/],
    [
      'call.getOutcome',
      { orderId: '../1' },
      /Call ID at the Service is not a positive whole number/,
      /4821/,
    ],
    [
      'call.getOutcome',
      { orderId: '={{ $json.none }}' },
      /Call ID at the Service is missing/,
      /Nothing was/,
    ],
    ['call.trigger', { scriptId: 99, customerPhone: PHONE }, /script ID/, /dashboard/],
    [
      'call.trigger',
      { scriptId: 12, customerPhone: PHONE },
      /needs brand_name, order_amount/,
      /More Variables/,
    ],
  ])('of %s %j says what happened and what to do', async (operation, parameters, what, advice) => {
    const service = await startService();
    const credential = await saveCredential(n8n.client, service);
    const execution = await run([{}], callingNode('Calling', operation, credential, parameters));
    expect(errorOf(execution)).toMatchObject({
      message: expect.stringMatching(what),
      description: expect.stringMatching(advice),
      context: { itemIndex: 0 },
    });
    expect(service.seen.calls).toEqual([]);
  });

  it('of a full pool of channels says what to pause or lower', async () => {
    const service = await startService({ channelPool: 0 });
    const credential = await saveCredential(n8n.client, service);
    const contact = { scriptId: 7, contactPhone: PHONE, startImmediately: true };
    const campaignId = '={{ $json.campaignId }}';
    const execution = await run(
      [{}],
      callingNode('Create', 'campaign.create', credential, contact),
      callingNode('Start campaign', 'campaign.start', credential, { campaignId }),
    );
    expect(jsonOf(execution, 'Create')).toMatchObject([
      { state: 'not_started', started: false, message: expect.stringMatching(/not started/) },
    ]);
    expect(errorOf(execution)).toMatchObject({
      message: expect.stringMatching(/channels/),
      description: expect.stringMatching(/Pause or stop a running campaign.*"Max Concurrency"/),
    });
  });
});

describe('the fields of "Script Variables"', () => {
  let service: CallingService;
  let credential: Credential;

  beforeAll(async () => {
    service = await startService();
    credential = await saveCredential(n8n.client, service);
  });

  async function ask(scriptId: number | string, chosen: Credential = credential) {
    return await n8n.client.resourceMapperFields({
      nodeType: CALLING_NODE,
      method: 'getScriptVariables',
      parameter: 'scriptVariables',
      parameters: { resource: 'call', operation: 'trigger', scriptId },
      credentials: { [CALLING_CREDENTIAL]: { id: chosen.id, name: chosen.name } },
    });
  }
  const names = (fields: ResourceMapperField[]) =>
    fields.map(({ id, required }) => ({ id, required }));

  it('are the placeholders of the script, all required, and nobody is called to learn them', async () => {
    expect(names((await ask(12)).fields)).toEqual([
      { id: 'brand_name', required: true },
      { id: 'order_amount', required: true },
    ]);
    expect(names((await ask(21)).fields)).toEqual([{ id: 'brand_name', required: true }]);
    expect(service.seen.calls).toEqual([]);
  });

  it.each<[string, string | number, RegExp]>([
    ['the script has no placeholders', 7, /seems to need no variables/],
    ['the script ID is an expression', '={{ $json.script }}', /expression.*More Variables/],
    ['there is no script ID yet', 0, /Enter a script ID/],
    ['the service does not accept the script ID', 99, /does not accept this script ID/],
  ])('are replaced by a notice when %s', async (_, scriptId, notice) => {
    const { fields, emptyFieldsNotice } = await ask(scriptId);
    expect(fields).toEqual([]);
    expect(emptyFieldsNotice).toMatch(notice);
  });

  it('are replaced by a notice when the service cannot be reached or refuses the key', async () => {
    const unreachable = { baseUrl: `http://127.0.0.1:${await freePort()}` };
    const nowhere = await saveCredential(n8n.client, unreachable);
    expect((await ask(12, nowhere)).emptyFieldsNotice).toMatch(/could not be reached/);
    const refused = await saveCredential(n8n.client, service, { apiKey: 'another-key' });
    expect((await ask(12, refused)).emptyFieldsNotice).toMatch(/refused the API key/);
  });

  it('cannot be told by a service that looks for the phone number first, and say what to do', async () => {
    service.switches.checks = 'phoneFirst';
    expect((await ask(12)).emptyFieldsNotice).toMatch(/seems to need no variables.*More Variables/);
    service.switches.checks = 'variablesFirst';
  });
});
