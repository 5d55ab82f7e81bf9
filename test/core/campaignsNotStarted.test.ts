import type { IDataObject } from 'n8n-workflow';
import { resetClock } from './clock';
import { closedHours } from './closedHours';
import { AgentTool, execute, jsonOf, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });
const run = async (parameters: IDataObject, more: Partial<ExecutionRequest> = {}) =>
  await execute({ parameters, credential: world.credential(), ...more });
const items = Array.from({ length: 4 }, (_, index) => ({
  json: { phone: `+1202555100${index}` },
}));
const create: IDataObject = {
  ...{ resource: 'campaign', operation: 'create', scriptId: 7, kind: 'list' },
  ...{ contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}', startImmediately: true },
};

describe('a hint says which campaigns were not started', () => {
  it('outside the hours', async () => {
    const execution = await run({ ...create, rules: closedHours() }, { items });
    expect(hintsOf(execution)).toEqual([
      expect.stringMatching(
        /^1 of 1 campaigns not started: it is outside the calling hours\. Start /,
      ),
    ]);
  });

  it('when the service has no lines left, once for all of them', async () => {
    const body = { success: false, message: 'Concurrency / pool exhausted' };
    const refusal = { kind: 'status', status: 400, body, route: 'controlCampaign' } as const;
    world.service.faults.add({ ...refusal, times: 9 });
    const execution = await run({ ...create, options: { contactsPerCampaign: 2 } }, { items });
    const [hint, ...more] = hintsOf(execution);
    expect(hint).toMatch(/^2 of 2 campaigns not started: .*Then start it with Campaign > Start\.$/);
    expect(hint?.match(/Then start it/g)).toHaveLength(1);
    expect(more).toEqual([]);
  });

  it('when its start is skipped', async () => {
    const start = { resource: 'campaign', operation: 'start', campaignId: 7, rules: closedHours() };
    expect(hintsOf(await run(start, { items: [{ json: {} }] }))).toEqual([
      expect.stringMatching(/^1 of 1 not called: 1 outside calling hours \(next /),
    ]);
  });
});

const running = {
  ...{ success: true, action: 'create_campaign', campaign_id: 317, kind: 'list' },
  ...{ state: 'running', contact_count: 4, started: true },
};
const startsItself = (body: IDataObject = running, times = 1) =>
  world.service.faults.add({ kind: 'json', body, route: 'createCampaign', times });
const answersPause = (state?: string) => {
  const body = { success: true, action: 'pause_campaign', campaign_id: 317, state };
  world.service.faults.add({ kind: 'json', body, route: 'controlCampaign' });
};
const actions = () =>
  world.service.seen.received
    .filter(({ route }) => route === 'controlCampaign')
    .map(({ body }) => (body as IDataObject).action);
const isOff = { startImmediately: false };
const ITSELF = 'started by the calling service itself';

describe('a campaign that the service starts by itself', () => {
  it('is not said to wait, and is not started again', async () => {
    startsItself();
    const execution = await run(create, { items });
    expect(hintsOf(execution)).toEqual([]);
    expect(execution.items).toHaveLength(1);
    expect(execution.items[0]?.json).toMatchObject({
      state: 'running',
      message: 'Created with 4 contacts and started: calling has begun.',
    });
    expect(execution.items[0]?.json).not.toHaveProperty('nextAllowedAt');
    expect(world.service.seen.received.map(({ route }) => route)).toEqual(['createCampaign']);
  });

  it.each([
    ['while the hours are closed', { rules: closedHours() }, 'it is outside the calling hours'],
    ['when it was not to be started', isOff, 'Start Immediately is off'],
  ])('is paused %s, and a hint says so', async (_, more, why) => {
    startsItself();
    answersPause('paused');
    const execution = await run({ ...create, ...more }, { items });
    const next = 'rules' in more ? / from [-\d]+ [:\d]+ \(UTC\) on\.$/ : /> Resume\.$/;
    const [item] = jsonOf(execution);
    const told = `${ITSELF}, although ${why}. This node has paused it: resume it with Campaign > Resume`;
    expect(item).toMatchObject({ campaignId: 317, state: 'paused', started: true });
    expect(item?.message).toContain(`Created with 4 contacts, and ${told}`);
    expect(item?.message).toMatch(next);
    expect('nextAllowedAt' in (item ?? {})).toBe('rules' in more);
    expect(hintsOf(execution)).toEqual([expect.stringContaining(`1 of 1 campaigns was ${told}`)]);
    expect(actions()).toEqual(['pause']);
  });

  it.each<[string, IDataObject]>([
    ['raw', { state: 'paused', started: true }],
    ['selectedFields', { campaignId: 317, state: 'paused', started: true }],
  ])('says in its item that it was paused (%s)', async (output, shown) => {
    startsItself();
    answersPause('paused');
    const fields = { output, fields: ['campaignId'] };
    const [item] = jsonOf(await run({ ...create, ...isOff, ...fields }, { items }));
    expect(item).toMatchObject({ ...shown, message: expect.stringContaining('has paused it') });
  });

  it.each([
    ['completed', 'The campaign has ended (completed): nobody else is called.'],
    [undefined, 'look in its dashboard whether people are called.'],
  ])('is told with the state %s in which it is after the pause', async (state, told) => {
    startsItself();
    answersPause(state);
    const [item] = jsonOf(await run({ ...create, ...isOff }, { items }));
    expect(item?.state).toBe(state ?? 'unknown');
    expect(item?.message).toContain(told);
    expect(item?.message).not.toContain('Resume');
  });

  it('is told when it cannot be paused, with what to do', async () => {
    startsItself();
    world.service.faults.add({ kind: 'status', status: 401, route: 'controlCampaign' });
    const execution = await run({ ...create, ...isOff }, { items });
    const [hint] = hintsOf(execution);
    expect(hint).toMatch(
      /^1 of 1 campaigns was started by .* Start Immediately is off\. It could not be paused: .*\. Pause it with Campaign > Pause\.$/,
    );
    expect(jsonOf(execution)).toMatchObject([{ state: 'running', started: true }]);
  });

  it('is paused at once, before the next part of the list is loaded', async () => {
    startsItself({ ...running, contact_count: 2 });
    answersPause('paused');
    world.service.faults.add({
      ...{ kind: 'status', status: 401, route: 'createCampaign' },
      match: () => world.service.seen.requests.createCampaign > 1,
    });
    const more = { ...isOff, options: { contactsPerCampaign: 2 } };
    const { error } = await run({ ...create, ...more }, { items });
    expect(error?.message).toMatch(/^1 campaign was started\. /);
    expect(error?.description).toContain('1/2 is campaign 317 (paused)');
    expect(actions()).toEqual(['pause']);
  });

  it('may run again once an agent has resumed it', async () => {
    startsItself({ ...running, contact_count: 1 });
    answersPause('paused');
    const agent = new AgentTool({
      parameters: {
        ...{ ...create, ...lists, contactsJson: [{ phone: '+12025551000' }] },
        ...{ operation: '={{ $fromAI("operation") }}', campaignId: 317 },
      },
      credential: world.credential(),
    });
    const ask = async (operation: string) =>
      (JSON.parse(await agent.prepare()({ operation })) as IDataObject[])[0];
    expect((await ask('create'))?.message).toContain('has paused it');
    const body = { success: true, action: 'resume_campaign', campaign_id: 317, state: 'running' };
    world.service.faults.add({ kind: 'json', body, route: 'controlCampaign' });
    await ask('resume');
    expect(await ask('create')).toMatchObject({ state: 'unknown', started: null });
  });

  it('is not started by a retry, which says that it is paused', async () => {
    startsItself({ ...running, contact_count: 2 });
    answersPause('paused');
    world.service.faults.add({
      ...{ kind: 'status', status: 401, route: 'createCampaign' },
      match: () => world.service.seen.requests.createCampaign > 1,
    });
    const options = { contactsPerCampaign: 2 };
    const first = await run({ ...create, ...isOff, options }, { items });
    const retry = await run({ ...create, options }, { items, retryOf: first });
    expect(jsonOf(retry)).toMatchObject([
      {
        ...{ campaignId: 317, state: 'paused', started: true },
        message: `Created with 2 contacts, and ${ITSELF}. This node has paused it: resume it with Campaign > Resume.`,
      },
      { state: 'running', started: true },
    ]);
    expect(hintsOf(retry)).toContainEqual(expect.stringContaining('1 of 2 campaigns was started'));
    expect(actions()).toEqual(['pause', 'start']);
  });
});

describe('a campaign that the service may have started by itself', () => {
  const dialing = { ...running, state: 'dialing', started: undefined };
  const refusesPause = (message: string) => {
    const body = { success: false, message };
    world.service.faults.add({ kind: 'status', status: 400, body, route: 'controlCampaign' });
  };
  afterEach(resetClock);

  it.each([
    ['while the hours are closed', { rules: closedHours() }, 'it is outside the calling hours'],
    ['when it was not to be started', isOff, 'Start Immediately is off'],
  ])('is paused %s, and a warning says so', async (_, more, why) => {
    startsItself(dialing);
    answersPause('paused');
    const execution = await run({ ...create, ...more }, { items });
    const told = `perhaps ${ITSELF}, although ${why}. This node has paused it: resume it with Campaign > Resume`;
    const [item] = jsonOf(execution);
    expect(item).toMatchObject({ campaignId: 317, state: 'paused', started: null });
    expect(item?.message).toContain(`Created with 4 contacts, and ${told}`);
    expect('nextAllowedAt' in (item ?? {})).toBe('rules' in more);
    expect(hintsOf(execution)).toEqual([expect.stringContaining(`1 of 1 campaigns was ${told}`)]);
    expect(actions()).toEqual(['pause']);
  });

  it.each<IDataObject>([
    {},
    { message: 'Campaign created and is running' },
    { campaign_state: 'running' },
    { status: { name: 'running' } },
    { state: 2 },
  ])('is paused when the answer does not say that it was not started: %j', async (said) => {
    startsItself({ success: true, campaign_id: 317, ...said });
    answersPause('paused');
    const execution = await run({ ...create, ...isOff }, { items });
    expect(jsonOf(execution)).toMatchObject([{ state: 'paused', started: null }]);
    expect(hintsOf(execution)).toEqual([
      expect.stringContaining(`1 of 1 campaigns was perhaps ${ITSELF}, although Start`),
    ]);
    expect(actions()).toEqual(['pause']);
  });

  it('is started, and not paused, when it is to call people now', async () => {
    startsItself(dialing);
    const body = { success: true, action: 'start_campaign', campaign_id: 317, state: 'running' };
    world.service.faults.add({ kind: 'json', body, route: 'controlCampaign' });
    const execution = await run(create, { items });
    expect(jsonOf(execution)).toMatchObject([{ state: 'running', started: true }]);
    expect(hintsOf(execution)).toEqual([]);
    expect(actions()).toEqual(['start']);
  });

  it.each([
    [isOff, []],
    [{ rules: closedHours() }, [expect.stringMatching(/^1 of 1 campaigns not started: it is out/)]],
  ])('is a draft when the pause says that it was not started (%j)', async (more, hints) => {
    startsItself(dialing);
    refusesPause('Campaign is not started');
    const execution = await run({ ...create, ...more }, { items });
    expect(jsonOf(execution)).toMatchObject([{ state: 'not_started', started: false }]);
    expect(hintsOf(execution)).toEqual(hints);
    expect(actions()).toEqual(['pause']);
  });

  it.each([{ state: 'dialing' }, { action: 'resume_campaign' }])(
    'is told when the answer to the pause contradicts it: %j',
    async (said) => {
      startsItself(dialing);
      const body = { success: true, ...said };
      world.service.faults.add({ kind: 'json', body, route: 'controlCampaign' });
      const [hint] = hintsOf(await run({ ...create, ...isOff }, { items }));
      expect(hint).toMatch(/It could not be paused: .* accepted the request to pause .*, but /);
    },
  );

  it('is told when it cannot be paused, and fails nothing', async () => {
    startsItself(dialing);
    refusesPause('There is nothing to pause');
    const execution = await run({ ...create, ...isOff }, { items });
    expect(jsonOf(execution)).toMatchObject([{ state: 'dialing', started: null }]);
    expect(hintsOf(execution)).toEqual([
      expect.stringMatching(/^1 of 1 campaigns was perhaps .*It could not be paused: .*nothing to/),
    ]);
  });

  it('is told by a retry when it could not be paused', async () => {
    startsItself({ ...dialing, contact_count: 2 });
    refusesPause('There is nothing to pause');
    const options = { contactsPerCampaign: 2 };
    world.service.faults.add({
      ...{ kind: 'status', status: 401, route: 'createCampaign' },
      match: () => world.service.seen.requests.createCampaign > 1,
    });
    const first = await run({ ...create, ...isOff, options }, { items });
    expect(first.error?.message).toMatch(/^Somebody may have been called\./);
    expect(first.error?.description).toContain('1/2 is campaign 317 (it may be running)');
    const retry = await run({ ...create, ...isOff, options }, { items, retryOf: first });
    expect(retry.error).toBeUndefined();
    expect(jsonOf(retry)).toMatchObject([
      { campaignId: 317, state: 'dialing', started: null },
      { state: 'not_started', started: false },
    ]);
    expect(hintsOf(retry)).toEqual([
      expect.stringMatching(/^1 of 2 campaigns was perhaps .* Pause it with Campaign > Pause\.$/),
    ]);
  });

  it('is paused when the hours end before its turn to be started comes', async () => {
    const rules = closedHours();
    jest.setSystemTime(Date.now() + 2.5 * 3_600_000);
    startsItself({ ...dialing, contact_count: 2 });
    answersPause('paused');
    world.service.faults.add({
      ...{ kind: 'json', route: 'createCampaign' },
      body: {
        ...running,
        campaign_id: 318,
        contact_count: 2,
        state: 'not_started',
        started: false,
      },
      match: () => {
        const isSecond = world.service.seen.requests.createCampaign > 1;
        if (isSecond) jest.setSystemTime(Date.now() + 12 * 3_600_000);
        return isSecond;
      },
    });
    const options = { contactsPerCampaign: 2 };
    const execution = await run({ ...create, rules, options }, { items });
    expect(jsonOf(execution)).toMatchObject([
      { campaignId: 317, state: 'paused', started: null, nextAllowedAt: expect.any(String) },
      { campaignId: 318, state: 'not_started', started: false },
    ]);
    expect(hintsOf(execution)).toEqual([
      expect.stringMatching(/^1 of 2 campaigns not started: /),
      expect.stringMatching(/^1 of 2 campaigns was perhaps .* This node has paused it/),
    ]);
    expect(actions()).toEqual(['pause']);
  });

  it('is paused before it is told that it has fewer people than asked for', async () => {
    for (const state of [running, dialing]) {
      startsItself({ ...state, contact_count: 3 });
      answersPause('paused');
      const { error } = await run({ ...create, ...isOff }, { items });
      expect(error?.message).toBe(
        'Somebody may have been called. Campaign 317 was created with 3 of 4 contacts',
      );
      expect(error?.description).toContain('Its state is paused.');
    }
    expect(actions()).toEqual(['pause', 'pause']);
  });
});

const lists = { contactsSource: 'json', startImmediately: false };
const one = (phone: string) => ({ contactsJson: `={{ [{ phone: ${phone} }] }}`, ...lists });
it.each<[string, IDataObject, Partial<ExecutionRequest>]>([
  ['parts of a list', { options: { contactsPerCampaign: 2 } }, {}],
  ['lists', one('$json.phone'), { items: items.slice(0, 2) }],
  ['rounds of a loop', one('"+1202555100" + $runIndex'), { rounds: 2, items: items.slice(0, 1) }],
])('starts no campaign when the service gives two %s the same one', async (_, more, request) => {
  const same = {
    ...{ success: true, action: 'create_campaign', campaign_id: 317, kind: 'list' },
    ...{ state: 'not_started', started: false },
  };
  world.service.faults.add({ kind: 'json', body: same, route: 'createCampaign', times: 2 });
  const { error } = await run({ ...create, ...more }, { items, ...request });
  expect(error?.message).toBe(
    'Nobody was called. The calling service answered about campaign 317 again, which has other people: the campaign may have been created',
  );
  expect(world.service.seen.received.map(({ route }) => route)).toEqual([
    'createCampaign',
    'createCampaign',
  ]);
});

it.each([
  [false, 'Nobody was called.', 'It was not started.'],
  [true, 'Somebody may have been called.', 'It may be running.'],
])(
  'says of a campaign with fewer people than asked for whether it may run: %j',
  async (started, begins, state) => {
    const body = { success: true, campaign_id: 317, contact_count: 3, started };
    world.service.faults.add({ kind: 'json', body, route: 'createCampaign' });
    const { error } = await run(create, { items });
    expect(error?.message).toBe(`${begins} Campaign 317 was created with 3 of 4 contacts`);
    expect(error?.description).toContain(state);
  },
);

describe('a retry, after a person has started the first of two campaigns', () => {
  const parts = { ...create, options: { contactsPerCampaign: 2 } };
  const retry = async (...then: string[]) => {
    const isSecond = () => world.service.seen.requests.createCampaign > 1;
    const refusal = { kind: 'status', status: 401, route: 'createCampaign' } as const;
    world.service.faults.add({ ...refusal, times: 9, match: isSecond });
    const retryOf = await run(parts, { items });
    world.service.faults.clear();
    const [first] = world.service.seen.campaigns;
    for (const operation of ['start', ...then]) {
      await run({ resource: 'campaign', operation, campaignId: first?.campaignId });
    }
    return await run(parts, { items, mode: 'retry', retryOf });
  };

  it('starts the other one', async () => {
    const execution = await retry();
    const started = { state: 'running', started: true };
    expect(jsonOf(execution)).toMatchObject([started, started]);
    expect(hintsOf(execution)).toEqual([]);
  });

  it.each([
    ['pause', 'paused'],
    ['stop', 'stopped'],
  ])('says what the service says of it after %s', async (operation, state) => {
    const execution = await retry(operation);
    const [first, second] = jsonOf(execution);
    expect(first).toMatchObject({ state, started: null });
    expect(first?.message).toMatch(/^Created with 2 contacts, and not started now: /);
    expect(first?.message).not.toContain('Then start it');
    expect(second).toMatchObject({ state: 'running', started: true });
  });
});
