import { DateTime } from 'luxon';
import {
  DAYS,
  isAllowedAt,
  nextAllowedAt,
  readTimeOfDay,
  type CallingHours,
  type Day,
} from '../../nodes/OutboundAiCalling/rules/hours';
import { customersTimezones } from '../../nodes/OutboundAiCalling/rules/customersTimezones';
import { fc, runs } from '../generators';

/** Shares no factor with the quarters of an hour on which clocks change. */
const EVERY_MINUTES = runs(37, 7);

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
    'Pacific/Chatham',
    'America/Santiago',
    'Africa/Casablanca',
  ];
  const isOpenByLuxon = (local: DateTime, { start, end, days }: CallingHours) => {
    const minute = local.hour * 60 + local.minute;
    const isDay = (weekday: number) => days.has(DAYS[weekday % 7] as Day);
    if (start === end) return isDay(local.weekday);
    if (start < end) return minute >= start && minute < end && isDay(local.weekday);
    return minute >= start ? isDay(local.weekday) : minute < end && isDay(local.weekday + 6);
  };

  it.each(zones)('agree with luxon over the minutes of a year in %s', (timezone) => {
    const sets = [
      hours('09:00', '18:00', workDays, timezone),
      hours('22:30', '02:30', ['mon', 'sat', 'sun'], timezone),
      hours('01:15', '02:10', everyDay, timezone),
    ];
    const end = Date.UTC(2027, 0, 1);
    for (let at = Date.UTC(2026, 0, 1); at < end; at += 60_000 * EVERY_MINUTES) {
      const local = DateTime.fromMillis(at, { zone: timezone });
      for (const set of sets) {
        const isOpen = isOpenByLuxon(local, set);
        if (isAllowedAt(at, set) !== isOpen) {
          throw new Error(`${timezone} ${local.toISO()}: luxon says ${isOpen}`);
        }
      }
    }
  });

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
        const next = nextAllowedAt(at, set);
        let expected: number | undefined;
        for (let minute = 0; minute < 8 * 1440 && expected === undefined; minute++) {
          const floor = Math.floor(at / 60_000) * 60_000 + minute * 60_000;
          const local = DateTime.fromMillis(floor, { zone: set.timezone });
          if (isOpenByLuxon(local, set)) expected = minute === 0 ? at : floor;
        }
        expect(next).toBe(expected);
      }),
      { numRuns: runs(40, 400) },
    );
  });

  it('in every time zone of a country agree with luxon over a year, and on when they begin', () => {
    const phones = [
      '+12025550123',
      '+79161234567',
      '+61891621234',
      '+5511987654321',
      '+4930123456',
    ];
    const sets = [
      hours('09:00', '18:00', workDays, 'UTC'),
      hours('08:15', '21:45', everyDay, 'UTC'),
      hours('21:00', '13:00', ['mon', 'sat', 'sun'], 'UTC'),
      hours('09:00', '10:00', everyDay, 'UTC'),
    ];
    const cases = fc.record({
      phone: fc.constantFrom(...phones),
      set: fc.constantFrom(...sets),
      at: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
    });
    fc.assert(
      fc.property(cases, ({ phone, set, at }) => {
        const zones = customersTimezones(phone);
        const isOpen = (ms: number) =>
          zones.every((zone) => isOpenByLuxon(DateTime.fromMillis(ms, { zone }), set));
        expect(isAllowedAt(at, set, zones)).toBe(isOpen(at));
        const next = nextAllowedAt(at, set, zones);
        // Clocks change on quarters of an hour and the hours begin on them.
        const quarter = 15 * 60_000;
        let expected = isOpen(at) ? at : undefined;
        const first = (Math.floor(at / quarter) + 1) * quarter;
        for (let ms = first; expected === undefined && ms <= at + 8 * 86_400_000; ms += quarter) {
          if (isOpen(ms)) expected = ms;
        }
        expect(next).toBe(expected);
      }),
      { numRuns: runs(25, 500) },
    );
  });
});
