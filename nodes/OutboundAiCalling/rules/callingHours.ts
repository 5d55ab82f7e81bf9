import { isoIn } from '../clocks';
import { tellHint } from '../hints';
import { memoized } from '../collections';
import { customersTimezones } from './customersTimezones';
import { isAllowedAt, nextAllowedAt, oneClockOf, parseHours, type HoursSetting } from './hours';
import { CUSTOMERS_TIMEZONE, hoursOfCalls } from './hoursFields';
import { hoursHints } from './hoursHints';
import type { Objection, RuledCall, RuleKind, RuleParameters, SetRule } from './rule';
import { nextAllowed } from './skipped';

/** Reads "Calling Hours"; undefined when none were added, or after noting their mistakes. */
export function hoursSettingOf(parameters: RuleParameters): HoursSetting | undefined {
  const path = 'rules.outsideCallingHours';
  const outside = parameters.choice(path, 'Outside Calling Hours', ['fail', 'skip'], 'skip');
  if (!parameters.has('rules.callingHours')) {
    if (parameters.has(path)) {
      const advice = 'Add "Calling Hours" under "Rules", or remove it.';
      parameters.refuse('Outside Calling Hours', 'has no effect without Calling Hours', advice);
    }
    return undefined;
  }
  const set = parameters.value('rules.callingHours.hours');
  const reading = parseHours(set, parameters.workflowTimezone);
  if ('mistakes' in reading) {
    for (const { message, advice } of reading.mistakes) {
      parameters.refuse('Calling Hours', message, advice);
    }
    return undefined;
  }
  const ofCustomer = 'rules.callingHours.hours.customersTimezone';
  const isOfCustomer = parameters.switch(ofCustomer, CUSTOMERS_TIMEZONE, false);
  return { ...reading, customersTimezone: isOfCustomer, outside };
}

/** As {@link hoursSettingOf}, for the rules of one call: its hours are read, and mistakes noted, once. */
export const hoursOfCall = memoized(hoursSettingOf, new WeakMap());

/** The time zones in which the hours must allow a call. */
function timezonesOf(
  { hours, customersTimezone }: HoursSetting,
  customers: readonly string[],
): readonly string[] {
  return customersTimezone && customers.length > 0 ? customers : [hours.timezone];
}

/** The time zones in which the hours of a call are asked; empty when none were added. */
export function clocksOfHours(parameters: RuleParameters, e164: string): readonly string[] {
  if (!parameters.has('rules.callingHours')) return [];
  const setting = hoursOfCall(parameters);
  return setting === undefined
    ? [parameters.workflowTimezone]
    : timezonesOf(setting, customersTimezones(e164));
}

export function readHoursOfUnknownCustomers(parameters: RuleParameters): HoursSetting | undefined {
  const setting = hoursSettingOf(parameters);
  if (setting?.customersTimezone) {
    const message =
      'cannot be used here: the node does not know the contacts of a campaign that exists';
    const advice = 'Remove it, and choose the time zone of the contacts. Create knows them.';
    parameters.refuse(CUSTOMERS_TIMEZONE, message, advice);
  }
  return setting;
}

/** Returns why nobody may be called at an instant; undefined when people may be called. */
export type AskHours = (now?: number) => Objection | undefined;

/** Why hours allow no call, to be read after their name. */
function neverAllow(timezones: readonly string[], from = 'the next eight days'): string {
  const zones = `${timezones.length} time zones`;
  const why = timezones.length === 1 ? '' : `: the ${zones} are never within them at once`;
  return `allow no call within ${from}${why}`;
}

/**
 * Applies the hours to some customers. Two mistakes are noted before anything is sent: the hours
 * allow no call within eight days in all time zones at once; or, with "Outside Calling Hours:
 * Fail", they allow none now.
 *
 * @param customers the time zones in which they may be; empty when these are not known
 * @param dueAt when they are to be called, in milliseconds since 1970; clocks may change until then
 */
export function hoursFor(
  setting: HoursSetting,
  customers: readonly string[],
  parameters: RuleParameters,
  dueAt?: number,
): AskHours {
  const { hours } = setting;
  const timezones = timezonesOf(setting, customers);
  const ask: AskHours = (now = Date.now()) => {
    if (isAllowedAt(now, hours, timezones)) return undefined;
    const next = nextAllowedAt(now, hours, timezones);
    if (next === undefined) {
      const words = `the calling hours ${neverAllow(timezones)}`;
      return { reason: 'outsideCallingHours', timezone: hours.timezone, words };
    }
    const timezone = oneClockOf(timezones, next) ?? hours.timezone;
    return { reason: 'outsideCallingHours', nextAllowedAt: next, timezone };
  };
  if (parameters.isDue !== true) refuseAhead(ask, timezones, setting, parameters, dueAt);
  return ask;
}

function refuseAhead(
  ask: AskHours,
  timezones: readonly string[],
  { outside, hours }: HoursSetting,
  parameters: RuleParameters,
  dueAt = 0,
): void {
  const now = Date.now();
  const objection = ask(Math.max(dueAt, now));
  if (objection === undefined) return;
  const { nextAllowedAt } = nextAllowed(objection);
  const [first] = timezones;
  const isOne = timezones.length === 1;
  if (nextAllowedAt === undefined) {
    const due = `eight days from ${isoIn(dueAt, hours.timezone).slice(0, 16)}`;
    const advice = `Set longer hours${isOne ? '' : `, or switch off "${CUSTOMERS_TIMEZONE}"`}.`;
    const message = neverAllow(timezones, dueAt > now ? due : undefined);
    parameters.refuse('Calling Hours', message, advice);
  } else if (outside === 'fail') {
    const where = isOne ? `time zone ${first}` : `in all ${timezones.length} time zones`;
    const advice = `The next allowed time is ${nextAllowedAt}.`;
    parameters.refuse('Calling Hours', `do not allow a call now (${where})`, advice);
  }
}

function read(parameters: RuleParameters, { request, dueAt }: RuledCall): SetRule | undefined {
  const setting = hoursOfCall(parameters);
  if (setting === undefined) return undefined;
  const timezones = customersTimezones(request.customerPhone);
  const ask = hoursFor(setting, timezones, parameters, dueAt);
  const hints = hoursHints(setting, [timezones]);
  return ({ context, shared }) => {
    for (const hint of hints) shared(hint, () => tellHint(context, hint, 'warning'));
    return { objection: async () => ask(), objectionNow: ask };
  };
}

export const callingHours: RuleKind = { fields: hoursOfCalls, read };
