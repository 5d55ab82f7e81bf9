import { DAY_MS } from '../clocks';
import { namedIn } from '../contacts/numbersIn';
import { holds, type Row } from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import { isoTime, numberIn, timeIn } from './cells';
import { isOfTestCall } from './loggedRequest';
import { callKey, callStateOf, hasEnded, isNotCalled, supersedes, type OwnStatus } from './states';
import { VISIBLE_WITHIN_MS } from './visibility';

/** So many rows may be written in one go, or side by side. */
const LATE_ROWS = 250;
/** What was read of a log is used again by later executions of this process for this long. */
const USED_FOR_MS = 6 * 3_600_000;

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

/** Of an attempt the row that counts, as far as it was read. */
interface Told {
  /** What tells it from other rows of the attempt. */
  row: Row;
  placedAt: number | undefined;
  phones: string[];
  cost: number;
}

function toldBy(row: Row, now: number): Told {
  const { id, status, finishedAt, batch, lockedUntil } = row;
  // A process that lives may still place the call, also on the day after.
  const isLive = status === ('placing' satisfies OwnStatus) && (numberIn(lockedUntil) ?? 0) > now;
  const calledAt = isLive ? now : timeIn(row.triggeredAt);
  return {
    row: { id, status, finishedAt, batch } as Row,
    placedAt: isNotCalled(row) ? undefined : calledAt,
    phones: namedIn(row.customerPhone),
    cost: numberIn(row.cost) ?? 0,
  };
}

/** Has of two rows of an attempt the one count that says more. */
function add(attempts: Map<string, Told>, row: Row, now: number): void {
  // A test call rings nobody but the builder.
  if (isOfTestCall(row)) return;
  const key = callKey(row);
  const told = attempts.get(key);
  const counts = told === undefined || told.row.id === row.id || supersedes(row, told.row);
  if (counts) attempts.set(key, toldBy(row, now));
}

/** What a call of which nobody knows has cost is estimated, as of one that goes on. */
function tellsCost(row: Row): boolean {
  return hasEnded(row) && callStateOf(row) !== 'maybePlaced';
}

/** What this process has read last, by log and account: days of many calls are read once. */
const readings = new Map<string, Reading>();

/** The rows of calls that were placed since some time and do not change any more without a new row. */
class Reading {
  readonly readAt = Date.now();
  readonly attempts = new Map<string, Told>();
  /** The last rows that were seen, and when: later rows have higher ids. */
  private seen: Array<{ at: number; id: number }> = [];

  constructor(
    private readonly log: CallLog,
    readonly since: number,
  ) {}

  async readAll(): Promise<void> {
    const { log, since } = this;
    const newest = await log.tables.rows(log.tableId, log.where(), { sortBy: 'id:desc', limit: 1 });
    // n8n compares dates wrong within a day on SQLite.
    const placed = holds('triggeredAt', 'gte', isoTime(since - DAY_MS));
    await log.eachPage([placed], (rows) => this.take(rows));
    const id = newest[0]?.id ?? 0;
    this.seen = [
      { at: -Infinity, id: id - LATE_ROWS },
      { at: Date.now(), id },
    ];
  }

  /** Reads what was written since the last time, also what becomes visible late. */
  async readOn(): Promise<void> {
    const at = Date.now();
    const early = this.seen.findLast((one) => one.at < at - VISIBLE_WITHIN_MS);
    if (early === undefined) return;
    const settled = [
      holds('batch', 'eq', ''),
      holds('status', 'neq', 'scheduled' satisfies OwnStatus),
    ];
    let last = this.seen.at(-1)?.id ?? 0;
    await this.log.eachPageById(
      settled,
      (rows) => {
        this.take(rows);
        last = Math.max(last, rows.at(-1)?.id ?? 0);
      },
      early.id,
    );
    this.seen = [...this.seen.filter((one) => one.at >= early.at), { at, id: last }];
  }

  private take(rows: Row[]): void {
    const now = Date.now();
    for (const row of rows) {
      if (row.status !== ('placing' satisfies OwnStatus)) add(this.attempts, row, now);
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
    log.allRows(
      holds('status', 'eq', 'maybe_placed' satisfies OwnStatus),
      holds('triggeredAt', 'gte', isoTime(since - DAY_MS)),
    ),
    isUsable ? reading.readOn() : reading.readAll(),
  ]);
  const undecided = [...placing, ...maybe];
  // Rows that say that nobody was called are not among what is read first.
  const beside = isUsable ? [] : await log.rowsOfCalls(undecided);
  readings.set(name, reading);
  const now = Date.now();
  const attempts = new Map<string, Told>();
  for (const row of [...undecided, ...beside]) add(attempts, row, now);
  for (const [key, told] of reading.attempts) {
    const other = attempts.get(key);
    if (other === undefined || supersedes(told.row, other.row)) attempts.set(key, told);
  }
  const calls = [...attempts].flatMap(([key, { row, placedAt, phones, cost }]) =>
    placedAt === undefined || placedAt < since
      ? []
      : [{ key, placedAt, phones, isEnded: tellsCost(row), cost }],
  );
  return { calls, readAt: reading.readAt };
}
