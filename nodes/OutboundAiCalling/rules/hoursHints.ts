import { DAY_MS, HOUR_MS, isoIn, MINUTE_MS, offsetAt } from '../clocks';
import { customersTimezones } from './customersTimezones';
import type { HoursSetting } from './hours';
import { CUSTOMERS_TIMEZONE } from './hoursFields';

const clockOf = (minutes: number): string =>
  new Date(minutes * MINUTE_MS).toISOString().slice(11, 16);

/** Clocks that are further apart show different parts of the day. */
const FAR_MS = 3 * HOUR_MS;

/** Whether the clocks of customers are far from another, wherever in their country they are. */
function areFar(customers: readonly string[], timezone: string, at = Date.now()): boolean {
  const isFar = (zone: string) => {
    const apart = Math.abs(offsetAt(at, zone) - offsetAt(at, timezone)) % DAY_MS;
    return Math.min(apart, DAY_MS - apart) > FAR_MS;
  };
  return customers.length > 0 && customers.every(isFar);
}

/** Few mean these times of the day. */
export const NIGHT = { from: '21:00', to: '08:00' };

/** Hours that last until the evening may begin so early. */
const EARLY = '06:00';

/** Where a call rings at night, if so: on the workflow's clock, or on a customer's far from it. */
export function zoneInNight(e164: string, timezone: string, at: number): string | undefined {
  const customers = customersTimezones(e164);
  const zones = areFar(customers, timezone, at) ? customers : [timezone];
  return zones.find((zone) => {
    const clock = isoIn(at, zone).slice(11, 16);
    return clock >= NIGHT.from || clock < NIGHT.to;
  });
}

/**
 * The hint that hours go by a time zone that nobody has chosen and that is far from a customer's:
 * unless somebody sets it, n8n's is New York's.
 *
 * @param customers for each customer the time zones of the country; empty when it is not known
 */
function farClockHint(
  { hours: { timezone }, isOfWorkflow, customersTimezone }: HoursSetting,
  customers: Array<readonly string[]>,
): string | undefined {
  if (!isOfWorkflow || customersTimezone) return undefined;
  if (!customers.some((zones) => areFar(zones, timezone))) return undefined;
  return `The calling hours go by ${timezone}, the time zone of the workflow, and clocks of customers differ from it by more than three hours. Choose their time zone under "Calling Hours", or switch on "${CUSTOMERS_TIMEZONE}".`;
}

/** People are called at night: 6:00 may mean the evening. From midnight to midnight is meant. */
function nightHint({ hours }: HoursSetting): string | undefined {
  const noon = 12 * 60;
  const [start, end] = [hours.start % (2 * noon), hours.end % (2 * noon)];
  if (start === 0 && end === 0) return undefined;
  const times = [start, end, start + noon, end + noon];
  const [from = '', to = '', afternoon, evening = ''] = times.map(clockOf);
  const byDay = `To call nobody at night, enter hours between ${NIGHT.to} and ${NIGHT.from}.`;
  if (start < end && end < noon && from < NIGHT.to) {
    const advice =
      evening <= NIGHT.from
        ? `For the afternoon or evening, enter ${afternoon} and ${evening}.`
        : byDay;
    return `The calling hours, ${from} to ${to}, are at night or early in the morning. ${advice}`;
  }
  const isOverNight = end > 0 && end <= start;
  if (!isOverNight && from >= EARLY && from < NIGHT.from) return undefined;
  const isForEvening = isOverNight && end < noon && start < end + noon;
  const advice = isForEvening ? `For the evening, enter ${evening}.` : byDay;
  return `The calling hours begin at ${from} and end at ${to}${isOverNight ? ' of the next day' : ''}, so people are called at night too. ${advice}`;
}

/** What a person who set these hours may not mean. */
export function hoursHints(setting: HoursSetting, customers: Array<readonly string[]>): string[] {
  return [farClockHint(setting, customers), nightHint(setting)].flatMap((hint) => hint ?? []);
}
