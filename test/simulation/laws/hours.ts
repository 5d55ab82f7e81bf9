import { WEEK, type Hours } from '../history';
import { clockIn } from '../world/calendar';

// What calling hours mean, by the calendar.

/** All clocks of those who may have the numbers: some of them never change. */
export const CUSTOMERS_ZONES = [
  ...['America/St_Johns', 'America/Halifax', 'America/Blanc-Sablon', 'America/New_York'],
  ...['America/Coral_Harbour', 'America/Chicago', 'America/Regina', 'America/Denver'],
  ...['America/Phoenix', 'America/Los_Angeles', 'America/Anchorage', 'America/Adak'],
  'Pacific/Honolulu',
];

const DAY_MS = 24 * 60 * 60_000;

/** Whether people may be called at an instant, in workflows of a time zone. */
export function isWithin(hours: Hours, ofWorkflow: string, at: number): boolean {
  const { start, end, days = WEEK, isOfCustomers, timezone = ofWorkflow } = hours;
  const zones = isOfCustomers === true ? CUSTOMERS_ZONES : [timezone];
  return zones.every((zone) => {
    const [day = '', time = ''] = clockIn(zone, at).split(' ');
    const isOn = (midnight: number) =>
      days.some((one) => one === WEEK[new Date(midnight).getUTCDay()]);
    const today = Date.parse(day);
    if (start === end) return isOn(today);
    if (start < end) return time >= start && time < end && isOn(today);
    // Hours over midnight belong to the day on which they begin.
    return (time >= start && isOn(today)) || (time < end && isOn(today - DAY_MS));
  });
}
