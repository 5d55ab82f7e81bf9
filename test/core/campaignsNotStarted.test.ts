import type { IDataObject } from 'n8n-workflow';
import { closedHours } from './closedHours';
import { execute, type ExecutionRequest } from './engine';
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

describe('a campaign that the service starts by itself', () => {
  const running = {
    ...{ success: true, action: 'create_campaign', campaign_id: 317, kind: 'list' },
    ...{ state: 'running', contact_count: 4, started: true },
  };

  it.each([
    ['while the hours are closed', closedHours()],
    ['while the hours are open', {}],
  ])('is not said to wait, and is not started again: %s', async (_, rules) => {
    world.service.faults.add({ kind: 'json', body: running, route: 'createCampaign' });
    const execution = await run({ ...create, rules }, { items });
    expect(hintsOf(execution)).toEqual([]);
    expect(execution.items).toHaveLength(1);
    expect(execution.items[0]?.json).toMatchObject({
      state: 'running',
      message: 'Created with 4 contacts and started: calling has begun.',
    });
    expect(execution.items[0]?.json).not.toHaveProperty('nextAllowedAt');
    expect(world.service.seen.received.map(({ route }) => route)).toEqual(['createCampaign']);
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
