import { tzOffset } from '@date-fns/tz/tzOffset';

/** Days of the week as the panel names them, Sunday first like the clock of the language. */
export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Day = (typeof DAYS)[number];

/** When people may be called. */
export interface CallingHours {
  /** Minutes after midnight at which calling begins. */
  start: number;
  /** Minutes after midnight at which calling ends; before `start` for hours over midnight. */
  end: number;
  /** The days on which the hours begin. */
  days: ReadonlySet<Day>;
  /** IANA name, e.g. `Asia/Kolkata`. */
  timezone: string;
}

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 24 * 60;
/** Clocks change on quarters of an hour only. */
const QUARTER = 15;
/** Hours that begin on one day a week, and a day that a clock change may skip. */
const MINUTES_AHEAD = 8 * MINUTES_A_DAY;

/** Reads a time of day such as `9:00` or `21:30` as minutes after midnight; `24:00` is an end. */
export function readTimeOfDay(text: string): number | undefined {
  const match = /^\s*(\d{1,2})[:.](\d{2})(?::\d{2})?\s*$/.exec(text);
  if (match === null) return undefined;
  const minutes = Number(match[1]) * 60 + Number(match[2]);
  return Number(match[2]) < 60 && minutes <= MINUTES_A_DAY ? minutes : undefined;
}

/** Whether a name is a time zone that this machine knows. */
export function isTimezone(name: string): boolean {
  return name.trim() !== '' && Number.isFinite(tzOffset(name, new Date(0)));
}

/** Whether calling is allowed at a time on the clock: `wallMinutes` since 1970, clock time. */
function isOpenOnClock(wallMinutes: number, { start, end, days }: CallingHours): boolean {
  const dayNumber = Math.floor(wallMinutes / MINUTES_A_DAY);
  const minute = wallMinutes - dayNumber * MINUTES_A_DAY;
  // Day 0, the first of January 1970, was a Thursday.
  const isDay = (number: number) => days.has(DAYS[(((number + 4) % 7) + 7) % 7] as Day);
  if (start === end) return isDay(dayNumber);
  if (start < end) return minute >= start && minute < end && isDay(dayNumber);
  return minute >= start ? isDay(dayNumber) : minute < end && isDay(dayNumber - 1);
}

/**
 * The first instant from `from` on at which people may be called: `from` itself within the hours.
 * Over midnight, the hours belong to the day on which they begin. Equal start and end mean the
 * whole day.
 *
 * @param minutesAhead how far to look
 * @returns undefined when there is none within that time, eight days as a rule
 */
export function nextAllowedAt(
  from: Date,
  hours: CallingHours,
  minutesAhead = MINUTES_AHEAD,
): Date | undefined {
  const first = Math.floor(from.getTime() / MINUTE_MS);
  let offset = NaN;
  for (let minute = first; minute < first + minutesAhead; minute++) {
    if (Number.isNaN(offset) || minute % QUARTER === 0) {
      offset = tzOffset(hours.timezone, new Date(minute * MINUTE_MS));
    }
    if (isOpenOnClock(Math.floor(minute + offset), hours)) {
      return minute === first ? from : new Date(minute * MINUTE_MS);
    }
  }
  return undefined;
}
