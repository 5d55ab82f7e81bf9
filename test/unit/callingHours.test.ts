import type { IDataObject } from 'n8n-workflow';
import {
  callingHours,
  clocksOfHours,
  hoursFor,
  hoursSettingOf,
  readHoursOfUnknownCustomers,
} from '../../nodes/OutboundAiCalling/rules/callingHours';
import type { HoursSetting } from '../../nodes/OutboundAiCalling/rules/hours';
import { callTo, executionWithHints, RuleSettings } from './ruleSettings';

const PHONE = { ofIndia: '+919812345678', ofGermany: '+4930123456', ofNoCountry: '+80012345678' };

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
