import { holds, type Row } from '../dataTables/dataTables';
import { groupBy } from '../collections';
import type { CallLog } from './callLog';
import { isStillToCome } from './rowFacts';
import { isoTime, textIn, timeIn } from './table/cells';
import type { EndsToHandOver } from './ends/cursors';
import { GOING_ON, says, UNENDED } from './states';
import { DATE_MARGIN_MS } from './table/columns';

/** One request deletes this many rows when no row must be checked. */
const ROWS_AT_ONCE = 1_000;
/** Its answer has the rows: they may have this many bytes. An answer holds a few times as many. */
const BYTES_AT_ONCE = 2_000_000;
/** How long a row is, this many rows show: older ones may be shorter, as before a person has added a column. */
const FEW = 25;

export interface Pruned {
  deleted: number;
  /** Rows of scheduled and open calls. They stay. */
  stillToCome: number;
  /** Rows that stay until a trigger has handed over their outcome, by the name of its workflow. */
  waitedFor: Map<string, number>;
}

/** Deletes rows of a call log, page by page, and counts the rows that it deletes and that stay. */
export class Pruning {
  readonly result: Pruned = { deleted: 0, stillToCome: 0, waitedFor: new Map() };
  private isAnyToCome: Promise<boolean> | undefined;

  constructor(
    private readonly log: CallLog,
    private readonly ends: EndsToHandOver,
    private readonly isUnwanted: (row: Row) => boolean,
    private readonly now: number,
  ) {}

  /**
   * Deletes rows of attempts that ended before a time, without reading them, unless a trigger still
   * waits for them. Rows of cancelled calls stay: they may prevent an attempt. So do rows of
   * attempts that another one follows, which may not be over. When a call that goes on has such a row, each
   * row must be looked at.
   */
  async deleteEnds(before: number, signal: AbortSignal): Promise<void> {
    const { log, result } = this;
    if (await this.hasEndOfOpenCall(before)) return;
    const [newest] = await log.newestRows(1);
    const last = Math.min(newest?.id ?? 0, this.ends.doneUpTo);
    const newestEnds = await log.endsUpTo(last, FEW);
    const [end] = newestEnds;
    // If a trigger waits for this end, the end has reused the id of a deleted one. Other ends may
    // have too: each row must be looked at.
    if (end !== undefined && this.ends.waitedForBy(end) !== undefined) return;
    const ends = [
      holds('finishedAt', 'lt', isoTime(before - DATE_MARGIN_MS)),
      holds('nextAttemptAt', 'eq', null),
      ...[...GOING_ON, 'cancelled' as const].map((status) => says(status, 'neq')),
    ];
    const [row] = await log.rows(ends, { sortBy: 'id:asc', limit: 1 });
    let from = row?.id ?? Infinity;
    // n8n's answer holds the deleted rows: they are counted.
    const bytes = [row, ...newestEnds].map((one) => Buffer.byteLength(JSON.stringify(one ?? {})));
    const mostAtOnce = Math.ceil(Math.min(ROWS_AT_ONCE, BYTES_AT_ONCE / Math.max(...bytes)));
    for (let width = mostAtOnce; from <= last && !signal.aborted;) {
      const to = Math.min(last, from + width - 1);
      const filter = log.where(...ends, holds('id', 'gte', from), holds('id', 'lte', to));
      const { length } = await log.tables.deleteAndReturn(log.tableId, filter);
      result.deleted += length;
      width = length < mostAtOnce / 4 ? 4 * mostAtOnce : mostAtOnce;
      from = to + 1;
    }
  }

  /** Whether a call that goes on has a row that ended before a time: a copy, say, that a person has made. */
  private async hasEndOfOpenCall(before: number): Promise<boolean> {
    let isAny = false;
    await this.log.eachPage([UNENDED], async (open) => {
      if (isAny) return;
      const rows = await this.log.rowsOfCalls(open);
      isAny = rows.some(({ finishedAt }) => (timeIn(finishedAt) ?? Infinity) < before);
    });
    return isAny;
  }

  /**
   * Deletes the unwanted ones of some rows of the account. The rows of a call stay until the call
   * is over: a copy that is still open would end its attempt once more, a deleted row in the place of
   * an attempt no longer prevents it, and an attempt that is not placed leaves the last word to the
   * outcome before.
   */
  async take(rows: Row[]): Promise<void> {
    const unwanted = rows.filter(this.isUnwanted);
    const all = new Map(
      [...(await this.rowsBeside(unwanted)), ...unwanted].map((row) => [row.id, row]),
    );
    const callOf = ({ callId, id }: Row) => textIn(callId) ?? id;
    const byCall = groupBy(all.values(), callOf);
    const going = unwanted.filter((row) => !this.stays(byCall.get(callOf(row)) ?? [row]));
    this.result.deleted += (await this.log.deleteRows(going)).deleted;
  }

  /** Other rows of the same calls. None is read if all rows of the log have ended, and their outcomes were handed over. */
  private async rowsBeside(rows: Row[]): Promise<Row[]> {
    if (rows.length === 0) return [];
    const { tables, tableId } = this.log;
    const last = this.ends.doneUpTo;
    const waited = Number.isFinite(last) ? [holds('id', 'gt', last)] : [];
    const filters = [UNENDED, says('scheduled'), ...waited];
    this.isAnyToCome ??= tables
      .rows(tableId, { type: 'or', filters }, { sortBy: 'id:asc', limit: 1 })
      .then(({ length }) => length > 0);
    return (await this.isAnyToCome) ? await this.log.rowsOfCalls(rows) : [];
  }

  /** Whether an unwanted row must stay, because a row of its call must. Counts the reason. */
  private stays(ofCall: Row[]): boolean {
    const { result } = this;
    if (ofCall.some((row) => isStillToCome(row, this.now))) {
      result.stillToCome++;
      return true;
    }
    const workflow = ofCall.map((row) => this.ends.waitedForBy(row)).find(Boolean);
    if (workflow === undefined) return false;
    result.waitedFor.set(workflow, (result.waitedFor.get(workflow) ?? 0) + 1);
    return true;
  }
}
