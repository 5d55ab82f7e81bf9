import type { IDataObject } from 'n8n-workflow';
import { groupBy } from '../../collections';
import { holds, type Condition, type Row } from '../../dataTables/dataTables';
import { errorMessage } from '../../nodeError';
import type { CallLog } from '../callLog';
import { writeDecided } from '../ends/ends';
import {
  callKey,
  hasEnded,
  hasOutcomeByHand,
  NOT_PLACED,
  says,
  SCHEDULED,
  UNENDED,
} from '../states';
import { timeIn } from '../table/cells';
import {
  aheadLock,
  CANCELLED,
  CANCELLED_BY_OUTCOME,
  notPlacedColumns,
  scheduledColumns,
  uncalledColumns,
  UNLOCKED,
} from '../table/rowColumns';
import { writeWithRetry } from '../table/writeWithRetry';
import { asksTheSame, tellOfEdit, wasEdited } from './editedRows';
import type { NotPlaced, RowToPlace } from './rowToPlace';
import { batchOf, runsOf, whereAre } from './runs';

/** The changes to a marked row that waits again. */
const BACK: IDataObject = { status: SCHEDULED, triggeredAt: null, ...UNLOCKED };

/** Writes into the rows of calls that were surely not placed what becomes of them. */
export class UncalledRows {
  private putBacks = 0;

  constructor(private readonly log: CallLog) {}

  /**
   * Writes what was decided about calls that were not placed.
   *
   * @param siblings all calls of the execution: one request changes rows that are next to each other
   */
  async settle(some: RowToPlace[], siblings: RowToPlace[]): Promise<void> {
    const alike = groupBy(some, ({ state, how }) => JSON.stringify([state, how]));
    const decided: Row[] = [];
    for (const calls of alike.values()) {
      const how = calls[0]?.how;
      if (how === undefined) continue;
      const changed = how.kind === 'later' ? await this.withoutMoved(calls) : calls;
      for (const run of runsOf(changed, siblings)) {
        const change = async () => await this.changeRun(run, how);
        // A row that still says `placing` later counts as a call that may have been placed.
        const rows = await (run[0]?.state === 'placing' ? writeWithRetry(change) : change());
        if (how.kind === 'never') decided.push(...rows);
      }
      for (const call of calls) call.state = 'settled';
    }
    await writeDecided(this.log, decided).catch(() => {});
  }

  /** Makes marked rows wait again as before. Returns them; a call that was cancelled meanwhile stays marked. */
  async putBack(run: RowToPlace[], columns: IDataObject = {}): Promise<Row[]> {
    const change = this.changeFor({ kind: 'back' }, batchOf(run));
    return await this.log.updateAndReturn(whereAre(run), { ...change, ...columns });
  }

  /** Writes the ends of calls that were left open for a further try: none comes. */
  async endLeftOpen(calls: RowToPlace[]): Promise<void> {
    const rows = await this.log.rowsOfCalls(calls.map(({ row }) => row));
    const left = rows.filter((row) => row.status === NOT_PLACED && !hasEnded(row));
    await writeDecided(this.log, left);
  }

  /** Leaves out rows that a person has moved: no condition of n8n's API compares times of day. */
  private async withoutMoved(calls: RowToPlace[]): Promise<RowToPlace[]> {
    const due = calls.filter(({ state, isWrittenAhead }) => state === 'waiting' && !isWrittenAhead);
    if (due.length === 0) return calls;
    const rows = await this.log.rowsOfAny(due.map(({ row }) => holds('id', 'eq', row.id)));
    const times = new Map(rows.map(({ id, dueAt }) => [id, timeIn(dueAt)]));
    const isMoved = ({ row: { id, dueAt } }: RowToPlace) =>
      times.has(id) && times.get(id) !== timeIn(dueAt);
    const moved = new Set(due.filter(isMoved));
    return calls.filter((call) => !moved.has(call));
  }

  private async changeRun(run: RowToPlace[], how: NotPlaced): Promise<Row[]> {
    const rows = await this.settleUncalled(whereAre(run), how, batchOf(run));
    if (run[0]?.state !== 'placing') {
      const isDecided = how.kind === 'never' || how.kind === 'leftOpen';
      return isDecided ? await this.withoutEdited(run, rows) : rows;
    }
    const changed = new Set(rows.map(({ id }) => id));
    for (const call of run) if (!changed.has(call.row.id)) await this.endCancelled(call, how);
    return rows;
  }

  /** What was decided about calls says nothing of rows that a person has changed since they were read. */
  private async withoutEdited(run: RowToPlace[], rows: Row[]): Promise<Row[]> {
    const read = new Map(run.map((call) => [call.key, call]));
    const toEnd: Row[] = [];
    for (const row of rows) {
      const call = read.get(callKey(row));
      if (call === undefined || asksTheSame(row, call.row)) {
        toEnd.push(row);
      } else if (call.isWrittenAhead) {
        toEnd.push(...(await tellOfEdit(this.log, row)));
      } else {
        const itself = [holds('id', 'eq', row.id), UNENDED];
        await this.log.update(itself, scheduledColumns(timeIn(row.dueAt) ?? Date.now()));
      }
    }
    return toEnd;
  }

  private changeFor(how: Exclude<NotPlaced, { kind: 'withdrawn' }>, batch: string): IDataObject {
    switch (how.kind) {
      case 'later':
        // Calls that are put back to the same time become due in the order of these changes.
        return scheduledColumns(how.at + (this.putBacks++ % 1_000), how.reason);
      case 'back':
        return { ...BACK, ...(batch === '' ? {} : aheadLock(batch, batch)) };
      case 'never':
        return batch === ''
          ? notPlacedColumns(how.reason)
          : uncalledColumns(NOT_PLACED, how.reason);
      case 'leftOpen':
        return {
          ...uncalledColumns(NOT_PLACED, how.reason),
          ...aheadLock(batch, batch, how.forMs),
        };
    }
  }

  /**
   * Ends a marked row whose call was cancelled: by an outcome, or the canceller has written its own `lockedBy`. Nobody
   * was called: what a person has written over the mark counts, but `scheduled` only as far as the call was to wait.
   *
   * @param how what was decided of the call; without it, it waits again, if it was scheduled
   */
  async endCancelled(call: RowToPlace, how = lostMarkOf(call)): Promise<void> {
    const { row, lockedBy, lockedUntil } = call;
    const own = [holds('id', 'eq', row.id), UNENDED, holds('lockedUntil', 'eq', lockedUntil)];
    await this.settleUncalled(
      [...own, holds('status', 'ilike', `%${SCHEDULED}%`)],
      how,
      call.batch,
    );
    await this.log.update([...own, says('placing', 'neq')], { triggeredAt: null, ...UNLOCKED });
    // Last: until then another process may take a person's word over a mark back, and make itself its canceller.
    const byOther = hasOutcomeByHand(row) ? [] : [holds('lockedBy', 'neq', lockedBy)];
    const marked = [...own, says('placing'), ...byOther];
    const rows = await this.log.updateAndReturn(marked, cancellationOf(row));
    await writeDecided(this.log, rows).catch(() => {});
  }

  /** Does with rows what was decided of their calls. Returns them. */
  private async settleUncalled(are: Condition[], how: NotPlaced, batch: string): Promise<Row[]> {
    const { log } = this;
    if (how.kind === 'withdrawn') {
      return await log.tables.deleteAndReturn(log.tableId, log.where(...are));
    }
    return await log.updateAndReturn(are, this.changeFor(how, batch));
  }
}

/** What becomes of a call over whose mark a person has written `scheduled`. */
function lostMarkOf({ isWrittenAhead }: RowToPlace): NotPlaced {
  return isWrittenAhead ? { kind: 'never', reason: errorMessage(wasEdited()) } : { kind: 'back' };
}

export function cancellationOf(row: Row): IDataObject {
  return hasOutcomeByHand(row) ? CANCELLED_BY_OUTCOME : CANCELLED;
}
