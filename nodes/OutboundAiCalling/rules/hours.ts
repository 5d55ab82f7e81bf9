import { MINUTE_MS, offsetAt as offsetMsAt, QUARTER_MS } from '../clocks';

/** Days of the week as the panel names them, Sunday first, as the language counts them. */
export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Day = (typeof DAYS)[number];

/** When people may be called, by the clocks of a time zone. */
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

/** The hours with what a person decided about them. */
export interface HoursSetting {
  hours: CallingHours;
  /** Whether nobody has chosen their time zone. */
  isOfWorkflow: boolean;
  /** Whether they must hold in every time zone of the customer's country. */
  customersTimezone: boolean;
  /** Whether a call outside the hours fails or is skipped. */
  outside: 'fail' | 'skip';
}

const MINUTES_A_DAY = 24 * 60;
const QUARTER = QUARTER_MS / MINUTE_MS;
/** How far to look ahead: hours may begin on one day a week, and a clock change may skip it. */
const MINUTES_AHEAD = 8 * MINUTES_A_DAY;

export const OF_WORKFLOW = 'workflow';

/** The hours that the panel fills in when a person adds them. */
export const USUAL_HOURS = {
  start: '09:00',
  end: '18:00',
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  timezone: OF_WORKFLOW,
};

/** The names of {@link DAYS} in full. */
const NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** A fault in a setting: `message` is read after its name, `advice` says what to do. */
type CallingHoursMistake = Record<'message' | 'advice', string>;

/**
 * Reads a time of day as minutes after midnight: `9:00`, `9.30`, `0900`, or the hour alone (`9`,
 * also as a number). `24:00` is an end.
 *
 * @returns undefined for anything else, also a number with a fraction, which could mean two times
 */
export function readTimeOfDay(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  const match =
    typeof value === 'number'
      ? /^(\d{1,2})$/.exec(text)
      : (/^(\d{1,2})(?:[:.](\d{2})(?::00(?:\.0+)?)?)?$/.exec(text) ??
        /^(\d{2})(\d{2})$/.exec(text));
  if (match === null) return undefined;
  const [, hour, minute = '0'] = match;
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes <= MINUTES_A_DAY ? minutes : undefined;
}

/** The words of a list, or of a text as expressions give it: `sat,sun` or `["sat","sun"]`. */
function wordsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (typeof value !== 'string') return [value];
  if (/^\s*\[.*\]\s*$/s.test(value)) return wordsOf(value.replace(/[[\]"']/g, ' '));
  return value.split(/[\s,;]+/).filter((word) => word !== '');
}

/**
 * Reads days of the week from a list or a text, by their English names or abbreviations of at least
 * three letters, in any case.
 *
 * @returns undefined when there are none, or when one of them is no day
 */
export function readDays(value: unknown): Set<Day> | undefined {
  const days = wordsOf(value).map((word) => {
    if (typeof word !== 'string') return undefined;
    const name = word.toLowerCase().replace(/\.$/, '');
    return DAYS.find((day, index) => name.length >= day.length && NAMES[index]?.startsWith(name));
  });
  const read = days.filter((day) => day !== undefined);
  return read.length > 0 && read.length === days.length ? new Set(read) : undefined;
}

/** The names that were asked for before: to ask the machine takes 0.2 ms, and each item has one. */
const validTimezones = new Set<string>();

/** An area and a place, or a country such as `Singapore`. Three letters are unclear: to the language, BST is Dhaka. */
const NAMES_A_PLACE = /^(?:[a-z_]+\/.+|[a-z]{4,}|utc|gmt)$/i;

/**
 * Reads the IANA name of a time zone, in any case. An offset such as `+05:30` is not accepted: it
 * has no summer time, and only some versions of the language support it.
 *
 * @returns the name without spaces around it; undefined when this machine does not know it
 */
export function readTimezone(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.trim();
  if (validTimezones.has(name)) return name;
  if (!NAMES_A_PLACE.test(name)) return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return undefined;
  }
  validTimezones.add(name);
  return name;
}

/** `Etc/GMT+5` is five hours behind London: who enters it for Pakistan would call at night. */
const INVERSE_SIGN = /^etc\/gmt[+-]/i;

/**
 * Reads the setting `rules.callingHours.hours` as n8n resolves it. A missing field has its usual
 * value ({@link USUAL_HOURS}). An empty or unreadable field is a mistake.
 *
 * @param workflowTimezone the IANA name that {@link OF_WORKFLOW} stands for
 * @returns `isOfWorkflow`: nobody has chosen the time zone
 */
export function parseHours(
  value: unknown,
  workflowTimezone: string,
): { hours: CallingHours; isOfWorkflow: boolean } | { mistakes: CallingHoursMistake[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = 'are not set';
    return { mistakes: [{ message, advice: 'Set start, end and days, or remove the setting.' }] };
  }
  const set: Partial<Record<'start' | 'end' | 'days' | 'timezone', unknown>> = {
    ...USUAL_HOURS,
    ...value,
  };
  const start = readTimeOfDay(set.start);
  const end = readTimeOfDay(set.end);
  const days = readDays(set.days);
  const isOfWorkflow = typeof set.timezone === 'string' && set.timezone.trim() === OF_WORKFLOW;
  const given = isOfWorkflow ? workflowTimezone : set.timezone;
  const name = typeof given === 'string' ? given.trim() : '';
  const isInverse = !isOfWorkflow && INVERSE_SIGN.test(name);
  const timezone = isInverse ? undefined : readTimezone(given);
  if (start !== undefined && end !== undefined && days !== undefined && timezone !== undefined) {
    return { hours: { start, end, days, timezone }, isOfWorkflow };
  }
  const time = 'Enter a time like 09:00.';
  const mistakes: CallingHoursMistake[] = [];
  if (start === undefined) mistakes.push({ message: 'have no readable start', advice: time });
  if (end === undefined) mistakes.push({ message: 'have no readable end', advice: time });
  if (days === undefined) {
    const advice = 'Choose at least one day, or give a list like sat,sun.';
    mistakes.push({ message: 'have no readable days', advice });
  }
  if (timezone === undefined) {
    const why = isInverse ? 'a time zone whose sign means the opposite' : 'an unknown time zone';
    const unknown = `have ${why}: "${name.slice(0, 40)}"`;
    const advice = `Choose one from the list, or give its name, e.g. Asia/Kolkata, or "${OF_WORKFLOW}".`;
    mistakes.push({ message: name === '' ? 'have no time zone' : unknown, advice });
  }
  return { mistakes };
}

/** Whether calling is allowed at a time on the clock, in minutes since 1970. */
function isOpenOnClock(wallMinutes: number, { start, end, days }: CallingHours): boolean {
  const dayNumber = Math.floor(wallMinutes / MINUTES_A_DAY);
  const minute = wallMinutes - dayNumber * MINUTES_A_DAY;
  // Day 0, the first of January 1970, was a Thursday.
  const isDay = (number: number) => days.has(DAYS[(((number + 4) % 7) + 7) % 7] as Day);
  if (start === end) return isDay(dayNumber);
  if (start < end) return minute >= start && minute < end && isDay(dayNumber);
  return minute >= start ? isDay(dayNumber) : minute < end && isDay(dayNumber - 1);
}

/** Minutes by which the clocks of a time zone are ahead of UTC in a minute since 1970. */
function offsetAt(minute: number, timezone: string): number {
  return offsetMsAt(minute * MINUTE_MS, timezone) / MINUTE_MS;
}

/** The next minute in which the hours can begin, unless clocks change before. */
function nextTurnOnClock(minute: number, offset: number, { start }: CallingHours): number {
  const onClock = Math.floor(minute + offset);
  const today = ((onClock % MINUTES_A_DAY) + MINUTES_A_DAY) % MINUTES_A_DAY;
  return minute + (today < start ? Math.min(start, MINUTES_A_DAY) : MINUTES_A_DAY) - today;
}

function isAllowedIn(timezone: string, at: number, hours: CallingHours): boolean {
  const minute = Math.floor(at / MINUTE_MS);
  return isOpenOnClock(Math.floor(minute + offsetAt(minute, timezone)), hours);
}

/** The first instant from `from` on at which one time zone allows a call. */
function nextAllowedIn(timezone: string, from: number, hours: CallingHours): number | undefined {
  if (isAllowedIn(timezone, from, hours)) return from;
  const first = Math.floor(from / MINUTE_MS) + 1;
  let minute = first;
  while (minute < first + MINUTES_AHEAD) {
    const offset = offsetAt(minute, timezone);
    // Clocks change at most once within a day.
    const isSameTomorrow = offset === offsetAt(minute + MINUTES_A_DAY, timezone);
    const until = isSameTomorrow
      ? minute + MINUTES_A_DAY
      : (Math.floor(minute / QUARTER) + 1) * QUARTER;
    for (; minute < until; minute = nextTurnOnClock(minute, offset, hours)) {
      if (isOpenOnClock(Math.floor(minute + offset), hours)) return minute * MINUTE_MS;
    }
    minute = until;
  }
  return undefined;
}

/**
 * Whether people may be called at an instant, in milliseconds since 1970. Hours over midnight belong to the day on which they
 * begin. Equal start and end mean the whole day.
 *
 * @param timezones calling must be allowed in all of them; by default that of the hours
 */
export function isAllowedAt(
  at: number,
  hours: CallingHours,
  timezones: readonly string[] = [hours.timezone],
): boolean {
  return timezones.every((timezone) => isAllowedIn(timezone, at, hours));
}

/** The first instant, `from` or later, that {@link isAllowedAt}; undefined within eight days. */
export function nextAllowedAt(
  from: number,
  hours: CallingHours,
  timezones: readonly string[] = [hours.timezone],
): number | undefined {
  const last = from + (MINUTES_AHEAD + 1) * MINUTE_MS;
  let at = from;
  while (!isAllowedAt(at, hours, timezones)) {
    for (const timezone of timezones) {
      const next = nextAllowedIn(timezone, at, hours);
      if (next === undefined || next > last) return undefined;
      at = next;
    }
  }
  return at;
}

/** A time zone with the clock of all of them at an instant; undefined when their clocks differ. */
export function oneClockOf(timezones: readonly string[], at: number): string | undefined {
  const minute = Math.floor(at / MINUTE_MS);
  const offsets = new Set(timezones.map((timezone) => offsetAt(minute, timezone)));
  return offsets.size === 1 ? timezones[0] : undefined;
}
