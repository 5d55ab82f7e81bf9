const MINUTE_MS = 60_000;
/** Clocks change on quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** No clock is further from UTC. */
const FURTHEST_MS = 15 * 60 * MINUTE_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of a time zone (an IANA name) show at an instant, e.g. `2027-03-28 03:00`. */
export function clockIn(timezone: string, at: number): string {
  let format = formats.get(timezone);
  if (format === undefined) {
    const parts = { dateStyle: 'short', timeStyle: 'short', timeZone: timezone } as const;
    format = new Intl.DateTimeFormat('sv-SE', parts);
    formats.set(timezone, format);
  }
  return format.format(at);
}

export const dayIn = (timezone: string, at: number): string => clockIn(timezone, at).slice(0, 10);

/** The first instant at which the clocks of a time zone show a time, or a later one. */
export function firstAt(timezone: string, clock: string): number {
  let at = Date.parse(`${clock}Z`) - FURTHEST_MS;
  while (clockIn(timezone, at) < clock) at += MINUTE_MS;
  return at;
}

/** The instants of a year at which the clocks of a time zone change. */
export function changesOf(timezone: string, year: number): number[] {
  const offsetAt = (at: number) => Date.parse(`${clockIn(timezone, at)}Z`) - at;
  const changes: number[] = [];
  for (let day = Date.UTC(year, 0); day < Date.UTC(year + 1, 0); day += DAY_MS) {
    if (offsetAt(day) === offsetAt(day + DAY_MS)) continue;
    let at = day;
    while (offsetAt(at) === offsetAt(day)) at += QUARTER_MS;
    changes.push(at);
  }
  return changes;
}
