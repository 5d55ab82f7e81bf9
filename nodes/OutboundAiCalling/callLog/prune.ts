import { DAY_MS } from '../clocks';
import { holds, type Row } from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import { calledAt, isStillToCome } from './callState';
import { isoTime } from './cells';
import type { EndsToHandOver } from './cursors';
import type { OwnStatus } from './states';

/** So many rows go by one request where nothing has to be found out about each. */
const ROWS_AT_ONCE = 1_000;
/** Such a request is about so many ids where most of them are those of no such rows. */
const IDS_AT_ONCE = 4_000;

/** What became of the rows that somebody wanted to be rid of. */
export interface Pruned {
  deleted: number;
  /** Rows of scheduled and open calls, which stay. */
  stillToCome: number;
  /** Rows whose outcomes stay until workflows have got them, by the name of the workflow. */
  waitedFor: Map<string, number>;
}

/** Deletes rows of a call log, page by page, and counts what it deletes and keeps. */
export class Pruning {
  readonly result: Pruned = { deleted: 0, stillToCome: 0, waitedFor: new Map() };
  private readonly stops = new Set<number>();

  /**
   * @param isUnwanted whether a row is to go
   * @param giveUpAfterMs how long the outcomes of open calls are waited for
   */
  constructor(
    private readonly log: CallLog,
    private readonly ends: EndsToHandOver,
    private readonly isUnwanted: (row: Row) => boolean,
    private readonly now: number,
    private readonly giveUpAfterMs: number,
  ) {}

  /**
   * Deletes the rows of attempts that ended before a time and wait for no trigger, without reading them
   * first: not of cancelled ones, which may keep an attempt away.
   */
  async deleteEnds(before: number, signal: AbortSignal): Promise<void> {
    const { log, result, now } = this;
    const [newest] = await log.newestRows(1);
    const last = Math.min(newest?.id ?? 0, this.ends.doneUpTo(before, now));
    const kinds: OwnStatus[] = ['scheduled', 'placing', 'in_progress', 'cancelled'];
    // n8n compares dates wrong within a day on SQLite.
    const ends = [
      holds('finishedAt', 'lt', isoTime(before - DAY_MS)),
      ...kinds.map((status) => holds('status', 'neq', status)),
    ];
    const first = { sortBy: 'id:asc', limit: 1 };
    const [row] = await log.tables.rows(log.tableId, log.where(...ends), first);
    let from = row?.id ?? Infinity;
    for (let width = ROWS_AT_ONCE; from <= last && !signal.aborted;) {
      const to = Math.min(last, from + width - 1);
      const filter = log.where(...ends, holds('id', 'gte', from), holds('id', 'lte', to));
      const { length } = await log.tables.deleteAndReturn(log.tableId, filter);
      result.deleted += length;
      width = length < ROWS_AT_ONCE / 4 ? IDS_AT_ONCE : ROWS_AT_ONCE;
      from = to + 1;
    }
  }

  /** Deletes what is unwanted of some rows of the account. */
  async take(rows: Row[]): Promise<void> {
    await this.findStops(rows);
    const unwanted = rows.filter((row) => this.isUnwanted(row) && !this.stays(row));
    await this.log.deleteRows(unwanted.map(({ id }) => id));
    this.result.deleted += unwanted.length;
  }

  /**
   * Finds the rows that keep a call that goes on from being placed again. Without them its end would
   * have the next attempt made, though a person has cancelled it.
   */
  private async findStops(rows: Row[]): Promise<void> {
    const stops = rows.filter((row) => stopsAttempt(row) && this.isUnwanted(row));
    this.stops.clear();
    if (stops.length === 0) return;
    const goesOn = (row: Row) => this.isStillToCome(row);
    const open = new Set(
      (await this.log.rowsOfCalls(stops)).filter(goesOn).map(({ callId }) => callId),
    );
    for (const { id, callId } of stops) if (open.has(callId)) this.stops.add(id);
  }

  private isStillToCome(row: Row): boolean {
    return isStillToCome(row, this.now, this.giveUpAfterMs);
  }

  /** Whether a row stays although it is unwanted, which is counted. */
  private stays(row: Row): boolean {
    const { result } = this;
    const isToCome = this.stops.has(row.id) || this.isStillToCome(row);
    const workflow = isToCome ? undefined : this.ends.waitedForBy(row, this.now);
    if (isToCome) result.stillToCome++;
    if (workflow === undefined) return isToCome;
    result.waitedFor.set(workflow, (result.waitedFor.get(workflow) ?? 0) + 1);
    return true;
  }
}

/** Whether a row stands where a further attempt at a call would. */
function stopsAttempt({ status, attempt }: Row): boolean {
  return status === ('cancelled' satisfies OwnStatus) && Number(attempt) > 1;
}

/** Whether a row tells of a call before a time, in milliseconds since 1970. */
export function isBefore(row: Row, time: number): boolean {
  const at = calledAt(row);
  return at !== undefined && at < time;
}
