import { DateTime } from 'luxon';
import { tryToParseDateTime } from 'n8n-workflow';
import { onClockOf } from '../../nodes/OutboundAiCalling/clocks';
import {
  DAYS,
  isAllowedAt,
  nextAllowedAt,
  oneClockOf,
  parseHours,
  readDays,
  readTimeOfDay,
  readTimezone,
  type CallingHours,
  type Day,
} from '../../nodes/OutboundAiCalling/rules/hours';
import { fc, runs } from '../generators';

const hours = (start: string, end: string, days: Day[], timezone: string): CallingHours => ({
  start: readTimeOfDay(start) ?? NaN,
  end: readTimeOfDay(end) ?? NaN,
  days: new Set(days),
  timezone,
});
const everyDay = [...DAYS];
const workDays: Day[] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const isoOf = (at: number | undefined) => at && new Date(at).toISOString();
const nextIn = (from: string, when: CallingHours) => isoOf(nextAllowedAt(Date.parse(from), when));

describe('a time of day', () => {
  it.each([
    ['9:00', 540],
    ['09:00', 540],
    [' 21:30 ', 1290],
    ['09:00:00', 540],
    ['09:00:00.000', 540],
    ['24:00', 1440],
    ['9.15', 555],
    ['9.30', 570],
    ['0900', 540],
    ['2130', 1290],
    ['9', 540],
    ['17', 1020],
    [9, 540],
    [0, 0],
    [24, 1440],
  ])('%p is %p minutes after midnight', (value, minutes) => {
    expect(readTimeOfDay(value)).toBe(minutes);
  });
  it.each([
    '',
    ' ',
    '25:00',
    '24:01',
    '12:60',
    '09:00:30',
    'noon',
    '9 am',
    '9:5',
    '900',
    '25',
    '2500',
    '-9',
    '9,30',
    '2026-05-04T09:00:00Z',
    9.3,
    25,
    -1,
    900,
    NaN,
    null,
    undefined,
    true,
    new Date(),
    { hour: 9 },
    ['09:00'],
  ])('%p is none', (value) => {
    expect(readTimeOfDay(value)).toBeUndefined();
  });
});

describe('a time zone', () => {
  it.each([
    ['Asia/Kolkata', 'Asia/Kolkata'],
    [' Europe/Berlin ', 'Europe/Berlin'],
    ['asia/kolkata', 'asia/kolkata'],
    ['UTC', 'UTC'],
    ['GMT', 'GMT'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Etc/GMT-14', 'Etc/GMT-14'],
    ['Singapore', 'Singapore'],
    ['Iran', 'Iran'],
  ])('%p is known', (name, read) => {
    expect(readTimezone(name)).toBe(read);
  });
  it.each([
    '',
    ' ',
    'Mars/Olympus',
    'IST?',
    'Nowhere/X-01',
    '2024-01-01',
    '-99:99',
    '+05:30',
    '-0800',
    '+05',
    'UTC+2',
    // Three letters mean Dhaka, Anchorage, Cairo, Chicago, and New York without summer time.
    ...['BST', 'AST', 'ART', 'CST', 'EST', 'est5edt'],
    'GMT+5',
    5.5,
    null,
    undefined,
    {},
    ['UTC'],
  ])('%p is not', (name) => {
    expect(readTimezone(name)).toBeUndefined();
  });
});

describe('the days of calling hours', () => {
  it.each<[unknown, Day[]]>([
    [
      ['sat', 'sun'],
      ['sun', 'sat'],
    ],
    ['sat,sun', ['sun', 'sat']],
    ['Sat; Sun', ['sun', 'sat']],
    ['saturday sunday', ['sun', 'sat']],
    ['["sat", "Sunday"]', ['sun', 'sat']],
    [' [\n"sat",\n"sun"\n] ', ['sun', 'sat']],
    [
      ['Monday', ' TUES ', 'thurs.'],
      ['mon', 'tue', 'thu'],
    ],
    [['mon', 'mon'], ['mon']],
    [
      ['mon,tue', 'wed'],
      ['mon', 'tue', 'wed'],
    ],
    ['mon', ['mon']],
  ])('%j are %j', (value, days) => {
    expect([...(readDays(value) ?? [])].sort()).toEqual([...days].sort());
  });
  it.each([
    [[]],
    [''],
    ['[]'],
    [','],
    ['mon-fri'],
    ['weekdays'],
    ['s'],
    ['mo'],
    [['mon', 'someday']],
    [['mon', 1]],
    [['mon', null]],
    [1],
    [true],
    [null],
    [undefined],
    [{ sat: true }],
    ['[broken'],
    ['sat [sun]'],
    ['[sat] sun'],
    ['mon.day'],
    ['sundays'],
  ])('%j are refused', (value) => {
    expect(readDays(value)).toBeUndefined();
  });
});

describe('the setting of calling hours', () => {
  const usual = { start: 540, end: 1080, days: new Set(workDays), timezone: 'Asia/Kolkata' };

  it.each([{}, { timezone: 'workflow' }, { timezone: ' workflow ' }])(
    '%j is completed with the usual hours and the time zone of the workflow',
    (set) => {
      expect(parseHours(set, 'Asia/Kolkata')).toEqual({ hours: usual, isOfWorkflow: true });
    },
  );
  it('without a day on which to call, or with an empty time zone, is refused', () => {
    expect(parseHours({ days: [], timezone: '' }, 'Asia/Kolkata')).toEqual({
      mistakes: [
        { message: 'have no readable days', advice: expect.stringContaining('at least one day') },
        { message: 'have no time zone', advice: expect.stringContaining('from the list') },
      ],
    });
  });
  it('is read from everything that an expression writes clearly', () => {
    const set = { start: 8, end: '2030', days: 'Sat,Sun', timezone: 'Europe/Berlin' };
    expect(parseHours(set, 'UTC')).toEqual({
      hours: { start: 480, end: 1230, days: new Set(['sat', 'sun']), timezone: 'Europe/Berlin' },
      isOfWorkflow: false,
    });
  });
  it.each<[unknown, string]>([
    [{ start: '' }, 'start'],
    [{ start: null }, 'start'],
    [{ end: undefined }, 'end'],
    [{ end: 'noon' }, 'end'],
    [{ days: [] }, 'days'],
    [{ days: undefined }, 'days'],
    [{ days: 'mon-fri' }, 'days'],
    [{ timezone: 'Nowhere/X-01' }, 'Nowhere/X-01'],
    [{ timezone: 5 }, 'no time zone'],
    [{ timezone: ' ' }, 'no time zone'],
    [{ timezone: null }, 'no time zone'],
    ['09:00-18:00', 'set'],
    [null, 'set'],
    [[], 'set'],
    [true, 'set'],
  ])('%j is refused', (set, word) => {
    const reading = parseHours(set, 'UTC');
    expect(reading).toEqual({
      mistakes: [
        expect.objectContaining({
          message: expect.stringContaining(word),
          advice: expect.any(String),
        }),
      ],
    });
  });
  it('is refused when the timezone of the workflow is unknown', () => {
    expect(parseHours({}, 'Mars/Olympus')).toHaveProperty('mistakes');
  });
  it.each<[unknown, string, string]>([
    ['09:00-18:00', 'are not set', 'Set start, end and days, or remove the setting.'],
    [{ start: 'noon' }, 'have no readable start', 'Enter a time like 09:00.'],
    [{ end: 'noon' }, 'have no readable end', 'Enter a time like 09:00.'],
    [
      { days: 'mon-fri' },
      'have no readable days',
      'Choose at least one day, or give a list like sat,sun.',
    ],
    ...[
      [{ timezone: ' ' }, 'have no time zone'],
      [{ timezone: 5 }, 'have no time zone'],
      [{ timezone: ' Mars/Olympus ' }, 'have an unknown time zone: "Mars/Olympus"'],
      [{ timezone: 'x'.repeat(41) }, `have an unknown time zone: "${'x'.repeat(40)}"`],
      [{ timezone: 'Etc/GMT+5' }, 'have a time zone whose sign means the opposite: "Etc/GMT+5"'],
      [{ timezone: 'etc/gmt-5' }, 'have a time zone whose sign means the opposite: "etc/gmt-5"'],
    ].map(([set, message]): [unknown, string, string] => [
      set,
      String(message),
      'Choose one from the list, or give its name, e.g. Asia/Kolkata, or "workflow".',
    ]),
  ])('%j has a mistake that is told', (set, message, advice) => {
    expect(parseHours(set, 'UTC')).toEqual({ mistakes: [{ message, advice }] });
  });
  it('takes the clock of the workflow as it is, whatever its sign means', () => {
    expect(parseHours({}, 'Etc/GMT+5')).toMatchObject({ hours: { timezone: 'Etc/GMT+5' } });
  });
  it('tells all mistakes at once', () => {
    const reading = parseHours({ start: 'x', end: 'x', days: 'x', timezone: 'x' }, 'UTC');
    expect('mistakes' in reading && reading.mistakes).toHaveLength(4);
  });

  it('is read right or refused, whatever an expression gives', () => {
    const text = fc.oneof(
      fc.constantFrom('9', '09:00', '0900', '9.30', '', 'mon', 'Sat,Sun', 'UTC', '+05:30', '[]'),
      fc.string(),
    );
    const value = fc.oneof(
      text,
      fc.integer(),
      fc.double(),
      fc.anything({ withDate: true }),
      fc.array(text),
    );
    const set = fc.oneof(
      fc.record({ start: value, end: value, days: value, timezone: value }, { requiredKeys: [] }),
      fc.anything(),
    );
    fc.assert(
      fc.property(set, (given) => {
        const reading = parseHours(given, 'Europe/Berlin');
        if ('mistakes' in reading) {
          expect(reading.mistakes.length).toBeGreaterThan(0);
          return;
        }
        const { start, end, days, timezone } = reading.hours;
        expect(
          [start, end].every((time) => Number.isInteger(time) && time >= 0 && time <= 1440),
        ).toBe(true);
        expect(days.size).toBeGreaterThan(0);
        expect([...days].every((day) => DAYS.includes(day))).toBe(true);
        expect(() => new Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow();
        const from = Date.parse('2026-05-04T04:00:00Z');
        expect(nextAllowedAt(from, reading.hours)).toBeGreaterThanOrEqual(from);
      }),
      { numRuns: runs(1_000, 10_000) },
    );
  });
});

describe('calling hours', () => {
  const office = hours('09:00', '18:00', workDays, 'Asia/Kolkata');

  it('allow a call within them at once, to the millisecond', () => {
    expect(nextIn('2026-05-04T04:00:12.345Z', office)).toBe('2026-05-04T04:00:12.345Z');
  });
  it('end before their end', () => {
    expect(isAllowedAt(Date.parse('2026-05-04T12:29:59.999Z'), office)).toBe(true);
    expect(isAllowedAt(Date.parse('2026-05-04T12:30:00.000Z'), office)).toBe(false);
    expect(nextIn('2026-05-04T12:30:00.000Z', office)).toBe('2026-05-05T03:30:00.000Z');
  });
  it('go on after the weekend', () => {
    expect(nextIn('2026-05-08T15:00:00Z', office)).toBe('2026-05-11T03:30:00.000Z');
  });
  it('over midnight belong to the day on which they begin', () => {
    const night = hours('22:00', '02:00', ['fri'], 'Asia/Kolkata');
    expect(nextIn('2026-05-08T20:00:00Z', night)).toBe('2026-05-08T20:00:00.000Z');
    expect(nextIn('2026-05-08T20:30:00Z', night)).toBe('2026-05-15T16:30:00.000Z');
  });
  it('with equal start and end last the whole day', () => {
    const sunday = hours('00:00', '00:00', ['sun'], 'UTC');
    expect(nextIn('2026-05-09T23:00:00Z', sunday)).toBe('2026-05-10T00:00:00.000Z');
    expect(nextIn('2026-05-10T23:59:00Z', sunday)).toBe('2026-05-10T23:59:00.000Z');
  });
  it('with equal start and end by day last from midnight to midnight too', () => {
    const sunday = hours('12:00', '12:00', ['sun'], 'UTC');
    expect(nextIn('2026-05-09T23:00:00Z', sunday)).toBe('2026-05-10T00:00:00.000Z');
    expect(isAllowedAt(Date.parse('2026-05-10T23:59:59Z'), sunday)).toBe(true);
    expect(isAllowedAt(Date.parse('2026-05-11T00:00:00Z'), sunday)).toBe(false);
  });
  it.each([
    ['forward', '2026-03-28T12:00:00Z', '2026-03-29T07:00:00.000Z'],
    ['back', '2026-10-24T12:00:00Z', '2026-10-25T08:00:00.000Z'],
  ])('begin at nine by the clock on the day on which it is set %s', (_, from, next) => {
    expect(nextIn(from, hours('09:00', '18:00', ['sun'], 'Europe/Berlin'))).toBe(next);
  });
  it('on one day a week begin within a week, to the minute', () => {
    const monday = hours('09:00', '09:01', ['mon'], 'UTC');
    expect(nextIn('2026-05-04T09:00:59.999Z', monday)).toBe('2026-05-04T09:00:59.999Z');
    expect(nextIn('2026-05-04T09:01:00Z', monday)).toBe('2026-05-11T09:00:00.000Z');
    expect(nextIn('1969-12-29T09:01:00Z', monday)).toBe('1970-01-05T09:00:00.000Z');
  });
  it('are not looked for beyond eight days', () => {
    const sunday = hours('02:15', '02:45', ['sun'], 'Europe/Berlin');
    expect(nextIn('2026-03-23T12:00:00Z', sunday)).toBeUndefined();
  });
  it('that clocks skip begin when the clock has moved', () => {
    const early = hours('02:15', '02:45', everyDay, 'Europe/Berlin');
    const skipped = nextIn('2026-03-29T00:00:00Z', early);
    expect(skipped).toBe('2026-03-30T00:15:00.000Z');
  });
  it('begin at an instant at which they allow a call, and not before', () => {
    const time = fc.integer({ min: 0, max: 1440 });
    const sets = fc.record({
      start: time,
      end: time,
      days: fc.subarray(everyDay, { minLength: 1 }).map((days) => new Set(days)),
      timezone: fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'Pacific/Chatham', 'UTC'),
    });
    fc.assert(
      fc.property(sets, fc.integer({ min: 0, max: 4e12 }), (set, at) => {
        const next = nextAllowedAt(at, set);
        if (next === undefined) return;
        expect(isAllowedAt(next, set)).toBe(true);
        if (next === at) return;
        expect(isAllowedAt(at, set)).toBe(false);
        expect(isAllowedAt(next - 1, set)).toBe(false);
      }),
      { numRuns: runs(50, 1_000) },
    );
  });
});

describe('hours that must hold in several time zones', () => {
  const zones = ['America/New_York', 'America/Los_Angeles', 'Pacific/Honolulu'];
  const office = hours('09:00', '18:00', workDays, 'UTC');

  it.each([
    ['2026-11-23T18:59:59.999Z', false],
    ['2026-11-23T19:00:00.000Z', true],
    ['2026-11-23T22:59:59.999Z', true],
    ['2026-11-23T23:00:00.000Z', false],
  ])('allow a call from the last that opens to the first that closes: %s', (at, allowed) => {
    expect(isAllowedAt(Date.parse(at), office, zones)).toBe(allowed);
  });
  it('begin when the last of them begins', () => {
    const next = (from: string) => isoOf(nextAllowedAt(Date.parse(from), office, zones));
    expect(next('2026-11-23T14:00:00Z')).toBe('2026-11-23T19:00:00.000Z');
    expect(next('2026-11-27T23:00:00Z')).toBe('2026-11-30T19:00:00.000Z');
  });
  it('may never begin', () => {
    const early = hours('09:00', '10:00', everyDay, 'UTC');
    expect(nextAllowedAt(Date.parse('2026-11-23T14:00:00Z'), early, zones)).toBeUndefined();
  });
});

describe('the clocks of several time zones', () => {
  const at = Date.parse('2026-03-29T00:30:00Z');
  it.each([
    ['of Berlin and Rome', ['Europe/Berlin', 'Europe/Rome'], true],
    ['of one', ['Europe/Berlin'], true],
    ['of Berlin and London', ['Europe/Berlin', 'Europe/London'], false],
    ['of Berlin and Lagos before summer time', ['Europe/Berlin', 'Africa/Lagos'], true],
  ])('%s', (_, zones, isOne) => expect(oneClockOf(zones, at)).toBe(isOne ? zones[0] : undefined));
  it('differ from the instant at which one of them changes', () => {
    const change = Date.parse('2026-03-29T01:00:00Z');
    expect(oneClockOf(['Europe/Berlin', 'Africa/Lagos'], change)).toBeUndefined();
  });
});

describe('an instant on the clocks of a time zone', () => {
  it.each([
    ['Europe/Berlin', '2026-11-23T09:00:00.000+01:00'],
    ['Europe/Berlin', '2026-06-23T10:00:00.000+02:00'],
    ['Asia/Kolkata', '2026-11-23T13:30:00.000+05:30'],
    ['America/St_Johns', '2026-11-23T04:30:00.000-03:30'],
    ['UTC', '2026-11-23T08:00:00.000+00:00'],
    ['Pacific/Chatham', '2026-11-23T21:45:00.000+13:45'],
  ])('in %s carries its offset: %s', (timezone, text) => {
    expect(onClockOf(Date.parse(text), timezone)).toBe(text);
  });

  it("is read by n8n's Wait node as the same instant, wherever the workflow is", () => {
    const at = Date.parse('2026-11-23T08:00:00Z');
    const read = tryToParseDateTime(onClockOf(at, 'Europe/Berlin'), 'Asia/Kolkata');
    expect(read.toMillis()).toBe(at);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['America/St_Johns', '2026-03-08T05:30:00Z'],
    ['America/St_Johns', '2026-11-01T04:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['Pacific/Chatham', '2026-09-26T14:00:00Z'],
    ['Africa/Casablanca', '2026-02-15T02:00:00Z'],
  ])('is the same instant, in every minute around the change of clocks: %s, %s', (zone, change) => {
    const offsets = new Set<string>();
    for (let minute = -180; minute <= 180; minute++) {
      const at = Date.parse(change) + minute * 60_000 + 123;
      const text = onClockOf(at, zone);
      expect(Date.parse(text)).toBe(at);
      expect(text).toBe(DateTime.fromMillis(at, { zone }).toISO());
      offsets.add(text.slice(-6));
    }
    expect(offsets.size).toBe(2);
  });
});
