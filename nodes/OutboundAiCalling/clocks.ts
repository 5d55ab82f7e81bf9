import { tzOffset } from '@date-fns/tz/tzOffset';

/** Instants (milliseconds since 1970) on the clocks of time zones (IANA names). */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** Clocks change on quarters of an hour only. */
export const QUARTER_MS = 15 * MINUTE_MS;
const OFFSETS_KEPT = 20_000;
const offsets = new Map<string, number>();

/** Milliseconds by which the clocks of a time zone are ahead of UTC at an instant. */
export function offsetAt(at: number, timezone: string): number {
  const quarter = Math.floor(at / QUARTER_MS);
  const key = `${quarter} ${timezone}`;
  const cached = offsets.get(key);
  if (cached !== undefined) return cached;
  const offset = tzOffset(timezone, new Date(quarter * QUARTER_MS)) * MINUTE_MS;
  if (offsets.size >= OFFSETS_KEPT) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

/**
 * The instant at which the clocks of a time zone show a time. Clocks that are set back show a time
 * twice: the first instant counts. Clocks that are set forward skip a time: the result is later by
 * as much as they skip.
 *
 * @param onClock the time on the clock as if it were UTC
 */
export function instantOf(onClock: number, timezone: string): number {
  const before = offsetAt(onClock - DAY_MS, timezone);
  const after = offsetAt(onClock + DAY_MS, timezone);
  const fits = [before, after].map((offset) => onClock - offset);
  const shown = fits.filter((at) => at + offsetAt(at, timezone) === onClock);
  return shown.length > 0 ? Math.min(...shown) : onClock - before;
}

/** When the clocks of a time zone show the same time on the next day. */
export function dayAfter(at: number, timezone: string): number {
  return instantOf(at + offsetAt(at, timezone) + DAY_MS, timezone);
}

/** The day of an instant in a time zone, as `YYYY-MM-DD`. */
export function dayIn(at: number, timezone: string): string {
  return new Date(at + offsetAt(at, timezone)).toISOString().slice(0, 10);
}

/** The instant at which a day (`YYYY-MM-DD`) begins in a time zone, or `days` days after it. */
export function startOfDay(day: string, timezone: string, days = 0): number {
  return instantOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS, timezone);
}

/** A day on the clocks of a time zone. `start` belongs to it; `end` belongs to the next day. */
interface DaySpan {
  start: number;
  end: number;
}

/** The last day looked up in each time zone: most calls ask for the same one. */
const last = new Map<string, DaySpan>();

/** The day to which an instant belongs. It has 23 or 25 hours when clocks change. */
export function dayAt(at: number, timezone: string): DaySpan {
  const cached = last.get(timezone);
  if (cached !== undefined && at >= cached.start && at < cached.end) return cached;
  const day = dayIn(at, timezone);
  const span = { start: startOfDay(day, timezone), end: startOfDay(day, timezone, 1) };
  last.set(timezone, span);
  return span;
}

/** Nine o'clock on the day after an instant: nobody minds a call from then on. */
export function nextMorning(at: number, timezone: string): number {
  const day = dayIn(dayAt(at, timezone).end, timezone);
  return instantOf(Date.parse(`${day}T09:00Z`), timezone);
}

/** An instant on a time zone's clocks, with their offset: `2026-11-23T09:00:00.000+01:00`. */
export function onClockOf(at: number, timezone: string): string {
  const offset = offsetAt(at, timezone);
  const local = new Date(at + offset).toISOString().slice(0, -1);
  const minutes = Math.abs(Math.round(offset / MINUTE_MS));
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** As {@link onClockOf}, to the second. */
export function isoIn(at: number, timezone: string): string {
  return onClockOf(at, timezone).replace(/\.\d{3}/, '');
}
