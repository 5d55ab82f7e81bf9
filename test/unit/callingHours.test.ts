import { hoursHints, type HoursSetting } from '../../nodes/OutboundAiCalling/rules/callingHours';

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

  it.each([
    ['end in the evening', 9, 18],
    ['begin in the evening', 22, 6],
    ['begin at noon', 12, 6],
    ['end at midnight', 9, 0],
  ])('does not come when the hours %s', (_, start, end) => {
    expect(hoursHints(hoursFrom(start, end), [])).toEqual([]);
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
      expect.stringMatching(/^The calling hours go by America\/New_York, /),
    ]);
  });

  it.each([
    ['nobody is called', []],
    ['the country is not known', [[]]],
    ['one of the time zones is near', [['America/Toronto', 'America/Vancouver']]],
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
