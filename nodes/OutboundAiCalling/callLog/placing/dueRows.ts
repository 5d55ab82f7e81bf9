import { holds, LARGEST_PAGE, type Condition, type Row } from '../../dataTables/dataTables';
import type { CallRequest } from '../../service/callingService';
import { notEnded, type CallLog } from '../callLog';
import { isoTime, textIn, timeIn } from '../table/cells';
import { writeDecided } from '../ends/ends';
import { readKeptCall } from './keptRequest';
import type { KeptSettings } from './loggedRequest';
import type { PlacingRows } from './placingRows';
import { notPlacedColumns } from '../table/rowColumns';
import { RowToPlace, type Waiting } from './rowToPlace';
import { attemptCounts, attemptsOf, callKey, isDecided, type OwnStatus } from '../states';
import { settleSuperseded } from '../ends/superseded';

/** No call is scheduled for so much later by anybody who means it. */
export const LATEST_MS = 10 * 365 * 24 * 3_600_000;
/** Times that a person has written are looked for among so many rows at once. */
const TIMES_AT_ONCE = 25;
/** Rows are read again so often when all of them were no calls to place. */
const MOST_READINGS = 20;

const SCHEDULED = 'scheduled' satisfies OwnStatus;
const DUE: Waiting = { batch: '', column: 'id' };
const UNREAD = 'Nobody was called: the row cannot be read';
const TOO_LATE = `${UNREAD}: its time is more than ten years from now`;
const NOT_ANNOUNCED =
  'Nobody was called: the attempt before ended otherwise, and no other follows it';

/** A scheduled call that is due, as its row says. */
export interface DueRow {
  row: RowToPlace;
  request: CallRequest;
  /** How it was set, for whoever places it. */
  kept: KeptSettings;
}

/**
 * The scheduled calls of a log that are due. Nobody locks them: whoever marks a row places its call.
 *
 * Every method throws {@link DataTableError} only.
 */
export class DueRows {
  constructor(
    private readonly log: CallLog,
    private readonly rows: PlacingRows,
  ) {}

  /**
   * Reads calls that are due, the longest due first. Rows that nobody can read end, and say why.
   *
   * @returns none only when no more are due
   */
  async read(now: number, limit: number): Promise<DueRow[]> {
    await this.move(await this.broughtForward(now));
    for (let readings = 0; readings < MOST_READINGS; readings++) {
      const rows = await this.rowsDue(now, limit);
      const due = await this.callsIn(rows, now);
      this.rows.replaceWaiting(due.map(({ row }) => row));
      if (due.length > 0 || rows.length === 0) return due;
    }
    return [];
  }

  /**
   * Reads calls that are due, as {@link read} does, and changes nothing.
   *
   * @returns the longest due first, and why nobody is called because of other rows
   */
  async peek(now: number): Promise<{ calls: DueRow[]; reasons: string[] }> {
    const rows = [...(await this.broughtForward(now)), ...(await this.rowsDue(now, LARGEST_PAGE))];
    const { calls, ended } = await this.judge(rows, now);
    return { calls, reasons: ended.map(({ reason }) => reason) };
  }

  private async rowsDue(now: number, limit: number): Promise<Row[]> {
    const page = { sortBy: 'runAt:asc', limit: Math.min(limit, LARGEST_PAGE) };
    return await this.log.tables.rows(
      this.log.tableId,
      this.waiting(holds('runAt', 'lte', now)),
      page,
    );
  }

  /** When the next call is due; undefined when none is scheduled. */
  async nextDueAt(): Promise<number | undefined> {
    const page = { sortBy: 'runAt:asc', limit: 1 };
    const filter = this.waiting(holds('runAt', 'neq', null));
    const [row] = await this.log.tables.rows(this.log.tableId, filter, page);
    return row === undefined ? undefined : Number(row.runAt);
  }

  /** How many calls of the account are being placed or go on; at most `limit` are counted. */
  async countOpen(limit: number): Promise<number> {
    const open = new Set<string>();
    for (const status of ['placing', 'in_progress'] satisfies OwnStatus[]) {
      await this.log.eachPageById(notEnded(status), (rows) => {
        for (const row of rows) open.add(callKey(row));
        return open.size < limit;
      });
    }
    return Math.min(limit, open.size);
  }

  /**
   * Rows whose `runAt` a person has emptied or written wrong are due when they say in `dueAt`; those that say
   * nothing there are due now. Nobody is called at a time that nobody means.
   */
  async mendTimes(now: number): Promise<void> {
    await this.log.mendLocks(now);
    const page = { sortBy: 'id:asc', limit: LARGEST_PAGE };
    for (const wrong of [holds('runAt', 'eq', null), holds('runAt', 'gt', now + LATEST_MS)]) {
      const rows = await this.log.tables.rows(this.log.tableId, this.waiting(wrong), page);
      const isMeant = ({ dueAt, runAt }: Row) =>
        (timeIn(dueAt) ?? Number(runAt)) <= now + LATEST_MS;
      await this.move(rows.filter(isMeant), (dueAt = now) => dueAt);
      for (const row of rows) if (!isMeant(row)) await this.end(row, TOO_LATE);
    }
  }

  /** Rows that wait and are not of a list that is being written. */
  private waiting(...conditions: Condition[]) {
    return this.log.where(...notEnded(SCHEDULED), holds('batch', 'eq', ''), ...conditions);
  }

  /** Calls that a person wants placed sooner: `dueAt` has come, and the machine's time has not. */
  private async broughtForward(now: number): Promise<Row[]> {
    const filter = this.waiting(holds('runAt', 'gt', now), holds('dueAt', 'neq', null));
    const page = { sortBy: 'dueAt:asc', limit: TIMES_AT_ONCE };
    const rows = await this.log.tables.rows(this.log.tableId, filter, page);
    return rows.filter(({ dueAt }) => (timeIn(dueAt) ?? Infinity) <= now);
  }

  /** Has rows be due at other times. Times only: they may have been cancelled, or placed, since. */
  private async move(
    rows: Row[],
    timeOf: (dueAt: number | undefined) => number = Number,
  ): Promise<void> {
    for (const row of rows) {
      const runAt = timeOf(timeIn(row.dueAt));
      await this.log.noteRow(row, { runAt, dueAt: isoTime(runAt) });
    }
  }

  private async callsIn(page: Row[], now: number): Promise<DueRow[]> {
    const { calls, later, ended, decided, superseded, attempts } = await this.judge(page, now);
    await this.move(later);
    if (superseded.length > 0) await settleSuperseded(this.log, superseded, attempts);
    await writeDecided(this.log, decided).catch(() => {});
    for (const { row, reason } of ended) await this.end(row, reason);
    return calls;
  }

  /** What becomes of rows that say that they are due; nothing is changed. */
  private async judge(page: Row[], now: number) {
    const later = page.filter(({ dueAt }) => (timeIn(dueAt) ?? now) > now);
    const rows = page.filter((one) => !later.includes(one));
    const attempts = attemptsOf([...(await this.log.rowsOfCalls(rows)), ...rows]);
    const calls: DueRow[] = [];
    /** Nobody is called because of these. */
    const ended: Array<{ row: Row; reason: string }> = [];
    /** Their attempts have other rows that tell more, or came first. */
    const superseded: Row[] = [];
    const decided: Row[] = [];
    for (const row of rows) {
      const { counts = row, superseded: others = [] } = attempts.get(callKey(row)) ?? {};
      // Copies go also when they are not among these rows: a person could cancel one while the call rings.
      superseded.push(...others.filter(({ status }) => status === SCHEDULED));
      if (counts.id !== row.id) {
        if (isDecided(counts)) decided.push(counts);
        continue;
      }
      const call = this.callIn(row, attempts);
      if ('row' in call) calls.push(call);
      else ended.push({ row, reason: call.reason });
    }
    return { calls, later, ended, decided, superseded, attempts };
  }

  /** The call of a row, or why nobody is called because of it. */
  private callIn(row: Row, attempts: ReturnType<typeof attemptsOf>): DueRow | { reason: string } {
    if (!attemptCounts(row, attempts)) return { reason: NOT_ANNOUNCED };
    const isTimeUnread = textIn(row.dueAt) !== undefined && timeIn(row.dueAt) === undefined;
    const kept = isTimeUnread ? { nonsense: 'dueAt is no date and time' } : readKeptCall(row);
    if ('nonsense' in kept) return { reason: `${UNREAD}: ${kept.nonsense}` };
    const { attempt, ...call } = kept;
    return { row: new RowToPlace(this.rows, DUE, row, attempt), ...call };
  }

  /** Nobody is called because of a row that still waits. */
  private async end(row: Row, reason: string): Promise<void> {
    const { log } = this;
    const itself = this.waiting(holds('id', 'eq', row.id));
    const columns = notPlacedColumns(reason);
    const rows = await log.tables.updateAndReturn(log.tableId, itself, columns);
    // Whoever comes next writes the end when this cannot.
    await writeDecided(log, rows).catch(() => {});
  }
}
