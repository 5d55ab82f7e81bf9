import type { Row } from '../../dataTables/dataTables';
import { calledAt, isReached, outcomeOf } from '../rowFacts';
import { AttemptFold } from './attemptFold';
import { callStateOf, isInDoubt, showsNoCall, type CallState } from '../states';
import { numberIn, textIn } from '../table/cells';
import { costIn } from './readCalls';

export const MAYBE_PLACED = { key: 'maybe_placed', label: 'May have been placed' };

/** A report has at most this many outcomes: a service may invent a label for every call. */
const MOST_OUTCOMES = 500;
const OTHER = { key: 'other', label: 'Other outcomes' };

export class CallTally {
  /** Calls that the service has accepted. */
  calls = 0;
  /** The accepted calls that ended with a conversation. */
  reached = 0;
  open = 0;
  givenUp = 0;
  /** Calls not counted in `calls`: nobody knows whether the service has accepted them. */
  maybePlaced = 0;
  seconds = 0;
  /** Calls with a cost; `cost` is their sum. */
  priced = 0;
  unpriced = 0;
  cost = 0;
  /** By key. A call without an outcome counts under its status. */
  readonly outcomes = new Map<string, { label: string; calls: number; reached: number }>();

  add(call: CountedCall): void {
    if (call.outcome === MAYBE_PLACED) {
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
    } else if (call.state === 'ended') this.unpriced++;
    const { key, label } = call.outcome;
    const count = this.outcomes.get(key) ?? { label, calls: 0, reached: 0 };
    this.outcomes.set(key, count);
    count.calls++;
    if (call.isReached) count.reached++;
  }
}

interface CountedCall {
  state: CallState;
  /** When the call was placed, in milliseconds since 1970. */
  at: number;
  isReached: boolean;
  seconds: number;
  cost: number | null;
  outcome: { key: string; label: string };
  scriptId: string | undefined;
}

export type GroupBy = 'day' | 'outcome' | 'script';

interface ReportRequest {
  /** The report counts calls placed from this instant to `to`, in milliseconds since 1970. */
  from: number;
  to: number;
  groupBy: GroupBy;
  /** The day of an instant, as `YYYY-MM-DD`. */
  dayOf(at: number): string;
  /** Keys of outcomes without a conversation. */
  notReached: ReadonlySet<string>;
}

/** Counts the calls of a log. Rows come in any order; of each attempt, the row that counts is counted. */
export class CallReport {
  readonly totals = new CallTally();
  /** By `YYYY-MM-DD`. */
  readonly days = new Map<string, CallTally>();
  /** By day, outcome key or script ID, as `groupBy` asks. The empty key stands for no script. */
  readonly groups = new Map<string, CallTally>();
  private readonly outcomeKeys = new Set<string>();
  private readonly calls = new AttemptFold((row) =>
    // No execution works with a row whose status means nothing: a hint says so.
    showsNoCall(row) || callStateOf(row) === 'unknown' ? undefined : this.read(row),
  );

  constructor(private readonly request: ReportRequest) {}

  add(row: Row): void {
    this.calls.add(row);
  }

  /** The calls, each to be counted once, after all rows were added. */
  *decided(): Generator<CountedCall> {
    for (const [, call] of this.calls.entries()) if (call !== undefined) yield call;
  }

  private read(row: Row): CountedCall {
    return {
      state: callStateOf(row),
      at: calledAt(row) ?? NaN,
      isReached: isReached(row, this.request.notReached),
      seconds: Math.max(0, numberIn(row.durationSec) ?? 0),
      cost: costIn(row) ?? null,
      outcome: isInDoubt(row) ? MAYBE_PLACED : outcomeOf(row),
      scriptId: textIn(row.scriptId),
    };
  }

  count(read: CountedCall): void {
    const { from, to, dayOf, groupBy } = this.request;
    if (!(read.at >= from && read.at <= to)) return;
    const { outcome } = read;
    if (outcome !== MAYBE_PLACED && this.outcomeKeys.size < MOST_OUTCOMES) {
      this.outcomeKeys.add(outcome.key);
    }
    const isToldApart = outcome === MAYBE_PLACED || this.outcomeKeys.has(outcome.key);
    const call = isToldApart ? read : { ...read, outcome: OTHER };
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
