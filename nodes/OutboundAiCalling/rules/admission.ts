import type { CallLog } from '../callLog/callLog';
import { Gathering } from '../gathering';
import { Lock } from '../callLog/lock';
import { costIn, readCalls, type ReadCall } from '../callLog/reading/readCalls';
import type { PlacingRows } from '../callLog/placing/placingRows';
import { isOfTestCall } from '../callLog/placing/loggedRequest';
import type { RowToPlace } from '../callLog/placing/rowToPlace';
import { DAY_MS, MINUTE_MS } from '../clocks';
import { writingsOf } from '../contacts/writings';
import { personOf } from '../contacts/person';
import { holds } from '../dataTables/dataTables';
import { groupBy } from '../collections';
import type { Objection } from './rule';

/** Calls that arrive within this time, or during an admission, are admitted together. */
const GATHER_MS = 10;
/** A call waits at most this long for the lock. A killed process loses the lock much sooner. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** At most this many tries: a process that stands still loses the lock, and may do so again. */
const MOST_TRIES = 10;
/** A reading older than this refuses no call: a person may have deleted rows since. */
const OBJECTS_FOR_MS = MINUTE_MS;
/** A reading younger than this may refuse a call without a new reading. */
const FRESH_FOR_MS = 5_000;
/** In every time zone the day of an applicant began within this time, with much to spare. */
const DAY_BEGAN_WITHIN_MS = 2 * DAY_MS;
/** The expected cost is the mean of this many of these calls that ended last. */
const COSTS_IN_MEAN = 100;
const PRICED = [holds('finishedAt', 'neq', null), holds('cost', 'neq', null)];

export interface Tally {
  calls: number;
  /** When the first of them was placed, in milliseconds since 1970; Infinity when there is none. */
  firstAt: number;
  toPerson: number;
  cost: number;
  /** Of one more call; 0 until one has ended, undefined when no ended one has a readable cost. */
  expectedCost: number | undefined;
}

/** A call that asks for a place among the calls of its day. */
export interface Applicant {
  /** In E.164. */
  phone: string;
  /** When its day began, and that of its person, whose clock may be another; in milliseconds since 1970. */
  dayStarts(): { own: number; ofPerson: number };
  isCostAsked: boolean;
  /** Why the call may not follow the calls of `tally`; undefined when it may. */
  objectionTo(tally: Tally): Objection | undefined;
}

type CountedCall = Omit<ReadCall, 'key' | 'markedBy'>;

class Day {
  calls = 0;
  firstAt = Infinity;
  withoutCost = 0;
  cost = 0;
  isUnpriced = false;
  private readonly byWriting = new Map<string, number>();

  add({ phones, placedAt, cost, isUnpriced }: CountedCall): void {
    this.calls++;
    this.firstAt = Math.min(this.firstAt, placedAt);
    if (cost === undefined) this.withoutCost++;
    else this.cost += cost;
    this.isUnpriced ||= isUnpriced;
    for (const phone of phones) this.byWriting.set(phone, (this.byWriting.get(phone) ?? 0) + 1);
  }

  /** Counts the calls to a number, in every form in which rows write it. */
  to(e164: string): number {
    return writingsOf(e164).reduce((sum, one) => sum + (this.byWriting.get(one) ?? 0), 0);
  }
}

/** The calls that were read, and the calls that got a place afterwards. */
class Count {
  private readonly days = new Map<number, Day>();

  constructor(
    readonly readAt: number,
    private readonly calls: CountedCall[],
    /** Undefined when no call has a cost. */
    private readonly meanCost: number | undefined,
  ) {}

  /** Why an applicant may not follow the counted calls; else it gets a place among them. */
  admit(applicant: Applicant): Objection | undefined {
    const objection = applicant.objectionTo(this.tally(applicant));
    if (objection !== undefined) return objection;
    this.add(applicant.phone);
    return undefined;
  }

  /** Counts a call to a number in E.164 that is placed now. */
  add(phone: string): void {
    const phones = [personOf(phone)];
    const call = { placedAt: Date.now(), phones, cost: undefined, isUnpriced: false };
    this.calls.push(call);
    for (const [from, day] of this.days) if (call.placedAt >= from) day.add(call);
  }

  tally(applicant: Applicant): Tally {
    const { own, ofPerson } = applicant.dayStarts();
    const day = this.daySince(own);
    const toPerson = this.daySince(ofPerson).to(applicant.phone);
    const expectedCost = this.meanCost ?? (day.isUnpriced ? undefined : 0);
    const cost = day.cost + day.withoutCost * (expectedCost ?? 0);
    const { calls, firstAt } = day;
    return { calls, firstAt, toPerson, cost, expectedCost };
  }

  private daySince(from: number): Day {
    const cached = this.days.get(from);
    if (cached !== undefined) return cached;
    const day = new Day();
    for (const call of this.calls) if (call.placedAt >= from) day.add(call);
    this.days.set(from, day);
    return day;
  }
}

/** Reads and counts calls, without `uncountedMarks`. Drops those of these marks that no row has any more. */
async function readCount(
  log: CallLog,
  { since, isCostAsked }: { since: number; isCostAsked: boolean },
  uncountedMarks: Map<string, string>,
  maxAgeMs?: number,
): Promise<Count> {
  const [{ calls, readAt }, ended] = await Promise.all([
    readCalls(log, since, maxAgeMs),
    isCostAsked ? log.newestRows(COSTS_IN_MEAN, ...PRICED) : [],
  ]);
  const costs = ended.flatMap((row) => (isOfTestCall(row) ? [] : (costIn(row) ?? [])));
  const sum = costs.reduce((all, cost) => all + cost, 0);
  const meanCost = costs.length === 0 ? undefined : sum / costs.length;
  // Another process may have marked the same call since, or placed it.
  const isUncounted = ({ key, markedBy }: ReadCall) =>
    markedBy !== undefined && uncountedMarks.get(key) === markedBy;
  const read = new Set(calls.filter(isUncounted).map(({ key }) => key));
  for (const key of uncountedMarks.keys()) if (!read.has(key)) uncountedMarks.delete(key);
  const counting = calls.filter((call) => !isUncounted(call));
  return new Count(readAt, counting, meanCost);
}

/** Counts the calls of a dry run in memory: they have no rows. Caps and time zones may differ. */
export class DryCount {
  private counting: Promise<Count> | undefined;
  /** Phones of calls without caps, in E.164, until the first call with caps asks. */
  private uncapped: string[] = [];

  constructor(private readonly log: CallLog | undefined) {}

  /** Counts a call without caps that would be placed: it takes a place of those that have some. */
  add(phone: string): void {
    this.uncapped.push(phone);
  }

  async objectionTo(applicant: Applicant): Promise<Objection | undefined> {
    this.counting ??= this.read();
    const count = await this.counting;
    for (const phone of this.uncapped.splice(0)) count.add(phone);
    return count.admit(applicant);
  }

  private async read(): Promise<Count> {
    if (this.log === undefined) return new Count(Date.now(), [], undefined);
    const since = Date.now() - DAY_BEGAN_WITHIN_MS;
    return await readCount(this.log, { since, isCostAsked: true }, new Map());
  }
}

interface Application {
  applicant: Applicant;
  row: RowToPlace;
  log: CallLog;
  /** The name that others see while they wait for the lock. */
  workflow: string;
  objection?: Objection;
  failure?: unknown;
}

const admissions = new Map<string, Admission>();

/**
 * Admits calls to a log under a lock. The holder of the lock counts the calls of the day in the
 * log. It marks the rows of the calls that find a place as about to be placed, and releases the
 * lock. Calls of all executions of this process that arrive meanwhile are admitted together.
 *
 * When the holder finds at the end that the lock was lost, it takes the marks back and tries again.
 */
export class Admission {
  private readonly applications = new Gathering<Application>(
    async (some) => await this.decide(some),
    GATHER_MS,
  );
  /** Marks that do not count, as `lockedBy` by call key: of calls given back, or being admitted. */
  private readonly uncountedMarks = new Map<string, string>();
  /** The last count. While fresh, it may refuse a call without a new reading. */
  private last: { count: Count; at: number; isCostAsked: boolean } | undefined;
  /** The last rewriting of old rows that the readings of this process have seen. */
  private rewrittenAt = 0;

  static of(log: CallLog): Admission {
    const admission = admissions.get(log.key) ?? new Admission();
    admissions.set(log.key, admission);
    return admission;
  }

  /** The objection by the last reading, while that is fresh. */
  earlyObjection(applicant: Applicant): Objection | undefined {
    const { last } = this;
    if (last === undefined || Date.now() - last.at > FRESH_FOR_MS) return undefined;
    if (applicant.isCostAsked && !last.isCostAsked) return undefined;
    return applicant.objectionTo(last.count.tally(applicant));
  }

  /** Marks a call's row as about to be placed, or returns why not. Throws when it cannot decide. */
  async admit(application: Application): Promise<Objection | undefined> {
    await this.applications.add(application);
    if (application.failure !== undefined) throw application.failure;
    return application.objection;
  }

  /** Frees the place of an admitted call that was surely not placed. */
  giveBack(row: RowToPlace): void {
    this.uncountedMarks.set(row.key, row.lockedBy);
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
        throw new Error(
          `the workflow "${lock.heldBy}" has been counting today's calls for too long`,
        );
      }
      const isRewritten = lock.rewrittenAt !== this.rewrittenAt;
      const admitted = await this.decideAlone(log, left, isRewritten ? 0 : undefined).catch(
        async (failure: unknown) => {
          await lock.release().catch(() => false);
          throw failure;
        },
      );
      this.rewrittenAt = lock.rewrittenAt;
      if (await lock.release().catch(() => false)) return;
      this.last = undefined;
      await inExecutions(admitted, async (rows, calls) => await rows.unmark(calls));
      left = left.filter(({ failure }) => failure === undefined);
      if (left.length === 0) return;
    }
    throw new Error(
      "today's calls could not be counted, because other executions counted at the same time",
    );
  }

  /** Decides under the lock: no other process counts or marks meanwhile. */
  private async decideAlone(
    log: CallLog,
    some: Application[],
    maxAgeMs?: number,
  ): Promise<Application[]> {
    const applicants = some.map(({ applicant }) => applicant);
    const counted = {
      since: Math.min(...applicants.flatMap((one) => Object.values(one.dayStarts()))),
      isCostAsked: applicants.some((one) => one.isCostAsked),
    };
    const { uncountedMarks } = this;
    // A row must not count against its own call. It may be marked already: its execution marks it
    // together with rows of calls without a cap.
    for (const { row } of some) uncountedMarks.set(row.key, row.lockedBy);
    let count = await readCount(log, counted, uncountedMarks, maxAgeMs);
    let admitted = givePlaces(some, count);
    if (admitted.length < some.length && Date.now() - count.readAt > OBJECTS_FOR_MS) {
      count = await readCount(log, counted, uncountedMarks, OBJECTS_FOR_MS);
      admitted = givePlaces(some, count);
    }
    this.last = { ...counted, count, at: Date.now() };
    for (const { row } of admitted) uncountedMarks.delete(row.key);
    await inExecutions(admitted, async (rows, calls) => await rows.mark(calls));
    if (admitted.some(({ row }) => !row.isMarked)) this.last = undefined;
    const refused = some.filter(({ objection }) => objection !== undefined);
    const isPlaceFree = admitted.some(({ row }) => row.state === 'settled');
    if (refused.length === 0 || !isPlaceFree) return admitted;
    // A call that no longer waits, e.g. because a person has cancelled it, takes no place.
    return [...admitted, ...(await this.decideAlone(log, refused, maxAgeMs))];
  }
}

/** Gives places one after the other; returns the applications that found one. */
function givePlaces(some: Application[], count: Count): Application[] {
  for (const one of some) one.objection = count.admit(one.applicant);
  return some.filter(({ objection }) => objection === undefined);
}

/** Changes the rows of each execution together. A failure concerns only that execution's calls. */
async function inExecutions(
  some: Application[],
  change: (rows: PlacingRows, calls: RowToPlace[]) => Promise<void>,
): Promise<void> {
  await Promise.all(
    [...groupBy(some, ({ row }) => row.rows)].map(async ([rows, own]) => {
      const calls = own.map(({ row }) => row);
      await change(rows, calls).catch((failure: unknown) => {
        for (const one of own) one.failure = failure;
      });
    }),
  );
}
