import { MINUTE_MS } from '../../clocks';
import { holds, type Row } from '../../dataTables/dataTables';
import type { Outcome } from '../../service/outcome';
import type { CallLog } from '../callLog';
import { drawnId } from '../table/drawnId';
import { endAbandoned, recordEnds } from '../ends/ends';
import type { NewCall } from './loggedRequest';
import { PlacingRows } from './placingRows';
import { aheadRow, outcomeColumns, spread } from '../table/rowColumns';
import { RowToPlace, unread } from './rowToPlace';
import { attemptsOf, hasEnded } from '../states';

/** At most this many rows change together, so that a crash leaves few in doubt. */
const LARGEST_BATCH = 100;
const SMALLEST_BATCH = 10;
/** A process looks at most this often for rows of dead executions. */
const LOOK_FOR_ABANDONED_MS = 10 * MINUTE_MS;
/** The execution locks a call for this long while it writes the end. */
const WRITING_TAKES_MS = MINUTE_MS;

/** When this process last looked for rows of dead executions, by log and account. */
const lookedForAbandoned = new Map<string, number>();

/**
 * Ends rows of dead executions, as a trigger does, because a log may have no trigger. A failure
 * here does not stop calls: the next execution tries again.
 */
async function closeAbandoned(log: CallLog, now = Date.now()): Promise<void> {
  const last = lookedForAbandoned.get(log.key);
  if (last !== undefined && Math.abs(now - last) < LOOK_FOR_ABANDONED_MS) return;
  lookedForAbandoned.set(log.key, now);
  await endAbandoned(log, now).catch(() => lookedForAbandoned.delete(log.key));
}

/** The rows of the calls of an execution, written before any of the calls is placed. */
export class LoggedCalls {
  private constructor(
    private readonly rows: PlacingRows,
    /** The batch of these calls. */
    readonly id: string,
    readonly calls: RowToPlace[],
  ) {}

  /**
   * Writes a row for every call before any of them is placed. The rows are never due: they wait for
   * this execution, and Cancel reaches them.
   *
   * @param concurrency how many calls are placed at once
   * @param requestMs how long one request to the service may take
   * @throws DataTableError when the rows cannot be written
   */
  static async writeAhead(
    log: CallLog,
    newCalls: NewCall[],
    { concurrency, requestMs }: { concurrency: number; requestMs: number },
  ): Promise<LoggedCalls> {
    // Twice the number of calls placed at once: the next group is marked before its turn comes.
    const together = Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, 2 * concurrency));
    const rows = new PlacingRows(log, requestMs, together);
    const batch = drawnId();
    const at = Date.now();
    const ahead = newCalls.map((call) =>
      aheadRow(call, log.account, { at, batch, lockedBy: batch }),
    );
    const columns = spread(ahead);
    const calls = columns.map((row) => new RowToPlace(rows, batch, unread(row)));
    rows.replaceWaiting(calls);
    if (newCalls.length > 0) {
      const insert = log.insertRows(columns);
      await Promise.all([log.checkRights(), insert, closeAbandoned(log)]);
      rows.mayBeTwice = (await insert) === 'perhapsTwice';
    }
    return new LoggedCalls(rows, batch, calls);
  }

  /** The row of a call that an earlier try of this execution has placed. */
  earlier(call: NewCall): RowToPlace {
    const { account } = this.rows.log;
    const row = unread(aheadRow(call, account, { at: Date.now(), batch: '' }));
    const placing = { state: 'placing', markedAt: Date.now() } as const;
    return Object.assign(new RowToPlace(this.rows, '', row), placing);
  }
}

/** The end of a call in its log. */
export interface WrittenEnd {
  end: Row;
  /** Why the person could not be put on the do-not-call list. */
  unlisted?: string | undefined;
}

/**
 * Writes the end of a call that this execution has placed and waited for, unless another process
 * has written it.
 *
 * @returns undefined when none could be written or read
 */
export async function recordEnd(
  call: RowToPlace,
  outcome: Outcome,
): Promise<WrittenEnd | undefined> {
  return await writeEnd(call, outcome).catch((error: unknown) => call.tell(error));
}

async function writeEnd(call: RowToPlace, outcome: Outcome): Promise<WrittenEnd | undefined> {
  const { log } = call.rows;
  const now = Date.now();
  const row = await log.lockOpen(call, { now, lockedUntil: now + WRITING_TAKES_MS });
  if (row === 'gone') throw new Error('its row was deleted while the call went on');
  if (row !== 'leave') {
    const ended = [{ row, columns: outcomeColumns(outcome, now) }];
    const { ends, failure, unlisted } = await recordEnds(log, ended);
    if (failure !== undefined) throw failure;
    const [end] = ends;
    return end && { end, unlisted: unlisted.get(end.id) };
  }
  const attempts = attemptsOf(await log.allRows(holds('callId', 'eq', call.callId)));
  const counts = attempts.get(call.key)?.counts;
  return counts !== undefined && hasEnded(counts) ? { end: counts } : undefined;
}
