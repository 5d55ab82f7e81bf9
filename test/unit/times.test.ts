import { DateTime } from 'luxon';
import { readTime } from '../../nodes/OutboundAiCalling/actions/times';
import { dayIn, isoIn, startOfDay } from '../../nodes/OutboundAiCalling/clocks';
import { fc, runs, seed } from '../generators';

const KOLKATA = 'Asia/Kolkata';
const at = (iso: string) => Date.parse(iso);
const ZONES = ['Asia/Kolkata', 'America/New_York', 'Europe/Berlin', 'Africa/Cairo', 'UTC'];

describe('a time that was given', () => {
  it.each<[unknown, string, string | null]>([
    ['2026-11-21', '2026-11-20T18:30:00Z', '2026-11-21'],
    ['2026-11-21T00:00:00', '2026-11-20T18:30:00Z', '2026-11-21'],
    ['2026-11-21T09:15', '2026-11-21T03:45:00Z', null],
    ['2026-11-21 09:15:30.5', '2026-11-21T03:45:30.500Z', null],
    ['2026-11-20T24:00', '2026-11-20T18:30:00Z', '2026-11-21'],
    ['2026-11-20T24:00:00+05:30', '2026-11-20T18:30:00Z', '2026-11-21'],
    ['2026-11-20T24:00Z', '2026-11-20T18:30:00Z', '2026-11-21'],
    // As {{ $today }} gives it, and {{ $today.toISO() }}.
    [DateTime.fromISO('2026-11-21', { zone: KOLKATA }), '2026-11-20T18:30:00Z', '2026-11-21'],
    ['2026-11-21T00:00:00.000+05:30', '2026-11-20T18:30:00Z', '2026-11-21'],
    ['2026-11-21T00:00:00.000+05:00', '2026-11-20T18:30:00Z', '2026-11-21'],
    // A time of day that is midnight on other clocks only.
    ['2026-11-20T13:30:00-05:00', '2026-11-20T18:30:00Z', null],
    [
      DateTime.fromISO('2026-11-20T13:30', { zone: 'America/New_York' }),
      '2026-11-20T18:30:00Z',
      null,
    ],
    // As date columns give a day.
    ['2026-11-21T00:00:00.000Z', '2026-11-20T18:30:00Z', '2026-11-21'],
    ['2026-11-21 00:00:00+00', '2026-11-20T18:30:00Z', '2026-11-21'],
    [at('2026-11-21T00:00:00Z'), '2026-11-20T18:30:00Z', '2026-11-21'],
    [new Date('2026-11-21T00:00:00Z'), '2026-11-20T18:30:00Z', '2026-11-21'],
    // As n8n gives days of a database when its process has the time zone.
    ['2026-11-20T18:30:00.000Z', '2026-11-20T18:30:00Z', '2026-11-21'],
    [new Date('2026-11-20T18:30:00Z'), '2026-11-20T18:30:00Z', '2026-11-21'],
    ['2026-11-21T05:30:00+05:30', '2026-11-21T00:00:00Z', null],
    ['2026-11-21T09:15Z', '2026-11-21T09:15:00Z', null],
    ['2026-11-21T09:15:00+0530', '2026-11-21T03:45:00Z', null],
    ['2026-11-21 09:15:00 +05', '2026-11-21T04:15:00Z', null],
    [at('2026-11-21T09:15:00Z'), '2026-11-21T09:15:00Z', null],
    [new Date('2026-11-21T09:15:00Z'), '2026-11-21T09:15:00Z', null],
    [DateTime.fromISO('2026-11-21T09:15:00Z'), '2026-11-21T09:15:00Z', null],
  ])('is read: %p', (value, iso, day) => {
    const read = readTime(value, KOLKATA);
    expect([read?.at, read?.day]).toEqual([at(iso), day ?? undefined]);
  });

  it('keeps the instant that was given when it counts as a day', () => {
    const midnight = '2026-11-21T00:00:00.000Z';
    expect(readTime(midnight, KOLKATA)).toMatchObject({ instant: at(midnight) });
    expect(readTime(at(midnight), KOLKATA)).toMatchObject({ instant: at(midnight) });
    const elsewhere = '2026-11-21T00:00:00+05:00';
    expect(readTime(elsewhere, KOLKATA)).toMatchObject({ instant: at(elsewhere) });
    expect(readTime('2026-11-21', KOLKATA)).not.toHaveProperty('instant');
    expect(readTime('2026-11-21T00:00', KOLKATA)).not.toHaveProperty('instant');
  });

  it.each(['Africa/Cairo', 'Asia/Beirut', 'America/Santiago', 'America/Havana'])(
    'is a day as {{ $today }} gives it where clocks skip midnight: %s',
    (zone) => {
      const change = [...Array(365).keys()]
        .map((day) => DateTime.fromISO('2027-01-01', { zone }).plus({ days: day }).startOf('day'))
        .find(({ hour }) => hour === 1);
      expect(change).toBeDefined();
      const day = change?.toISODate();
      const from = change?.toMillis();
      for (const value of [change, change?.toISO(), from]) {
        expect(readTime(value, zone)).toMatchObject({ at: from, day });
      }
      const later = change?.plus({ minutes: 1 });
      expect(readTime(later, zone)).toEqual({ at: later?.toMillis() });
      const elsewhere = change?.setZone('Asia/Kolkata');
      expect(readTime(elsewhere, zone)).toEqual({ at: from });
    },
  );

  it('in UTC is a day on the clock of the workflow only when a clock of the hours shows midnight', () => {
    const midnight = at('2026-11-20T18:30:00Z');
    const [day, time] = [{ day: '2026-11-21' }, { at: midnight }];
    expect(readTime(midnight, KOLKATA, [])).toMatchObject(day);
    expect(readTime(midnight, KOLKATA, ['America/New_York', KOLKATA])).toMatchObject(day);
    expect(readTime(midnight, KOLKATA, ['America/New_York'])).toEqual(time);
    // As {{ $today }} gives it: written so, it is a day on all clocks.
    const today = DateTime.fromMillis(midnight, { zone: KOLKATA });
    expect(readTime(today, KOLKATA, ['America/New_York'])).toMatchObject(day);
  });

  it.each<unknown>([
    ...[
      '',
      ' ',
      'yesterday',
      '21.11.2026',
      '11/21/2026',
      '2026-02-30',
      '2026-13-01',
      '2026-11-21T25:00',
      '2026-11-21T24:01',
    ],
    ...[
      '1999-12-31',
      '2101-01-02',
      '2026-11-21T09:15:00+99:99',
      1_763_716_500,
      0,
      -1,
      NaN,
      Infinity,
    ],
    ...[
      true,
      null,
      undefined,
      [],
      ['2026-11-21'],
      {},
      { toMillis: 1 },
      new Date(NaN),
      '2026',
      2026,
    ],
  ])('is refused: %p', (value) => {
    expect(readTime(value, KOLKATA)).toBeUndefined();
  });

  it(`is what another library makes of it (seed ${seed})`, () => {
    const time = fc.date({
      min: new Date('2001-01-01'),
      max: new Date('2099-12-30'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(time, fc.constantFrom(...ZONES), (date, zone) => {
        const onClock = DateTime.fromJSDate(date, { zone });
        const day = onClock.toFormat('yyyy-MM-dd');
        expect(dayIn(date.getTime(), zone)).toBe(day);
        expect(Date.parse(isoIn(date.getTime(), zone))).toBe(
          Math.floor(date.getTime() / 1000) * 1000,
        );
        const read = readTime(onClock.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS"), zone)?.at ?? NaN;
        expect(DateTime.fromMillis(read, { zone }).toFormat('yyyy-MM-dd HH:mm:ss.SSS')).toBe(
          onClock.toFormat('yyyy-MM-dd HH:mm:ss.SSS'),
        );
        expect(startOfDay(day, zone)).toBe(onClock.startOf('day').toMillis());
        expect(startOfDay(day, zone, 1)).toBe(
          onClock.startOf('day').plus({ days: 1 }).startOf('day').toMillis(),
        );
      }),
      { numRuns: runs(300, 5_000) },
    );
  });
});
