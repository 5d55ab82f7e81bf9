import {
  NodeHelpers,
  type IDataObject,
  type INodeExecutionData,
  type INodeParameters,
} from 'n8n-workflow';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node';
import { callingHours } from '../../nodes/OutboundAiCalling/rules/callingHours';
import { startCallingService, type CallingService } from '../service';
import { resetClock } from './clock';
import { execute, jsonOf } from './engine';
import { hintsOf } from './hints';

const setClock = (at: string) => jest.setSystemTime(new Date(at));

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService({ speed: 1000, channelPool: 100 });
});
afterEach(async () => {
  resetClock();
  await service.close();
});

const INDIA = '+919812345678';
const UNITED_STATES = '+12025550123';
/** A Monday; in New York it is 09:00, in Honolulu 04:00, in Kolkata 19:30. */
const MONDAY_14 = '2026-11-23T14:00:00Z';
/** In Kolkata 09:29:59. */
const BEFORE_0930_IN_INDIA = '2026-11-23T03:59:59Z';

const run = async (
  parameters: IDataObject,
  items: INodeExecutionData[] = [{ json: {} }],
  settings = {},
) =>
  await execute({
    parameters,
    items,
    settings,
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
  });
const hours = (more: IDataObject, outsideCallingHours = 'skip') => ({
  rules: {
    callingHours: { hours: { start: '09:00', end: '18:00', ...more } },
    outsideCallingHours,
  },
});
const call = async (phones: string[], rules: IDataObject) =>
  await run(
    {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      ...rules,
    },
    phones.map((phone) => ({ json: { phone } })),
  );

describe('calling hours of a call', () => {
  it('are those of the workflow unless another zone is chosen', async () => {
    setClock('2026-11-23T03:29:59Z');
    for (const timezone of [{}, { timezone: 'workflow' }, { timezone: "={{ 'workflow' }}" }]) {
      const [item] = jsonOf(await call([INDIA], hours(timezone)));
      expect(item).toMatchObject({ nextAllowedAt: '2026-11-23T09:00:00.000+05:30' });
    }
    const [item] = jsonOf(await call([INDIA], hours({ timezone: "={{ 'Europe/Berlin' }}" })));
    expect(item).toMatchObject({ nextAllowedAt: '2026-11-23T09:00:00.000+01:00' });
    expect(service.seen.received).toEqual([]);
  });

  it('must be there when the panel says what to do outside of them', async () => {
    const { error } = await call([INDIA], { rules: { outsideCallingHours: 'fail' } });
    expect(error?.message).toContain('Outside Calling Hours has no effect without Calling Hours');
    expect(error?.description).toContain('Add "Calling Hours" under "Rules", or remove it.');
    expect(service.seen.received).toEqual([]);
  });

  it('warn of a time zone that nobody has chosen, far from the clock of a customer', async () => {
    const hint = expect.stringContaining('The calling hours go by Asia/Kolkata');
    const told = async (phones: string[], set: IDataObject) =>
      hintsOf(await call(phones, hours(set))).filter((one) => one.includes('go by'));
    expect(await told([INDIA, UNITED_STATES, UNITED_STATES], {})).toEqual([hint]);
    expect(await told([INDIA, '+971501234567', '+88213300655'], {})).toEqual([]);
    expect(await told([UNITED_STATES], { timezone: 'Asia/Kolkata' })).toEqual([]);
    expect(await told([UNITED_STATES], { customersTimezone: true })).toEqual([]);
  });

  it('hold in every time zone of the country that the number belongs to', async () => {
    setClock(MONDAY_14);
    const set = hours({ timezone: 'Europe/London', customersTimezone: true });
    const items = jsonOf(await call([INDIA, UNITED_STATES, '+4930123456'], set));
    expect(items).toEqual([
      {
        skipped: true,
        reason: 'outsideCallingHours',
        customerPhone: INDIA,
        nextAllowedAt: '2026-11-24T09:00:00.000+05:30',
      },
      // 09:00 in Honolulu, and not yet 18:00 in Newfoundland: several clocks, so that of the hours.
      {
        skipped: true,
        reason: 'outsideCallingHours',
        customerPhone: UNITED_STATES,
        nextAllowedAt: '2026-11-23T19:00:00.000+00:00',
      },
      expect.objectContaining({ orderId: expect.any(Number) }),
    ]);
    expect([...service.seen.callsByPhone.keys()]).toEqual(['+4930123456']);

    setClock('2026-11-23T19:00:00Z');
    expect(jsonOf(await call([UNITED_STATES], set))[0]).toHaveProperty('orderId');
  });

  it('that never are in all time zones of the customer are told before anything is sent', async () => {
    setClock(MONDAY_14);
    const set = hours({ start: '09:00', end: '10:00', customersTimezone: true });
    const { error } = await call(['+4930123456', UNITED_STATES], set);
    expect(error?.message).toMatch(
      /^Nobody was called\. In item 1, \+12025550123: Calling Hours allow no call within the next eight days: the \d+ time zones are never within them at once$/,
    );
    expect(error?.description).toContain('switch off "Customer\'s Time Zone"');
    expect(service.seen.received).toEqual([]);
  });

  it('tell with Fail when calling is allowed next, by the clock of the customer', async () => {
    setClock(MONDAY_14);
    const set = hours({ timezone: 'Europe/London', customersTimezone: true }, 'fail');
    const { error } = await call([INDIA], set);
    expect(error?.message).toContain('Calling Hours do not allow a call now (time zone Asia/');
    expect(error?.description).toContain('2026-11-24T09:00:00.000+05:30');
    expect(service.seen.received).toEqual([]);
  });
});

describe('calling hours as they are when they are added', () => {
  const { description } = new OutboundAiCalling();
  const [field] = callingHours.fields;
  const usual = {
    start: '09:00',
    end: '18:00',
    days: ['mon', 'tue', 'wed', 'thu', 'fri'],
    timezone: 'workflow',
  };
  const resolved = (parameters: INodeParameters, isRun: boolean) =>
    NodeHelpers.getNodeParameters(
      description.properties,
      parameters,
      isRun,
      false,
      { typeVersion: 1 },
      description,
    );

  it.each([
    ['call', 'trigger'],
    ['campaign', 'create'],
    ['campaign', 'resume'],
  ])('are filled in, and stay so when they are saved: %s, %s', (resource, operation) => {
    expect(field?.default).toEqual({ hours: { ...usual, customersTimezone: false } });
    const rules = { callingHours: field?.default } as INodeParameters;
    const saved = resolved({ resource, operation, rules }, false);
    expect(saved?.rules).toHaveProperty('callingHours.hours');
    const run = resolved(saved ?? {}, true);
    expect(run?.rules).toEqual({
      callingHours: { hours: { ...usual, customersTimezone: false } },
    });
  });
});

describe('calling hours in a form that the panel does not write', () => {
  const given = { start: '10:00', end: '11:00' };

  it.each([[[given]], ['={{ ({ start: "10:00", end: "11:00" }) }}'], [{ from: '10:00' }], [{}]])(
    'are not taken for the usual ones: %j',
    async (wrong) => {
      setClock('2026-11-23T06:30:00Z');
      const rules = { callingHours: { hours: wrong } } as unknown as IDataObject;
      const { error } = await call([INDIA], { rules });
      expect(error?.message).toContain('Nobody was called. Calling Hours have no readable start');
      expect(service.seen.received).toEqual([]);
    },
  );
});

describe('calling hours of a campaign', () => {
  const create = (more: IDataObject, phones = [INDIA, '+919812345679', '+919812345670']) => ({
    resource: 'campaign',
    operation: 'create',
    scriptId: 7,
    campaignName: 'Orders',
    contactsSource: 'json',
    contactsJson: JSON.stringify(phones.map((customerPhone) => ({ customerPhone }))),
    startImmediately: true,
    ...more,
  });
  const routes = () =>
    service.seen.received.map(({ route, body }) =>
      route === 'controlCampaign' ? (body as IDataObject).action : route,
    );

  const controlTwo = async (action: string, rules: IDataObject) => {
    const ids: number[] = [];
    for (const phone of [INDIA, UNITED_STATES]) {
      const [created] = jsonOf(await run({ ...create({}, [phone]), startImmediately: false }));
      const campaignId = Number(created?.campaignId);
      ids.push(campaignId);
      if (action === 'start') continue;
      for (const before of ['start', 'pause']) await run(control(before, campaignId, {}));
    }
    const items = ids.map((id) => ({ json: { id } }));
    const execution = await run(control(action, '={{ $json.id }}', rules), items);
    return { items: jsonOf(execution), hints: hintsOf(execution) };
  };

  it('outside of them create and do not start, and say when to', async () => {
    setClock(BEFORE_0930_IN_INDIA);
    const [item] = jsonOf(await run(create(hours({ start: '09:30' }))));
    expect(item).toMatchObject({
      state: 'not_started',
      started: false,
      message:
        'Created with 3 contacts, but not started: it is outside the calling hours. Start it with Campaign > Start from 2026-11-23 09:30 (Asia/Kolkata) on.',
      nextAllowedAt: '2026-11-23T09:30:00.000+05:30',
    });
    expect(routes()).toEqual(['createCampaign']);

    const [raw] = jsonOf(await run({ ...create(hours({ start: '09:30' })), simplify: false }));
    expect(raw).toMatchObject({
      started: false,
      nextAllowedAt: '2026-11-23T09:30:00.000+05:30',
      message: item?.message,
    });
  });

  it('outside of them create nothing with Fail', async () => {
    setClock(BEFORE_0930_IN_INDIA);
    const { error } = await run(create(hours({ start: '09:30' }, 'fail')));
    expect(error?.message).toBe(
      'Nobody was called. Calling Hours do not allow a call now (time zone Asia/Kolkata)',
    );
    expect(error?.description).toContain('2026-11-23T09:30:00.000+05:30');
    expect(service.seen.received).toEqual([]);
  });

  it('within them start', async () => {
    setClock('2026-11-23T04:00:00Z');
    const [item] = jsonOf(await run(create(hours({ start: '09:30' }))));
    expect(item).toMatchObject({ started: true, state: 'running' });
    expect(item).not.toHaveProperty('nextAllowedAt');
  });

  it('are not asked by a list that is not started, whose mistakes are told all the same', async () => {
    setClock(BEFORE_0930_IN_INDIA);
    const unstarted = (rules: IDataObject) => ({ ...create(rules), startImmediately: false });
    const [item] = jsonOf(await run(unstarted(hours({ start: '09:30' }, 'fail'))));
    expect(item).toMatchObject({
      started: false,
      message: expect.stringMatching(
        /^Created with 3 contacts\. Nobody is called before you start it/,
      ),
    });
    const { error } = await run(unstarted(hours({ timezone: 'Mars/Olympus' })));
    expect(error?.message).toContain('Calling Hours have an unknown time zone: "Mars/Olympus"');
  });

  it('let no part start after closing time', async () => {
    setClock('2026-11-23T12:29:59Z');
    service.faults.add({
      kind: 'latency',
      ms: 1,
      match: ({ route }) => {
        if (route !== 'controlCampaign') return false;
        setClock('2026-11-23T12:30:00Z');
        return true;
      },
    });
    const items = jsonOf(await run(create({ ...hours({}), options: { contactsPerCampaign: 1 } })));
    expect(items.map(({ started }) => started)).toEqual([true, false, false]);
    expect(items.map(({ nextAllowedAt }) => nextAllowedAt)).toEqual([
      undefined,
      '2026-11-24T09:00:00.000+05:30',
      '2026-11-24T09:00:00.000+05:30',
    ]);
    expect(routes()).toEqual([...Array<string>(3).fill('createCampaign'), 'start']);
  });

  it.each(['create', 'start'])('are asked again after a wait: %s', async (operation) => {
    setClock('2026-11-23T12:29:59Z');
    const [created] = jsonOf(await run({ ...create({}), startImmediately: false }));
    const before = service.seen.received.length;
    service.faults.add({
      kind: 'rateLimit',
      retryAfter: 1,
      match: ({ route }) => {
        if (route !== 'controlCampaign') return false;
        setClock('2026-11-23T12:30:00Z');
        return true;
      },
    });
    const start = {
      resource: 'campaign',
      operation: 'start',
      campaignId: String(created?.campaignId),
    };
    const parameters = operation === 'create' ? create(hours({})) : { ...start, ...hours({}) };
    const [item] = jsonOf(await run(parameters));
    expect(item).toMatchObject({ nextAllowedAt: '2026-11-24T09:00:00.000+05:30' });
    expect(item).toMatchObject(operation === 'create' ? { started: false } : { skipped: true });
    expect(routes().slice(before)).toEqual(
      operation === 'create' ? ['createCampaign', 'start'] : ['start'],
    );
    expect(service.seen.campaigns.every(({ state }) => state === 'not_started')).toBe(true);
  });

  it('warn of a time zone that nobody has chosen, far from the clock of a contact', async () => {
    setClock('2026-11-23T04:00:00Z');
    const hint = expect.stringContaining('The calling hours go by Asia/Kolkata');
    expect(hintsOf(await run(create(hours({}), [INDIA, UNITED_STATES])))).toContainEqual(hint);
    expect(hintsOf(await run(create(hours({}))))).not.toContainEqual(hint);
  });

  it('hold in the time zones of all contacts', async () => {
    setClock('2026-11-23T04:00:00Z');
    const zones = { customersTimezone: true, end: '19:00' };
    const phones = [INDIA, '+971501234567'];
    const [item] = jsonOf(await run(create(hours(zones), phones)));
    expect(item).toMatchObject({ started: false, nextAllowedAt: '2026-11-23T10:30:00.000+05:30' });
    const { error } = await run(create(hours(zones), [INDIA, UNITED_STATES]));
    expect(error?.message).toContain('Calling Hours allow no call within the next eight days');
    expect(routes()).toEqual(['createCampaign']);
  });

  const control = (operation: string, campaignId: unknown, rules: IDataObject) =>
    ({ resource: 'campaign', operation, campaignId, ...rules }) as IDataObject;

  it.each(['start', 'resume'])('outside of them %s sends nothing', async (action) => {
    setClock(BEFORE_0930_IN_INDIA);
    const [item] = jsonOf(await run(control(action, '317', hours({ start: '09:30' }))));
    expect(item).toEqual({
      skipped: true,
      reason: 'outsideCallingHours',
      campaignId: 317,
      action,
      nextAllowedAt: '2026-11-23T09:30:00.000+05:30',
    });
    const { error } = await run(control(action, '317', hours({ start: '09:30' }, 'fail')));
    expect(error?.message).toContain('Calling Hours do not allow a call now');
    expect(service.seen.received).toEqual([]);
  });

  it('that skipped a start let the next execution start it', async () => {
    setClock(BEFORE_0930_IN_INDIA);
    const [created] = jsonOf(await run({ ...create({}), startImmediately: false }));
    const start = control('start', created?.campaignId, hours({ start: '09:30' }));
    expect(jsonOf(await run(start))[0]).toHaveProperty('skipped', true);
    setClock('2026-11-23T04:00:00Z');
    expect(jsonOf(await run(start))[0]).toMatchObject({ state: 'running' });
  });

  it.each(['start', 'resume'])('that hold at night are told by %s, once', async (action) => {
    setClock(MONDAY_14);
    const { items, hints } = await controlTwo(action, hours({ start: '09:00', end: '06:00' }));
    expect(items).toHaveLength(2);
    expect(hints).toEqual([expect.stringContaining('so people are called at night too')]);
    const usual = await controlTwo(action, hours({ start: '09:00', end: '20:00' }));
    expect(usual.hints).toEqual([]);
  });

  it('do not keep a campaign from being paused', async () => {
    setClock(MONDAY_14);
    const [created] = jsonOf(await run({ ...create({}), startImmediately: true }));
    const pause = control('pause', created?.campaignId, hours({ end: '10:00' }));
    expect(jsonOf(await run(pause))[0]).toMatchObject({ state: 'paused' });
  });

  it.each(['start', 'resume'])(
    'of its customers are refused by %s, which knows none',
    async (action) => {
      for (const customersTimezone of [true, 'true', 1]) {
        const { error } = await run(control(action, '317', hours({ customersTimezone })));
        expect(error?.message).toContain("Customer's Time Zone cannot be used here");
      }
      expect(service.seen.received).toEqual([]);
    },
  );

  it.each([
    [{ days: [] }, 'Calling Hours have no readable days'],
    [{ timezone: 'Mars/Olympus' }, 'Calling Hours have an unknown time zone: "Mars/Olympus"'],
    [{ timezone: ' Etc/GMT+5' }, 'have a time zone whose sign means the opposite: "Etc/GMT+5"'],
    [{ timezone: '' }, 'Calling Hours have no time zone'],
    [{ start: '25:00' }, 'Calling Hours have no readable start'],
    [{ customersTimezone: 'perhaps' }, "Customer's Time Zone is neither true nor false"],
  ])('that cannot be read are told before anything is sent: %j', async (set, message) => {
    for (const parameters of [create(hours(set)), control('start', '317', hours(set))]) {
      const { error } = await run(parameters);
      expect(error?.message).toMatch(/^Nobody was called\. /);
      expect(error?.message).toContain(message);
    }
    expect(service.seen.received).toEqual([]);
  });

  it.each([{}, { hours: null }, null, ''])(
    'that are added but not set start nothing: %j',
    async (added) => {
      const rules = { rules: { callingHours: added } } as unknown as IDataObject;
      for (const parameters of [create(rules), control('resume', '317', rules)]) {
        const { error } = await run(parameters);
        expect(error?.message).toMatch(/^Nobody was called\. .*Calling ?Hours/i);
      }
      expect(service.seen.received).toEqual([]);
    },
  );
});
