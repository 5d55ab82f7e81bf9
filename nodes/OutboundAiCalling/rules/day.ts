import { tzOffset } from '@date-fns/tz/tzOffset';

/** A day on the clocks of a time zone: `start` belongs to it, `end` to the next one. */
export interface Day {
  /** Milliseconds since 1970. */
  start: number;
  end: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Clocks change on quarters of an hour only. */
const QUARTER_MS = 15 * MINUTE_MS;
/** No clock is further ahead of UTC. */
const FURTHEST_AHEAD_MS = 15 * 60 * MINUTE_MS;

/** The number of the day that clocks show, counted from the first of January 1970. */
function dayNumberAt(at: number, timezone: string): number {
  return Math.floor((at + tzOffset(timezone, new Date(at)) * MINUTE_MS) / DAY_MS);
}

/** The first instant of a day; where clocks skip midnight, that is later than midnight. */
function startOf(dayNumber: number, timezone: string): number {
  let at = dayNumber * DAY_MS - FURTHEST_AHEAD_MS;
  while (dayNumberAt(at, timezone) < dayNumber) at += QUARTER_MS;
  return at;
}

/** The day that was asked for last in each time zone: every call asks, and mostly for the same. */
const last = new Map<string, Day>();

/**
 * The day to which an instant belongs; with a change of clocks it has 23 or 25 hours.
 *
 * @param timezone IANA name
 */
export function dayAt(at: number, timezone: string): Day {
  const known = last.get(timezone);
  if (known !== undefined && at >= known.start && at < known.end) return known;
  const number = dayNumberAt(at, timezone);
  const day = { start: startOf(number, timezone), end: startOf(number + 1, timezone) };
  last.set(timezone, day);
  return day;
}
