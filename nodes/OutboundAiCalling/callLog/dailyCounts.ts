import { sleep } from 'n8n-workflow';
import { holds } from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import { isCounted, markedCall, type MarkedCall, type MarksCounted } from './callMarks';
import type { Mark, OwnCalls } from './callRow';
import { ReadCalls, type ToldCall } from './readCalls';
import { numberIn, type OwnStatus } from './row';

/** Costs are estimated by so many calls that ended last. */
const COSTS_IN_MEAN = 100;
/** Nobody is kept from being called by what was read longer ago: a person may have deleted rows. */
const OBJECTS_FOR_MS = 60_000;
/** So often rows are read that became visible late. */
const THOROUGH_EVERY_MS = 5_000;
/** Before what others are about to do is read again. */
const PAUSE_MS = 250;
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
    read.forget(log);
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
    const marked = this.markedByOthers(own, mark, marks).filter(({ placedAt }) => placedAt >= from);
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

  /**
   * How many other executions, or parts of them, have marked calls before one's own that are still to
   * be placed.
   *
   * @param own this execution's own calls
   */
  executionsBefore(mark: Mark, own: OwnCalls | undefined): number {
    return new Set(this.markedByOthers(own, mark, 'earlier').map(({ by }) => by)).size;
  }

  private markedByOthers(
    own: OwnCalls | undefined,
    mark: Mark | undefined,
    marks: MarksCounted,
  ): MarkedCall[] {
    return this.marks.filter(
      (other) => own?.has(other.key) !== true && isCounted(other, mark, marks),
    );
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

  /** Reads of one execution come one after the other, so that the last one knows most. */
  private async readLog(): Promise<void> {
    const { log } = this;
    if (log === undefined) return;
    this.reading = this.reading.catch(() => {}).then(async () => await this.readNow(log));
    await this.reading;
  }

  private async readNow(log: CallLog): Promise<void> {
    // First: a row that replaces one of these meanwhile is seen by what is read then.
    const marked = await log.allRows(holds('status', 'eq', 'placing' satisfies OwnStatus));
    const isFirst = this.read === undefined;
    const startedAt = Date.now();
    const isThorough = startedAt - this.thoroughAt > THOROUGH_EVERY_MS;
    if (isThorough) this.thoroughAt = startedAt;
    const read = await ReadCalls.upToDate(log, this.since, { isFirst, isThorough });
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
    for (const mark of marked.map(markedCall)) if (mark !== undefined) marks.set(mark.key, mark);
    this.marks = [...marks.values()].filter(({ key }) => !calls.has(key));
    this.counted.clear();
  }
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

  addTold({ phone, isEnded, cost }: ToldCall, isOwn: boolean): void {
    this.cost += cost;
    if (isOwn) {
      if (isEnded) this.ownEnded++;
      return;
    }
    this.add(phone, 1);
    if (!isEnded) this.open++;
  }
}
