import {
  DAYS,
  isTimezone,
  nextAllowedAt,
  readTimeOfDay,
  type CallingHours,
  type Day,
} from '../../nodes/OutboundAiCalling/rules/callingHours';

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
    ['24:00', 1440],
    ['9.15', 555],
  ])('%p is %p minutes after midnight', (text, minutes) => {
    expect(readTimeOfDay(text)).toBe(minutes);
  });
  it.each(['', '9', '25:00', '24:01', '12:60', 'noon', '9 am'])('%p is none', (text) => {
    expect(readTimeOfDay(text)).toBeUndefined();
  });
});

describe('a time zone', () => {
  it.each(['Asia/Kolkata', 'Europe/Berlin', 'UTC'])('%p is known', (name) => {
    expect(isTimezone(name)).toBe(true);
  });
  it.each(['', 'Mars/Olympus', 'IST?'])('%p is not', (name) => {
    expect(isTimezone(name)).toBe(false);
  });
});

describe('calling hours', () => {
  const office = hours('09:00', '18:00', workDays, 'Asia/Kolkata');

  it('allow a call within them at once, to the millisecond', () => {
    expect(nextIn('2026-05-04T04:00:12.345Z', office)).toBe('2026-05-04T04:00:12.345Z');
  });
  it('end before their end', () => {
    expect(nextIn('2026-05-04T12:29:59.999Z', office)).toBe('2026-05-04T12:29:59.999Z');
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
});
