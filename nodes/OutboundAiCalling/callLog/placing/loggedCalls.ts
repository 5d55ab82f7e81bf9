import { MINUTE_MS } from '../../clocks';
import { Stopwatch } from '../../stopwatch';
import { holds, where } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { endAbandoned } from '../ends/ends';
import { respell } from '../mending';
import type { NewCall } from './loggedRequest';
import { unwrittenRows } from './placements';
import { PlacingRows } from './placingRows';
import { aheadRow, drawnId, spread } from '../table/rowColumns';
import { RowToPlace } from './rowToPlace';
import { NOT_PLACED, notEnded } from '../states';

/** At most this many rows change together, so that a crash leaves few in doubt. */
const LARGEST_BATCH = 100;
/** A process looks at most this often for rows of dead executions. */
const LOOK_FOR_ABANDONED_MS = 10 * MINUTE_MS;

/** When this process last looked for rows of dead executions, by log and account. */
const lookedForAbandoned = new Map<string, number>();

/** Ends rows of dead executions: a log may have no trigger. After a failure the next execution tries again. */
async function closeAbandoned(log: CallLog): Promise<void> {
  const now = Date.now();
  const last = lookedForAbandoned.get(log.key);
  const isRecent = last !== undefined && Math.abs(now - last) < LOOK_FOR_ABANDONED_MS;
  if (isRecent && unwrittenRows(log).length === 0) return;
  lookedForAbandoned.set(log.key, now);
  await endAbandoned(log, now).catch(() => lookedForAbandoned.delete(log.key));
}

/**
 * Deletes the row of an earlier request: it would look like a copy that a person has changed. One that a person has
 * cancelled stays.
 */
async function deleteLeftOpen(log: CallLog, callId: string): Promise<void> {
  const left = [holds('callId', 'eq', callId), ...notEnded(NOT_PLACED)];
  const rows = await log.allRows(...left);
  await respell(log, rows);
  await log.tables.delete(log.tableId, where(...left));
}

/** The rows of the calls of an execution, written before any of the calls is placed. */
export class LoggedCalls {
  private constructor(
    private readonly rows: PlacingRows,
    readonly batch: string,
    readonly calls: RowToPlace[],
  ) {}

  /**
   * Writes a row for every call before any of them is placed. The rows are never due: they wait for
   * this execution, and Cancel reaches them. Throws DataTableError when they cannot be written.
   */
  static async writeAhead(
    log: CallLog,
    newCalls: NewCall[],
    { concurrency, requestMs }: { concurrency: number; requestMs: number },
  ): Promise<LoggedCalls> {
    // More than are placed at once: one request marks several calls.
    const together = Math.min(LARGEST_BATCH, 2 * concurrency);
    const rows = new PlacingRows(log, requestMs, together);
    const batch = drawnId();
    const ahead = { at: Date.now(), batch, lockedBy: batch };
    const columns = spread(newCalls.map((call) => aheadRow(call, log.account, ahead)));
    const calls = columns.map((row) => new RowToPlace(rows, batch, { ...row, id: 0 }));
    rows.replaceWaiting(calls);
    if (newCalls.length > 0) {
      await log.tables.checkRights(log.tableId);
      const insert = log.insertRows(columns).catch(async (error: unknown) => {
        // Rows that stay would end later, as those of calls that nobody has placed.
        await log.deleteBatch(batch).catch(() => {});
        throw error;
      });
      const [isUnsure] = await Promise.all([insert, closeAbandoned(log)]);
      const shared = newCalls.filter(({ isShared }) => isShared);
      rows.mayBeTwice = isUnsure || shared.length > 0;
      for (const { callId } of shared) await deleteLeftOpen(log, callId).catch(() => {});
    }
    return new LoggedCalls(rows, batch, calls);
  }

  rowOfEarlierTry(call: NewCall): RowToPlace {
    const { account } = this.rows.log;
    const row = { ...aheadRow(call, account, { at: Date.now(), batch: '' }), id: 0 };
    const placing = { state: 'placing', sinceMark: new Stopwatch() } as const;
    return Object.assign(new RowToPlace(this.rows, '', row), placing);
  }
}
