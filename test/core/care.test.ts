import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf } from './engine';

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService({ speed: 1000 });
});
afterEach(async () => await service.close());

const phoneOf = (index: number) => `+1202555${String(1000 + index)}`;
const items: INodeExecutionData[] = Array.from({ length: 20 }, (_, index) => ({
  json: { phone: phoneOf(index) },
}));
const call = async (chosen: IDataObject, settings = {}) =>
  await execute({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      ...rulesAndOptions(chosen),
    },
    items,
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    settings,
  });
const isFor = (index: number) => ({
  match: ({ body }: { body: unknown }) => (body as IDataObject).customerPhone === phoneOf(index),
});
const retries = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };

describe('Retry On Fail', () => {
  it('places the calls that were not placed, and no call twice', async () => {
    service.faults.add({ kind: 'status', status: 400, times: 1, ...isFor(7) });
    const output = jsonOf(await call({ concurrency: 3 }, retries));
    expect(output.map(({ customerPhone }) => customerPhone)).toEqual(
      items.map(({ json }) => json.phone),
    );
    expect(service.seen.calls).toHaveLength(20);
    expect(service.seen.callsByPhone.size).toBe(20);
  });

  it('does not dial again what may have been placed', async () => {
    service.faults.add({ kind: 'reset', when: 'after', times: 1, ...isFor(7) });
    const { error } = await call({ concurrency: 1 }, retries);
    expect(error?.message).toContain('the call may have been placed');
    expect(service.seen.callsByPhone.get(phoneOf(7))).toBe(1);
    expect(Math.max(...service.seen.callsByPhone.values())).toBe(1);
  });
});

describe('a retry that does not come to its items', () => {
  it.each([
    ['a mistake', { scriptId: 'none' }, 'test-key'],
    ['a credential without a key', {}, ''],
  ])('does not say that nobody was called by the try before: %s', async (_, changed, apiKey) => {
    service.faults.add({ kind: 'status', status: 400, times: 1, ...isFor(7) });
    const parameters = {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      options: { concurrency: 1 },
    };
    const credential = { baseUrl: service.baseUrl, apiKey: 'test-key' };
    const first = await execute({ parameters, items, credential });
    expect(first.error?.message).toMatch(/^7 people were called/);
    const retry = await execute({
      parameters: { ...parameters, ...changed },
      items,
      credential: { ...credential, apiKey },
      retryOf: first,
    });
    expect(retry.error?.message).toMatch(
      /^7 people were called by an earlier try: call IDs at the service \d/,
    );
    expect(service.seen.calls).toHaveLength(7);
  });
});

describe('a second retry of the same failed execution', () => {
  const request = () => ({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      options: { concurrency: 1 },
    },
    items,
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
  });

  it.each([
    ['after the first', false],
    ['while the first goes on', true],
  ])('calls nobody whom the first has called: %s', async (_, isTogether) => {
    service.faults.add({ kind: 'status', status: 400, times: 1, ...isFor(7) });
    const failed = await execute(request());
    expect(service.seen.calls).toHaveLength(7);
    const first = execute({ ...request(), retryOf: failed });
    if (!isTogether) await first;
    const [one, two] = await Promise.all([first, execute({ ...request(), retryOf: failed })]);
    expect(service.seen.callsByPhone.size).toBe(20);
    expect(service.seen.calls).toHaveLength(20);
    const ids = (execution: typeof one) => jsonOf(execution).map(({ orderId }) => orderId);
    expect(ids(two)).toEqual(ids(one));
  });

  it('is no retry of another execution of the same workflow', async () => {
    jsonOf(await execute(request()));
    jsonOf(await execute(request()));
    expect(service.seen.calls).toHaveLength(40);
  });
});

describe('a retry of what campaigns do that does not come to its items', () => {
  const credential = () => ({ baseUrl: service.baseUrl, apiKey: 'test-key' });
  const create = (more: IDataObject = {}) => ({
    resource: 'campaign',
    operation: 'create',
    scriptId: 7,
    contactsSource: 'json',
    contactsJson: JSON.stringify(
      [phoneOf(1), phoneOf(2)].map((customerPhone) => ({ customerPhone })),
    ),
    startImmediately: true,
    options: { contactsPerCampaign: 1 },
    ...more,
  });
  const control = (operation: string, more: IDataObject = {}) => ({
    resource: 'campaign',
    operation,
    campaignId: '={{ $json.id }}',
    ...more,
  });
  const made = async () => {
    const output = jsonOf(
      await execute({ parameters: create({ startImmediately: false }), credential: credential() }),
    );
    return output.map(({ campaignId }) => ({ json: { id: campaignId } }));
  };
  const STARTED = /^1 campaign was started by an earlier try: campaign IDs \d+\. /;
  const failSecondControl = () => {
    let left = 1;
    const match = () => left-- === 0;
    service.faults.add({ kind: 'status', status: 401, route: 'controlCampaign', match });
  };

  it.each([
    ['a mistake', { scriptId: 'none' }, 'test-key'],
    ['a credential without a key', {}, ''],
  ])('tells of campaigns that Create has started: %s', async (_, changed, apiKey) => {
    failSecondControl();
    const first = await execute({ parameters: create(), credential: credential() });
    expect(first.error?.message).toMatch(/^1 campaign was started/);
    const retry = { parameters: create(changed), credential: { ...credential(), apiKey } };
    const { error } = await execute({ ...retry, retryOf: first });
    expect(error?.message).toMatch(STARTED);
    const going = await execute({
      ...retry,
      retryOf: first,
      settings: { onError: 'continueRegularOutput' },
    });
    expect(jsonOf(going)).toEqual([{ error: expect.stringMatching(STARTED) }]);
  });

  it.each([
    ['a mistake', { campaignId: 'none' }, 'test-key'],
    ['a credential without a key', {}, ''],
  ])('tells of campaigns that Start has started: %s', async (_, changed, apiKey) => {
    const items = await made();
    failSecondControl();
    const first = await execute({ parameters: control('start'), items, credential: credential() });
    expect(first.error?.message).toMatch(/^1 campaign is calling people now/);
    const { error } = await execute({
      parameters: control('start', changed),
      credential: { ...credential(), apiKey },
      retryOf: first,
    });
    expect(error?.message).toMatch(STARTED);
  });

  it('tells of a start that may have been taken, and of none that was not asked for', async () => {
    service.faults.add({ kind: 'reset', when: 'after', route: 'controlCampaign' });
    const first = await execute({ parameters: create(), credential: credential() });
    expect(first.error?.message).toMatch(/^Somebody may have been called/);
    const broken = create({ scriptId: 'none' });
    const retry = await execute({ parameters: broken, credential: credential(), retryOf: first });
    expect(retry.error?.message).toMatch(/^Somebody may have been called by an earlier try\. /);

    service.faults.add({ kind: 'reset', when: 'after', route: 'createCampaign' });
    const parameters = create();
    const unmade = await execute({ parameters, credential: credential() });
    expect(unmade.error?.message).toMatch(/^Nobody was called\. .* may have been created/);
    const again = await execute({ parameters: broken, credential: credential(), retryOf: unmade });
    expect(again.error?.message).toMatch(/^Nobody was called\. /);
  });

  it('tells of campaigns that run when the retry is not to start them', async () => {
    failSecondControl();
    const first = await execute({ parameters: create(), credential: credential() });
    const output = jsonOf(
      await execute({
        parameters: create({ startImmediately: false }),
        credential: credential(),
        retryOf: first,
      }),
    );
    expect(output.map(({ state, started }) => [state, started])).toEqual([
      ['running', true],
      ['not_started', false],
    ]);
  });

  it('tells of calls to people who are no longer among its items', async () => {
    service.faults.add({ kind: 'status', status: 400, times: 2, ...isFor(7) });
    const parameters = {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      options: { concurrency: 1 },
    };
    const first = await execute({ parameters, items, credential: credential() });
    const retry = { parameters, items: items.slice(7, 8), credential: credential() };
    const { error } = await execute({ ...retry, retryOf: first });
    expect(error?.message).toMatch(
      /^7 people were called by an earlier try: call IDs at the service \d/,
    );
  });
});

describe('calling hours', () => {
  const around = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const hours = (start: number, end: number) => ({
    callingHours: { hours: { start: around(start), end: around(end), days, timezone: 'UTC' } },
  });

  it('let calls through while they last', async () => {
    expect(jsonOf(await call(hours(-2, 2)))[0]).toHaveProperty('orderId');
  });

  it('skip an item outside and say when calling is allowed next', async () => {
    const output = jsonOf(await call({ ...hours(2, 4), outsideCallingHours: 'skip' }));
    expect(output).toHaveLength(20);
    expect(output[0]).toEqual({
      skipped: true,
      reason: 'outsideCallingHours',
      customerPhone: phoneOf(0),
      nextAllowedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000\+00:00$/),
    });
    const waits = Date.parse(String(output[0]?.nextAllowedAt)) - Date.now();
    expect(waits).toBeGreaterThan(1.9 * 3_600_000);
    expect(waits).toBeLessThanOrEqual(2 * 3_600_000);
    expect(service.seen.received).toEqual([]);
  });

  it('fail before the first call when that is chosen', async () => {
    const { error } = await call({ ...hours(2, 4), outsideCallingHours: 'fail' });
    expect(error?.message).toContain('Calling Hours do not allow a call now');
    expect(service.seen.received).toEqual([]);
  });

  it.each([
    [{ start: '25:00' }, 'Calling Hours have no readable start'],
    [{ timezone: 'Mars/Olympus' }, 'Calling Hours have an unknown time zone'],
    [{ timezone: '' }, 'Calling Hours have no time zone'],
    [{ days: [] }, 'Calling Hours have no readable days'],
  ])('that cannot be read are told: %j', async (wrong, message) => {
    const { error } = await call({
      callingHours: { hours: { start: '09:00', end: '18:00', ...wrong } },
    });
    expect(error?.message).toContain(`Nobody was called. ${message}`);
    expect(service.seen.received).toEqual([]);
  });
});
