import { randomInt } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { DataTableError, undefinedIf } from '../dataTables/dataTableError';
import {
  DataTables,
  equals,
  holds,
  LARGEST_PAGE,
  where,
  type Condition,
  type DataTable,
  type DataTablesContext,
  type Filter,
  type Row,
} from '../dataTables/dataTables';
import { tableNameIn, type TableLocator } from '../dataTables/findTable';
import { PAGE_BY_ID } from '../dataTables/rowPages';
import { groupBy, inParts } from '../collections';
import { AccountRows, inRequests, MANY_CONDITIONS, ROWS_A_CHANGE } from './table/accountRows';
import { findIncomplete, findLogTable, lackingOfLog, refuseOtherTable } from './table/logTable';
import { textIn, writtenAt } from './table/cells';
import { UNLOCKED } from './table/rowColumns';
import { settleSuperseded } from './ends/superseded';
import { attemptsOf, callKey, counts, notEnded, says } from './states';

/** Marking rows and deleting them takes two requests. */
const REQUESTS_TO_DELETE = 2;
/** The times of next looks are spread over this many milliseconds. */
const SPREAD_MS = 500;

/**
 * The call log: a data table of n8n with a row for each call of one account. Rows are written in
 * batches: new rows are inserted first, then the rows that they replace are deleted. A crash in
 * between may leave both; equal `callId` and `attempt` show that both are rows of one attempt.
 *
 * `runAt` is when the next step of a row is due, in whole milliseconds since 1970; for an open
 * call, the next look at the service. A process that locks a row writes its own `lockedBy`, and a
 * `lockedUntil` in the future. Ends come in the order of their ids: see `ends.ts`.
 *
 * All that works with a log throws {@link DataTableError} only, unless its comment says otherwise.
 */
export class CallLog extends AccountRows {
  readonly name: string;
  readonly projectId: string | undefined;
  private noted = 0;

  private constructor(
    tables: DataTables,
    { id, name, projectId }: DataTable,
    account: string,
    readonly isNew = false,
  ) {
    super(tables, id, account);
    this.name = name;
    this.projectId = projectId;
  }

  /**
   * Opens the log, makes its table when there is none, and adds the columns that the table lacks. A table that
   * holds something else is refused.
   *
   * @param onlyFirst whether to make a table only when no other call log exists
   */
  static async open(
    context: DataTablesContext,
    locator: TableLocator,
    account: string,
    { onlyFirst = false } = {},
  ): Promise<CallLog> {
    const tables = await DataTables.open(context);
    const { table, lacking } = await findIncomplete(tables, locator, onlyFirst);
    if (table === undefined) {
      const made = await tables.create(tableNameIn(locator), lacking);
      return new CallLog(tables, made, account, true);
    }
    for (const column of lacking) await tables.addColumn(table.id, column);
    return new CallLog(tables, table, account);
  }

  /** Opens the log, and changes nothing: undefined when {@link CallLog.open} would make or change its table. */
  static async find(
    context: DataTablesContext,
    locator: TableLocator,
    account: string,
    { onlyFirst = false } = {},
  ): Promise<CallLog | undefined> {
    const tables = await DataTables.open(context);
    const { table, lacking } = await findIncomplete(tables, locator, onlyFirst);
    return table && lacking.length === 0 ? new CallLog(tables, table, account) : undefined;
  }

  /**
   * Opens an existing log. Adds nothing to its table, which a person may have chosen by mistake.
   *
   * @throws DataTableError `columnMissing` when the table is no call log
   */
  static async openExisting(
    context: DataTablesContext,
    locator: TableLocator,
    account: string,
  ): Promise<CallLog> {
    const tables = await DataTables.open(context);
    const table = await findLogTable(tables, locator);
    if (table instanceof DataTableError) throw table;
    refuseOtherTable(table);
    return new CallLog(tables, table, account);
  }

  /** The names of the other call logs that the n8n API key may see. */
  async namesOfOthers(): Promise<string[]> {
    const names: string[] = [];
    await this.tables.find((table) => {
      if (table.id !== this.tableId && lackingOfLog(table).length === 0) names.push(table.name);
      return false;
    });
    return names;
  }

  /** Names the attempt of a row, for what this process remembers of the attempts of all logs. */
  nameOf(row: Row): string {
    return `${this.key} ${callKey(row)}`;
  }

  /** Deletes the rows of a batch, of whatever account; what was cancelled stays. */
  async deleteBatch(batch: string): Promise<void> {
    const ofList = where(holds('batch', 'eq', batch), says('cancelled', 'neq'));
    await this.tables.delete(this.tableId, ofList);
  }

  /**
   * Locks open calls whose next look is due, the longest overdue first. No other process gets them
   * before `lockedUntil`. A call is left out when a process wrote its end and died before it
   * deleted the row.
   */
  async lockDue(now: number, limit: number, lockedUntil: number): Promise<Row[]> {
    const free = [...notEnded('in_progress'), holds('lockedUntil', 'lte', now)];
    const isDue = holds('runAt', 'lte', now);
    const due = await this.rows([...free, isDue], { sortBy: 'runAt:asc', limit });
    const last = due.at(-1);
    if (last === undefined) return [];
    const wasDue = holds('runAt', 'lte', Number(last.runAt));
    const locked = await this.lock([...free, wasDue], { lockedUntil, expected: due.length });
    // A row that nobody had locked before has no other row of its attempt.
    const untouched = new Set(due.filter(({ lockedBy }) => lockedBy === '').map(({ id }) => id));
    const others = await this.rowsOfCalls(locked.filter(({ id }) => !untouched.has(id)));
    const attempts = attemptsOf([...others, ...locked]);
    const superseded = locked.filter((row) => !counts(row, attempts));
    await settleSuperseded(this, superseded, attempts);
    return locked.filter((row) => counts(row, attempts));
  }

  /** When the next look at an unlocked open call is due; undefined when there is none. */
  async nextDueAt(now: number): Promise<number | undefined> {
    const free = [...notEnded('in_progress'), holds('lockedUntil', 'lte', now)];
    const [row] = await this.rows(free, { sortBy: 'runAt:asc', limit: 1 });
    return row === undefined ? undefined : Number(row.runAt);
  }

  /**
   * Writes the same cells into several open rows and unlocks them, if they still have the lock with
   * which they were read. Rows with the same time of their next look are locked together, so few of
   * these rows get the same time.
   *
   * @param held all rows that the caller has locked together with them
   */
  async noteOpen(
    rows: Row[],
    { runAt, ...columns }: IDataObject & { runAt: number },
    held: Row[],
  ): Promise<void> {
    for (const locked of underLocks(rows, held)) {
      this.noted = (this.noted + 1) % SPREAD_MS;
      const next = { ...columns, ...UNLOCKED, runAt: Math.round(runAt) + this.noted };
      await this.update([...locked, ...notEnded('in_progress')], next);
    }
  }

  /** Writes into one row, if the row still has the call that was read. */
  async noteRow({ id, callId }: Row, columns: IDataObject): Promise<void> {
    await this.update(equals({ id, callId }), columns);
  }

  /**
   * Locks an open call that the service knows by this id; undefined when its end is written or being written, or no
   * row has it. A person may have had the same attempt placed again, with another id.
   */
  async lockOpen(
    { callId, attempt, orderId }: { callId: string; attempt: number; orderId: number },
    { now, lockedUntil }: { now: number; lockedUntil: number },
  ): Promise<Row | undefined> {
    const named = equals({ callId, attempt, orderId: String(orderId) });
    const ours = [...named, ...notEnded('in_progress')];
    const free = [...ours, holds('lockedUntil', 'lte', now)];
    const [row] = await this.lock(free, { lockedUntil, expected: 1 });
    return row;
  }

  /** Ends with ids above this one, in the order of ids; at most 250. */
  async endsAfter(id: number): Promise<Row[]> {
    return await this.rows([holds('finishedAt', 'neq', null), holds('id', 'gt', id)], PAGE_BY_ID);
  }

  /** Ends with ids up to this one, the highest first. */
  async endsUpTo(id: number, limit = LARGEST_PAGE): Promise<Row[]> {
    return await this.newestRows(limit, holds('finishedAt', 'neq', null), holds('id', 'lte', id));
  }

  async newestRows(limit: number, ...conditions: Condition[]): Promise<Row[]> {
    return await this.rows(conditions, { sortBy: 'id:desc', limit });
  }

  /**
   * Deletes rows that still are as they were read. An id does not name a row: SQLite gives the id of a
   * deleted newest row to the next one. So the rows are marked first; n8n's answer shows whether they are
   * those that were read, and the mark names them. A request that n8n processes late finds no row with
   * its mark.
   *
   * @returns how many were deleted, and those of which a person has changed the status, as they are now
   */
  async deleteRows(rows: Row[]): Promise<{ deleted: number; edited: Row[] }> {
    const read = new Map(rows.map((row) => [row.id, row]));
    // A row of another call that is marked by mistake stays usable: a negative count of looks counts as none.
    const drawnMark = () => ({ lookCount: -randomInt(1, 2 ** 47) });
    let deleted = 0;
    const edited: Row[] = [];
    // n8n's answer holds the marked rows, and a person may have added a column of long texts.
    for (const some of inRequests([...read.values()], (row) => [row], MANY_CONDITIONS)) {
      const filters = some.map(({ id }) => holds('id', 'eq', id));
      const any: Filter = { type: 'or', filters };
      const marking = this.tables.updateAndReturn(this.tableId, any, drawnMark);
      const marked = await marking.catch(undefinedIf('full'));
      if (marked === undefined) {
        deleted += await this.deleteAsRead(some);
        continue;
      }
      const others = marked.filter((row) => !isSame(row, read.get(row.id) ?? row));
      edited.push(...others.filter((row) => isOfThen(row, read.get(row.id) ?? row)));
      deleted += marked.length - others.length;
      if (marked[0] === undefined || others.length === marked.length) continue;
      const go = this.where(
        holds('lookCount', 'eq', Number(marked[0].lookCount)),
        ...others.map(({ id }) => holds('id', 'neq', id)),
      );
      await this.tables.delete(this.tableId, go);
    }
    return { deleted, edited };
  }

  /** Deletes rows one by one, without a mark: while n8n's tables are full, it takes no mark. */
  private async deleteAsRead(rows: Row[]): Promise<number> {
    let deleted = 0;
    for (const { id, callId, attempt, status, orderId } of rows) {
      const isAsRead = equals({ id, callId, attempt, status, orderId });
      deleted += (await this.tables.deleteAndReturn(this.tableId, this.where(...isAsRead))).length;
    }
    return deleted;
  }

  /**
   * As {@link deleteRows}, for rows that the caller has locked. Their lock is their mark already, unless
   * another process has replaced it. Rows with many locks take fewer requests with one mark.
   *
   * @param held all rows that the caller has locked together with them
   * @returns the rows of which a person has changed the status, as they are or were in the end
   */
  async deleteLocked(rows: Row[], held: Row[]): Promise<Row[]> {
    const gone = new Map<number, Row>();
    const locks = underLocks(rows, held);
    for (const locked of locks.length > REQUESTS_TO_DELETE ? [] : locks) {
      const deleted = await this.tables.deleteAndReturn(this.tableId, this.where(...locked));
      for (const row of deleted) gone.set(row.id, row);
    }
    const { edited } = await this.deleteRows(rows.filter(({ id }) => !gone.has(id)));
    const isEdited = ({ id, status }: Row) => gone.has(id) && gone.get(id)?.status !== status;
    return [...edited, ...rows.filter(isEdited).flatMap(({ id }) => gone.get(id) ?? [])];
  }

  /** All rows of the calls of these rows, of all attempts. The key may have been exchanged since a call was asked for. */
  async rowsOfCalls(rows: Array<Partial<Row>>): Promise<Row[]> {
    const callIds = [...new Set(rows.flatMap(({ callId }) => textIn(callId) ?? []))];
    return await this.rowsOfAny(callIds.map((id) => holds('callId', 'eq', id)));
  }
}

/** Whether a row is still the one that was read under its id, and nobody has changed its status since. */
function isSame(row: Row, read: Row): boolean {
  return isOfThen(row, read) && row.status === read.status;
}

/** Whether a row is the one that was read under its id, which may now belong to an end of the same attempt. */
function isOfThen(row: Row, read: Row): boolean {
  return writtenAt(row) <= (writtenAt(read) || Infinity) && callKey(row) === callKey(read);
}

/** Conditions for rows with the locks that were read, 100 rows each, and no others of `held`. */
function underLocks(rows: Row[], held: Row[]): Condition[][] {
  // An empty lock is no name: others may have unlocked rows too.
  const locked = rows.filter(({ lockedBy }) => textIn(lockedBy) !== undefined);
  const wanted = new Set(locked.map(({ id }) => id));
  const all = new Map([...held, ...rows].map((row) => [row.id, row])).values();
  const found: Condition[][] = [];
  for (const [lockedBy, together] of groupBy(all, (row) => String(row.lockedBy))) {
    const sorted = together.map(({ id }) => id).sort((a, b) => a - b);
    for (const ids of inParts(sorted, ROWS_A_CHANGE)) {
      const some = ids.filter((id) => wanted.has(id));
      const [first, last] = [some[0], some.at(-1)];
      if (first === undefined || last === undefined) continue;
      const others = ids.filter((id) => first < id && id < last && !wanted.has(id));
      found.push([
        ...[holds('lockedBy', 'eq', lockedBy), holds('id', 'gte', first), holds('id', 'lte', last)],
        ...others.map((id) => holds('id', 'neq', id)),
      ]);
    }
  }
  return found;
}
