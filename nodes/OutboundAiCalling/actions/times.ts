import { dayIn, instantOf, startOfDay } from '../clocks';

/** Only times from 2000 to 2100 are accepted. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2101, 0, 1);

/** A time that a person or an expression gave. */
export interface GivenTime {
  /** Milliseconds since 1970; for a day, its beginning. */
  at: number;
  /** The day, as `YYYY-MM-DD`, when no time of day or midnight was given. */
  day?: string;
}

const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/;
const WITH_OFFSET =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)$/i;

function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function readText(text: string, timezone: string): GivenTime | undefined {
  const [, day, clock = '00:00:00'] = LOCAL.exec(text) ?? [];
  if (day === undefined) {
    if (!WITH_OFFSET.test(text) || !isDay(text.slice(0, 10))) return undefined;
    const iso = text
      .replace(' ', 'T')
      .replace(/\s/, '')
      .replace(/([+-]\d{2})$/, '$1:00');
    return { at: Date.parse(iso.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')) };
  }
  const onClock = isDay(day) ? Date.parse(`${day}T${clock}Z`) : NaN;
  return { at: instantOf(onClock, timezone) };
}

/** Milliseconds since 1970, from each form in which expressions give dates; Luxon's are objects. */
function instantIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Date) return value.getTime();
  const isDateTime = typeof value === 'object' && value !== null && 'toMillis' in value;
  return isDateTime ? Number(value.valueOf()) : undefined;
}

/**
 * Reads a time as the editor's calendar or an expression gives it: ISO 8601 with or without an
 * offset, a day alone, a date object, or milliseconds since 1970. The midnight of a day is that day:
 * the editor's calendar gives it when a person chooses a day, and so does `$today`.
 *
 * @param timezone the IANA name of the time zone for times without an offset
 * @returns undefined for everything else, and for times before 2000 or after 2100
 */
export function readTime(value: unknown, timezone: string): GivenTime | undefined {
  const time: GivenTime | undefined =
    typeof value === 'string' ? readText(value.trim(), timezone) : { at: instantIn(value) ?? NaN };
  if (time === undefined || !(time.at >= EARLIEST && time.at < LATEST)) return undefined;
  const day = dayIn(time.at, timezone);
  return startOfDay(day, timezone) === time.at ? { at: time.at, day } : time;
}
