import { DAY_MS } from '../../clocks';
import { namedIn } from '../../contacts/numbersIn';
import { holds, LARGEST_PAGE, type Condition, type Row } from '../../dataTables/dataTables';
import { AttemptFold } from './attemptFold';
import type { CallLog } from '../callLog';
import { isoTime, numberIn, timeIn } from '../table/cells';
import { writtenAt } from '../ends/cursors';
import { callStateOf, hasEnded, isNotCalled, type OwnStatus } from '../states';
import { VISIBLE_WITHIN_MS } from '../table/visibility';

/** What was read of a log is used again by later executions of this process for this long. */
const USED_FOR_MS = 6 * 3_600_000;
/** So many rows are asked for first, unless more were new the last time. */
const FEW = 25;

/** The newest row that was seen; times are milliseconds since 1970. */
interface Newest {
  at: number;
  id: number;
  /** On the clock of n8n's database. */
  writtenAt: number;
}
const NOTHING: Newest = { at: 0, id: 0, writtenAt: 0 };

/** A call that was placed, may have been, or is about to be. */
export interface ReadCall {
  /** Names the attempt, as `callKey` does. */
  key: string;
  /** Milliseconds since 1970; of one that is about to be placed, now. */
  placedAt: number;
  /** Whom its row names, as {@link namedIn} gives it. */
  phones: string[];
  isEnded: boolean;
  cost: number;
}

/** Rows of calls that were placed since a time; n8n compares dates wrong within a day on SQLite. */
export function placedSince(time: number): Condition {
  return holds('triggeredAt', 'gte', isoTime(time - DAY_MS));
}

/** The same until a time. */
export function placedUntil(time: number): Condition {
  return holds('triggeredAt', 'lte', isoTime(time + DAY_MS));
}

/** Whether another row may say what became of the call, also that it was not placed. */
export function isUndecided(row: Row): boolean {
  const state = callStateOf(row);
  return state === 'placing' || state === 'maybePlaced';
}

/** What counts of calls of today, as far as rows tell; without `placedAt`, nobody was called. */
function callsNow(now = Date.now()) {
  return new AttemptFold((row) => {
    const isPlacing = row.status === ('placing' satisfies OwnStatus);
    // A process that lives may still place the call, also on the day after.
    const isLive = isPlacing && (numberIn(row.lockedUntil) ?? 0) > now;
    return {
      placedAt: isNotCalled(row) ? undefined : isLive ? now : timeIn(row.triggeredAt),
      phones: namedIn(row.customerPhone),
      // What a call of which nobody knows has cost is estimated, as of one that goes on.
      isEnded: hasEnded(row) && callStateOf(row) !== 'maybePlaced',
      cost: numberIn(row.cost) ?? 0,
    };
  });
}

/** What this process has read last, by log and account: days of many calls are read once. */
const readings = new Map<string, Reading>();

/** The rows of calls that were placed since some time and do not change any more without a new row. */
class Reading {
  readonly readAt = Date.now();
  readonly calls = callsNow();
  /** The newest rows, and when they were seen: what became visible within {@link VISIBLE_WITHIN_MS} may be older. */
  private seen: Newest[] = [];
  /** Rows up to this one were read when all of them could be seen. */
  private settled: Newest = NOTHING;
  private limit = FEW;

  constructor(
    private readonly log: CallLog,
    readonly since: number,
  ) {}

  async readAll(): Promise<void> {
    const newest = await this.page(1);
    await this.log.eachPage([placedSince(this.since)], (rows) => this.take(rows));
    this.see(newest, this.readAt);
    const { id, writtenAt: at } = this.seen[0] ?? NOTHING;
    this.settled = { ...NOTHING, id, writtenAt: at - VISIBLE_WITHIN_MS };
  }

  /**
   * Reads what was written since the last time, the newest first, also what has become visible late. The
   * database may number a row as one that was deleted, so both its number and its time have to be old.
   */
  async readOn(): Promise<void> {
    const now = Date.now();
    const { id, writtenAt: at } = this.settled;
    const isOld = (row: Row) => row.id <= id && writtenAt(row) <= at;
    const { limit } = this;
    const first = await this.page(limit);
    this.take(first);
    this.limit = first.filter((row) => !isOld(row)).length < FEW ? FEW : LARGEST_PAGE;
    let rows = first;
    for (let asked = limit; rows.length === asked && !rows.some(isOld); asked = LARGEST_PAGE) {
      rows = await this.page(LARGEST_PAGE, holds('id', 'lt', rows.at(-1)?.id ?? 0));
      this.take(rows);
    }
    this.see(first, now);
  }

  private async page(limit: number, ...conditions: Condition[]): Promise<Row[]> {
    const { log } = this;
    const isNotScheduled = holds('status', 'neq', 'scheduled' satisfies OwnStatus);
    const filter = log.where(holds('batch', 'eq', ''), isNotScheduled, ...conditions);
    return await log.tables.rows(log.tableId, filter, { sortBy: 'id:desc', limit });
  }

  private see([newest]: Row[], at: number): void {
    if (newest !== undefined) this.seen.push({ at, id: newest.id, writtenAt: writtenAt(newest) });
    this.settled = this.seen.findLast((one) => one.at < at - VISIBLE_WITHIN_MS) ?? this.settled;
    this.seen = this.seen.filter((one) => one.at >= this.settled.at);
  }

  private take(rows: Row[]): void {
    for (const row of rows) {
      if (row.status !== ('placing' satisfies OwnStatus)) this.calls.add(row);
    }
  }
}

/**
 * The calls of an account in its log that were placed since a time, may have been, or are about to be.
 *
 * @param maxAgeMs rows that a person has deleted may be counted for so long
 * @returns `readAt` is when all of them were read; since then only what was new
 * @throws DataTableError
 */
export async function readCalls(
  log: CallLog,
  since: number,
  maxAgeMs = USED_FOR_MS,
): Promise<{ calls: ReadCall[]; readAt: number }> {
  const name = `${log.tables.address} ${log.tableId} ${log.account}`;
  const known = readings.get(name);
  const isUsable =
    known !== undefined && known.since <= since && Date.now() - known.readAt <= maxAgeMs;
  // In this order: what replaces one of these meanwhile is seen by what is read then.
  const placing = await log.allRows(holds('status', 'eq', 'placing' satisfies OwnStatus));
  const reading = isUsable ? known : new Reading(log, since);
  const [maybe] = await Promise.all([
    log.allRows(holds('status', 'eq', 'maybe_placed' satisfies OwnStatus), placedSince(since)),
    isUsable ? reading.readOn() : reading.readAll(),
  ]);
  const undecided = [...placing, ...maybe];
  // Rows that say that nobody was called are not among what is read first.
  const beside = isUsable ? [] : await log.rowsOfCalls(undecided);
  readings.set(name, reading);
  const counted = callsNow();
  for (const row of [...undecided, ...beside]) counted.add(row);
  counted.merge(reading.calls);
  const calls = [...counted.entries()].flatMap(([key, { placedAt, ...call }]) =>
    placedAt === undefined || placedAt < since ? [] : [{ key, placedAt, ...call }],
  );
  return { calls, readAt: reading.readAt };
}
