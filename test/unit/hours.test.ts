import fc from 'fast-check';
import {
  DAYS,
  isAllowedAt,
  nextAllowedAt,
  readCallingHours,
  readDays,
  readTimeOfDay,
  readTimezone,
  type CallingHours,
  type Day,
} from '../../nodes/OutboundAiCalling/rules/hours';
import { runs } from '../generators';

jest.setTimeout(900_000);

const hours = (start: string, end: string, days: Day[], timezone: string): CallingHours => ({
  start: readTimeOfDay(start) ?? NaN,
  end: readTimeOfDay(end) ?? NaN,
  days: new Set(days),
  timezone,
});
const everyDay = [...DAYS];
const workDays: Day[] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const nextIn = (from: string, when: CallingHours) =>
  nextAllowedAt(new Date(from), when)?.toISOString();

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
    ['Etc/GMT-14', 'Etc/GMT-14'],
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
    ['sundays'],
  ])('%j are refused', (value) => {
    expect(readDays(value)).toBeUndefined();
  });
});

describe('the setting of calling hours', () => {
  const usual = { start: 540, end: 1080, days: new Set(workDays), timezone: 'Asia/Kolkata' };

  it('is completed with the usual hours and the timezone of the workflow', () => {
    expect(readCallingHours({}, 'Asia/Kolkata')).toEqual({ hours: usual });
    expect(readCallingHours({ timezone: '' }, 'Asia/Kolkata')).toEqual({ hours: usual });
  });
  it('is read from everything that an expression writes clearly', () => {
    const set = { start: 8, end: '2030', days: 'Sat,Sun', timezone: 'Europe/Berlin' };
    expect(readCallingHours(set, 'UTC')).toEqual({
      hours: { start: 480, end: 1230, days: new Set(['sat', 'sun']), timezone: 'Europe/Berlin' },
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
    [{ timezone: 5 }, 'timezone'],
    ['09:00-18:00', 'set'],
    [null, 'set'],
    [[], 'set'],
    [true, 'set'],
  ])('%j is refused', (set, word) => {
    const reading = readCallingHours(set, 'UTC');
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
    expect(readCallingHours({}, 'Mars/Olympus')).toHaveProperty('mistakes');
  });
  it('tells all mistakes at once', () => {
    const reading = readCallingHours({ start: 'x', end: 'x', days: 'x', timezone: 'x' }, 'UTC');
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
        const reading = readCallingHours(given, 'Europe/Berlin');
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
        const from = new Date('2026-05-04T04:00:00Z');
        expect(nextAllowedAt(from, reading.hours)).toBeInstanceOf(Date);
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
    expect(isAllowedAt(new Date('2026-05-04T12:29:59.999Z'), office)).toBe(true);
    expect(isAllowedAt(new Date('2026-05-04T12:30:00.000Z'), office)).toBe(false);
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
        const next = nextAllowedAt(new Date(at), set);
        if (next === undefined) return;
        expect(isAllowedAt(next, set)).toBe(true);
        if (next.getTime() === at) return;
        expect(isAllowedAt(new Date(at), set)).toBe(false);
        expect(isAllowedAt(new Date(next.getTime() - 1), set)).toBe(false);
      }),
      { numRuns: runs(50, 1_000) },
    );
  });
});
