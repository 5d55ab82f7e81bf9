import type { Row } from '../../dataTables/dataTables';
import { calledAt, isReached, outcomeOf } from '../rowFacts';
import { AttemptFold } from './attemptFold';
import { measureOf } from '../../service/outcome';
import {
  callStateOf,
  endedUnplaced,
  isInDoubt,
  keyOfBefore,
  showsNoCall,
  type CallState,
} from '../states';
import { textIn, timeIn } from '../table/cells';

export const MAYBE_PLACED = { key: 'maybe_placed', label: 'May have been placed' };

/** A report has at most this many outcomes: a service may invent a label for every call. */
const MOST_OUTCOMES = 500;
const OTHER = { key: 'other', label: 'Other outcomes' };

/** Ended without being placed: counted in the totals alone. */
const NOT_PLACED = { key: 'not_placed', label: 'Not placed' };

/** The sum of a length or a cost, which some calls do not say. */
class Measure {
  sum = 0;
  /** Ended calls that do not say it: `sum` lacks theirs. */
  unknown = 0;
  private measured = 0;

  add(value: number | null, hasEnded: boolean): void {
    if (value !== null) {
      this.measured++;
      this.sum += value;
    } else if (hasEnded) this.unknown++;
  }

  /** Null when no call says it. */
  get total(): number | null {
    return this.measured === 0 ? null : this.sum;
  }
}

export class CallTally {
  /** Calls that the service has accepted. */
  calls = 0;
  /** The accepted calls that ended with a conversation. */
  reached = 0;
  open = 0;
  givenUp = 0;
  /** Calls not counted in `calls`: nobody knows whether the service has accepted them. */
  maybePlaced = 0;
  /** Not counted in `calls`: nobody was called. */
  notPlaced = 0;
  readonly seconds = new Measure();
  readonly cost = new Measure();
  /** By key. A call without an outcome counts under its status. */
  readonly outcomes = new Map<string, { label: string; calls: number; reached: number }>();

  add(call: CountedCall): void {
    if (call.outcome === MAYBE_PLACED) {
      this.maybePlaced++;
      return;
    }
    if (call.outcome === NOT_PLACED) {
      this.notPlaced++;
      return;
    }
    this.calls++;
    if (call.isReached) this.reached++;
    if (call.state === 'open') this.open++;
    if (call.state === 'givenUp') this.givenUp++;
    this.seconds.add(call.seconds, call.state === 'ended');
    this.cost.add(call.cost, call.state === 'ended');
    const { key, label } = call.outcome;
    const count = this.outcomes.get(key) ?? { label, calls: 0, reached: 0 };
    this.outcomes.set(key, count);
    count.calls++;
    if (call.isReached) count.reached++;
  }
}

interface CountedCall {
  state: CallState;
  /** When the call was placed, or its attempt ended without a call; in milliseconds since 1970. */
  at: number;
  isReached: boolean;
  seconds: number | null;
  cost: number | null;
  outcome: { key: string; label: string };
  scriptId: string | undefined;
  hasNext: boolean;
}

export type GroupBy = 'day' | 'outcome' | 'script';

interface ReportRequest {
  /** The report counts calls placed, or not placed, from this instant to `to`, in milliseconds since 1970. */
  from: number;
  to: number;
  groupBy: GroupBy;
  /** The day of an instant, as `YYYY-MM-DD`. */
  dayOf(at: number): string;
  /** Keys of outcomes without a conversation. */
  notReached: ReadonlySet<string>;
}

/** Counts the calls of a log. Rows come in any order; of each attempt, the row that counts is counted. */
export class CallTallies {
  readonly totals = new CallTally();
  /** By `YYYY-MM-DD`. */
  readonly days = new Map<string, CallTally>();
  /** By day, outcome key or script ID, as `groupBy` asks. The empty key stands for no script. */
  readonly groups = new Map<string, CallTally>();
  private readonly outcomeKeys = new Set<string>();
  private readonly calls = new AttemptFold((row) => this.read(row));

  constructor(private readonly request: ReportRequest) {}

  add(row: Row): void {
    this.calls.add(row);
  }

  /** The calls, each to be counted once, after all rows were added. */
  *decided(): Generator<CountedCall> {
    for (const [key, call] of this.calls.entries()) {
      if (call !== undefined && (call.outcome !== NOT_PLACED || this.wasToCome(key))) yield call;
    }
  }

  /** Whether an attempt was to be made: it is the first, or those before have planned it. As `attemptCounts`. */
  private wasToCome(key: string): boolean {
    const keyBefore = keyOfBefore(key);
    const before = this.calls.find(keyBefore);
    return before === undefined || (before.value?.hasNext === true && this.wasToCome(keyBefore));
  }

  private read(row: Row): CountedCall | undefined {
    const state = callStateOf(row);
    const isUnplaced = endedUnplaced(row);
    // No execution works with a row whose status means nothing: a hint says so.
    if (!isUnplaced && (showsNoCall(row) || state === 'unknown')) return undefined;
    return {
      state,
      at: (isUnplaced ? timeIn(row.finishedAt) : calledAt(row)) ?? NaN,
      isReached: isReached(row, this.request.notReached),
      seconds: measureOf(row.durationSec),
      cost: measureOf(row.cost),
      outcome: isUnplaced ? NOT_PLACED : isInDoubt(row) ? MAYBE_PLACED : outcomeOf(row),
      scriptId: textIn(row.scriptId),
      hasNext: timeIn(row.nextAttemptAt) !== undefined,
    };
  }

  count(read: CountedCall): void {
    const { from, to, dayOf, groupBy } = this.request;
    if (!(read.at >= from && read.at <= to)) return;
    const { outcome } = read;
    if (outcome === NOT_PLACED) {
      this.totals.add(read);
      return;
    }
    if (outcome !== MAYBE_PLACED && this.outcomeKeys.size < MOST_OUTCOMES) {
      this.outcomeKeys.add(outcome.key);
    }
    const isSeparate = outcome === MAYBE_PLACED || this.outcomeKeys.has(outcome.key);
    const call = isSeparate ? read : { ...read, outcome: OTHER };
    this.totals.add(call);
    const day = dayOf(call.at);
    tallyOf(this.days, day).add(call);
    const keys = { day, outcome: call.outcome.key, script: call.scriptId ?? '' };
    tallyOf(this.groups, keys[groupBy]).add(call);
  }
}

function tallyOf(tallies: Map<string, CallTally>, key: string): CallTally {
  const tally = tallies.get(key) ?? new CallTally();
  tallies.set(key, tally);
  return tally;
}
