import type { IDataObject } from 'n8n-workflow';
import {
  callingHours,
  clocksOfHours,
  hoursFor,
  hoursHints,
  hoursSettingOf,
  readHoursOfUnknownCustomers,
  zoneInNight,
  type HoursSetting,
} from '../../nodes/OutboundAiCalling/rules/callingHours';
import { callTo, executionWithHints, RuleSettings } from './ruleSettings';

const PHONE = { ofIndia: '+919812345678', ofGermany: '+4930123456', ofNoCountry: '+80012345678' };

/** Hours by the clock of New York, which nobody has chosen. */
const hoursFrom = (start: number, end: number, more: Partial<HoursSetting> = {}): HoursSetting => ({
  hours: { start: start * 60, end: end * 60, days: new Set(['mon']), timezone: 'America/New_York' },
  ...{ isOfWorkflow: true, customersTimezone: false, outside: 'skip' },
  ...more,
});

describe('the hint that people are called at night', () => {
  it('names both times and the evening that was meant', () => {
    expect(hoursHints(hoursFrom(9, 6.5), [])).toEqual([
      'The calling hours begin at 09:00 and end at 06:30 of the next day, so people are called at night too. For the evening, enter 18:30.',
    ]);
  });

  it('comes also when they last a day from a time in the morning', () => {
    expect(hoursHints(hoursFrom(9, 9), [])).toEqual([
      expect.stringContaining('begin at 09:00 and end at 09:00 of the next day'),
    ]);
  });

  it.each([
    ['12:00 to 8:00', 12, 8, 'enter 20:00.'],
    ['13:00 to 6:00', 13, 6, 'enter 18:00.'],
    ['17:30 to 6:00', 17.5, 6, 'enter 18:00.'],
    ['1:00 to 6:00', 1, 6, 'enter 13:00 and 18:00.'],
    ['7:59 to 12:00', 7 + 59 / 60, 12, 'enter 19:59 and 00:00.'],
    ['0:00 to 5:00', 0, 5, 'enter 12:00 and 17:00.'],
  ])(
    'comes for %s, as somebody writes the evening by a clock of twelve hours',
    (_, start, end, meant) => {
      const [hint] = hoursHints(hoursFrom(start, end), []);
      expect(hint).toContain('at night');
      expect(hint).toContain(meant);
    },
  );

  it.each([
    ['end in the evening', 9, 18],
    ['begin in the evening', 22, 6],
    ['begin as late as they would end in the evening', 18, 6],
    ['begin in the morning', 8, 12],
    ['begin early and end in the evening', 6, 20],
    ['begin early and end after noon', 7, 12.5],
    ['last nearly a day', 15, 14],
    ['last the day', 0, 24],
    ['last from midnight to midnight', 0, 0],
    ['end at midnight', 9, 0],
  ])('does not come when the hours %s', (_, start, end) => {
    expect(hoursHints(hoursFrom(start, end), [])).toEqual([]);
  });
});

describe('the night in which a call may ring', () => {
  const NEW_YORK = 'America/New_York';
  it.each<[string, string, string, string, string | undefined]>([
    ['of the workflow near the customer', '+12025551000', NEW_YORK, '2026-11-28T02:00Z', NEW_YORK],
    ['of no far part of the country', '+12025551000', NEW_YORK, '2026-11-27T14:00Z', undefined],
    ['of the customer', PHONE.ofIndia, NEW_YORK, '2026-11-27T19:00Z', 'Asia/Calcutta'],
    ['of no customer', PHONE.ofIndia, NEW_YORK, '2026-11-28T03:30Z', undefined],
    ['of the workflow without a country', PHONE.ofNoCountry, 'UTC', '2026-11-27T21:00Z', 'UTC'],
    ['of no workflow', PHONE.ofNoCountry, 'UTC', '2026-11-27T20:59Z', undefined],
    ['of no workflow in the morning', PHONE.ofNoCountry, 'UTC', '2026-11-27T08:00Z', undefined],
    ['of early in the morning', PHONE.ofNoCountry, 'UTC', '2026-11-27T07:59Z', 'UTC'],
    // In New York it is noon, on the Aleutians seven.
    [
      'of a part of a far country',
      '+12025551000',
      'Asia/Tokyo',
      '2026-11-27T17:00Z',
      'America/Adak',
    ],
  ])('is that %s', (_, phone, timezone, at, expected) => {
    expect(zoneInNight(phone, timezone, Date.parse(at))).toBe(expected);
  });
});

describe('the hint that the clocks of customers are far from that of the hours', () => {
  const isTold = (customers: string[][], more: Partial<HoursSetting> = {}) =>
    hoursHints(hoursFrom(9, 18, more), customers).length === 1;

  beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') }));
  afterEach(() => void jest.useRealTimers());

  it('comes when one of them is far in all time zones of the country', () => {
    expect(isTold([['America/Chicago'], ['Europe/Berlin', 'Asia/Kolkata']])).toBe(true);
    expect(hoursHints(hoursFrom(9, 18), [['Asia/Kolkata']])).toEqual([
      'The calling hours go by America/New_York, the time zone of the workflow, and clocks of customers differ from it by more than three hours. Choose their time zone under "Calling Hours", or switch on "Customer\'s Time Zone".',
    ]);
  });

  it.each([
    ['nobody is called', []],
    ['the country is not known', [[]]],
    ['one of the time zones is near', [['America/Toronto', 'Asia/Kolkata']]],
    ['the clocks are three hours apart', [['America/Los_Angeles']]],
  ])('does not come when %s', (_, customers) => expect(isTold(customers)).toBe(false));

  it('goes by the time of the day, whatever the date', () => {
    const hours = { ...hoursFrom(9, 18).hours, timezone: 'Pacific/Honolulu' };
    expect(isTold([['Pacific/Kiritimati']], { hours })).toBe(false);
    expect(isTold([['Pacific/Auckland']], { hours })).toBe(false);
  });

  it('does not come when somebody has chosen the time zone, or that of the customer', () => {
    expect(isTold([['Asia/Kolkata']], { isOfWorkflow: false })).toBe(false);
    expect(isTold([['Asia/Kolkata']], { customersTimezone: true })).toBe(false);
  });
});

const hoursRule = (hours: IDataObject, more: IDataObject = {}) =>
  new RuleSettings({ callingHours: { hours }, ...more });

describe('the setting of calling hours', () => {
  it('is not there when nobody has added them', () => {
    const settings = new RuleSettings({});
    expect([hoursSettingOf(settings), settings.mistakes]).toEqual([undefined, []]);
    expect(clocksOfHours(settings, PHONE.ofIndia)).toEqual([]);
  });

  it('skips calls outside the hours by the clock of the workflow, unless somebody chose otherwise', () => {
    const usual = hoursSettingOf(hoursRule({}));
    expect(usual).toMatchObject({ isOfWorkflow: true, customersTimezone: false, outside: 'skip' });
    expect(usual?.hours.timezone).toBe('Asia/Kolkata');
    const hours = { timezone: 'Europe/Berlin', customersTimezone: true };
    const chosen = hoursSettingOf(hoursRule(hours, { outsideCallingHours: 'fail' }));
    expect(chosen).toMatchObject({
      ...{ isOfWorkflow: false, customersTimezone: true, outside: 'fail' },
    });
  });

  it.each<[RuleSettings, string[]]>([
    [
      new RuleSettings({ outsideCallingHours: 'fail' }),
      [
        'Outside Calling Hours',
        'has no effect without Calling Hours',
        'Add "Calling Hours" under "Rules", or remove it.',
      ],
    ],
    [
      hoursRule({ start: 'noon' }),
      ['Calling Hours', 'have no readable start', 'Enter a time like 09:00.'],
    ],
    [
      hoursRule({}, { outsideCallingHours: 'wait' }),
      ['Outside Calling Hours', 'is none of fail, skip'],
    ],
    [
      hoursRule({ customersTimezone: 'India' }),
      [
        "Customer's Time Zone",
        'is neither true nor false',
        'Switch "Customer\'s Time Zone" on or off.',
      ],
    ],
  ])('has a mistake that is told: %#', (settings, mistake) => {
    const setting = hoursSettingOf(settings);
    expect(settings.mistakes).toEqual([mistake]);
    expect(setting?.outside ?? 'skip').toBe('skip');
  });

  it('cannot go by the clocks of customers who are not known', () => {
    const settings = hoursRule({ customersTimezone: true });
    expect(readHoursOfUnknownCustomers(settings)?.customersTimezone).toBe(true);
    expect(settings.mistakes).toEqual([
      [
        "Customer's Time Zone",
        'cannot be used here: the node does not know the contacts of a campaign that exists',
        'Remove it, and choose the time zone of the contacts. Create knows them.',
      ],
    ]);
    for (const others of [new RuleSettings({}), hoursRule({})]) {
      readHoursOfUnknownCustomers(others);
      expect(others.mistakes).toEqual([]);
    }
  });

  it.each([
    ['the hours', {}, PHONE.ofGermany, ['Asia/Kolkata']],
    ['the customer', { customersTimezone: true }, PHONE.ofIndia, ['Asia/Calcutta']],
    ['the hours without a country', { customersTimezone: true }, PHONE.ofNoCountry, ['UTC'], 'UTC'],
    ['the workflow while they cannot be read', { start: '' }, PHONE.ofGermany, ['Asia/Kolkata']],
  ])('is asked by the clocks of %s', (_, hours, phone, clocks, timezone = 'workflow') => {
    expect(clocksOfHours(hoursRule({ timezone, ...hours }), phone)).toEqual(clocks);
  });
});

describe('calling hours that are asked', () => {
  /** A Monday, 08:30 in Berlin and 13:00 in Kolkata. */
  const MONDAY = Date.parse('2026-11-23T07:30:00Z');
  const GERMAN = ['Europe/Berlin', 'Europe/Busingen'];
  const AMERICAN = ['America/New_York', 'America/Los_Angeles', 'Pacific/Honolulu'];
  const setHours = (
    start: number,
    end: number,
    more: Partial<HoursSetting> = {},
  ): HoursSetting => ({
    hours: {
      ...{ start: start * 60, end: end * 60, timezone: 'Europe/Berlin' },
      days: new Set(['mon', 'tue', 'wed', 'thu', 'fri']),
    },
    ...{ isOfWorkflow: false, customersTimezone: false, outside: 'skip', ...more },
  });

  beforeEach(() => void jest.useFakeTimers({ now: MONDAY }));
  afterEach(() => void jest.useRealTimers());

  it('object until they begin, by the time of each question', () => {
    const settings = new RuleSettings({});
    const ask = hoursFor(setHours(9, 18), ['Asia/Kolkata'], settings);
    const nine = Date.parse('2026-11-23T08:00:00Z');
    expect(ask()).toEqual({
      ...{ reason: 'outsideCallingHours', nextAllowedAt: nine, timezone: 'Europe/Berlin' },
    });
    expect(ask(nine)).toBeUndefined();
    jest.setSystemTime(nine);
    expect(ask()).toBeUndefined();
    expect(settings.mistakes).toEqual([]);
  });

  it('tell the next time by the clock of the customers, when they all have the same', () => {
    const hours = { ...setHours(9, 18).hours, timezone: 'UTC' };
    const setting = setHours(9, 18, { hours, customersTimezone: true });
    const timezones = [GERMAN, AMERICAN, []].map(
      (customers) => hoursFor(setting, customers, new RuleSettings({}))()?.timezone,
    );
    expect(timezones).toEqual(['Europe/Berlin', 'UTC', 'UTC']);
  });

  it.each<[string, HoursSetting, string[], string, string]>([
    [
      'fail now',
      setHours(9, 18, { outside: 'fail' }),
      [],
      'do not allow a call now (time zone Europe/Berlin)',
      'The next allowed time is 2026-11-23T09:00:00.000+01:00.',
    ],
    [
      'fail now in several time zones',
      setHours(9, 18, { outside: 'fail', customersTimezone: true }),
      AMERICAN,
      'do not allow a call now (in all 3 time zones)',
      'The next allowed time is 2026-11-23T20:00:00.000+01:00.',
    ],
    [
      'never hold in several time zones at once',
      setHours(9, 10, { customersTimezone: true }),
      AMERICAN,
      'allow no call within the next eight days: the 3 time zones are never within them at once',
      'Set longer hours, or switch off "Customer\'s Time Zone".',
    ],
  ])('are refused before anybody is called when they %s', (_, setting, customers, why, advice) => {
    const settings = new RuleSettings({});
    const ask = hoursFor(setting, customers, settings);
    expect(settings.mistakes).toEqual([['Calling Hours', why, advice]]);
    expect(ask()?.timezone).toBe('Europe/Berlin');
    const isNever = ask()?.nextAllowedAt === undefined;
    expect(ask()?.words).toBe(isNever ? `the calling hours ${why}` : undefined);
    const due = Object.assign(new RuleSettings({}), { isDue: true });
    hoursFor(setting, customers, due);
    expect(due.mistakes).toEqual([]);
  });

  it('are refused when the clocks skip them on the only day of the next week', () => {
    jest.setSystemTime(Date.parse('2026-03-23T12:00:00Z'));
    const hours = {
      ...{ start: 135, end: 165, days: new Set(['sun'] as const), timezone: 'Europe/Berlin' },
    };
    const settings = new RuleSettings({});
    hoursFor(setHours(0, 0, { hours }), [], settings);
    expect(settings.mistakes).toEqual([
      ['Calling Hours', 'allow no call within the next eight days', 'Set longer hours.'],
    ]);
  });

  it('are asked for when the call is due: clocks may change until then', () => {
    // On 14 March clocks change in Newfoundland, not on Hawaii: they are 7.5 hours apart, not 6.5.
    jest.setSystemTime(Date.parse('2027-03-01T12:00:00Z'));
    const setting = setHours(9, 16, { customersTimezone: true });
    const zones = ['America/St_Johns', 'Pacific/Honolulu'];
    const mistakesOn = (day?: string) => {
      const settings = new RuleSettings({});
      const dueAt = day === undefined ? undefined : Date.parse(`${day}T12:00:00Z`);
      hoursFor(setting, zones, settings, dueAt);
      return settings.mistakes;
    };
    for (const day of [undefined, '2027-02-01', '2027-03-11']) expect(mistakesOn(day)).toEqual([]);
    expect(mistakesOn('2027-03-16')).toEqual([
      [
        'Calling Hours',
        'allow no call within eight days from 2027-03-16T13:00: the 2 time zones are never within them at once',
        'Set longer hours, or switch off "Customer\'s Time Zone".',
      ],
    ]);
  });

  it('are not refused while they allow a call, whatever is to be done outside them', () => {
    jest.setSystemTime(Date.parse('2026-11-23T12:00:00Z'));
    const settings = new RuleSettings({});
    expect(hoursFor(setHours(9, 18, { outside: 'fail' }), [], settings)()).toBeUndefined();
    expect(settings.mistakes).toEqual([]);
  });

  it('are a rule of each call, which warns once in an execution', async () => {
    const execution = executionWithHints();
    const openFor = async (settings: RuleSettings) =>
      await callingHours.read(settings, callTo(PHONE.ofGermany))?.(execution);
    const rules = [
      await openFor(hoursRule({ start: '8', end: '6' })),
      await openFor(hoursRule({ start: '8', end: '6' })),
      await openFor(hoursRule({ timezone: 'Europe/Berlin' })),
    ];
    const objections = await Promise.all(rules.map(async (rule) => await rule?.objection(false)));
    expect(objections.map((objection) => objection?.reason)).toEqual([
      ...[undefined, undefined, 'outsideCallingHours'],
    ]);
    expect(execution.hints).toEqual([
      expect.stringMatching(/^warning: .* go by Asia\/Kolkata, the time zone of the workflow/),
      expect.stringMatching(/^warning: .* people are called at night too/),
    ]);
    expect(await openFor(new RuleSettings({}))).toBeUndefined();
  });
});
