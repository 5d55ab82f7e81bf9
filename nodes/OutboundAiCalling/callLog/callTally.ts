import type { Row } from '../dataTables/dataTables';
import { calledAt, isReached, outcomeOf } from './callState';
import { callKey, callStateOf, type CallState } from './states';
import { numberIn, textIn } from './cells';
import { isOfTestCall } from './loggedRequest';

/** How many calls ended with an outcome. */
export interface OutcomeCount {
  label: string;
  calls: number;
  reached: number;
}

/** Under what calls stand together that may have been placed. */
export const MAYBE_PLACED = { key: 'maybe_placed', label: 'May have been placed' };

/** A report tells apart so many outcomes; a service may make up a label for every call. */
const MOST_OUTCOMES = 500;
const OTHER = { key: 'other', label: 'Other outcomes' };

function isInDoubt(state: CallState): boolean {
  return state === 'maybePlaced' || state === 'placing';
}

/** Some calls, counted. */
export class CallTally {
  /** Calls that the service has taken. */
  calls = 0;
  /** Those of them that ended with a conversation. */
  reached = 0;
  /** Those of them that go on. */
  open = 0;
  /** Those of them whose outcome never came. */
  givenUp = 0;
  /** Beside the calls: nobody knows whether the service has taken them. */
  maybePlaced = 0;
  seconds = 0;
  /** Ended calls that say what they cost, and their sum. */
  priced = 0;
  cost = 0;
  /** By key; calls without an outcome stand under their status. */
  readonly outcomes = new Map<string, OutcomeCount>();

  add(call: CountedCall): void {
    if (isInDoubt(call.state)) {
      this.maybePlaced++;
      return;
    }
    this.calls++;
    if (call.isReached) this.reached++;
    if (call.state === 'open') this.open++;
    if (call.state === 'givenUp') this.givenUp++;
    this.seconds += call.seconds;
    if (call.cost !== null) {
      this.priced++;
      this.cost += call.cost;
    }
    const { key, label } = call.outcome;
    const count = this.outcomes.get(key) ?? { label, calls: 0, reached: 0 };
    this.outcomes.set(key, count);
    count.calls++;
    if (call.isReached) count.reached++;
  }

  /** Ended calls that do not say what they cost. */
  get unpriced(): number {
    return this.calls - this.open - this.givenUp - this.priced;
  }
}

/** What a report needs of a call. */
interface CountedCall {
  state: CallState;
  /** When it was placed: milliseconds since 1970. */
  at: number;
  isReached: boolean;
  seconds: number;
  cost: number | null;
  outcome: { key: string; label: string };
  scriptId: string | undefined;
}

/** Of two rows of one call, the one whose state comes later here tells more of it. */
const TELLS: CallState[] = ['placing', 'maybePlaced', 'open', 'givenUp', 'ended'];

export type GroupBy = 'day' | 'outcome' | 'script';

export interface ReportRequest {
  /** The first and the last instant at which the calls were placed: milliseconds since 1970. */
  from: number;
  to: number;
  groupBy: GroupBy;
  /** The day of an instant, as `YYYY-MM-DD`. */
  dayOf(at: number): string;
  /** Keys of outcomes with which nobody was spoken to. */
  notReached: ReadonlySet<string>;
}

/**
 * Counts the calls of a log. Rows come in any order, and a call may have several: it is counted once,
 * by the one that tells most of it. Only counts are kept, and the keys of the calls.
 */
export class CallReport {
  readonly totals = new CallTally();
  /** By `YYYY-MM-DD`. */
  readonly days = new Map<string, CallTally>();
  /** By day, outcome key or script ID, as was asked for; the empty key is that of no script. */
  readonly groups = new Map<string, CallTally>();
  private readonly outcomeKeys = new Set<string>();
  private readonly counted = new Set<string>();
  /** Calls of which a row may still come that tells more. */
  private readonly unended = new Map<string, CountedCall>();

  constructor(private readonly request: ReportRequest) {}

  /** Counts a row; a test call, a row of no call, or of none in the period changes nothing. */
  add(row: Row): void {
    const state = callStateOf(row);
    if (!TELLS.includes(state) || isOfTestCall(row)) return;
    const key = callKey(row);
    if (this.counted.has(key)) return;
    if (state !== 'ended') {
      const known = this.unended.get(key);
      const tellsMore = known === undefined || TELLS.indexOf(state) > TELLS.indexOf(known.state);
      if (tellsMore) this.unended.set(key, this.read(row, state));
      return;
    }
    this.counted.add(key);
    this.count(this.read(row, state));
  }

  /** To be called once, when all rows were added. */
  finish(): void {
    for (const [key, call] of this.unended) if (!this.counted.has(key)) this.count(call);
    this.unended.clear();
    this.counted.clear();
  }

  private read(row: Row, state: CallState): CountedCall {
    return {
      state,
      at: calledAt(row) ?? NaN,
      isReached: isReached(row, this.request.notReached),
      seconds: Math.max(0, numberIn(row.durationSec) ?? 0),
      cost: numberIn(row.cost),
      outcome: isInDoubt(state) ? MAYBE_PLACED : this.toldApart(outcomeOf(row)),
      scriptId: textIn(row.scriptId),
    };
  }

  private toldApart(outcome: CountedCall['outcome']): CountedCall['outcome'] {
    const { outcomeKeys } = this;
    if (!outcomeKeys.has(outcome.key) && outcomeKeys.size >= MOST_OUTCOMES) return OTHER;
    outcomeKeys.add(outcome.key);
    return outcome;
  }

  private count(call: CountedCall): void {
    const { from, to, dayOf, groupBy } = this.request;
    if (!(call.at >= from && call.at <= to)) return;
    this.totals.add(call);
    const day = dayOf(call.at);
    tallyOf(this.days, day).add(call);
    const keys = { day, outcome: call.outcome.key, script: call.scriptId ?? '' };
    tallyOf(this.groups, keys[groupBy]).add(call);
  }
}

function tallyOf(tallies: Map<string, CallTally>, key: string): CallTally {
  const known = tallies.get(key);
  if (known !== undefined) return known;
  const tally = new CallTally();
  tallies.set(key, tally);
  return tally;
}
