import fc from 'fast-check';
import { DateTime } from 'luxon';
import {
  DAYS,
  nextAllowedAt,
  readTimeOfDay,
  type CallingHours,
  type Day,
} from '../../nodes/OutboundAiCalling/care/callingHours';

jest.setTimeout(60_000);

const hours = (start: string, end: string, days: Day[], timezone: string): CallingHours => ({
  start: readTimeOfDay(start) ?? NaN,
  end: readTimeOfDay(end) ?? NaN,
  days: new Set(days),
  timezone,
});
const everyDay = [...DAYS];
const workDays: Day[] = ['mon', 'tue', 'wed', 'thu', 'fri'];

describe('calling hours', () => {
  const zones = [
    'Europe/Berlin',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Pacific/Chatham',
    'America/Sao_Paulo',
    'Africa/Casablanca',
    'Pacific/Apia',
  ];
  const isOpenByLuxon = (instant: DateTime, { start, end, days }: CallingHours) => {
    const minute = instant.hour * 60 + instant.minute;
    const day = (date: DateTime) => days.has(DAYS[date.weekday % 7] as Day);
    const yesterday = instant.minus({ days: 1 });
    if (start === end) return day(instant);
    if (start < end) return minute >= start && minute < end && day(instant);
    return minute >= start ? day(instant) : minute < end && day(yesterday);
  };

  it.each(zones)(
    'agree with luxon over every minute around the clock changes in %s',
    (timezone) => {
      const sets = [
        hours('09:00', '18:00', workDays, timezone),
        hours('22:30', '02:30', ['mon', 'sat', 'sun'], timezone),
        hours('01:15', '02:10', everyDay, timezone),
      ];
      const start = Date.UTC(2026, 0, 1);
      let offset = NaN;
      for (let quarter = 0; quarter < 366 * 96; quarter++) {
        const at = start + quarter * 900_000;
        const local = DateTime.fromMillis(at, { zone: timezone });
        const changes = local.offset !== offset;
        offset = local.offset;
        // Every quarter of the year, and every minute of the hours around a change of the clock.
        const minutes = changes ? Array.from({ length: 240 }, (_, index) => index - 120) : [0];
        for (const minute of minutes) {
          const instant = new Date(at + minute * 60_000);
          for (const set of sets) {
            const isOpen = isOpenByLuxon(DateTime.fromJSDate(instant, { zone: timezone }), set);
            if ((nextAllowedAtIfOpen(instant, set) === instant) !== isOpen) {
              throw new Error(`${timezone} ${instant.toISOString()}: luxon says ${isOpen}`);
            }
          }
        }
      }
    },
  );
  /** Asks only about the minute itself, for searching ahead a million times takes minutes. */
  const nextAllowedAtIfOpen = (instant: Date, set: CallingHours) => nextAllowedAt(instant, set, 1);

  it('give the first allowed minute, by luxon, after any instant', () => {
    const time = fc.integer({ min: 0, max: 1439 });
    const sets = fc.record({
      start: time,
      end: time,
      days: fc.subarray(everyDay, { minLength: 1 }).map((days) => new Set(days)),
      timezone: fc.constantFrom(...zones),
    });
    const instants = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
    fc.assert(
      fc.property(sets, instants, (set, at) => {
        const from = new Date(at);
        const next = nextAllowedAt(from, set);
        let expected: number | undefined;
        for (let minute = 0; minute < 8 * 1440 && expected === undefined; minute++) {
          const floor = Math.floor(at / 60_000) * 60_000 + minute * 60_000;
          const local = DateTime.fromMillis(floor, { zone: set.timezone });
          if (isOpenByLuxon(local, set)) expected = minute === 0 ? at : floor;
        }
        expect(next?.getTime()).toBe(expected);
      }),
      { numRuns: 40 },
    );
  });
});
