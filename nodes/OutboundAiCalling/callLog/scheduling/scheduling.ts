import type { IDataObject } from 'n8n-workflow';
import { NOBODY_CALLED } from '../../nodeError';
import { MINUTE_MS } from '../../clocks';
import { DataTableError, mayBeDone } from '../../dataTables/dataTableError';
import { holds, type Condition, type Row } from '../../dataTables/dataTables';
import { groupBy, inStretches } from '../../collections';
import type { CallLog } from '../callLog';
import { notEnded, says, SCHEDULED } from '../states';
import { writeDecided } from '../ends/ends';
import { asksTheSame, tellOfEdit } from '../placing/editedRows';
import type { NewCall } from '../placing/loggedRequest';
import { MANY_CONDITIONS } from '../table/accountRows';
import { aheadLock, aheadRow, drawnId, notPlacedColumns, spread } from '../table/rowColumns';

/** The clocks of two processes differ by less. */
const CLOCKS_DIFFER_MS = MINUTE_MS;

const STOOD_STILL = `${NOBODY_CALLED}: n8n stood still while the list was written`;
const NOT_CONFIRMED = `${NOBODY_CALLED}: n8n did not confirm in time that the list was written`;
/** What to do about calls of a list that n8n was too slow to write. */
export const SCHEDULE_AGAIN = 'Schedule the calls again.';

/**
 * Deletes rows that wait for their first attempt, with one change for each run of such rows. Rows of calls that have
 * begun or were cancelled meanwhile stay: read the rows again.
 *
 * @param among all rows for which the condition `about` holds
 * @param isMeant whether to delete a row
 */
export async function deleteWaiting(
  log: CallLog,
  about: Condition,
  among: Row[],
  isMeant: (row: Row) => boolean,
): Promise<void> {
  const waits = [
    ...[about, ...notEnded('scheduled')],
    ...[holds('attempt', 'eq', 1), holds('orderId', 'eq', null)],
  ];
  const inOrder = [...among].sort((a, b) => a.id - b.id);
  for (const run of inStretches(inOrder, isMeant).filter((rows) => rows.some(isMeant))) {
    const [first, last] = [run[0]?.id ?? 0, run.at(-1)?.id ?? 0];
    const inRun = [holds('id', 'gte', first), holds('id', 'lte', last)];
    await log.tables.delete(log.tableId, log.where(...waits, ...inRun));
  }
}

/** What is decided about a call before its list is due. `none` deletes its row. */
export type Verdict = 'scheduled' | 'none' | { reason: string };

interface CallToWrite {
  call: NewCall;
  /** When it is due, in milliseconds since 1970. */
  at: number;
}

/**
 * A list of calls that is being written into a log. Its rows carry its id in `batch`, so they are not due.
 * Then one change makes all of them due. If the execution stops before, `endAbandoned` ends the list.
 */
export class Scheduling {
  /** Whether calls may be scheduled although {@link settle} has failed. */
  isUnsure = false;

  /** Whether an insert that n8n did not confirm may still write the rows once more. */
  private mayBeTwice = false;

  /** When others may begin to end calls of the list, as those of an execution that has died. */
  private readonly lockedUntil = Number(aheadLock('', '').lockedUntil);

  /** Names the list in the column `batch`. */
  readonly batch = drawnId();

  /** The rows as they were written, in the order of the calls. */
  private readonly written: IDataObject[];

  private constructor(
    private readonly log: CallLog,
    calls: CallToWrite[],
  ) {
    const { batch } = this;
    this.written = spread(calls.map(({ call, at }) => aheadRow(call, log.account, { at, batch })));
  }

  /**
   * Writes the rows of a list. Calls with the same time are due in their order.
   *
   * @throws DataTableError when n8n does not write them: nobody will be called
   */
  static async writeAhead(log: CallLog, calls: CallToWrite[]): Promise<Scheduling> {
    await log.tables.checkRights(log.tableId);
    const scheduling = new Scheduling(log, calls);
    const { written } = scheduling;
    scheduling.mayBeTwice = await log.insertRows(written).catch(async (error: unknown) => {
      // Rows that stay are never due.
      await scheduling.withdraw().catch(() => {});
      throw error;
    });
    return scheduling;
  }

  /**
   * Makes the calls due, except for those that will not be placed.
   *
   * @param verdicts in the order of the calls
   * @throws DataTableError when this fails: no call is scheduled, unless {@link isUnsure}
   */
  async settle(verdicts: Verdict[]): Promise<void> {
    const { log } = this;
    const decided = this.written.map(({ callId }, index) => ({
      callId: String(callId),
      verdict: verdicts[index],
    }));
    const unscheduled = decided.filter(({ verdict }) => verdict !== 'scheduled');
    const byReason = groupBy(unscheduled, ({ verdict }) =>
      typeof verdict === 'object' ? verdict.reason : undefined,
    );
    const refused: Row[] = [];
    const decide = async () => {
      // Also when n8n's answer says of fewer rows than there are that they have changed.
      let mayBeLeft = this.mayBeTwice;
      for (const [reason, some] of byReason) {
        const found = await log.rowsOfCalls(some);
        // Another try of an execution may have scheduled the same call in another list. What was cancelled stays.
        const rows = found.filter((row) => row.batch === this.batch && row.status === SCHEDULED);
        if (reason === undefined) {
          const { deleted } = await log.deleteRows(rows);
          mayBeLeft ||= deleted < rows.length;
          continue;
        }
        const changed = await log.changeRows(rows, notPlacedColumns(reason));
        refused.push(...(await this.withEditsTold(changed)));
        mayBeLeft ||= changed.length < rows.length;
      }
      await this.release(mayBeLeft ? unscheduled : []);
    };
    await decide().catch(async (error: unknown) => {
      // Rows that stay are never due.
      if (!this.isUnsure) await this.withdraw().catch(() => {});
      throw error;
    });
    await writeDecided(log, refused).catch(() => {});
  }

  /** What was decided says nothing of rows that a person has changed since they were written. */
  private async withEditsTold(ended: Row[]): Promise<Row[]> {
    const written = new Map(this.written.map((row) => [row.callId, { id: 0, ...row }]));
    const isAsWritten = (row: Row) => asksTheSame(row, written.get(row.callId) ?? row);
    const told = ended.map(async (row) =>
      isAsWritten(row) ? [row] : await tellOfEdit(this.log, row),
    );
    return (await Promise.all(told)).flat();
  }

  /** Whether others may have ended calls of the list: this process has stood still while it wrote it. */
  get isLate(): boolean {
    return Date.now() > this.lockedUntil - CLOCKS_DIFFER_MS;
  }

  async withdraw(): Promise<void> {
    await this.log.deleteBatch(this.batch);
  }

  /** @param others calls that stay undue, if n8n writes their rows only now */
  private async release(others: Array<{ callId: string }>): Promise<void> {
    const { log } = this;
    if (this.isLate) throw new DataTableError('refused', STOOD_STILL, SCHEDULE_AGAIN);
    if (others.length > MANY_CONDITIONS) {
      throw new DataTableError('refused', NOT_CONFIRMED, SCHEDULE_AGAIN);
    }
    const waiting: Condition[] = [
      ...[holds('batch', 'eq', this.batch), says('scheduled')],
      ...others.map(({ callId }) => holds('callId', 'neq', callId)),
    ];
    await log.update(waiting, { batch: '', lockedUntil: 0 }).catch(async (error: unknown) => {
      if (!mayBeDone(error)) throw error;
      this.isUnsure = true;
      const left = await log.rows(waiting, { sortBy: 'id:asc', limit: 1 });
      // If n8n makes that change after this, it finds no row.
      if (left.length > 0) await this.withdraw();
      const isReleased = (row: Row) => row.batch === '';
      const isDue = left.length === 0 || (await log.rowsOfCalls(left)).some(isReleased);
      this.isUnsure = false;
      if (!isDue) throw error;
    });
  }
}
