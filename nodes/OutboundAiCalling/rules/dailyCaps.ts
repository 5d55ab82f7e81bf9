import type { INodeProperties } from 'n8n-workflow';
import type { MarksCounted } from '../callLog/callMarks';
import { DailyCounts, type Claim } from '../callLog/dailyCounts';
import type { Mark } from '../callLog/callRow';
import { dayAt } from '../clocks';
import type { Bounds } from '../values';
import { soundHours } from './callingHours';
import { nextAllowedAt, type CallingHours } from './hours';
import type { Objection, Rule, RuledCall, RuleKind, RuleParameters, SetRule } from './rule';

/** Every cap and how the panel names it. */
const NAMES = {
  maxCallsPerDay: 'Max Calls per Day',
  maxCallsPerPersonPerDay: 'Max Calls per Person per Day',
  maxCostPerDay: 'Max Cost per Day',
} as const;
type CapName = keyof typeof NAMES;
type Caps = Partial<Record<CapName, number>>;

const NEEDS_LOG = 'Needs a call log: choose Data Table under Call Log.';

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
      "Call nobody else once today's calls in the call log have cost this much, in the currency of your account. Calls that go on count at the mean cost of the last 100 that ended.",
    hint: 'Until a first call has ended, its cost is not known and nothing is stopped: add Max Calls per Day too.',
  },
];

/** Sums of costs are a little off. */
const ROUNDING = 1e-6;
/** So long a call waits for what executions before it make of their calls. */
const EARLIER_MS = 2_000;
/**
 * When nothing of what it waits for has changed for so many turns, and one more for each mark after its
 * own, a call gives way to those that may not know of it: those that come too late have given way by then.
 * Executions that wait for each other in a circle, because one has marked calls both before and after those
 * of another, give way one after the other, the last first.
 */
const FEWEST_TURNS = 4;
const MOST_TURNS = 15;

function readCaps(parameters: RuleParameters): Caps {
  const read = (name: CapName, bounds: Bounds): Caps => {
    const path = `rules.${name}`;
    if (!parameters.has(path)) return {};
    const cap = parameters.number(path, NAMES[name], bounds, 1);
    if (cap <= 0 || cap === Infinity) {
      parameters.refuse(NAMES[name], 'is not a number above 0', 'Correct it, or remove it.');
    }
    if (parameters.value('callLog') !== 'dataTable') {
      const advice = 'What was called today is known from the log only.';
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

/** The caps as they are set for one call. */
class CapsOfCall implements Rule {
  private claim: Claim | undefined;

  constructor(
    private readonly call: RuledCall,
    private readonly caps: Caps,
    private readonly timezone: string,
    private readonly hours: CallingHours | undefined,
    private readonly counts: DailyCounts,
  ) {}

  async objection(): Promise<Objection | undefined> {
    const mark = this.call.row?.marked;
    const looked = await this.counts.look(mark);
    for (;;) {
      if (this.isClaimed()) return undefined;
      const objection = this.objectionTo(mark, 'none');
      if (objection !== undefined) {
        if (await this.counts.lookAnew()) continue;
        return objection;
      }
      // Nobody sees yet that this call is to be placed. It is asked again when everybody does.
      if (mark === undefined) return undefined;
      if (this.objectionTo(mark, 'unaware') === undefined) {
        this.claim = this.counts.claim(this.call.request.customerPhone);
        return undefined;
      }
      const { forMs, idleTurns } = this.counts.waitOf(looked, mark, this.call.row?.own);
      const earlier = this.objectionTo(mark, 'earlier');
      if (earlier !== undefined && forMs > EARLIER_MS) return earlier;
      const turns = Math.min(MOST_TURNS, FEWEST_TURNS + this.counts.marksAfter(mark));
      if (earlier === undefined && idleTurns >= turns) return this.objectionTo(mark, 'unaware');
      await this.counts.lookAgain();
    }
  }

  /** Counts the calls of a dry run before this one in memory only. */
  async wouldObject(): Promise<Objection | undefined> {
    await this.counts.look(undefined);
    const objection = this.objectionTo(undefined, 'all');
    if (objection === undefined) {
      this.claim ??= this.counts.claim(this.call.request.customerPhone);
    }
    return objection;
  }

  async giveBack(): Promise<void> {
    if (this.claim !== undefined) this.counts.giveBack(this.claim);
    this.claim = undefined;
  }

  /** Whether the call has a place today: that of another day it loses. */
  private isClaimed(): boolean {
    if (this.claim === undefined) return false;
    if (this.claim.at >= dayAt(Date.now(), this.timezone).start) return true;
    this.counts.giveBack(this.claim);
    this.claim = undefined;
    return false;
  }

  /** When calling begins on a day. */
  private beginOf(day: Date): Date {
    return (this.hours === undefined ? undefined : nextAllowedAt(day, this.hours)) ?? day;
  }

  private objectionTo(mark: Mark | undefined, marks: MarksCounted): Objection | undefined {
    const { maxCallsPerDay, maxCallsPerPersonPerDay, maxCostPerDay } = this.caps;
    const day = dayAt(Date.now(), this.timezone);
    const phone = this.call.request.customerPhone;
    const own = this.call.row?.own;
    const { calls, toPerson, cost } = this.counts.tally(day.start, { phone, own, mark }, marks);
    const reached = (limit: string): Objection => ({
      reason: 'dailyCap',
      nextAllowedAt: this.beginOf(new Date(day.end)),
      timezone: this.timezone,
      limit: `the daily cap of ${limit} is reached`,
    });
    if (maxCallsPerDay !== undefined && calls + 1 > maxCallsPerDay) {
      return reached(callsInWords(maxCallsPerDay));
    }
    if (maxCallsPerPersonPerDay !== undefined && toPerson + 1 > maxCallsPerPersonPerDay) {
      return reached(`${callsInWords(maxCallsPerPersonPerDay)} to one person`);
    }
    const expected = cost + this.counts.expectedCost;
    if (maxCostPerDay !== undefined && expected > maxCostPerDay + ROUNDING) {
      return reached(`a cost of ${maxCostPerDay}`);
    }
    return undefined;
  }
}

function read(parameters: RuleParameters, call: RuledCall): SetRule | undefined {
  const caps = readCaps(parameters);
  if (Object.keys(caps).length === 0) return undefined;
  const hours = soundHours(parameters);
  const timezone = hours?.timezone ?? parameters.workflowTimezone;
  return async ({ log, shared }) => {
    const counts = shared('dailyCounts', () => new DailyCounts(log));
    counts.include(dayAt(Date.now(), timezone).start, caps.maxCostPerDay !== undefined);
    return new CapsOfCall(call, caps, timezone, hours, counts);
  };
}

/** The fields where there always is a call log. */
export const capsOfScheduledCalls: INodeProperties[] = fields.map(({ hint, ...field }) =>
  hint === undefined || hint === NEEDS_LOG ? field : { ...field, hint },
);

/** Nobody is called beyond what a person allows for a day, whatever executions and processes ask. */
export const dailyCaps: RuleKind = { fields, read };
