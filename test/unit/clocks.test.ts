import { DateTime } from 'luxon';
import { dayAt, nextMorning } from '../../nodes/OutboundAiCalling/clocks';
import { fc, runs, seed } from '../generators';

const HOUR_MS = 3_600_000;
const inUtc = ({ start, end }: { start: number; end: number }) => [
  new Date(start).toISOString(),
  new Date(end).toISOString(),
];

describe('a day', () => {
  it.each([
    ['UTC', '2026-11-21T23:59:59.999Z', '2026-11-21T00:00:00.000Z', 24],
    ['Asia/Kolkata', '2026-11-21T18:29:59.999Z', '2026-11-20T18:30:00.000Z', 24],
    ['Asia/Kolkata', '2026-11-21T18:30:00.000Z', '2026-11-21T18:30:00.000Z', 24],
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00.000Z', 23],
    ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-24T22:00:00.000Z', 25],
    ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-24T22:00:00.000Z', 25],
    // Clocks show midnight twice.
    ['Atlantic/Azores', '2029-10-28T03:00:00Z', '2029-10-28T00:00:00.000Z', 25],
    // Clocks skip midnight.
    ['Africa/Cairo', '2026-04-24T08:00:00Z', '2026-04-23T22:00:00.000Z', 23],
    ['Pacific/Kiritimati', '2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z', 24],
  ])('in %s, that of %s begins at %s and has %d hours', (timezone, at, start, hours) => {
    const end = new Date(Date.parse(start) + hours * HOUR_MS).toISOString();
    expect(inUtc(dayAt(Date.parse(at), timezone))).toEqual([start, end]);
  });

  it(`begins and ends as Luxon says, in every time zone (seed ${seed})`, () => {
    const timezones = Intl.supportedValuesOf('timeZone');
    fc.assert(
      fc.property(
        fc.constantFrom(...timezones),
        fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) }),
        (timezone, at) => {
          const dateOf = (time: number) =>
            DateTime.fromMillis(time, { zone: timezone }).toISODate() ?? '';
          const { start, end } = dayAt(at, timezone);
          expect(start <= at && at < end).toBe(true);
          expect(dateOf(start)).toBe(dateOf(at));
          expect(dateOf(start - 1) < dateOf(at)).toBe(true);
          expect(dateOf(end) > dateOf(at)).toBe(true);
          expect(dateOf(end - 1)).toBe(dateOf(at));
        },
      ),
      { numRuns: runs(2_000, 10_000) },
    );
  });
});

describe('the next morning', () => {
  it.each([
    ['UTC', '2026-11-21T00:00:00Z', '2026-11-22T09:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-21T18:29:00Z', '2026-11-22T03:30:00.000Z'],
    ['Asia/Kolkata', '2026-11-21T18:30:00Z', '2026-11-23T03:30:00.000Z'],
    ['Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T07:00:00.000Z'],
  ])('in %s, that after %s is %s', (timezone, at, morning) => {
    expect(new Date(nextMorning(Date.parse(at), timezone)).toISOString()).toBe(morning);
  });
});
