import type { IDataObject } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import { isoTime, outcomeColumns, readRow, type LogStatus } from '../../callLog/row';
import { LARGEST_PAGE, type Row } from '../../callLog/dataTables';
import { LogReaders } from './logReaders';
import type { Ending, TriggerKey, WatchedCall, Watchlist } from './watch';

/** A call and where it stands in the log. */
interface LoggedCall extends WatchedCall {
  rowId: number;
  status: string;
}

/** A row that a poll has taken is left alone by others so long after the poll's end. */
const HELD_AFTER_POLL_MS = 30_000;
/** Looks at old calls are written down with times rounded to this, so that few updates do. */
const ROUNDING_MS = 5_000;

/** NaN for a time that was edited into nonsense, which is due at once. */
function dueAt({ nextCheckAt }: Row): number {
  return Date.parse(String(nextCheckAt));
}

/**
 * The calls of a call log. Rows that a poll has taken get a later time for their next look, so that
 * overlapping polls leave them alone, and so that they are offered again after a kill.
 */
export class CallLogWatchlist implements Watchlist {
  /** Taken and put back: looked at again in this poll. */
  private readonly waiting = new Map<number, LoggedCall>();
  /** Put back for later polls, not written down yet. */
  private readonly later: LoggedCall[] = [];
  /** When the first row that was not due yet will be. */
  private nextRowDueAt = Infinity;
  private readonly readers: LogReaders;

  /** @param lookUntil when the poll's last look begins */
  constructor(
    private readonly log: CallLog,
    private readonly trigger: TriggerKey,
    private readonly lookUntil: number,
  ) {
    this.readers = LogReaders.of(log.tableId);
  }

  async take(now: number, limit: number): Promise<WatchedCall[]> {
    await this.writeLater();
    const again = [...this.waiting.values()]
      .filter(({ nextLookAt }) => nextLookAt <= now)
      .sort((a, b) => a.nextLookAt - b.nextLookAt)
      .slice(0, limit);
    for (const { rowId } of again) this.waiting.delete(rowId);
    if (again.length === limit) return again;
    return [...again, ...(await this.takeRows(now, limit - again.length))];
  }

  putBack(call: WatchedCall): void {
    const logged = call as LoggedCall;
    if (logged.unknown !== undefined) this.readers.rememberUnknown(logged.rowId, logged.unknown);
    if (logged.nextLookAt <= this.lookUntil) this.waiting.set(logged.rowId, logged);
    else this.later.push(logged);
  }

  leaving(): void {}

  async settle(call: WatchedCall, ending: Ending): Promise<void> {
    const { rowId, status, looks } = call as LoggedCall;
    const columns: IDataObject = {
      ...('outcome' in ending
        ? outcomeColumns(ending.outcome, Date.now())
        : { status: 'given_up' satisfies LogStatus, lastError: ending.givenUp.message }),
      checks: looks,
    };
    this.readers.noteHandedOver(rowId, this.trigger, columns);
    await this.writeEnding(rowId, status, columns);
  }

  nextDueAt(): number | undefined {
    const times = [...this.waiting.values()].map(({ nextLookAt }) => nextLookAt);
    const next = Math.min(this.nextRowDueAt, ...times);
    return next === Infinity ? undefined : next;
  }

  async close(): Promise<void> {
    this.later.push(...this.waiting.values());
    this.waiting.clear();
    await this.writeLater();
  }

  async examples(limit: number): Promise<WatchedCall[]> {
    const now = Date.now();
    return (await this.log.newestRows(limit)).flatMap((row) => {
      const reading = readRow(row, now);
      return 'call' in reading ? [reading.call] : [];
    });
  }

  private async takeRows(now: number, limit: number): Promise<LoggedCall[]> {
    const taken: LoggedCall[] = [];
    const held: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.log.dueRows(LARGEST_PAGE, cursor);
      const { rows } = page;
      const due = rows.filter((row) => !(dueAt(row) > now));
      this.nextRowDueAt = Math.min(...rows.map(dueAt).filter((at) => at > now));
      for (const row of due) {
        if (taken.length === limit) break;
        const call = await this.callOf(row, now);
        if (call === undefined) continue;
        taken.push(call);
        held.push(row.id);
      }
      cursor = due.length < rows.length ? undefined : page.cursor;
    } while (taken.length < limit && cursor !== undefined);
    const heldUntil = this.lookUntil + HELD_AFTER_POLL_MS;
    if (held.length > 0) await this.log.note(held, { nextCheckAt: isoTime(heldUntil) });
    return taken;
  }

  /** What every trigger has handed over is not due any more; until then it is, for the others. */
  private async writeEnding(rowId: number, status: string, columns: IDataObject): Promise<void> {
    const isDone = this.readers.columnsWhenDone(rowId) !== undefined;
    const nextCheckAt = isDone ? null : isoTime(Date.now());
    const from = new Set([status, String(columns.status), 'in_progress', 'completed']);
    await this.log.move({ rowId }, [...from], { ...columns, nextCheckAt });
    if (isDone) this.readers.forget(rowId);
  }

  /** The call of a row, unless this trigger is done with it or it is none. */
  private async callOf(row: Row, now: number): Promise<LoggedCall | undefined> {
    const status = String(row.status ?? '');
    const entry = { rowId: row.id };
    if (this.readers.hasHandedOver(row.id, this.trigger)) {
      const columns = this.readers.columnsWhenDone(row.id);
      if (columns !== undefined) await this.writeEnding(row.id, status, columns);
      return undefined;
    }
    const reading = readRow(row, now);
    if ('call' in reading) {
      const unknown = this.readers.unknownOf(entry.rowId);
      return { ...reading.call, ...(unknown === undefined ? {} : { unknown }), ...entry, status };
    }
    const columns: IDataObject =
      'placing' in reading
        ? {
            status: 'maybe_placed' satisfies LogStatus,
            lastError: 'n8n stopped while the call was being placed: it may have been placed',
          }
        : { status: 'invalid' satisfies LogStatus, lastError: reading.nonsense };
    await this.log.move(entry, [status], { ...columns, nextCheckAt: null });
    // A status that was emptied by hand fits no condition; the row must not come up for ever.
    if (status === '') await this.log.note([row.id], { nextCheckAt: null, ...columns });
    return undefined;
  }

  /** Writes down what was put back for later, rows with the same in one update. */
  private async writeLater(): Promise<void> {
    const groups = new Map<string, { data: IDataObject; rowIds: number[] }>();
    for (const { rowId, looks, nextLookAt, lastError = null } of this.later.splice(0)) {
      const rounded = Math.ceil(nextLookAt / ROUNDING_MS) * ROUNDING_MS;
      const data = { checks: looks, nextCheckAt: isoTime(rounded), lastError };
      const key = JSON.stringify(data);
      const group = groups.get(key) ?? { data, rowIds: new Array<number>() };
      group.rowIds.push(rowId);
      groups.set(key, group);
    }
    for (const { data, rowIds } of groups.values()) {
      for (let start = 0; start < rowIds.length; start += LARGEST_PAGE) {
        await this.log.note(rowIds.slice(start, start + LARGEST_PAGE), data);
      }
    }
  }
}
