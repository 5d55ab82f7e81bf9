import type { IDataObject } from 'n8n-workflow';
import type { BookedExecution } from '../books';
import { numberOf, type History } from '../history';
import { clockIn, dayIn } from '../world/calendar';
import { CUSTOMERS_ZONES, isWithin } from './hours';
import { type Check, MINUTE_MS, asksAgain, byOrder, intents, wasUndone } from './questions';

// The times that items tell, and those of next attempts.

/** Items tell times to the second. */
const SECOND_MS = 1_000;
/** Clocks skip no more. */
const MOST_SKIPPED_MS = 120 * MINUTE_MS;
/** Clocks of processes differ by no more, unless somebody sets them. */
const CLOCKS_DIFFER_MS = 10_000;
const MORNING = '09:00';

/** Why the time of a call that was scheduled is another one than was asked for; undefined when it is that. */
function wrongCallAt(
  { callAt }: IDataObject,
  asked: BookedExecution,
  {
    written,
    mayBeLater,
    timezone,
  }: { written: string | undefined; mayBeLater: boolean; timezone: string },
): string | undefined {
  const told = Date.parse(String(callAt));
  const lateMs = told - (asked.callAt ?? told);
  // A time that clocks skip is later by as much.
  const isSkipped = written !== undefined && clockIn(timezone, asked.callAt ?? told) !== written;
  // The calls of an earlier try or request may have been put off, or moved, since.
  const mostMs = mayBeLater ? Infinity : isSkipped ? MOST_SKIPPED_MS : SECOND_MS;
  const isMeant = lateMs > -SECOND_MS && lateMs < mostMs;
  const isShown = String(callAt).slice(0, 16).replace('T', ' ') === clockIn(timezone, told);
  return isMeant && isShown ? undefined : `is scheduled for ${String(callAt)}`;
}

/**
 * The clocks on which another day must have begun before a call is allowed again: that of the workflow or its hours,
 * or all clocks of the customer.
 */
function daysOf({ reason }: IDataObject, settings: History['settings'], ofWorkflow: string) {
  if (reason !== 'dailyCap') return [[]];
  const { hours, maxCallsPerDay, maxCostPerDay, maxCallsPerPersonPerDay } = settings;
  const usual = [hours?.timezone ?? ofWorkflow];
  const ofPerson = hours?.isOfCustomers === true ? CUSTOMERS_ZONES : usual;
  return [
    ...(maxCallsPerDay === undefined && maxCostPerDay === undefined ? [] : [usual]),
    ...(maxCallsPerPersonPerDay === undefined ? [] : [ofPerson]),
  ];
}

/** Why a time from which a call is allowed again is not the first one; undefined when it may be. */
function wrongNextAllowedAt(
  item: IDataObject,
  execution: BookedExecution,
  ofWorkflow: string,
): string | undefined {
  const days = daysOf(item, execution.settings, ofWorkflow);
  const wrongs = days.map((zones) => wrongAfter(zones, item, execution, ofWorkflow));
  return wrongs.includes(undefined) ? undefined : wrongs[0];
}

/** As {@link wrongNextAllowedAt}, when another day must have begun on some clocks. */
function wrongAfter(
  zones: string[],
  { nextAllowedAt }: IDataObject,
  { settings: { hours }, startedAt, endedAt = startedAt }: BookedExecution,
  ofWorkflow: string,
): string | undefined {
  if (nextAllowedAt === undefined) return undefined;
  const next = Date.parse(String(nextAllowedAt));
  const timezone = hours?.timezone ?? ofWorkflow;
  const isAllowed = (at: number, since: number) =>
    zones.every((zone) => dayIn(zone, at) > dayIn(zone, since)) &&
    (hours === undefined
      ? clockIn(timezone, at).slice(11) >= MORNING
      : isWithin(hours, ofWorkflow, at));
  if (!isAllowed(next, startedAt)) return `is not allowed at ${String(nextAllowedAt)}`;
  // Without hours it is at the time of the day at which another call rang.
  if (hours === undefined) return undefined;
  const first = Math.ceil((endedAt + CLOCKS_DIFFER_MS) / MINUTE_MS) * MINUTE_MS;
  for (let at = first; at < next; at += MINUTE_MS) {
    if (!isAllowed(at, endedAt + CLOCKS_DIFFER_MS)) continue;
    return `is allowed at ${clockIn(timezone, at)}, before ${String(nextAllowedAt)}`;
  }
  return undefined;
}

/** Items tell when calls are due, and from when on they are allowed again, as the calendar has it. */
export const toldTimesAreTrue: Check = ({ begins: { timezone }, steps }, books) => {
  if (steps.some((step) => step.do === 'setClock')) return [];
  const movedByHand = new Set([...books.dueByHand.keys()].map(numberOf));
  return books.executions.flatMap((execution) => {
    const own = steps[execution.step];
    const step = own?.do === 'retry' ? steps[own.step] : own;
    const isRepeated = own?.do === 'retry' || (own !== undefined && 'asks' in own);
    const written = step?.do === 'schedule' ? step.callAt : undefined;
    const wrong = (item: IDataObject) =>
      item.status === 'scheduled'
        ? wrongCallAt(item, execution, {
            written,
            mayBeLater: isRepeated || movedByHand.has(String(item.orderNumber)),
            timezone,
          })
        : wrongNextAllowedAt(item, execution, timezone);
    // Many items tell the same.
    const told = new Map(
      execution.items.map((item) => [`${String(item.callAt)} ${String(item.nextAllowedAt)}`, item]),
    );
    return [...told.values()].flatMap((item) => {
      const why = wrong(item);
      return why === undefined ? [] : [`${execution.id}: ${String(item.orderNumber)} ${why}`];
    });
  });
};

/** An attempt waits, after the end of the one before, as long as the plan says. */
export const attemptsWait: Check = (history, books) => {
  if (history.steps.some((step) => step.do === 'setClock')) return [];
  const allAsked = intents(books);
  return [...byOrder(books.rings)].flatMap(([order, rings]) => {
    const [asked, ...others] = allAsked.get(order) ?? [];
    if (asked === undefined || others.length > 0 || asksAgain(history)(asked)) return [];
    if (books.dueByHand.has(order) || wasUndone(order, books)) return [];
    const { planMinutes = [] } = asked.settings;
    return rings.slice(1).flatMap(({ sentAt }, index) => {
      const waitedMs = sentAt - (rings[index]?.endsAt ?? 0);
      const planned = planMinutes[index] ?? 0;
      if (waitedMs >= planned * MINUTE_MS - CLOCKS_DIFFER_MS) return [];
      return [`${numberOf(order)} rang again after ${waitedMs / 1000} s, not ${planned} minutes`];
    });
  });
};
