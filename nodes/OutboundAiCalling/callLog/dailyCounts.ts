import { sleep } from 'n8n-workflow';
import { writingsOf } from '../contacts/numbersIn';
import { holds } from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import { isCounted, isOf, markedCall, type MarkedCall, type MarksCounted } from './callMarks';
import type { Mark, OwnCalls } from './callRow';
import { ReadCalls, type ToldCall } from './readCalls';
import { numberIn } from './cells';
import type { OwnStatus } from './states';

/** Costs are estimated by so many calls that ended last. */
const COSTS_IN_MEAN = 100;
/** Nobody is kept from being called by what was read longer ago: a person may have deleted rows. */
const OBJECTS_FOR_MS = 60_000;
/** So often rows are read that became visible late. */
const THOROUGH_EVERY_MS = 5_000;
/** Before what others are about to do is read again. */
const PAUSE_MS = 250;
/** Till others see that somebody has given way: so long, and so many readings, however slow n8n is. */
const TURN_MS = 4_000;
const TURN_READINGS = 2;

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
  /** Undefined while nobody is about to take what is left. */
  waiting: Waiting | undefined;
}

/** How the calls of one mark wait for what others make of theirs. */
interface Waiting {
  since: number;
  /** The calls of others that they wait for. */
  awaited: Set<string>;
  /** Since when, and which reading of the log, none of these has gone. */
  stillSince: number;
  stillFrom: number;
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
  private readings = 0;
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
      looked = { reading: this.readLog(), waiting: undefined };
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
    for (const [from, counted] of this.claimed) if (claim.at >= from) counted.add([phone], 1);
    return claim;
  }

  giveBack(claim: Claim): void {
    if (!this.claims.delete(claim)) return;
    for (const [from, counted] of this.claimed)
      if (claim.at >= from) counted.add([claim.phone], -1);
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
    const writings = writingsOf(phone);
    const isToPerson = ({ phones }: MarkedCall) =>
      phones.some((one) => one === phone || (!one.startsWith('+') && writings.includes(one)));
    return {
      calls: others.calls + claimed.calls + marked.length,
      toPerson: others.to(writings) + claimed.to(writings) + marked.filter(isToPerson).length,
      cost: others.cost + open * this.meanCost,
    };
  }

  /**
   * Calls of a mark wait for what others make of theirs; to be asked after each look.
   *
   * @param own this execution's own calls
   * @returns for how many milliseconds they wait, and for how many turns none of the others that they
   * wait for has gone; a turn lasts until others see that somebody has given way
   */
  waitOf(
    looked: Looked,
    mark: Mark,
    own: OwnCalls | undefined,
  ): { forMs: number; idleTurns: number } {
    const now = Date.now();
    const awaited = new Set(this.markedByOthers(own, mark, 'unaware').map(({ key }) => key));
    const before = looked.waiting;
    const isStill = before !== undefined && [...before.awaited].every((key) => awaited.has(key));
    const { since } = before ?? { since: now };
    const { stillSince, stillFrom } = isStill
      ? before
      : { stillSince: now, stillFrom: this.readings };
    looked.waiting = { since, awaited, stillSince, stillFrom };
    const turns = [(now - stillSince) / TURN_MS, (this.readings - stillFrom) / TURN_READINGS];
    return { forMs: now - since, idleTurns: Math.floor(Math.min(...turns)) };
  }

  /** How many marks come after one's own, of whomever. */
  marksAfter(mark: Mark): number {
    const after = this.marks.filter(
      (other) => !isCounted(other, mark, 'earlier') && !isOf(other, mark),
    );
    return new Set(after.map(({ placedAt, by }) => `${placedAt} ${by}`)).size;
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
      for (const { at, phone } of this.claims) if (at >= from) counted.add([phone], 1);
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
    this.readings++;
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

  /** @param writings all texts that mean the person */
  to(writings: string[]): number {
    return writings.reduce((sum, writing) => sum + (this.byPhone.get(writing) ?? 0), 0);
  }

  /** @param phones whom the calls may have been made to */
  add(phones: string[], count: number): void {
    this.calls += count;
    for (const phone of phones) this.byPhone.set(phone, (this.byPhone.get(phone) ?? 0) + count);
  }

  addTold({ phones, isEnded, cost }: ToldCall, isOwn: boolean): void {
    this.cost += cost;
    if (isOwn) {
      if (isEnded) this.ownEnded++;
      return;
    }
    this.add(phones, 1);
    if (!isEnded) this.open++;
  }
}
