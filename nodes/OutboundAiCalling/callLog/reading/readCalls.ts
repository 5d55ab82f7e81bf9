import { HOUR_MS } from '../../clocks';
import { namedIn } from '../../contacts/numbersIn';
import { holds, LARGEST_PAGE, type Condition, type Row } from '../../dataTables/dataTables';
import { dialledIn } from '../placing/loggedRequest';
import { AttemptFold } from './attemptFold';
import type { CallLog } from '../callLog';
import { isoTime, numberIn, textIn, VISIBLE_WITHIN_MS, writtenAt } from '../table/cells';
import { calledAt, isReached, NOT_REACHED } from '../rowFacts';
import { callKey, callStateOf, hasEnded, PLACING, says, showsNoCall } from '../states';
import { IdRanges } from '../ends/idRanges';
import { DATE_MARGIN_MS } from '../table/columns';
import { measureOf } from '../../service/outcome';

/** Later executions of this process reuse a reading of a log for this long. */
const USED_FOR_MS = 6 * HOUR_MS;
/** The first page has this many rows, unless more were new the last time. */
const FEW = 25;

/** A call that was placed, may have been, or is about to be. */
export interface ReadCall {
  /** Names the attempt, as `callKey` does. */
  key: string;
  /** Milliseconds since 1970. For a call that is about to be placed: now. */
  placedAt: number;
  /** The number that was dialled, or the phones in its row, as {@link namedIn} gives them. */
  phones: string[];
  /** Undefined when nobody knows it: the call goes on, or its end has no cost that can be read. */
  cost: number | undefined;
  /** Whether the call has ended after a conversation, with no cost that can be read. */
  isUnpriced: boolean;
  /** Of a call that is about to be placed: the `lockedBy` of the mark. */
  markedBy: string | undefined;
}

/** When a call was placed, and when its attempt ended. */
type TimeColumn = 'triggeredAt' | 'finishedAt';

/** Rows with a time since then, and some from before. */
export function timeSince(column: TimeColumn, time: number): Condition {
  return holds(column, 'gte', isoTime(time - DATE_MARGIN_MS));
}

/** Rows of calls whose time of placing a person has emptied. */
export const TIME_EMPTIED = [holds('triggeredAt', 'eq', null), holds('orderId', 'neq', null)];

/** Rows with a time until then, and some from after. */
export function timeUntil(column: TimeColumn, time: number): Condition {
  return holds(column, 'lte', isoTime(time + DATE_MARGIN_MS));
}

export function costIn({ cost }: Row): number | undefined {
  return measureOf(cost) ?? undefined;
}

function priceOf(row: Row): Pick<ReadCall, 'cost' | 'isUnpriced'> {
  if (!hasEnded(row) || callStateOf(row) !== 'ended') return { cost: undefined, isUnpriced: false };
  const cost = costIn(row);
  const hasTalked = (numberIn(row.durationSec) ?? 0) > 0 || isReached(row, new Set(NOT_REACHED));
  // Nobody has talked: a service may leave the cost out.
  if (cost === undefined && !hasTalked) return { cost: 0, isUnpriced: false };
  return { cost, isUnpriced: cost === undefined };
}

/** Whether a process that is alive may be placing the call of a row. */
function isBeingPlaced({ status, lockedUntil }: Row, now: number): boolean {
  return status === PLACING && (numberIn(lockedUntil) ?? 0) > now;
}

/** A process that is alive may still place the call, even on the next day. */
function placedAtIn(row: Row, now: number): number | undefined {
  if (showsNoCall(row)) return undefined;
  if (isBeingPlaced(row, now)) return now;
  // A row is written when its call is placed, by a machine whose clock may be ahead: a later time is a person's.
  return calledAt(row, (writtenAt(row) || Infinity) + HOUR_MS);
}

/** Collects calls for the daily caps. A call without `placedAt` was not placed. */
function callsNow() {
  const now = Date.now();
  return new AttemptFold((row) => ({
    placedAt: placedAtIn(row, now),
    phones: namedIn(dialledIn(row)),
    ...priceOf(row),
    markedBy: row.status === PLACING ? textIn(row.lockedBy) : undefined,
  }));
}

/** The last readings of this process, by log and account: days with many calls are read once. */
const readings = new Map<string, Reading>();

/** The calls since a time, without rows that change in place. Other changes come as new rows. */
class Reading {
  readonly readAt = Date.now();
  readonly calls = callsNow();
  private newest = { id: 0, writtenAt: 0 };
  /** Ids that need no further reading: their rows were read, or no later row will have them. */
  private readonly done = new IdRanges();
  private limit = FEW;

  constructor(
    private readonly log: CallLog,
    readonly since: number,
  ) {}

  async readAll(): Promise<void> {
    const newest = await this.log.newestRows(1);
    const lists = [[timeSince('triggeredAt', this.since)], TIME_EMPTIED];
    await Promise.all(
      lists.map(async (some) => await this.log.eachPage(some, (rows) => this.take(rows))),
    );
    this.settle(newest);
  }

  /** Reads the rows that were written or became visible since the last time, the newest first. */
  async readOn(): Promise<void> {
    const { limit, log } = this;
    const first = await log.newestRows(limit);
    let rows = first;
    const read = [...first];
    const isOld = (row: Row) => this.isOld(row);
    for (let asked = limit; rows.length === asked && !rows.some(isOld); asked = LARGEST_PAGE) {
      rows = await log.newestRows(LARGEST_PAGE, holds('id', 'lt', rows.at(-1)?.id ?? 0));
      read.push(...rows);
    }
    this.take(read);
    const firstOld = read.findIndex(isOld);
    const fresh = firstOld === -1 ? read : read.slice(0, firstOld);
    this.done.add(0, read[firstOld]?.id ?? 0);
    for (const { id } of fresh) this.done.add(id);
    this.limit = fresh.length < FEW ? FEW : LARGEST_PAGE;
    this.settle(first);
  }

  /** Whether all rows with lower ids were read. A reused id has a new time. */
  private isOld(row: Row): boolean {
    const { id, writtenAt: at } = this.newest;
    const isSettled = row.id <= id && writtenAt(row) <= at - VISIBLE_WITHIN_MS;
    return isSettled || (row.id <= this.done.position && writtenAt(row) <= at);
  }

  private settle([newest]: Row[]): void {
    if (newest !== undefined) this.newest = { id: newest.id, writtenAt: writtenAt(newest) };
  }

  private take(rows: Row[]): void {
    for (const row of rows) {
      const state = callStateOf(row);
      const isWaiting = state === 'ahead' || state === 'scheduled';
      if (!isWaiting && row.status !== PLACING) this.calls.add(row);
    }
  }
}

/**
 * Reads the calls of an account that were placed since a time, may have been, or are about to be.
 *
 * @param maxAgeMs for this long, rows that a person has deleted may still count
 * @returns `readAt` is when all calls were read; after that, only new rows were read
 */
export async function readCalls(
  log: CallLog,
  since: number,
  maxAgeMs = USED_FOR_MS,
): Promise<{ calls: ReadCall[]; readAt: number }> {
  const cached = readings.get(log.key);
  const isUsable =
    cached !== undefined && cached.since <= since && Date.now() - cached.readAt <= maxAgeMs;
  // Keep this order. A row that replaces one of these meanwhile is found by the reads that follow.
  const placing = await log.allRows(says('placing'));
  const reading = isUsable ? cached : new Reading(log, since);
  const [maybe] = await Promise.all([
    log.allRows(says('maybe_placed'), timeSince('triggeredAt', since)),
    isUsable ? reading.readOn() : reading.readAll(),
  ]);
  const undecided = [...placing, ...maybe];
  // A full reading leaves out rows that say that nobody was called. These are read here.
  const beside = isUsable ? [] : await log.rowsOfCalls(undecided);
  readings.set(log.key, reading);
  const counted = callsNow();
  for (const row of [...undecided, ...beside]) counted.add(row);
  counted.merge(reading.calls);
  // What is being placed may ring, also when a copy of its row was cancelled.
  const underWay = callsNow();
  for (const row of placing) {
    const isCounted = counted.find(callKey(row))?.value.placedAt !== undefined;
    if (!isCounted && isBeingPlaced(row, Date.now())) underWay.add(row);
  }
  const all = [...counted.entries(), ...underWay.entries()];
  const calls = all.flatMap(([key, { placedAt, ...call }]) =>
    placedAt === undefined || placedAt < since ? [] : [{ key, placedAt, ...call }],
  );
  return { calls, readAt: reading.readAt };
}
