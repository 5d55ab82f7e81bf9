import type { CallingService } from '../../service';
import { Clock, contacts, control, create, endAll, outcome, start } from './client';

afterEach(endAll);

const EXHAUSTED = {
  status: 400,
  body: { success: false, message: 'Concurrency / pool exhausted' },
};
const stateOf = ({ seen }: CallingService) => seen.campaigns[0]?.state;

async function created(service: CallingService, body: object): Promise<unknown> {
  const { body: answer } = await create(service, { scriptId: 7, ...body });
  return answer.campaign_id;
}

describe('creating a campaign', () => {
  test('answers with the documented fields and dials nobody', async () => {
    const service = await start();
    const { status, body } = await create(service, {
      scriptId: 7,
      name: 'Monday',
      contacts: contacts(3),
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      action: 'create_campaign',
      kind: 'cod',
      campaign_id: expect.any(Number),
      name: 'Monday',
      state: 'not_started',
      contact_count: 3,
      started: false,
      message: expect.any(String),
    });
    expect(service.seen.calls).toEqual([]);
  });

  test('starts at once when asked to', async () => {
    const service = await start();
    const body = { scriptId: 7, contacts: contacts(3), startImmediately: true };
    expect((await create(service, body)).body).toMatchObject({ state: 'running', started: true });
    expect(service.seen.calls).toHaveLength(3);
  });

  test.each(['cod', 'list', 'ndr'])('takes the kind %s', async (kind) => {
    const service = await start();
    const body = { scriptId: 7, contacts: contacts(1), kind, campaignName: 'A' };
    expect((await create(service, body)).body).toMatchObject({ kind, name: 'A' });
  });

  test.each([
    ['customerPhone', [{ customerPhone: '+12025550101', orderNumber: '9' }]],
    ['phone_number and name', [{ phone_number: '+12025550101', name: 'A', orderNumber: '9' }]],
    ['phone', [{ phone: '+12025550101', orderNumber: '9' }]],
  ])('reads contacts keyed %s', async (_name, list) => {
    const service = await start();
    await created(service, { contacts: list, startImmediately: true });
    expect(service.seen.calls).toMatchObject([{ phone: '+12025550101', orderNumber: '9' }]);
  });

  test.each([
    ['phone_number', undefined],
    ['Mobile', 'Mobile'],
  ])('reads CSV with numbers in the column %s', async (header, phoneColumn) => {
    const service = await start();
    const csvText = `name,${header}\r\n"Lee, A",+12025550101\r\nB,+12025550102\r\n`;
    await created(service, { csvText, phoneColumn, startImmediately: true });
    expect(service.seen.calls).toMatchObject([
      { phone: '+12025550101', body: { name: 'Lee, A' } },
      { phone: '+12025550102' },
    ]);
  });

  test('takes script variables from the request and from the contacts', async () => {
    const service = await start();
    const body = {
      scriptId: 12,
      brand_name: 'Acme',
      csvText: 'phone_number,brand_name,order_amount\n+12025550101,,20\n+12025550102,Other,30',
      startImmediately: true,
    };
    expect((await create(service, body)).status).toBe(200);
    expect(service.seen.calls.map((call) => call.body.brand_name)).toEqual(['Acme', 'Other']);
  });

  test('takes 2,000 contacts', async () => {
    const service = await start();
    const { body } = await create(service, { scriptId: 7, contacts: contacts(2000) });
    expect(body.contact_count).toBe(2000);
  });
});

describe('dialling', () => {
  test('goes on as channels become free, until all contacts are attempted', async () => {
    const clock = new Clock();
    const service = await start({ clock: clock.now });
    await created(service, { contacts: contacts(5), maxConcurrency: 2, startImmediately: true });
    expect(service.seen.calls).toHaveLength(2);
    clock.pass(20);
    expect(service.seen.calls).toHaveLength(4);
    clock.pass(39);
    expect(service.seen.calls).toHaveLength(5);
    expect(stateOf(service)).toBe('running');
    clock.pass(1);
    expect(stateOf(service)).toBe('completed');
    expect(service.seen.calls.map(({ placedAt }) => (placedAt - 1_000_000) / 1000)).toEqual(
      [0, 0, 20, 20, 40].map((at) => Math.min(at, 40)),
    );
    expect((await outcome(service, 4005)).status).toBe(200);
  });

  test('keeps below the cap of the service, and takes 5 channels by default', async () => {
    const service = await start({ concurrencyCap: 8 });
    await created(service, { contacts: contacts(30), maxConcurrency: 500, startImmediately: true });
    expect(service.seen.calls).toHaveLength(8);
    await created(service, { contacts: contacts(30), startImmediately: true });
    expect(service.seen.calls).toHaveLength(8 + 5);
  });
});

describe('transitions', () => {
  test('start, pause and resume keep the progress, and no channel dials twice at once', async () => {
    const clock = new Clock();
    const service = await start({ clock: clock.now });
    const id = await created(service, { contacts: contacts(6), maxConcurrency: 2 });
    expect(await control(service, id, 'start')).toMatchObject({
      status: 200,
      body: { success: true, action: 'start_campaign', campaign_id: id, state: 'running' },
    });
    clock.pass(10);
    expect((await control(service, id, 'pause')).body).toMatchObject({
      action: 'pause_campaign',
      state: 'paused',
    });
    expect((await control(service, id, 'resume')).body).toMatchObject({
      action: 'resume_campaign',
      state: 'running',
    });
    expect(service.seen.calls).toHaveLength(2);
    await control(service, id, 'pause');
    clock.pass(1000);
    expect(service.seen.calls).toHaveLength(2);
    await control(service, id, 'resume');
    expect(service.seen.calls).toHaveLength(4);
  });

  test('stop is final', async () => {
    const clock = new Clock();
    const service = await start({ clock: clock.now });
    const id = await created(service, { contacts: contacts(9), startImmediately: true });
    expect((await control(service, id, 'stop')).body).toMatchObject({
      action: 'stop_campaign',
      state: 'stopped',
    });
    clock.pass(1000);
    expect(service.seen.calls).toHaveLength(5);
    expect((await outcome(service, 4001)).status).toBe(200);
  });

  const REACH: Record<string, string[]> = {
    not_started: [],
    running: ['start'],
    paused: ['start', 'pause'],
    stopped: ['start', 'stop'],
    completed: ['start'],
  };
  const VALID = ['not_started start', 'running pause', 'running stop', 'paused resume'];
  const invalid = Object.keys(REACH).flatMap((state) =>
    ['start', 'pause', 'resume', 'stop']
      .filter((action) => !VALID.includes(`${state} ${action}`))
      .map((action) => [action, state] as const),
  );
  test.each(invalid)('%s is refused when %s', async (action, state) => {
    const clock = new Clock();
    const service = await start({ clock: clock.now });
    const id = await created(service, { contacts: contacts(1) });
    for (const step of REACH[state] ?? []) await control(service, id, step);
    if (state === 'completed') clock.pass(1000);
    const { status, body } = await control(service, id, action);
    expect(status).toBe(400);
    expect(body.message).toContain(state);
    expect(stateOf(service)).toBe(state);
  });

  test.each(['explode', '', undefined, 'constructor'])(
    'the action %p is refused',
    async (action) => {
      const service = await start();
      const id = await created(service, { contacts: contacts(1) });
      expect((await control(service, id, action)).status).toBe(400);
    },
  );
});

describe('the channel pool', () => {
  const big = { contacts: contacts(50), maxConcurrency: 10 };

  test('a start fails while running campaigns use it up, and works once one is paused', async () => {
    const service = await start({ channelPool: 10 });
    const first = await created(service, { ...big, startImmediately: true });
    const second = await created(service, big);
    expect(await control(service, second, 'start')).toMatchObject(EXHAUSTED);
    await control(service, first, 'pause');
    expect((await control(service, second, 'start')).status).toBe(200);
    expect(await control(service, first, 'resume')).toMatchObject(EXHAUSTED);
  });

  test('a create that is to start at once fails as well, and nothing is created', async () => {
    const service = await start({ channelPool: 10 });
    await created(service, { ...big, startImmediately: true });
    expect(await create(service, { scriptId: 7, ...big, startImmediately: true })).toMatchObject(
      EXHAUSTED,
    );
    expect(service.seen.campaigns).toHaveLength(1);
  });

  test('is free again when a campaign completes', async () => {
    const clock = new Clock();
    const service = await start({ channelPool: 5, clock: clock.now });
    await created(service, { contacts: contacts(5), startImmediately: true });
    const second = await created(service, { contacts: contacts(5) });
    expect(await control(service, second, 'start')).toMatchObject(EXHAUSTED);
    clock.pass(20);
    expect((await control(service, second, 'start')).status).toBe(200);
  });

  test('gives a campaign no more than what is left', async () => {
    const service = await start({ channelPool: 12 });
    await created(service, { ...big, startImmediately: true });
    await created(service, { ...big, startImmediately: true });
    expect(service.seen.calls).toHaveLength(12);
  });
});
