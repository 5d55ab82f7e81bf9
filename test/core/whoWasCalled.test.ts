import type { IDataObject } from 'n8n-workflow';
import { listOf } from '../dataTables/doNotCallTable';
import { execute } from './engine';
import { Publication } from './triggerEngine';
import { useServiceAndTables } from './serviceAndTables';

const NOBODY = 'Nobody was called. ';
const BY_READING = 'Nobody was called by reading outcomes. ';
const NOT_YET = 'Nobody was called, but scheduled calls may still be placed. ';
const STILL = 'The campaign may still be calling people. ';

const world = useServiceAndTables();

/** The key would be sent for all to read. */
const UNSAFE = { baseUrl: 'http://calls.example' };
const log = { mode: 'name', value: 'Calls' };
const ofCampaign = (operation: string) => ({
  resource: 'campaign',
  operation,
  campaignId: '={{ $json.id }}',
});
const ofLog = (operation: string) => ({ resource: 'callLog', operation, callLogTable: log });
const read = { resource: 'call', operation: 'getOutcome', orderId: '={{ $json.id }}' };
const cancel = {
  resource: 'call',
  operation: 'cancelScheduled',
  callLogTable: log,
  cancelValue: '={{ $json.id }}',
};
const schedule = {
  resource: 'call',
  operation: 'schedule',
  scriptId: 7,
  customerPhone: '={{ $json.id }}',
  callLogTable: log,
};

/** Operations that call nobody themselves, and how their errors begin. */
const OPERATIONS: Array<[string, IDataObject, string]> = [
  ['Get Outcome', read, BY_READING],
  ['Pause', ofCampaign('pause'), STILL],
  ['Stop', ofCampaign('stop'), STILL],
  ['Cancel Scheduled', cancel, NOT_YET],
  ['Schedule', schedule, NOBODY],
  ['Report', ofLog('report'), NOBODY],
  ['Prune', ofLog('prune'), NOBODY],
];

/** What an operation fails with, alone and with "continue on error". */
async function told(
  parameters: IDataObject,
  ids: unknown[],
  account: IDataObject,
): Promise<string[]> {
  const request = { parameters, items: ids.map((id) => ({ json: { id } as IDataObject })) };
  const { error } = await execute({ ...request, credential: account });
  const settings = { onError: 'continueRegularOutput' as const };
  const { items } = await execute({ ...request, credential: account, settings });
  const messages = [error?.message, ...items.map(({ json }) => json.error)];
  expect(messages).toHaveLength(ids.length + 1);
  return messages.map(String);
}

const allBegin = (messages: string[], begin: string) =>
  expect(messages.map((message) => message.slice(0, begin.length))).toEqual(
    messages.map(() => begin),
  );

describe.each(OPERATIONS)('%s', (_name, parameters, begin) => {
  it('says it when a parameter is missing', async () => {
    const none = { callLogTable: { mode: 'name', value: '={{ $json.none }}' } };
    const missing = parameters.callLogTable === undefined ? {} : none;
    const messages = await told({ ...parameters, ...missing }, [''], world.credential());
    allBegin(messages, begin);
    expect(messages[0]).toMatch(/is missing/);
  });

  it('says it when the credential cannot be used', async () => {
    const messages = await told(parameters, ['+12025550123'], { ...world.credential(), ...UNSAFE });
    allBegin(messages, begin);
    expect(world.service.seen.received).toEqual([]);
  });

  it('says it when a key is refused', async () => {
    world.service.faults.add({ kind: 'status', status: 401, times: 9 });
    const id = parameters.operation === 'schedule' ? '+12025550123' : '4821';
    allBegin(await told(parameters, [id], { ...world.credential(), n8nApiKey: '' }), begin);
  });
});

it.each(['pause', 'stop'])(
  '%s says so of several campaigns, and of no calls',
  async (operation) => {
    world.service.faults.add({ kind: 'reset', when: 'after', route: 'controlCampaign', times: 9 });
    const parameters = ofCampaign(operation);
    const items = [{ json: { id: '1' } }, { json: { id: '2' } }];
    const { error } = await execute({ parameters, items, credential: world.credential() });
    expect(error?.message).toMatch(/^The campaigns may still be calling people\. /);
    expect(error?.description).not.toMatch(/Calls? that/);
    expect(error?.context?.data).toEqual({ placedOrderIds: [], maybePlacedItems: [] });
    const [, ...ofItems] = await told(parameters, ['1', '2'], world.credential());
    allBegin(ofItems, STILL);
  },
);

it.each(['trigger', 'manual'] as const)('the trigger says it in the mode "%s"', async (mode) => {
  const watch = { watch: 'orderIds', orderIds: '4821' };
  const poll = async (parameters: IDataObject, account: IDataObject) =>
    await new Publication({ mode, credential: account, parameters, workflowId: mode }).poll();
  const failures = await Promise.allSettled([
    poll({ ...watch, events: [] }, world.credential()),
    poll(watch, { ...world.credential(), ...UNSAFE }),
    poll({ ...watch, orderIds: '' }, world.credential()),
    poll({ watch: 'callLog', callLogTable: log }, { ...world.credential(), n8nApiKey: '' }),
  ]);
  allBegin(
    failures.map((failure) =>
      failure.status === 'rejected' ? (failure.reason as Error).message : 'It did not fail',
    ),
    BY_READING,
  );
});

it('an operation that is not known calls nobody', async () => {
  const unknown = { resource: 'call', operation: 'ring' };
  const { error } = await execute({ parameters: unknown, credential: world.credential() });
  expect(error?.message).toBe(`${NOBODY}The node has no such operation`);
});

describe('in an execution that has called people before', () => {
  const call = {
    resource: 'call',
    operation: 'trigger',
    scriptId: 7,
    customerPhone: '={{ $runIndex === 0 ? "+12025550123" : "hello" }}',
  };
  const contactsJson =
    '={{ JSON.stringify([{ phone: $runIndex === 0 ? "+12025550123" : "hello" }]) }}';
  const list = {
    resource: 'campaign',
    operation: 'create',
    scriptId: 7,
    contactsSource: 'json',
    contactsJson,
    startImmediately: true,
  };
  const CALLED = /^1 person was called earlier in this execution: call IDs at the service \d+\. /;
  const DIALLING = /^1 campaign was started earlier in this execution: campaign IDs \d+\. /;
  const rounds = async (parameters: IDataObject) =>
    await execute({ parameters, rounds: 2, credential: world.credential() });

  it.each<[string, IDataObject, RegExp]>([
    ['Call Customer', call, CALLED],
    ['Create', list, DIALLING],
    [
      'Schedule Call',
      { ...schedule, customerPhone: call.customerPhone },
      new RegExp(`^${NOT_YET}`),
    ],
  ])('%s says so of earlier rounds of a loop', async (_name, parameters, begin) => {
    const { error } = await rounds(parameters);
    expect(error?.message).toMatch(begin);
    expect(error?.message).not.toMatch(/Nobody was called\. /);
    expect(error?.description).toMatch(
      /^Nothing more was sent\. .*Then retry this execution: it calls nobody twice\.$/,
    );
  });

  it('Start says so, and what became of its own request', async () => {
    await execute({
      parameters: { ...list, contactsJson: '[{"phone":"+12025550123"}]', startImmediately: false },
      credential: world.credential(),
    });
    const [{ campaignId } = { campaignId: 0 }] = world.service.seen.campaigns;
    const next = `={{ ${campaignId} + $runIndex }}`;
    const { error } = await rounds({ ...ofCampaign('start'), campaignId: next });
    expect(error?.message).toMatch(DIALLING);
    expect(error?.message).toContain('does not know this campaign');
    expect(error?.description).toContain('retry this execution');
  });

  it('counts each round by itself when both have called somebody', async () => {
    const isBad = ({ body }: { body: unknown }) =>
      (body as IDataObject).customerPhone === '+12025550199';
    world.service.faults.add({ kind: 'status', status: 401, route: 'trigger', match: isBad });
    const { error } = await execute({
      parameters: {
        ...call,
        customerPhone: '={{ $json.phone[$runIndex] }}',
        options: { concurrency: 1 },
      },
      items: [
        { json: { phone: ['+12025550123', '+12025550124'] } },
        { json: { phone: ['+12025550125', '+12025550199'] } },
      ],
      rounds: 2,
      credential: world.credential(),
    });
    expect(error?.message).toMatch(
      /^2 people were called earlier in this execution: call IDs at the service \d+, \d+\. 1 person was called\. /,
    );
    expect(error?.context?.data).toMatchObject({
      placedOrderIds: world.service.seen.calls.map(({ orderId }) => orderId),
    });
  });

  it.each(OPERATIONS)('%s says so of another node', async (_name, parameters) => {
    const { error } = await execute({
      before: { ...call, customerPhone: '+12025550123' },
      parameters,
      credential: { ...world.credential(), n8nApiKey: '' },
    });
    expect(error?.message).toMatch(CALLED);
    expect(error?.description).toMatch(/etry this execution/);
  });

  it.each([
    ['Call Customer', { ...call, customerPhone: '={{ "+1202555012" + $runIndex }}' }],
    ['Create', { ...list, contactsJson: '={{ [{ phone: "+1202555012" + $runIndex }] }}' }],
  ])('%s calls nobody twice when its advice is followed', async (_name, parameters) => {
    const request = {
      parameters: {
        ...parameters,
        rules: { doNotCallTable: { mode: 'name', value: 'Do not call' } },
      },
      rounds: 3,
      credential: world.credential(),
    };
    world.tables.tables.push(listOf([]));
    world.tables.fail = () =>
      world.service.seen.received.length > 0 ? { status: 500, message: 'locked' } : undefined;
    const failed = await execute(request);
    expect(failed.error?.description).toContain(
      'Look at the log of n8n, then retry this execution (it calls nobody twice).',
    );
    world.tables.fail = () => undefined;
    const retry = await execute({ ...request, retryOf: failed });
    expect(retry.error).toBeUndefined();
    const phones = world.service.seen.received.flatMap(({ body }) => {
      const { customerPhone, contacts = [] } = body as IDataObject & { contacts?: IDataObject[] };
      return [customerPhone, ...contacts.map((one) => one.customerPhone)].filter(Boolean);
    });
    expect(phones.sort()).toEqual(['+12025550120', '+12025550121', '+12025550122']);
  });
});
