import { DAY_MS } from '../clocks';
import { namedIn } from '../contacts/numbersIn';
import { holds, type Condition, type Row } from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import { callKey, hasEnded, isNotCalled, type OwnStatus } from './states';
import { isOfTestCall } from './loggedRequest';
import { isoTime, numberIn, timeIn } from './cells';

/** Rows with these do not say what became of a call, so that a mark of it counts beside them. */
const TELL_NOTHING = new Set<string>(['placing', 'scheduled'] satisfies OwnStatus[]);
/** By then, rows of lower ids than others that can be seen can be seen as well. */
const VISIBLE_AFTER_MS = 10_000;
/** So many rows may be written in one go, or side by side. */
const LATE_ROWS = 250;
/** What was read of a log is kept for later executions of this process so long. */
const KEPT_FOR_MS = 6 * 3_600_000;

/** One call, as the row tells that tells most of it. */
export interface ToldCall {
  /** Milliseconds since 1970; undefined when nobody was called. */
  placedAt: number | undefined;
  /** Whom its row names, as {@link namedIn} gives it. */
  phones: string[];
  isEnded: boolean;
  cost: number;
}

export function toldBy(row: Row): ToldCall {
  return {
    placedAt: isNotCalled(row) ? undefined : timeIn(row.triggeredAt),
    phones: namedIn(row.customerPhone),
    isEnded: hasEnded(row),
    cost: numberIn(row.cost) ?? 0,
  };
}

/** What this process has read last, by table and account: days of many calls are read once. */
const kept = new Map<string, ReadCalls>();

function keptAs({ tableId, account }: CallLog): string {
  return `${tableId} ${account}`;
}

/** A row that was seen. */
interface Landmark {
  at: number;
  id: number;
  key: string;
}

/** What this process has read of the calls in a log that were placed. */
export class ReadCalls {
  readonly calls = new Map<string, ToldCall>();
  readonly readAt = Date.now();
  /** Rows from which on the next read goes, and when they were seen; later rows have higher ids. */
  private landmarks: Landmark[] = [];

  private constructor(
    /** Calls that were placed earlier are left out. */
    private readonly since: number,
  ) {}

  /**
   * What this process has read of the log before, brought up to date, or all of it.
   *
   * @param since calls that were placed earlier need not be known
   * @param isFirst whether the execution reads for the first time
   * @param isThorough as {@link readOn} has it
   */
  static async upToDate(
    log: CallLog,
    since: number,
    { isFirst, isThorough }: { isFirst: boolean; isThorough: boolean },
  ): Promise<ReadCalls> {
    const known = kept.get(keptAs(log));
    const isKnown =
      known !== undefined && known.since <= since && Date.now() - known.readAt < KEPT_FOR_MS;
    // Rows of executions that died become so without a new row.
    if (isKnown && isFirst) await known.readMaybePlaced(log);
    const isUsable = isKnown && (await known.readOn(log, isThorough));
    const read = isUsable ? known : await ReadCalls.read(log, since);
    kept.set(keptAs(log), read);
    return read;
  }

  /** Has everything read anew next time. */
  forget(log: CallLog): void {
    if (kept.get(keptAs(log)) === this) kept.delete(keptAs(log));
  }

  /** Reads all calls that were placed since then. */
  private static async read(log: CallLog, since: number): Promise<ReadCalls> {
    const read = new ReadCalls(since);
    await read.readMaybePlaced(log);
    // In milliseconds, and never before the call was placed; n8n compares dates wrong on SQLite.
    const seen = await read.readPages(log, holds('runAt', 'gte', since), 0);
    const early = seen.at(-LATE_ROWS) ?? seen[0];
    if (early !== undefined) read.landmarks.unshift({ ...early, at: -Infinity });
    return read;
  }

  /** Reads calls of which nobody knows: there is no next time at which something is to be done. */
  private async readMaybePlaced(log: CallLog): Promise<void> {
    const conditions = [
      holds('status', 'eq', 'maybe_placed' satisfies OwnStatus),
      holds('triggeredAt', 'gte', isoTime(this.since - DAY_MS)),
    ];
    await log.eachPageById(conditions, (rows) => this.take(rows));
  }

  /**
   * Reads what was written since the last time.
   *
   * @param isThorough whether also rows are read that were not visible yet when later ones were read
   * @returns false when ids were given out again, so that all has to be read anew
   */
  private async readOn(log: CallLog, isThorough: boolean): Promise<boolean> {
    const visible = Date.now() - VISIBLE_AFTER_MS;
    const early = this.landmarks.findLast(({ at }) => at < visible);
    const from = isThorough ? early : this.landmarks.at(-1);
    if (early === undefined || from === undefined) return false;
    const seen = await this.readPages(log, holds('batch', 'eq', ''), from.id);
    this.landmarks = this.landmarks.filter(({ at }) => at >= early.at);
    // SQLite gives the id of a deleted last row to the next one.
    return seen.some(({ key }) => key === from.key);
  }

  /** @returns the rows that were seen, by ascending id */
  private async readPages(log: CallLog, condition: Condition, fromId: number): Promise<Landmark[]> {
    const at = Date.now();
    const seen: Landmark[] = [];
    const take = (rows: Row[]) => {
      this.take(rows);
      const lasting = rows.filter(({ status }) => status !== 'placing');
      seen.push(...lasting.map((row) => ({ at, id: row.id, key: callKey(row) })));
    };
    await log.eachPageById([condition], take, fromId);
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
