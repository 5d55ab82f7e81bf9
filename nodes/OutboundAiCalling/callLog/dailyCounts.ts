import { sleep } from 'n8n-workflow';
import { holds, type Condition, type Row } from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import type { Mark, OwnCalls } from './callRow';
import {
  callKey,
  hasEnded,
  isOfTestCall,
  isoTime,
  numberIn,
  prefixOf,
  textIn,
  timeIn,
  type LogStatus,
} from './row';

/** Rows with these say that nobody was called. */
const NOT_CALLED = new Set<LogStatus>(['not_placed', 'scheduled', 'cancelled']);
/** Rows with these do not say what became of a call, so that a mark of it counts beside them. */
const TELL_NOTHING = new Set<LogStatus>(['placing', 'scheduled']);
/** Costs are estimated by so many calls that ended last. */
const COSTS_IN_MEAN = 100;
/** By then, rows of lower ids than others that can be seen can be seen as well. */
const VISIBLE_AFTER_MS = 10_000;
/** So many rows may be written in one go, or side by side. */
const LATE_ROWS = 250;
/** What was read of a log is kept for later executions of this process so long. */
const KEPT_FOR_MS = 6 * 3_600_000;
/** Nobody is kept from being called by what was read longer ago: a person may have deleted rows. */
const OBJECTS_FOR_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** So often rows are read that became visible late. */
const THOROUGH_EVERY_MS = 5_000;
/** Before what others are about to do is read again. */
const PAUSE_MS = 250;
/** Clocks of the machines that n8n runs on differ less. */
const CLOCKS_DIFFER_MS = 1_000;

/** Calls, and what they cost. */
export interface Tally {
  calls: number;
  /** Of these to the one person. */
  toPerson: number;
  cost: number;
}

/** A call of this execution that counts. */
export interface Claim {
  at: number;
  phone: string;
}

/** One call, as the row tells that tells most of it. */
interface Told {
  /** Milliseconds since 1970; undefined when nobody was called. */
  placedAt: number | undefined;
  phone: string;
  isEnded: boolean;
  cost: number;
}

function toldBy(row: Row): Told {
  const isCalled = !NOT_CALLED.has(String(row.status));
  return {
    placedAt: isCalled ? timeIn(row.triggeredAt) : undefined,
    phone: textIn(row.customerPhone) ?? '',
    isEnded: hasEnded(row),
    cost: numberIn(row.cost) ?? 0,
  };
}

/** A call that is about to be placed. */
interface MarkedCall extends Told {
  placedAt: number;
  /** Tells it apart from other calls. */
  key: string;
  /** The execution that has marked it, or the part of its calls that it marks together. */
  by: string;
}

/** Who has marked a row: a scheduled call was taken under a number, others are written ahead without. */
function markedBy({ checks, callId }: Row): string {
  return String(numberIn(checks) ?? prefixOf(textIn(callId) ?? ''));
}

/** A row that was seen. */
interface Landmark {
  at: number;
  id: number;
  key: string;
}

/** What this process has read of the calls in a log that were placed. */
class ReadCalls {
  readonly calls = new Map<string, Told>();
  readonly readAt = Date.now();
  /** Rows from which on the next read goes, and when they were seen; later rows have higher ids. */
  private landmarks: Landmark[] = [];

  private constructor(
    /** Calls that were placed earlier are left out. */
    readonly since: number,
  ) {}

  /** Reads all calls that were placed since then. */
  static async read(log: CallLog, since: number): Promise<ReadCalls> {
    const read = new ReadCalls(since);
    await read.readMaybePlaced(log);
    // In milliseconds, and never before the call was placed; n8n compares dates wrong on SQLite.
    const seen = await read.readPages(log, holds('nextCheckAt', 'gte', since), 0);
    const early = seen.at(-LATE_ROWS) ?? seen[0];
    if (early !== undefined) read.landmarks.unshift({ ...early, at: -Infinity });
    return read;
  }

  /** Reads calls of which nobody knows: there is no next time at which something is to be done. */
  async readMaybePlaced(log: CallLog): Promise<void> {
    const conditions = [
      holds('status', 'eq', 'maybe_placed' satisfies LogStatus),
      holds('triggeredAt', 'gte', isoTime(this.since - DAY_MS)),
    ];
    await log.eachPageById(conditions, 0, (rows) => this.take(rows));
  }

  /**
   * Reads what was written since the last time.
   *
   * @param isThorough whether also rows are read that were not visible yet when later ones were read
   * @returns false when ids were given out again, so that all has to be read anew
   */
  async readOn(log: CallLog, isThorough: boolean): Promise<boolean> {
    const visible = Date.now() - VISIBLE_AFTER_MS;
    const early = this.landmarks.findLast(({ at }) => at < visible);
    const from = isThorough ? early : this.landmarks.at(-1);
    if (early === undefined || from === undefined) return false;
    // Rows written ahead have no checks yet.
    const seen = await this.readPages(log, holds('checks', 'neq', null), from.id);
    this.landmarks = this.landmarks.filter(({ at }) => at >= early.at);
    // SQLite gives the id of a deleted last row to the next one.
    return seen.some(({ key }) => key === from.key);
  }

  /** @returns the rows that were seen, by ascending id */
  private async readPages(log: CallLog, condition: Condition, fromId: number): Promise<Landmark[]> {
    const at = Date.now();
    const seen: Landmark[] = [];
    await log.eachPageById([condition], fromId, (rows) => {
      this.take(rows);
      const lasting = rows.filter(({ status }) => status !== 'placing');
      seen.push(...lasting.map((row) => ({ at, id: row.id, key: callKey(row) })));
    });
    this.landmarks.push(...seen.slice(-1));
    return seen;
  }

  private take(rows: Row[]): void {
    for (const row of rows) {
      // A test call rings nobody but the builder.
      if (TELL_NOTHING.has(String(row.status)) || isOfTestCall(row)) continue;
      const key = callKey(row);
      if (this.calls.get(key)?.isEnded !== true || hasEnded(row)) this.calls.set(key, toldBy(row));
    }
  }
}

/** What this process has read last, by table and account: days of many calls are read once. */
const kept = new Map<string, ReadCalls>();

/** How the calls of others are counted that are about to be placed. */
export type MarksCounted =
  /** Not at all. */
  | 'none'
  /** Those that were marked before one's own: their executions need not know of it. */
  | 'earlier'
  /** Also those whose executions may not have seen one's own mark when they looked. */
  | 'unaware'
  | 'all';

/** What an execution has done about one mark of its own. */
interface Looked {
  reading: Promise<void>;
  /** When it turned out that others are about to take what is left. */
  contendedSince: number | undefined;
}

/**
 * The calls of an account on one day, from the call log and from what this execution has claimed itself.
 * Every call that counts is claimed before its request leaves, and given back when nothing was sent.
 *
 * Other executions, in whatever process, show what they are about to place by marks in the log. Each
 * execution looks after it has marked, so of two at least one sees the other. They go in the order of
 * their marks: one counts what was marked earlier, and what may have been marked too late to be noticed.
 */
export class DailyCounts {
  private readonly claims = new Set<Claim>();
  private marks: MarkedCall[] = [];
  private readonly looked = new Map<Mark | undefined, Looked>();
  private meanCost = 0;
  private thoroughAt = -Infinity;
  private since = Infinity;
  private isCostAsked = false;
  private read: ReadCalls | undefined;
  private reading = Promise.resolve();
  private next: Promise<void> | undefined;
  /** Counted of what was read last, by the beginning of the day and the execution's own calls. */
  private readonly counted = new Map<string, Counted>();
  private readonly claimed = new Map<number, Counted>();

  constructor(
    /** Undefined when there is none yet: nobody has been called. */
    private readonly log: CallLog | undefined,
  ) {}

  /** Has the calls counted that were placed since then, and what they cost. */
  include(since: number, withCost: boolean): void {
    this.since = Math.min(this.since, since);
    this.isCostAsked ||= withCost;
  }

  /** Reads the log, once for each mark of this execution and once before the first. */
  async look(mark: Mark | undefined): Promise<Looked> {
    let looked = this.looked.get(mark);
    if (looked === undefined) {
      looked = { reading: this.readLog(), contendedSince: undefined };
      this.looked.set(mark, looked);
    }
    await looked.reading;
    return looked;
  }

  /** Reads the log again a moment later, for all who wait for it. */
  async lookAgain(): Promise<void> {
    this.next ??= sleep(PAUSE_MS).then(async () => {
      this.next = undefined;
      await this.readLog();
    });
    await this.next;
  }

  /**
   * Before somebody is not called: reads everything anew if it was read a while ago.
   *
   * @returns whether it was read anew
   */
  async lookAnew(): Promise<boolean> {
    const { log, read } = this;
    if (log === undefined || read === undefined) return false;
    if (Date.now() - read.readAt < OBJECTS_FOR_MS) return false;
    if (kept.get(this.keptAs(log)) === read) kept.delete(this.keptAs(log));
    await this.lookAgain();
    return true;
  }

  /** A call takes its place. */
  claim(phone: string): Claim {
    const claim = { at: Date.now(), phone };
    this.claims.add(claim);
    for (const [from, counted] of this.claimed) if (claim.at >= from) counted.add(phone, 1);
    return claim;
  }

  giveBack(claim: Claim): void {
    if (!this.claims.delete(claim)) return;
    for (const [from, counted] of this.claimed) if (claim.at >= from) counted.add(claim.phone, -1);
  }

  /** What a call is expected to cost; 0 while none of the account has ended. */
  get expectedCost(): number {
    return this.meanCost;
  }

  /**
   * The calls placed since `from`; what calls that go on will cost is estimated by the mean cost of the
   * last 100 that ended, 0 when none has.
   *
   * @param own this execution's own calls; undefined without rows
   * @param mark of the call that is asked about
   */
  tally(
    from: number,
    { phone, own, mark }: { phone: string; own: OwnCalls | undefined; mark: Mark | undefined },
    marks: MarksCounted,
  ): Tally {
    const others = this.countedSince(from, own);
    const claimed = this.claimedSince(from);
    const marked = this.marks.filter(
      (other) =>
        other.placedAt >= from && own?.has(other.key) !== true && isCounted(other, mark, marks),
    );
    const open = others.open + claimed.calls - others.ownEnded + marked.length;
    return {
      calls: others.calls + claimed.calls + marked.length,
      toPerson:
        others.to(phone) +
        claimed.to(phone) +
        marked.filter((other) => other.phone === phone).length,
      cost: others.cost + open * this.meanCost,
    };
  }

  private countedSince(from: number, own: OwnCalls | undefined): Counted {
    const name = `${from} ${own?.name ?? ''}`;
    let counted = this.counted.get(name);
    if (counted === undefined) {
      counted = new Counted();
      for (const [key, call] of this.read?.calls ?? []) {
        if (call.placedAt === undefined || call.placedAt < from) continue;
        counted.addTold(call, own?.has(key) === true);
      }
      this.counted.set(name, counted);
    }
    return counted;
  }

  private claimedSince(from: number): Counted {
    let counted = this.claimed.get(from);
    if (counted === undefined) {
      counted = new Counted();
      for (const { at, phone } of this.claims) if (at >= from) counted.add(phone, 1);
      this.claimed.set(from, counted);
    }
    return counted;
  }

  private keptAs({ tableId, account }: CallLog): string {
    return `${tableId} ${account}`;
  }

  /** Reads of one execution come one after the other, so that the last one knows most. */
  private async readLog(): Promise<void> {
    const { log } = this;
    if (log === undefined) return;
    this.reading = this.reading.catch(() => {}).then(async () => await this.readNow(log));
    await this.reading;
  }

  private async readNow(log: CallLog): Promise<void> {
    const marked: Row[] = [];
    // First: a row that replaces one of these meanwhile is seen by what is read then.
    await log.eachPageById([holds('status', 'eq', 'placing' satisfies LogStatus)], 0, (rows) => {
      marked.push(...rows);
    });
    const isFirst = this.read === undefined;
    const startedAt = Date.now();
    const isThorough = startedAt - this.thoroughAt > THOROUGH_EVERY_MS;
    if (isThorough) this.thoroughAt = startedAt;
    let read = kept.get(this.keptAs(log));
    if (read !== undefined) {
      const isKnown = read.since <= this.since && Date.now() - read.readAt < KEPT_FOR_MS;
      // Rows of executions that died become so without a new row.
      if (isKnown && isFirst) await read.readMaybePlaced(log);
      if (!isKnown || !(await read.readOn(log, isThorough))) read = undefined;
    }
    read ??= await ReadCalls.read(log, this.since);
    kept.set(this.keptAs(log), read);
    this.read = read;
    if (this.isCostAsked) {
      const costs = (await log.newestWithCost(COSTS_IN_MEAN)).map(
        ({ cost }) => numberIn(cost) ?? 0,
      );
      this.meanCost = costs.reduce((sum, cost) => sum + cost, 0) / (costs.length || 1);
    }
    const { calls } = read;
    const marks = new Map<string, MarkedCall>();
    // What is no longer marked was placed as a rule, by a row that may become visible late.
    if (!isThorough) for (const mark of this.marks) marks.set(mark.key, mark);
    for (const row of marked) {
      if (isOfTestCall(row)) continue;
      const placedAt = timeIn(row.triggeredAt);
      const key = callKey(row);
      if (placedAt !== undefined)
        marks.set(key, { ...toldBy(row), placedAt, key, by: markedBy(row) });
    }
    this.marks = [...marks.values()].filter(({ key }) => !calls.has(key));
    this.counted.clear();
  }
}

/** Whether a call that another execution has marked takes a place before one's own. */
function isCounted(other: MarkedCall, mark: Mark | undefined, marks: MarksCounted): boolean {
  if (marks === 'none') return false;
  if (marks === 'all' || mark === undefined) return true;
  const isEarlier = other.placedAt < mark.at || (other.placedAt === mark.at && other.by < mark.by);
  return isEarlier || (marks === 'unaware' && other.placedAt <= mark.seenFrom + CLOCKS_DIFFER_MS);
}

/** Numbers of calls that go up one by one. */
class Counted {
  calls = 0;
  /** Those that have not ended. */
  open = 0;
  /** What the calls that have ended cost. */
  cost = 0;
  /** Calls of this execution that have ended; they are not among `calls`, their costs are in `cost`. */
  ownEnded = 0;
  private readonly byPhone = new Map<string, number>();

  to(phone: string): number {
    return this.byPhone.get(phone) ?? 0;
  }

  add(phone: string, count: number): void {
    this.calls += count;
    this.byPhone.set(phone, this.to(phone) + count);
  }

  addTold({ phone, isEnded, cost }: Told, isOwn: boolean): void {
    this.cost += cost;
    if (isOwn) {
      if (isEnded) this.ownEnded++;
      return;
    }
    this.add(phone, 1);
    if (!isEnded) this.open++;
  }
}
