import { DAY_MS, dayIn, instantOf, startOfDay } from '../clocks';

/** Only times from 2000 to 2100 are accepted. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2101, 0, 1);

/** A time that a person or an expression gave. */
interface GivenTime {
  /** Milliseconds since 1970; for a day, its beginning. */
  at: number;
  /** The day, as `YYYY-MM-DD`, when no time of day or midnight was given. */
  day?: string;
  /** The instant that may be meant instead of the day, when an instant was given. */
  instant?: number;
}

const inRange = (at: number): boolean => at >= EARLIEST && at < LATEST;

/** A day, a time of day, and its offset. */
const WRITTEN =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:\s?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

/** The offset of an instant in UTC, as databases and calendars give it. */
const IN_UTC = /^(?:Z|[+-]00(?::?00)?)$/i;

/** Clocks by which times are read, as IANA names of time zones. */
interface Clocks {
  /** For times without an offset. */
  timezone: string;
  /** Those in which people are called; empty when nothing says so. */
  callingZones: readonly string[];
}

/** The day (`YYYY-MM-DD`) that an instant begins, here or in UTC; none where people are called by other clocks. */
function dayBegunAt(at: number, { timezone, callingZones }: Clocks): string | undefined {
  const isMidnight = (zone: string) => startOfDay(dayIn(at, zone), zone) === at;
  const beginsDay =
    isMidnight(timezone) && (callingZones.length === 0 || callingZones.some(isMidnight));
  if (beginsDay) return dayIn(at, timezone);
  return at % DAY_MS === 0 ? new Date(at).toISOString().slice(0, 10) : undefined;
}

function givenTime(at: number, day: string | undefined, { timezone }: Clocks): GivenTime {
  return day === undefined ? { at } : { at: startOfDay(day, timezone), day, instant: at };
}

function readText(text: string, clocks: Clocks): GivenTime | undefined {
  const [, day = '', clock = '00:00', offset] = WRITTEN.exec(text) ?? [];
  const onClock = isDay(day) ? Date.parse(`${day}T${clock}Z`) : NaN;
  if (Number.isNaN(onClock)) return undefined;
  // The day that midnight begins: 24:00 is that of the next day.
  const begun = onClock % DAY_MS === 0 ? new Date(onClock).toISOString().slice(0, 10) : undefined;
  if (offset === undefined) return { at: instantOf(onClock, clocks.timezone), day: begun };
  // `+0530` becomes `+05:30`, and `+05` becomes `+05:00`.
  const [, hours, minutes = '00'] = /^(.\d\d):?(\d\d)?$/.exec(offset) ?? [];
  const iso = hours === undefined ? offset : `${hours}:${minutes}`;
  const at = Date.parse(`${day}T${clock}${iso}`);
  if (Number.isNaN(at)) return undefined;
  if (IN_UTC.test(offset)) return givenTime(at, dayBegunAt(at, clocks), clocks);
  // Where clocks skip midnight, they show a later time when a day begins.
  const { timezone } = clocks;
  const isFirst = startOfDay(day, timezone) === at && instantOf(onClock, timezone) === at;
  return givenTime(at, isFirst ? day : begun, clocks);
}

/** A time that expressions give in another form than as text. Luxon's dates know their own clock. */
function readOther(value: unknown, clocks: Clocks): GivenTime | undefined {
  if (typeof value === 'number') {
    return inRange(value) ? givenTime(value, dayBegunAt(value, clocks), clocks) : undefined;
  }
  if (value instanceof Date) return readOther(value.getTime(), clocks);
  const isDateTime = typeof value === 'object' && value !== null && 'toISO' in value;
  const iso = isDateTime ? (value as { toISO(): string | null }).toISO() : null;
  return iso === null ? undefined : readText(iso, clocks);
}

/**
 * Reads a time as the editor's calendar or an expression gives it: ISO 8601 with or without an
 * offset, a day alone, a date object, or milliseconds since 1970. Midnight is the day that it begins, because
 * nobody names it as a time of day: the editor's calendar, `$today` and date columns give days so. An
 * instant in UTC is midnight when it is midnight in UTC, or in the time zone and in one of `callingZones`.
 *
 * @param timezone the IANA name of the time zone for times without an offset
 * @param callingZones the time zones in which people are called, if something says so
 * @returns undefined for everything else, and for times before 2000 or after 2100
 */
export function readTime(
  value: unknown,
  timezone: string,
  callingZones: readonly string[] = [],
): GivenTime | undefined {
  const clocks = { timezone, callingZones };
  const time =
    typeof value === 'string' ? readText(value.trim(), clocks) : readOther(value, clocks);
  return time !== undefined && inRange(time.at) ? time : undefined;
}
