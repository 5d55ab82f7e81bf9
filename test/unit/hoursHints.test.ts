import type { HoursSetting } from '../../nodes/OutboundAiCalling/rules/hours';
import { hoursHints, zoneInNight } from '../../nodes/OutboundAiCalling/rules/hoursHints';

const PHONE = { ofIndia: '+919812345678', ofNoCountry: '+80012345678' };

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
    ['7:00 to 9:00', 7, 9, 'enter 19:00 and 21:00.'],
    ['7:00 to 11:00', 7, 11, 'enter hours between 08:00 and 21:00.'],
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
    ['21:00', '09:00', 21, 9],
    ['22:00', '08:00', 22, 8],
    ['22:00', '06:00', 22, 6],
    ['18:00', '06:00', 18, 6],
    ['15:00', '14:00', 15, 14],
    ['12:00', '12:00', 12, 12],
    ['13:00', '01:00', 13, 1],
    ['23:30', '00:15', 23.5, 0.25],
  ])(
    'comes from %s to %s of the next day: nobody writes the evening so',
    (from, to, start, end) => {
      expect(hoursHints(hoursFrom(start, end), [])).toEqual([
        `The calling hours begin at ${from} and end at ${to} of the next day, so people are called at night too. To call nobody at night, enter hours between 08:00 and 21:00.`,
      ]);
    },
  );

  it.each([
    ['00:00', '23:59', 24, 24 - 1 / 60],
    ['00:00', '18:00', 0, 18],
    ['00:00', '20:00', 24, 20],
    ['05:59', '20:00', 6 - 1 / 60, 20],
    ['04:00', '00:00', 4, 0],
    ['21:00', '23:00', 21, 23],
    ['22:00', '00:00', 22, 24],
  ])('comes from %s to %s of one day', (from, to, start, end) => {
    expect(hoursHints(hoursFrom(start, end), [])).toEqual([
      `The calling hours begin at ${from} and end at ${to}, so people are called at night too. To call nobody at night, enter hours between 08:00 and 21:00.`,
    ]);
  });

  it.each([
    ['end in the evening', 9, 18],
    ['begin in the morning', 8, 12],
    ['begin early and end in the evening', 6, 20],
    ['begin early and end after noon', 7, 12.5],
    ['begin early and end at noon', 7, 12],
    ['end late in the evening', 9, 23.5],
    ['begin in the evening and end at midnight', 20, 24],
    ['end at midnight', 9, 0],
    ['last the day', 0, 24],
    ['last from midnight to midnight', 0, 0],
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
