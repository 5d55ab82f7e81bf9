import type { CallLog } from '../callLog/callLog';
import { Gathering } from '../callLog/reading/gathering';
import { Lock } from '../callLog/lock';
import { readCalls, type ReadCall } from '../callLog/reading/readCalls';
import type { PlacingRows } from '../callLog/placing/placingRows';
import type { RowToPlace } from '../callLog/placing/rowToPlace';
import { numberIn } from '../callLog/table/cells';
import { MINUTE_MS } from '../clocks';
import { writingsOf } from '../contacts/numbersIn';
import type { Objection } from './rule';

/** Calls that come within this time are admitted together, and all that come while others are. */
const GATHER_MS = 10;
/** So long a call waits for the lock; that of a process that was killed is free much sooner. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** A lock is lost when this process stands still, which may happen again. */
const MOST_TRIES = 10;
/** Nobody is kept from being called by what was read longer ago: a person may have deleted rows. */
const OBJECTS_FOR_MS = MINUTE_MS;
/** While the last reading is this young, a call that it leaves no place for is refused without another. */
const FRESH_FOR_MS = 5_000;
/** Costs are estimated by so many calls that ended last. */
const COSTS_IN_MEAN = 100;

/** Calls of a day, and what they cost. */
export interface Tally {
  calls: number;
  /** Of these to the one person. */
  toPerson: number;
  cost: number;
  /** What one call more is expected to cost; 0 while none of the account has ended. */
  expectedCost: number;
}

/** A call that wants a place among those of its day. */
export interface Applicant {
  /** In E.164. */
  phone: string;
  /** When its day has begun, in milliseconds since 1970. */
  dayStart(): number;
  isCostAsked: boolean;
  /** Why it is not called when so many were; undefined when it may be. */
  objectionTo(tally: Tally): Objection | undefined;
}

/** The calls of one day. */
class Day {
  calls = 0;
  open = 0;
  cost = 0;
  private readonly byWriting = new Map<string, number>();

  add({ phones, isEnded, cost }: ReadCall): void {
    this.calls++;
    this.cost += cost;
    if (!isEnded) this.open++;
    for (const phone of phones) this.byWriting.set(phone, (this.byWriting.get(phone) ?? 0) + 1);
  }

  /** @param e164 whose calls are counted, however they were written */
  to(e164: string): number {
    return writingsOf(e164).reduce((sum, one) => sum + (this.byWriting.get(one) ?? 0), 0);
  }
}

/** The calls that were read, and those that got a place since. */
class Count {
  private readonly days = new Map<number, Day>();

  constructor(
    readonly readAt: number,
    private readonly calls: ReadCall[],
    private readonly meanCost: number,
  ) {}

  /** A call gets a place. */
  add({ phone }: Applicant): void {
    const call = { key: '', placedAt: Date.now(), phones: [phone], isEnded: false, cost: 0 };
    this.calls.push(call);
    for (const [from, day] of this.days) if (call.placedAt >= from) day.add(call);
  }

  tally(applicant: Applicant): Tally {
    const { phone } = applicant;
    const from = applicant.dayStart();
    const day = this.days.get(from) ?? new Day();
    if (!this.days.has(from)) {
      for (const call of this.calls) if (call.placedAt >= from) day.add(call);
      this.days.set(from, day);
    }
    const cost = day.cost + day.open * this.meanCost;
    return { calls: day.calls, toPerson: day.to(phone), cost, expectedCost: this.meanCost };
  }
}

/**
 * Counts the calls that the applicants have to do with.
 *
 * @param givenBack calls that no longer count; those that the log does not tell of are taken out
 * @param maxAgeMs as {@link readCalls} has it
 */
async function countFor(
  log: CallLog,
  applicants: Applicant[],
  givenBack: Set<string>,
  maxAgeMs?: number,
): Promise<Count> {
  const since = Math.min(...applicants.map((one) => one.dayStart()));
  const isCostAsked = applicants.some((one) => one.isCostAsked);
  const [{ calls, readAt }, ended] = await Promise.all([
    readCalls(log, since, maxAgeMs),
    isCostAsked ? log.newestWithCost(COSTS_IN_MEAN) : [],
  ]);
  const costs = ended.map(({ cost }) => numberIn(cost) ?? 0);
  const meanCost = costs.reduce((sum, cost) => sum + cost, 0) / (costs.length || 1);
  const keys = new Set(calls.map(({ key }) => key));
  for (const key of givenBack) if (!keys.has(key)) givenBack.delete(key);
  const counting = calls.filter(({ key }) => !givenBack.has(key));
  return new Count(readAt, counting, meanCost);
}

/** What would be objected to calls of a dry run one after the other, which have no rows. */
export class DryCount {
  private count: Promise<Count> | undefined;

  constructor(private readonly log: CallLog | undefined) {}

  async objectionTo(applicant: Applicant): Promise<Objection | undefined> {
    const { log } = this;
    this.count ??=
      log === undefined
        ? Promise.resolve(new Count(Date.now(), [], 0))
        : countFor(log, [applicant], new Set());
    const count = await this.count;
    const objection = applicant.objectionTo(count.tally(applicant));
    if (objection === undefined) count.add(applicant);
    return objection;
  }
}

/** An applicant, and what was decided. */
interface Application {
  applicant: Applicant;
  row: RowToPlace;
  log: CallLog;
  workflow: string;
  objection: Objection | undefined;
  failure: unknown;
}

/** The admissions to each log and account in this process. */
const admissions = new Map<string, Admission>();

/**
 * Admits calls to a log in a critical section: whoever holds the lock counts the calls of the day in the log,
 * has those say that they are about to be placed that find a place, and releases the lock. What comes
 * meanwhile in this process, from whatever execution, is admitted together.
 *
 * Whoever finds at the end that the lock was lost takes the marks back and does it again.
 */
export class Admission {
  private readonly applications = new Gathering<Application>(
    async (some) => await this.decide(some),
    undefined,
    GATHER_MS,
  );
  /** Calls that got a place and were not placed; their rows do not say so yet. */
  private readonly givenBack = new Set<string>();
  private last: { count: Count; at: number } | undefined;

  static of(log: CallLog): Admission {
    const name = `${log.tables.address} ${log.tableId} ${log.account}`;
    const admission = admissions.get(name) ?? new Admission();
    admissions.set(name, admission);
    return admission;
  }

  /** What the last reading objects to, while it is young. */
  earlyObjection(applicant: Applicant): Objection | undefined {
    const { last } = this;
    if (last === undefined || Date.now() - last.at > FRESH_FOR_MS) return undefined;
    return applicant.objectionTo(last.count.tally(applicant));
  }

  /**
   * Has a call's row say that it is about to be placed, or tells why it may not be.
   *
   * @param workflow whom others are told about that wait for the lock
   * @throws when it cannot be found out: nobody may be called
   */
  async admit(
    { applicant, row }: Pick<Application, 'applicant' | 'row'>,
    { log, workflow }: Pick<Application, 'log' | 'workflow'>,
  ): Promise<Objection | undefined> {
    const undecided = { objection: undefined, failure: undefined };
    const application: Application = { applicant, row, log, workflow, ...undecided };
    await this.applications.add(application);
    if (application.failure !== undefined) throw application.failure;
    return application.objection;
  }

  /** A call that was admitted is surely not placed. */
  giveBack(row: RowToPlace): void {
    this.givenBack.add(row.key);
    this.last = undefined;
  }

  private async decide(some: Application[]): Promise<void> {
    const [first] = some;
    if (first === undefined) return;
    const { log, workflow } = first;
    let left = some;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const lock = await Lock.whenFree(log, { name: 'daily caps', workflow }, PATIENCE_MS);
      if ('heldBy' in lock) {
        throw new Error(`the workflow "${lock.heldBy}" counts the calls of today for too long`);
      }
      const admitted = await this.decideAlone(log, left).catch(async (failure: unknown) => {
        await lock.release().catch(() => false);
        throw failure;
      });
      if (await lock.release().catch(() => false)) return;
      this.last = undefined;
      await inExecutions(admitted, async (rows, calls) => await rows.unmark(calls));
      left = left.filter(({ failure }) => failure === undefined);
      if (left.length === 0) return;
    }
    throw new Error('the calls of today could not be counted undisturbed');
  }

  /** Nobody else counts or marks meanwhile. */
  private async decideAlone(log: CallLog, some: Application[]): Promise<Application[]> {
    const applicants = some.map(({ applicant }) => applicant);
    const { givenBack } = this;
    // A row may say it already: its execution marks it together with those of calls without a cap.
    for (const { row } of some) givenBack.add(row.key);
    let count = await countFor(log, applicants, givenBack);
    let admitted = choose(some, count);
    if (admitted.length < some.length && Date.now() - count.readAt > OBJECTS_FOR_MS) {
      count = await countFor(log, applicants, givenBack, OBJECTS_FOR_MS);
      admitted = choose(some, count);
    }
    this.last = { count, at: Date.now() };
    for (const { row } of admitted) givenBack.delete(row.key);
    await inExecutions(admitted, async (rows, calls) => await rows.mark(calls));
    return admitted;
  }
}

/** @returns those that find a place, one after the other */
function choose(some: Application[], count: Count): Application[] {
  for (const one of some) {
    one.objection = one.applicant.objectionTo(count.tally(one.applicant));
    if (one.objection === undefined) count.add(one.applicant);
  }
  return some.filter(({ objection }) => objection === undefined);
}

/** Changes the rows of each execution together; what fails concerns its calls alone. */
async function inExecutions(
  some: Application[],
  change: (rows: PlacingRows, calls: RowToPlace[]) => Promise<void>,
): Promise<void> {
  const byRows = new Map<PlacingRows, Application[]>();
  for (const one of some) {
    const { rows } = one.row;
    byRows.set(rows, [...(byRows.get(rows) ?? []), one]);
  }
  await Promise.all(
    [...byRows].map(async ([rows, own]) => {
      const calls = own.map(({ row }) => row);
      await change(rows, calls).catch((failure: unknown) => {
        for (const one of own) one.failure = failure;
      });
    }),
  );
}
