import type { INodeProperties } from 'n8n-workflow';
import pLimit from 'p-limit';
import { dayAfter, dayAt, nextMorning } from '../clocks';
import type { Bounds } from '../values';
import { Admission, DryCount, type Applicant, type Tally } from './admission';
import { clocksOfHours, hoursOfCall } from './callingHours';
import { nextAllowedAt, oneClockOf, type HoursSetting } from './hours';
import type { Rule, RuledCall, RuleExecution, RuleKind, RuleParameters, SetRule } from './rule';

const NAMES = {
  maxCallsPerDay: 'Max Calls per Day',
  maxCallsPerPersonPerDay: 'Max Calls per Person per Day',
  maxCostPerDay: 'Max Cost per Day',
} as const;
type CapName = keyof typeof NAMES;
type Caps = Partial<Record<CapName, number>>;

const NEEDS_LOG = 'Needs a call log: choose Data Table under Call Log';
const COST_COMES_LATE = 'A cost is known only after its call: add Max Calls per Day';

const fields: INodeProperties[] = [
  {
    displayName: NAMES.maxCallsPerDay,
    name: 'maxCallsPerDay',
    type: 'number',
    typeOptions: { minValue: 1, numberPrecision: 0 },
    default: 200,
    description:
      "Call nobody else once this many calls are in today's call log. Campaigns are not counted. A day goes by the time zone of the calling hours, or of the workflow.",
    hint: NEEDS_LOG,
  },
  {
    displayName: NAMES.maxCallsPerPersonPerDay,
    name: 'maxCallsPerPersonPerDay',
    type: 'number',
    typeOptions: { minValue: 1, numberPrecision: 0 },
    default: 1,
    description: 'Call a phone number at most this often a day, as counted in the call log',
    hint: NEEDS_LOG,
  },
  {
    displayName: NAMES.maxCostPerDay,
    name: 'maxCostPerDay',
    type: 'number',
    typeOptions: { minValue: 0, numberPrecision: 2 },
    default: 50,
    description:
      "Call nobody else once today's calls in the call log have cost this much, in the currency of your account. Calls in progress count at the mean cost of the last 100 that ended.",
    hint: `${NEEDS_LOG}. ${COST_COMES_LATE}.`,
  },
];

/** Tolerance for rounding errors in sums of costs. */
const ROUNDING = 1e-6;

function readCaps(parameters: RuleParameters): Caps {
  const read = (name: CapName, bounds: Bounds): Caps => {
    const path = `rules.${name}`;
    if (!parameters.has(path)) return {};
    const cap = parameters.number(path, NAMES[name], bounds, 1);
    if (cap <= 0 || cap === Infinity) {
      parameters.refuse(NAMES[name], 'is not a number above 0', 'Correct it, or remove it.');
    }
    if (parameters.value('callLog') !== 'dataTable') {
      const advice = 'Only the log tells who was called today.';
      parameters.refuse(NAMES[name], 'needs a call log: choose Data Table under Call Log', advice);
    }
    return { [name]: cap };
  };
  const count = { min: 1, max: Infinity, whole: true };
  return {
    ...read('maxCallsPerDay', count),
    ...read('maxCallsPerPersonPerDay', count),
    ...read('maxCostPerDay', { min: 0, max: Infinity }),
  };
}

function callsInWords(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}

/** A cap that one more call would exceed. */
interface ReachedCap {
  /** In words, to be read after "the daily cap". */
  limit: string;
  /** Whether calls to other persons do not matter. */
  isOfPerson?: boolean;
  /** Whether the first call of a day would exceed it, too. */
  isOfEachDay?: boolean;
}

/** @returns undefined when one more call exceeds no cap */
function reachedCap(
  caps: Caps,
  { calls, toPerson, cost, expectedCost }: Tally,
): ReachedCap | undefined {
  const { maxCallsPerDay, maxCallsPerPersonPerDay, maxCostPerDay } = caps;
  if (maxCallsPerDay !== undefined && calls + 1 > maxCallsPerDay) {
    return { limit: `of ${callsInWords(maxCallsPerDay)} is reached` };
  }
  if (maxCallsPerPersonPerDay !== undefined && toPerson + 1 > maxCallsPerPersonPerDay) {
    const limit = `of ${callsInWords(maxCallsPerPersonPerDay)} to one person is reached`;
    return { limit, isOfPerson: true };
  }
  if (maxCostPerDay === undefined) return undefined;
  if (expectedCost === undefined) {
    const why = 'calls have ended, and none has a cost that can be read';
    return { limit: `of a cost of ${maxCostPerDay} cannot be kept: ${why}` };
  }
  if (cost + expectedCost <= maxCostPerDay + ROUNDING) return undefined;
  const isOfEachDay = expectedCost > maxCostPerDay + ROUNDING;
  const mean = Number(expectedCost.toPrecision(3));
  const why = isOfEachDay ? `lower than what one call costs, about ${mean}: raise it` : 'reached';
  return { limit: `of a cost of ${maxCostPerDay} is ${why}`, isOfEachDay };
}

/**
 * When a call is allowed again that a cap has stopped: within the calling hours of another day. Without
 * hours, at this time of another day, but not before nine: the day begins at midnight, when no telephone is to ring.
 * Where calls to others take the places, it is when the first call of this day rang: calls of the other day would
 * come first otherwise.
 */
function allowedAgainAt(
  { isOfPerson, isOfEachDay }: ReachedCap,
  firstAt: number,
  { timezone, ofPerson, setting }: Clocks,
): number | undefined {
  if (isOfEachDay === true) return undefined;
  const now = Date.now();
  const morning = nextMorning(now, timezone);
  if (setting === undefined) {
    const rang = isOfPerson === true ? now : Math.min(firstAt, now);
    return Math.max(morning, dayAfter(rang, timezone));
  }
  const days = isOfPerson === true ? ofPerson : [timezone];
  const end = Math.max(...days.map((zone) => dayAt(now, zone).end));
  return nextAllowedAt(end, setting.hours, ofPerson) ?? morning;
}

interface Clocks {
  /** Of the caps of the account. */
  timezone: string;
  /** Of its person: a day begins with the first of them, and ends with the last. */
  ofPerson: readonly string[];
  /** The calling hours, if there are any. */
  setting: HoursSetting | undefined;
}

function read(parameters: RuleParameters, call: RuledCall): SetRule | undefined {
  const caps = readCaps(parameters);
  if (Object.keys(caps).length === 0) return undefined;
  const phone = call.request.customerPhone;
  const setting = hoursOfCall(parameters);
  const ofAccount = setting?.hours.timezone ?? parameters.workflowTimezone;
  const ofPerson = setting === undefined ? [ofAccount] : clocksOfHours(parameters, phone);
  const startIn = (timezone: string) => dayAt(Date.now(), timezone).start;
  const applicant: Applicant = {
    phone,
    isCostAsked: caps.maxCostPerDay !== undefined,
    dayStarts: () => ({ own: startIn(ofAccount), ofPerson: Math.min(...ofPerson.map(startIn)) }),
    objectionTo(tally) {
      const reached = reachedCap(caps, tally);
      if (reached === undefined) return undefined;
      const clocks = { timezone: ofAccount, ofPerson, setting };
      const nextAllowedAt = allowedAgainAt(reached, tally.firstAt, clocks);
      const timezone = oneClockOf(ofPerson, nextAllowedAt ?? Date.now()) ?? ofAccount;
      const words = `the daily cap ${reached.limit}`;
      return { reason: 'dailyCap', nextAllowedAt, timezone, words };
    },
  };
  return (execution) => capsOf(call, applicant, execution);
}

function dryCountOf({ shared, log }: RuleExecution): DryCount {
  return shared('dryCount', () => new DryCount(log));
}

/** Has a dry run count a call without caps, to a phone in E.164, that it would place. */
export function countInDryRun(execution: RuleExecution, phone: string): void {
  dryCountOf(execution).add(phone);
}

function capsOf(call: RuledCall, applicant: Applicant, execution: RuleExecution): Rule {
  const { context, log, concurrency, shared } = execution;
  // Admitted calls wait ready while others are sent and further ones are admitted, which takes as long as several
  // requests. They are few all the same: nobody can stop a call that is marked.
  const window = shared('cappedCalls', () => pLimit(concurrency === 1 ? 1 : 3 * concurrency - 1));
  const workflow = context.getWorkflow().name ?? '';
  call.isCounted = true;
  /** Whether the call has its place in the day. */
  let isAdmitted = false;
  return {
    inTurn: async (decide) => await window(decide),
    objection: async (isDryRun) => {
      // Counts earlier calls of the dry run in memory only.
      if (isDryRun) return await dryCountOf(execution).objectionTo(applicant);
      return isAdmitted ? undefined : log && Admission.of(log).earlyObjection(applicant);
    },
    async admit() {
      const { row } = call;
      if (isAdmitted || log === undefined || row === undefined) return undefined;
      const objection = await Admission.of(log).admit({ applicant, row, log, workflow });
      isAdmitted = objection === undefined;
      return objection;
    },
    async giveBack() {
      const { row } = call;
      if (!isAdmitted || log === undefined || row === undefined) return;
      isAdmitted = false;
      Admission.of(log).giveBack(row);
    },
  };
}

/** The fields for scheduled calls, which always have a call log. */
export const capsOfScheduledCalls: INodeProperties[] = fields.map((field) => ({
  ...field,
  hint: field.displayName === NAMES.maxCostPerDay ? COST_COMES_LATE : '',
}));

/** Caps the calls and costs of a day, across all executions and processes. */
export const dailyCaps: RuleKind = { fields, read };
