import type { IDataObject } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { AgentTool, execute, jsonOf, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService();
});
afterEach(async () => await service.close());

const ANN = '+12025551001';
const BO = '+12025551002';
const listOf = (...phones: string[]) => phones.map((customerPhone) => ({ customerPhone }));
const credential = ({ baseUrl } = service) => ({ baseUrl, apiKey: 'test-key' });
const create = {
  resource: 'campaign',
  operation: 'create',
  scriptId: 7,
  contactsSource: 'json',
  startImmediately: true,
};
const run = async (
  phones: string[],
  more: Partial<ExecutionRequest> = {},
  fields: IDataObject = {},
) =>
  await execute({
    parameters: { ...create, contactsJson: JSON.stringify(listOf(...phones)), ...fields },
    credential: credential(),
    ...more,
  });
/** A list that is loaded, and whose start is refused. */
async function unstarted(...phones: string[]) {
  service.faults.add({ kind: 'status', status: 401, route: 'controlCampaign' });
  const first = await run(phones);
  expect(first.error?.message).toMatch(/^Nobody was called/);
  return first;
}
const calledNow = ({ seen } = service) =>
  seen.campaigns
    .filter(({ state }) => state !== 'not_started')
    .flatMap(({ contacts }) => contacts.map(({ phone }) => phone));
const agentFor = (more: IDataObject = {}) =>
  new AgentTool({
    parameters: {
      ...create,
      contactsJson: '={{ $fromAI("contacts", "", "json") }}',
      startImmediately: '={{ $fromAI("start", "", "boolean") }}',
      ...more,
    },
    credential: credential(),
  });
const answerOf = (text: string) => (JSON.parse(text) as IDataObject[])[0] ?? {};

describe('a campaign in a loop', () => {
  it('has nobody whom an earlier round has loaded', async () => {
    const again = await run([ANN, BO], { rounds: 3 });
    expect(again.error?.message).toMatch(
      /Contacts name 2 people whom an earlier run of this node has loaded/,
    );
    expect(calledNow()).toEqual([ANN, BO]);
  });

  it('that may have been made says in a retry how to come to the next round', async () => {
    service.faults.add({ kind: 'reset', when: 'after', route: 'createCampaign' });
    const contactsJson = '={{ JSON.stringify([{ phone: `+1202555100${$runIndex + 1}` }]) }}';
    const first = await run([], { rounds: 2 }, { contactsJson });
    expect(first.error?.description).toContain('The campaign may exist');
    const retry = await run([], { rounds: 2, retryOf: first }, { contactsJson });
    expect(retry.error?.description).toMatch(/^Every retry of this execution fails so/);
    const settings = { onError: 'continueRegularOutput' as const };
    const goingOn = await run([], { rounds: 2, retryOf: retry, settings }, { contactsJson });
    expect(goingOn.run.status).toBe('success');
    expect(calledNow()).toEqual([BO]);
  });

  it('has the people of its round', async () => {
    const phones = '={{ JSON.stringify([{ phone: `+1202555100${$runIndex + 1}` }]) }}';
    jsonOf(await run([], { rounds: 2 }, { contactsJson: phones }));
    expect(calledNow()).toEqual([ANN, BO]);
  });
});

describe('a campaign that an earlier request has made', () => {
  it('is not made again of the same people under other order numbers', async () => {
    const contacts = (n: number) =>
      [ANN, BO].map((phone) => ({ phone, orderNumber: `${phone}-${n}` }));
    const asked = (n: number) => ({ contactsJson: JSON.stringify(contacts(n)) });
    service.faults.add({ kind: 'status', status: 503, route: 'controlCampaign', when: 'after' });
    const first = await run([], {}, asked(1));
    expect(first.error).toBeDefined();
    const second = await run([], { retryOf: first }, asked(2));
    expect(second.error?.message).toMatch(
      /2 people of this list were loaded into campaign \d+ by an earlier try of this execution, with other order numbers/,
    );
    expect(second.error?.description).toContain('take them from your data');
    expect(service.seen.campaigns).toHaveLength(1);
  });

  it.each([
    ['one more person', [ANN, BO, '+12025550109']],
    ['one person less', [ANN]],
  ])('is not made again under other order numbers with %s', async (_, phones) => {
    const contacts = (people: string[], n: number) =>
      JSON.stringify(people.map((phone) => ({ phone, orderNumber: `${phone}-${n}` })));
    service.faults.add({ kind: 'status', status: 503, route: 'controlCampaign', when: 'after' });
    const first = await run([], {}, { contactsJson: contacts([ANN, BO], 1) });
    const retry = await run([], { retryOf: first }, { contactsJson: contacts(phones, 2) });
    expect(retry.error?.message).toMatch(/of this list (?:was|were) loaded into campaign/);
    expect(service.seen.campaigns).toHaveLength(1);
  });

  it('is not made again of the same orders with other phone numbers', async () => {
    const csvText = `orderNumber,landline,mobile\nA-1,${ANN},+12025552001\nA-2,${BO},+12025552002\n`;
    const column = (phoneColumn: string) => ({
      contactsSource: 'csvText',
      csvText,
      phoneColumn,
      options: { contactsPerCampaign: 1 },
    });
    const isSecond = () => service.seen.requests.controlCampaign > 1;
    service.faults.add({ kind: 'status', status: 503, route: 'controlCampaign', match: isSecond });
    const first = await run([], {}, column('landline'));
    expect(first.error?.message).toMatch(/^1 campaign was started/);
    const ids = service.seen.campaigns.map(({ campaignId }) => campaignId);
    const retry = await run([], { retryOf: first }, column('mobile'));
    expect(retry.error?.message).toContain(
      `2 orders of this list were loaded into campaigns ${ids.join(', ')} by an earlier try of this execution, with other phone numbers`,
    );
    expect(retry.error?.description).toContain('Campaign > Pause');
    expect(service.seen.campaigns).toHaveLength(2);
  });

  it('is made of others after a retry with the order number of somebody whom it holds', async () => {
    const contactsJson = (...phones: string[]) => ({
      contactsJson: JSON.stringify(phones.map((phone) => ({ phone, orderNumber: 'Spring' }))),
    });
    const split = { options: { contactsPerCampaign: 1 } };
    const isSecond = () => service.seen.requests.createCampaign > 1;
    service.faults.add({ kind: 'status', status: 401, route: 'createCampaign', match: isSecond });
    const first = await run([], {}, { ...contactsJson(ANN, BO), ...split });
    expect(first.error).toBeDefined();
    jsonOf(await run([], { retryOf: first }, { ...contactsJson(ANN, BO), ...split }));
    expect(calledNow()).toEqual([ANN, BO]);
  });

  it.each([1, 2])(
    'is made of others when a retry leaves out the first %d with their order number',
    async (count) => {
      const people = [ANN, BO, '+12025551003', '+12025551004', '+12025551005'];
      const spring = (phones: string[]) => ({
        contactsJson: JSON.stringify(phones.map((phone) => ({ phone, orderNumber: 'Spring' }))),
        options: { contactsPerCampaign: 3 },
      });
      const isSecond = () => service.seen.requests.createCampaign > 1;
      service.faults.add({ kind: 'status', status: 401, route: 'createCampaign', match: isSecond });
      const first = await run([], {}, spring(people));
      expect(first.error).toBeDefined();
      const held = service.seen.campaigns[0]?.contacts.length ?? 0;
      jsonOf(await run([], { retryOf: first }, spring(people.slice(count))));
      expect(calledNow()).toEqual(people.slice(Math.max(held, count)));
    },
  );

  it('is started by a later one that asks for the same people, in whatever order', async () => {
    const first = await unstarted(ANN, BO);
    const [item] = jsonOf(await run([BO, ANN], { retryOf: first }));
    expect(item).toMatchObject({ started: true, state: 'running' });
    expect(calledNow()).toEqual([ANN, BO]);
    expect(service.seen.campaigns).toHaveLength(1);
  });

  it('calls nobody whom the request that starts it has not asked for, and says so', async () => {
    const agent = agentFor();
    await agent.prepare()({ contacts: listOf(ANN, BO), start: false });
    const answer = answerOf(await agent.prepare()({ contacts: listOf(ANN), start: true }));
    expect(calledNow()).toEqual([]);
    expect(answer).toMatchObject({ started: false, state: 'not_started' });
    expect(answer.message).toMatch(/but not started: .* people whom this request does not name/);
  });

  it('says whom it holds when it is not to be started', async () => {
    const agent = agentFor({ output: 'selectedFields', fields: ['campaignId'] });
    await agent.prepare()({ contacts: listOf(ANN, BO), start: false });
    const answer = answerOf(await agent.prepare()({ contacts: listOf(ANN), start: false }));
    expect(answer.message).toMatch(/with people whom this request does not name/);
  });

  it('says whom it calls when it was started before', async () => {
    const agent = agentFor();
    await agent.prepare()({ contacts: listOf(ANN, BO), start: true });
    const answer = answerOf(await agent.prepare()({ contacts: listOf(ANN), start: true }));
    expect(answer).toMatchObject({ started: true, state: 'running' });
    expect(answer.message).toMatch(/with people whom this request does not name/);
    expect(service.seen.requests.controlCampaign).toBe(1);
  });

  it('calls nobody outside the hours of the time zones of its people', async () => {
    const IN = '+919812345678';
    const GB = '+447911123456';
    const at = (hours: number) =>
      new Date(Date.now() + 5.5 * 3_600_000 + hours * 3_600_000).toISOString().slice(11, 16);
    const hours = {
      start: at(-1),
      end: at(1),
      days: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
      timezone: 'Asia/Kolkata',
      customersTimezone: true,
    };
    const agent = agentFor({ rules: { callingHours: { hours } } });
    await agent.prepare()({ contacts: listOf(IN, GB), start: false });
    await agent.prepare()({ contacts: listOf(IN), start: true });
    expect(calledNow()).not.toContain(GB);
  });

  it('calls nobody who was taken off the list before a retry', async () => {
    const first = await unstarted(ANN, BO);
    const [item] = jsonOf(await run([BO], { retryOf: first }));
    expect(calledNow()).toEqual([]);
    expect(item).toMatchObject({ started: false });
  });

  const brand = { variable: [{ name: 'brand_name', value: 'Shop' }] };
  it.each<[string, IDataObject]>([
    ['script', { scriptId: 21, additionalFields: { moreVariables: brand } }],
    ['kind', { kind: 'ndr' }],
    ['variable', { additionalFields: { moreVariables: brand } }],
    ['contact data', { contactsJson: JSON.stringify([{ customerPhone: ANN, total: '90' }]) }],
  ])('calls nobody by a %s that was a mistake', async (_, corrected) => {
    const first = await unstarted(ANN);
    const [item] = jsonOf(await run([ANN], { retryOf: first }, corrected));
    expect(calledNow()).toEqual([]);
    expect(item?.message).toMatch(/but not started: .* another script, kind or data/);
    expect(service.seen.campaigns).toHaveLength(1);
  });

  it('may run once an agent has paused it, and is not said to be unstarted', async () => {
    const agent = new AgentTool({
      parameters: {
        ...create,
        operation: '={{ $fromAI("operation") }}',
        contactsJson: JSON.stringify(listOf(ANN)),
        startImmediately: '={{ $fromAI("start", "", "boolean", false) }}',
        campaignId: '={{ $fromAI("id", "", "string", "") }}',
      },
      credential: credential(),
    });
    const { campaignId } = answerOf(await agent.prepare()({ operation: 'create', start: true }));
    await agent.prepare()({ operation: 'pause', id: campaignId });
    const answer = answerOf(await agent.prepare()({ operation: 'create' }));
    expect(answer).toMatchObject({ campaignId, state: 'unknown', started: null });
  });
});

describe('a campaign that was made with another account', () => {
  let other: CallingService;
  beforeEach(async () => {
    other = await startCallingService();
  });
  afterEach(async () => await other.close());

  it('is not taken for one that happens to have the same ID', async () => {
    // Somebody else's list lies ready there.
    await run([BO], { credential: credential(other) }, { startImmediately: false });
    const first = await unstarted(ANN);
    const [{ campaignId } = { campaignId: 0 }] = service.seen.campaigns;
    const again = await run([ANN], { retryOf: first, credential: credential(other) });
    const [ready] = other.seen.campaigns;
    expect(ready).toMatchObject({ campaignId, state: 'not_started' });
    expect(other.seen.campaigns).toHaveLength(1);
    expect(again.error?.message).toMatch(
      /^Nobody was called\. Contacts of this list were loaded into campaign \d+ by .* another account/,
    );
    expect(again.error?.description).toMatch(/campaign \d+ of another account \(not_started\)/);
  });

  it('is told when it calls people, and gives no item whose ID would be taken for another', async () => {
    const two = { options: { contactsPerCampaign: 1 } };
    service.faults.add({
      kind: 'status',
      status: 401,
      route: 'controlCampaign',
      match: () => calledNow().length > 0,
    });
    const first = await run([ANN, BO], {}, two);
    expect(first.error?.message).toMatch(/^1 campaign was started/);
    const again = await run(
      [ANN, BO],
      {
        retryOf: first,
        credential: credential(other),
        settings: { onError: 'continueRegularOutput' },
      },
      two,
    );
    expect(jsonOf(again)).toEqual([{ error: expect.stringMatching(/^1 campaign was started\. /) }]);
    expect(other.seen.received).toEqual([]);
  });
});

describe('a retry by hand of a node that had another operation', () => {
  const world = useServiceAndTables({ channelPool: 50 });
  const P = (index: number) => `+1202555${1000 + index}`;
  const three = [1, 2, 3].map((index) => ({ phone: P(index), number: `A${index}` }));
  const callTable = { callLogTable: { mode: 'name', value: 'Calls' } };
  const call: IDataObject = {
    ...{ resource: 'call', operation: 'trigger', scriptId: 7, options: { concurrency: 1 } },
    customerPhone: '={{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.number }}' },
  };
  const schedule = { ...call, operation: 'schedule', ...callTable };
  const campaign: IDataObject = {
    ...create,
    ...{ contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}' },
    contactFields: { orderNumber: '={{ $json.number }}' },
  };
  const runWith = async (
    parameters: IDataObject,
    items: IDataObject[] = three,
    more: Partial<ExecutionRequest> = {},
  ) =>
    await execute({
      ...{ parameters, items: items.map((json) => ({ json })), credential: world.credential() },
      ...more,
    });
  const loaded = () =>
    world.service.seen.campaigns.flatMap(({ contacts }) => contacts.map(({ phone }) => phone));
  const called = () =>
    world.service.seen.received
      .filter(({ route }) => route === 'trigger')
      .map(({ body }) => (body as IDataObject).customerPhone);
  const refuse = (index: number, route: 'trigger' | 'createCampaign' = 'trigger') => {
    const match = ({ body }: { body?: unknown }) => JSON.stringify(body).includes(P(index));
    world.service.faults.add({ kind: 'status', status: 400, route, match });
  };
  /** Calls of which the last is refused. */
  const twoCalled = async (more: IDataObject = {}, items = three) => {
    refuse(3);
    const first = await runWith({ ...call, ...more }, items);
    expect(first.error?.message).toMatch(/^2 people were called/);
    return first;
  };
  /** Campaigns of one person each, of which the last is not created: nobody is called. */
  const twoLoaded = async (items = three) => {
    refuse(3, 'createCampaign');
    const first = await runWith({ ...campaign, options: { contactsPerCampaign: 1 } }, items);
    expect(first.error).toBeDefined();
    expect(loaded()).toEqual([P(1), P(2)]);
    return first;
  };

  it.each<[string, IDataObject]>([
    ['', {}],
    [
      ' with a log and Prevent Duplicates',
      { callLog: 'dataTable', ...callTable, rules: { preventDuplicates: true } },
    ],
  ])('loads into a campaign nobody who was called%s, and says so', async (_, more) => {
    const first = await twoCalled(more);
    const retry = await runWith(campaign, three, { retryOf: first });
    expect(loaded()).toEqual([P(3)]);
    const reason = expect.stringContaining('has called this person or scheduled the call');
    expect(jsonOf(retry)).toMatchObject([
      {
        contactCount: 1,
        skippedContacts: [
          { row: 1, phone: P(1), reason },
          { row: 2, phone: P(2), reason },
        ],
      },
    ]);
    expect(hintsOf(retry)).toContainEqual(
      expect.stringMatching(/^2 of 3 contacts are left out: An earlier try of this execution/),
    );
  });

  it('names the rows of those who were called beside others that are left out', async () => {
    const first = await twoCalled();
    const list = [{ phone: 'none' }, three[0], { phone: '12' }, three[1], three[2], three[2]];
    const options = { invalidContacts: 'skip' };
    const items = list as IDataObject[];
    const [item] = jsonOf(await runWith({ ...campaign, options }, items, { retryOf: first }));
    const skipped = item?.skippedContacts as IDataObject[];
    expect(skipped.map(({ row, phone }) => [row, phone])).toEqual([
      [1, 'none'],
      [2, P(1)],
      [3, '12'],
      [4, P(2)],
      [6, P(3)],
    ]);
    expect(loaded()).toEqual([P(3)]);
  });

  it('loads the other orders of somebody who was called', async () => {
    const others = [{ phone: P(1), number: 'B1' }, ...three];
    refuse(3);
    const first = await runWith(call, three);
    expect(first.error).toBeDefined();
    const refused = await runWith(campaign, others.slice(0, 1), { retryOf: first });
    expect(refused.error?.message).toMatch(
      /1 person of this list was called or scheduled, or may have been, by an earlier try of this execution, with other order numbers$/,
    );
    expect(loaded()).toEqual([]);
    jsonOf(await runWith(campaign, others, { retryOf: first }));
    expect(loaded()).toEqual([P(1), P(3)]);
  });

  it('loads no order that was called, with another phone number', async () => {
    const first = await twoCalled();
    const moved = three.map(({ number }, index) => ({ phone: P(11 + index), number }));
    const { error } = await runWith(campaign, moved, { retryOf: first });
    expect(error?.message).toMatch(
      /2 orders of this list were called or scheduled, .* with other phone numbers$/,
    );
    expect(loaded()).toEqual([]);
  });

  it('fails when everybody was called', async () => {
    const first = await twoCalled();
    const { error } = await runWith(campaign, three.slice(0, 2), { retryOf: first });
    expect(error?.message).toMatch(
      /^2 people were called by an earlier try: .*\. Everybody on this list was called or scheduled/,
    );
    expect(world.service.seen.campaigns).toEqual([]);
  });

  it('loads whom a test call was for', async () => {
    refuse(9);
    const rules = { manualExecutions: 'testPhone', testPhone: P(9) };
    const first = await runWith({ ...call, rules }, three, { mode: 'manual' });
    expect(first.error).toBeDefined();
    jsonOf(await runWith(campaign, three, { retryOf: first }));
    expect(loaded()).toEqual([P(1), P(2), P(3)]);
  });

  it.each<[string, IDataObject]>([
    ['calls', call],
    ['schedules', schedule],
  ])('%s nobody who was loaded into a campaign, and names it', async (_, parameters) => {
    const first = await twoLoaded();
    const [one, two] = world.service.seen.campaigns.map(({ campaignId }) => campaignId);
    const retry = await runWith(parameters, three, { retryOf: first });
    const skipped = (campaignId?: number) => ({
      ...{ skipped: true, reason: 'earlierTry' },
      message: `Nobody was called: an earlier try of this execution has loaded this person into campaign ${campaignId}, or may have`,
    });
    expect(jsonOf(retry)).toMatchObject([skipped(one), skipped(two), { customerPhone: P(3) }]);
    expect(jsonOf(retry)[2]).not.toHaveProperty('skipped');
    expect(called()).toEqual(parameters === call ? [P(3)] : []);
  });

  it('calls nobody of a campaign whose start may have been accepted', async () => {
    const when = { when: 'after', route: 'controlCampaign' } as const;
    world.service.faults.add({ kind: 'status', status: 503, ...when });
    const first = await runWith(campaign, three);
    expect(first.error?.message).toMatch(/^Somebody may have been called/);
    await runWith(call, three, { retryOf: first });
    expect(called()).toEqual([]);
  });

  it('calls nobody of a list whose creation may have been accepted', async () => {
    const when = { when: 'after', route: 'createCampaign' } as const;
    world.service.faults.add({ kind: 'status', status: 503, ...when });
    const first = await runWith(campaign, three);
    expect(first.error).toBeDefined();
    const [item] = jsonOf(await runWith(call, three, { retryOf: first }));
    expect(item?.message).toContain('into a campaign, or may have');
    expect(called()).toEqual([]);
  });

  it.each([
    ['under another order number', three.map(({ phone }) => ({ phone, number: `${phone}-2` }))],
    ['another phone number', three.map(({ number }, index) => ({ phone: P(11 + index), number }))],
  ])('calls nobody of a campaign as others: %s', async (told, others) => {
    const first = await twoLoaded();
    const items = jsonOf(await runWith(call, others, { retryOf: first }));
    expect(items.map(({ reason }) => reason)).toEqual(['earlierTry', 'earlierTry', undefined]);
    expect(items[0]?.message).toContain(told);
  });

  it('calls about the other orders of somebody in a campaign, and once about that order', async () => {
    const first = await twoLoaded();
    const items = [...three.slice(0, 2), { phone: P(1), number: 'B1' }, three[0]] as IDataObject[];
    const keys = { rules: { duplicateKey: '={{ $json.phone }} {{ $itemIndex }}' } };
    const told = jsonOf(await runWith({ ...call, ...keys }, items, { retryOf: first }));
    expect(told.map(({ reason }) => reason)).toEqual([
      'earlierTry',
      'earlierTry',
      undefined,
      'earlierTry',
    ]);
    expect(world.service.seen.calls).toHaveLength(1);
  });

  it('rings the test phone for people in a campaign', async () => {
    const first = await twoLoaded();
    const rules = { manualExecutions: 'testPhone', testPhone: P(9) };
    await runWith({ ...call, rules }, three.slice(0, 1), { retryOf: first, mode: 'manual' });
    expect(called()).toEqual([P(9)]);
  });
});

it('loads into a campaign nobody whom the tool of an agent has called, and calls nobody in one', async () => {
  const agent = new AgentTool({
    parameters: {
      ...create,
      resource: '={{ $fromAI("resource") }}',
      operation: '={{ $fromAI("operation") }}',
      customerPhone: '={{ $fromAI("phone", "", "string", "") }}',
      contactsJson: '={{ $fromAI("contacts", "", "json", "[]") }}',
    },
    credential: credential(),
  });
  const call = { resource: 'call', operation: 'trigger' };
  await agent.prepare()({ ...call, phone: ANN });
  const list = { resource: 'campaign', operation: 'create', contacts: listOf(ANN, BO) };
  expect(answerOf(await agent.prepare()(list))).toMatchObject({
    skippedContacts: [{ row: 1, phone: ANN }],
  });
  expect(answerOf(await agent.prepare()({ ...call, phone: BO }))).toMatchObject({
    skipped: true,
    reason: 'earlierTry',
  });
  expect(calledNow()).toEqual([BO]);
});
