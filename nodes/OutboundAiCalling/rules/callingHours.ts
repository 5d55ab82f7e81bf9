import type { INodeProperties } from 'n8n-workflow';
import { DAY_MS, HOUR_MS, isoIn, MINUTE_MS, offsetAt } from '../clocks';
import { tellHint } from '../hints';
import { memoized } from '../values';
import { customersTimezones } from './customersTimezones';
import {
  haveOneClock,
  isAllowedAt,
  nextAllowedAt,
  parseHours,
  USUAL_HOURS,
  type CallingHours,
} from './hours';
import type { Objection, RuledCall, RuleKind, RuleParameters, SetRule } from './rule';
import { nextAllowed } from './skipped';

const CUSTOMERS_TIMEZONE = "Customer's Time Zone";

const customersTimezone: INodeProperties = {
  displayName: CUSTOMERS_TIMEZONE,
  name: 'customersTimezone',
  type: 'boolean',
  default: false,
  description:
    "Whether the hours must hold in every time zone of the customer's country, which the phone number tells. Wide countries leave little time: of 09:00 to 18:00, US numbers have about 2 hours. For numbers of no country, the time zone above counts.",
};

/** Hidden, but n8n stores its value: a switch that is on is refused, not silently off. */
const unknownCustomers: INodeProperties = {
  displayName: CUSTOMERS_TIMEZONE,
  name: 'customersTimezone',
  type: 'hidden',
  default: false,
};

/** A person who adds the hours finds them filled in. */
function hoursField(description: string, lastField: INodeProperties): INodeProperties {
  const { start, end, days, timezone } = USUAL_HOURS;
  return {
    displayName: 'Calling Hours',
    name: 'callingHours',
    type: 'fixedCollection',
    default: { hours: { ...USUAL_HOURS, customersTimezone: false } },
    placeholder: 'Set calling hours',
    description,
    options: [
      {
        displayName: 'Hours',
        name: 'hours',
        values: [
          {
            displayName: 'Start',
            name: 'start',
            type: 'string',
            default: start,
            placeholder: 'e.g. 09:00',
          },
          {
            displayName: 'End',
            name: 'end',
            type: 'string',
            default: end,
            placeholder: 'e.g. 18:00',
            description:
              'An end before the start means hours over midnight; equal times mean the whole day',
          },
          {
            displayName: 'Days',
            name: 'days',
            type: 'multiOptions',
            default: [...days],
            options: [
              { name: 'Friday', value: 'fri' },
              { name: 'Monday', value: 'mon' },
              { name: 'Saturday', value: 'sat' },
              { name: 'Sunday', value: 'sun' },
              { name: 'Thursday', value: 'thu' },
              { name: 'Tuesday', value: 'tue' },
              { name: 'Wednesday', value: 'wed' },
            ],
          },
          {
            displayName: 'Time Zone Name or ID',
            name: 'timezone',
            type: 'options',
            typeOptions: { loadOptionsMethod: 'getTimezones' },
            default: timezone,
            description:
              'Time zone of the hours. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
          },
          lastField,
        ],
      },
    ],
  };
}

/** What to do with an item outside the hours; `skip` says what Skip does instead of calling. */
function outsideField(skip: string): INodeProperties {
  return {
    displayName: 'Outside Calling Hours',
    name: 'outsideCallingHours',
    type: 'options',
    default: 'skip',
    options: [
      {
        name: 'Fail',
        value: 'fail',
        description:
          'Call nobody and fail, even when only one item is outside the hours. When On Error is set to continue, others are called.',
      },
      {
        name: 'Skip',
        value: 'skip',
        description: `${skip}, and return the item with the next allowed time`,
      },
    ],
    description: 'What to do with an item when calling is not allowed now',
  };
}

export interface HoursSetting {
  hours: CallingHours;
  /** Whether nobody has chosen their time zone. */
  isOfWorkflow: boolean;
  /** Whether they must hold in every time zone of the customer's country. */
  customersTimezone: boolean;
  /** Whether a call outside the hours fails or is skipped. */
  outside: 'fail' | 'skip';
}

/** Reads "Calling Hours"; undefined when none were added, or after noting their mistakes. */
export function hoursSettingOf(parameters: RuleParameters): HoursSetting | undefined {
  const outside = parameters.choice(
    'rules.outsideCallingHours',
    'Outside Calling Hours',
    ['fail', 'skip'],
    'skip',
  );
  if (!parameters.has('rules.callingHours')) {
    if (parameters.has('rules.outsideCallingHours')) {
      parameters.refuse(
        'Outside Calling Hours',
        'has no effect without Calling Hours',
        'Add "Calling Hours" under "Rules", or remove it.',
      );
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
  const path = 'rules.callingHours.hours.customersTimezone';
  const isOfCustomer = parameters.switch(path, CUSTOMERS_TIMEZONE, false);
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

/**
 * The time zone in which a call at an instant may ring at night; undefined when it rings by day. It is that of the
 * workflow, unless clocks of the customer are far from it.
 */
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

/** The hint that hours which hold at night may be meant for the evening: somebody writes 6 in the evening as 6:00. */
function nightHint({ hours: { start, end } }: HoursSetting): string | undefined {
  const noon = 12 * 60;
  const [from = '', to, afternoon, evening] = [start, end, start + noon, end + noon].map(clockOf);
  if (start < end && end <= noon && from < NIGHT.to) {
    return `The calling hours, ${from} to ${to}, are at night or early in the morning. For the afternoon or evening, enter ${afternoon} and ${evening}.`;
  }
  const isOverNight = end > 0 && end < noon && end <= start && start < end + noon;
  if (!isOverNight) return undefined;
  return `The calling hours begin at ${from} and end at ${to} of the next day, so people are called at night too. For the evening, enter ${evening}.`;
}

/** What a person who set these hours may not mean. */
export function hoursHints(setting: HoursSetting, customers: Array<readonly string[]>): string[] {
  return [farClockHint(setting, customers), nightHint(setting)].flatMap((hint) => hint ?? []);
}

export function readHoursOfUnknownCustomers(parameters: RuleParameters): HoursSetting | undefined {
  const setting = hoursSettingOf(parameters);
  if (setting?.customersTimezone) {
    parameters.refuse(
      CUSTOMERS_TIMEZONE,
      'cannot be used here: the node does not know the contacts of a campaign that exists',
      'Remove it, and choose the time zone of the contacts. Create knows them.',
    );
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
    const hasOneClock = haveOneClock(next, timezones);
    const timezone = (hasOneClock ? timezones[0] : undefined) ?? hours.timezone;
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
    return { objection: async () => ask() };
  };
}

/** Calls people only within the calling hours. */
export const callingHours: RuleKind = {
  fields: [
    hoursField('When customers may be called', customersTimezone),
    outsideField('Do not call'),
  ],
  read,
};

export const hoursOfScheduledCalls = hoursField(
  'When customers may be called. A call that is due outside the hours waits for them.',
  customersTimezone,
);

const WHEN_STARTED = 'When a campaign may be started. It does not pause when the hours end.';

export const hoursOfNewCampaigns: INodeProperties[] = [
  hoursField(WHEN_STARTED, customersTimezone),
  outsideField('Create the campaign without starting it'),
];

export const hoursOfUnknownCustomers: INodeProperties[] = [
  hoursField(WHEN_STARTED, unknownCustomers),
  outsideField('Change nothing'),
];
