import type { IDataObject } from 'n8n-workflow';
import { DataTableError } from '../dataTables/dataTableError';
import {
  DataTables,
  holds,
  LARGEST_PAGE,
  where,
  type Condition,
  type DataTablesContext,
  type Filter,
  type Inserted,
  type Row,
} from '../dataTables/dataTables';
import type { TableLocator } from '../dataTables/findTable';
import { eachPageOfRows, PAGE_BY_ID, pagesInOrder } from '../dataTables/rowPages';
import {
  findCompleteTable,
  findLogTable,
  lackingOfLog,
  openTable,
  refuseOtherTable,
  type MayMake,
} from './table/logTable';
import { patiently } from './table/patiently';
import { isoTime, numberIn, textIn } from './table/cells';
import { drawnId } from './table/drawnId';
import { writtenAt } from './ends/cursors';
import { contentOf, UNLOCKED } from './table/rowColumns';
import { settleSuperseded } from './ends/superseded';
import { attemptsOf, callKey, type OwnStatus } from './states';

/** So many rows go into one request. */
const ROWS_A_REQUEST = 1_000;
/** So many conditions of a search fit into an address. */
const CONDITIONS_A_REQUEST = 50;
/** Of so many the rows change together. */
const CALLS_A_CHANGE = 100;
/** So many conditions a search has where they do not stand in an address. */
const MANY_CONDITIONS = 250;
/** So many rows get the same time of their next look at most. */
const SAME_TIME = 100;
/** Times of rows are told apart within so many milliseconds. */
const SPREAD_MS = 500;
/** No look is due later than this, unless a clock was set back or a person wrote the time. */
const LATEST_LOOK_MS = 2 * 3_600_000;
const ONE = { sortBy: 'id:asc', limit: 1 };

/** Whether nothing has to be mended in the row of a call that has not ended: no program died on it, and no person edited it. */
export function isInOrder(row: Row, now: number): boolean {
  const isSane = (time: unknown) => (numberIn(time) ?? Infinity) <= now + LATEST_LOOK_MS;
  if (!isSane(row.lockedUntil) || row.batch === null) return false;
  const isLocked = Number(row.lockedUntil) > now;
  switch (row.status as OwnStatus) {
    case 'in_progress':
      return isSane(row.runAt);
    case 'scheduled':
      return isLocked || row.batch === '';
    case 'placing':
      return isLocked;
    default:
      return false;
  }
}

/** Rows that say so, of calls whose end nobody has written. */
export function notEnded(status: OwnStatus): Condition[] {
  return [holds('status', 'eq', status), holds('finishedAt', 'eq', null)];
}

/**
 * The call log: a data table of n8n with a row for each call of one account. Rows are written in
 * batches: new rows go in first, then the rows that they replace are deleted. `callId` and `attempt`
 * tell that both are of one call, for a crash may leave both.
 *
 * `runAt` is when the machinery has to do with a row next, in whole milliseconds since 1970: for an
 * open call the next look at the service. Whoever works on a row has written its own `lockedBy` and a
 * `lockedUntil` that lies ahead. Ends come in the order of their ids: see `ends.ts`.
 *
 * Every method throws {@link DataTableError} only.
 */
export class CallLog {
  private noted = 0;

  private constructor(
    readonly tables: DataTables,
    readonly tableId: string,
    readonly name: string,
    /** The fingerprint of the account whose rows these are. */
    readonly account: string,
    /** Whether its table was made just now. */
    readonly isNew = false,
  ) {}

  /**
   * Opens the log for the calls of one account, adding the columns that its table lacks. A table that
   * holds something else is refused, and left as it is.
   *
   * @param create whether a table that does not exist yet is made
   */
  static async open(
    context: DataTablesContext,
    locator: TableLocator,
    { account, create }: { account: string; create: MayMake },
  ): Promise<CallLog> {
    const tables = await DataTables.open(context);
    const { table, isNew } = await openTable(tables, locator, create);
    return new CallLog(tables, table.id, table.name, account, isNew);
  }

  /**
   * Opens the log and changes nothing.
   *
   * @returns undefined when {@link CallLog.open} would make its table, or add columns
   */
  static async find(
    context: DataTablesContext,
    locator: TableLocator,
    { account }: { account: string },
  ): Promise<CallLog | undefined> {
    const tables = await DataTables.open(context);
    const table = await findCompleteTable(tables, locator);
    return table && new CallLog(tables, table.id, table.name, account);
  }

  /**
   * Opens a log that is there for the calls of one account, and adds nothing to its table: a person
   * may have chosen another by mistake.
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
    return new CallLog(tables, table.id, table.name, account);
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

  /** A key without the right to change or delete rows must be told before anybody is called. */
  async checkRights(): Promise<void> {
    await this.tables.checkUpdate(this.tableId);
    await this.tables.checkDelete(this.tableId);
  }

  /** Writes rows that tell what became of calls when they were placed; waits for n8n when it is away. */
  async recordPlacements(rows: IDataObject[]): Promise<void> {
    const written = spread(rows);
    await patiently(async () => await this.insertRows(written));
  }

  /** Deletes the rows of a list whose turn has not come. */
  async deleteBatch(batch: string): Promise<void> {
    await this.tables.delete(this.tableId, this.where(holds('batch', 'eq', batch)));
  }

  /** Deletes the rows of calls that nobody else knows of yet. */
  async deleteCalls(callIds: string[]): Promise<void> {
    for (const filter of ofCallsInParts(callIds)) await this.tables.delete(this.tableId, filter);
  }

  /** Writes the same into the rows of such calls, and gives them. */
  async changeCalls(callIds: string[], columns: IDataObject): Promise<Row[]> {
    const changed: Row[] = [];
    for (const filter of ofCallsInParts(callIds)) {
      changed.push(...(await this.tables.updateAndReturn(this.tableId, filter, columns)));
    }
    return changed;
  }

  /**
   * Locks open calls whose next look is due, longest overdue first: nobody else gets them before
   * `lockedUntil`. A call whose end somebody wrote before its process ended is not given out again.
   */
  async takeDue(now: number, limit: number, lockedUntil: number): Promise<Row[]> {
    const free = [...notEnded('in_progress'), holds('lockedUntil', 'lte', now)];
    const due = await this.tables.rows(
      this.tableId,
      this.where(...free, holds('runAt', 'lte', now)),
      {
        sortBy: 'runAt:asc',
        limit,
      },
    );
    const last = due.at(-1);
    if (last === undefined) return [];
    const wasDue = holds('runAt', 'lte', Number(last.runAt));
    const locked = await this.lock([...free, wasDue], { lockedUntil, expected: due.length });
    // Rows that nobody had locked before have no other row beside them.
    const untouched = new Set(due.filter(({ lockedBy }) => lockedBy === '').map(({ id }) => id));
    return await this.withoutSuperseded(locked, ({ id }) => !untouched.has(id));
  }

  /**
   * Locks the rows of the account for which the conditions hold, and gives them. When the answer that
   * says which these are was lost, they are found by the lock.
   *
   * @param expected how many there are as far as is known
   */
  async lock(
    conditions: Condition[],
    { lockedUntil, expected }: { lockedUntil: number; expected: number },
    lockedBy = drawnId(),
  ): Promise<Row[]> {
    const lock = { lockedBy, lockedUntil: Math.ceil(lockedUntil) };
    const filter = this.where(...conditions);
    const rows = await this.tables.updateAndReturn(this.tableId, filter, lock);
    if (rows.length >= expected) return rows;
    return await this.allRows(holds('lockedBy', 'eq', lockedBy));
  }

  /** Rows of calls whose end nobody has written, in no order. */
  async unendedRows(limit: number): Promise<Row[]> {
    const filter = this.where(holds('finishedAt', 'eq', null));
    return await this.tables.rows(this.tableId, filter, { sortBy: 'id:asc', limit });
  }

  /** When the next look at an open call that nobody has locked is due; undefined when there is none. */
  async nextDueAt(now: number): Promise<number | undefined> {
    const free = [...notEnded('in_progress'), holds('lockedUntil', 'lte', now)];
    const [row] = await this.tables.rows(this.tableId, this.where(...free), {
      sortBy: 'runAt:asc',
      limit: 1,
    });
    return row === undefined ? undefined : Number(row.runAt);
  }

  /**
   * Open calls whose next look can no longer come in time are due now: a clock that was set back, or a
   * person who emptied the cell, would keep them waiting.
   */
  async mendTimes(now: number): Promise<void> {
    const open = [holds('status', 'eq', 'in_progress' satisfies OwnStatus)];
    for (const wrong of [holds('runAt', 'eq', null), holds('runAt', 'gt', now + LATEST_LOOK_MS)]) {
      await this.tables.update(this.tableId, this.where(...open, wrong), { runAt: now });
    }
  }

  /** Unlocks rows whose lock no program has written: a person has copied or edited them. */
  async mendLocks(now: number): Promise<void> {
    const wrong: Array<[Condition, IDataObject]> = [
      [holds('lockedUntil', 'eq', null), UNLOCKED],
      [holds('lockedUntil', 'gt', now + LATEST_LOOK_MS), UNLOCKED],
      [holds('batch', 'eq', null), { batch: '' }],
    ];
    const any: Filter = { type: 'or', filters: wrong.map(([condition]) => condition) };
    const [row] = await this.tables.rows(this.tableId, any, ONE);
    if (row === undefined) return;
    for (const [condition, columns] of wrong) {
      await this.tables.update(this.tableId, where(condition), columns);
    }
  }

  /**
   * Writes the same into several open rows, and unlocks them; only into those that are still locked as they
   * were read. Few of them get the same time of their next look, for rows of one time are taken together.
   *
   * @param rows that were locked together
   * @param held all that the caller has locked so
   */
  async noteOpen(
    rows: Row[],
    { runAt, ...columns }: IDataObject & { runAt: number },
    held: Row[],
  ): Promise<void> {
    const lockedBy = String(rows[0]?.lockedBy);
    const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
    for (let start = 0; start < ids.length; start += SAME_TIME) {
      this.noted = (this.noted + 1) % SPREAD_MS;
      const some = ids.slice(start, start + SAME_TIME);
      const [first = 0, last = 0] = [some[0], some.at(-1)];
      const others = held.filter(({ id }) => first < id && id < last && !some.includes(id));
      const filter = this.where(
        ...[holds('lockedBy', 'eq', lockedBy), ...notEnded('in_progress')],
        ...[holds('id', 'gte', first), holds('id', 'lte', last)],
        ...others.map(({ id }) => holds('id', 'neq', id)),
      );
      const next = Math.round(runAt) + this.noted;
      await this.tables.update(this.tableId, filter, { ...columns, ...UNLOCKED, runAt: next });
    }
  }

  /** Writes into one row, if it is still of the call that was read. */
  async noteRow({ id, callId }: Row, columns: IDataObject): Promise<void> {
    const itself = [holds('id', 'eq', id), holds('callId', 'eq', textIn(callId) ?? null)];
    await this.tables.update(this.tableId, this.where(...itself), columns);
  }

  /**
   * Locks one open call of ours, so that nobody else writes its end.
   *
   * @param attempt which attempt at the call
   * @returns `leave` when somebody else has locked the row and writes its end, or has written it;
   * `gone` when a person deleted it
   */
  async takeOpen(
    { callId, attempt }: { callId: string; attempt: number },
    { now, lockedUntil }: { now: number; lockedUntil: number },
  ): Promise<Row | 'leave' | 'gone'> {
    const ours = [holds('callId', 'eq', callId), holds('attempt', 'eq', attempt)];
    const free = [...ours, ...notEnded('in_progress'), holds('lockedUntil', 'lte', now)];
    const [row] = await this.lock(free, { lockedUntil, expected: 1 });
    if (row !== undefined) return row;
    const [any] = await this.tables.rows(this.tableId, this.where(...ours), ONE);
    return any === undefined ? 'gone' : 'leave';
  }

  /** Ends of attempts with higher ids, in the order of ids; 250 at most. */
  async endsAfter(id: number): Promise<Row[]> {
    const filter = this.where(holds('finishedAt', 'neq', null), holds('id', 'gt', id));
    return await this.tables.rows(this.tableId, filter, PAGE_BY_ID);
  }

  /** A page of the ends with ids up to that one, the highest first. */
  async endsUpTo(id: number): Promise<Row[]> {
    const filter = this.where(holds('finishedAt', 'neq', null), holds('id', 'lte', id));
    return await this.tables.rows(this.tableId, filter, { sortBy: 'id:desc', limit: LARGEST_PAGE });
  }

  /** The rows of the account with the highest ids. */
  async newestRows(limit: number): Promise<Row[]> {
    return await this.tables.rows(this.tableId, this.where(), { sortBy: 'id:desc', limit });
  }

  /** The rows of the account for which all conditions hold. */
  where(...conditions: Condition[]): Filter {
    return where(holds('account', 'eq', this.account), ...conditions);
  }

  /**
   * Gives all rows of the account for which the conditions hold, page by page, in the order of ids.
   *
   * @param take says by `false` that it wants no more
   * @param fromId the lowest id of a row that is given
   */
  async eachPageById(
    conditions: Condition[],
    take: (rows: Row[]) => Promise<boolean | void> | boolean | void,
    fromId = 0,
  ): Promise<void> {
    const readPage = async (range: Condition[]) =>
      await this.tables.rows(this.tableId, this.where(...conditions, ...range), PAGE_BY_ID);
    await pagesInOrder(readPage, fromId, undefined, take);
  }

  /** All rows of the account for which the conditions hold, in the order of ids. */
  async allRows(...conditions: Condition[]): Promise<Row[]> {
    const all: Row[] = [];
    await this.eachPageById(conditions, (rows) => void all.push(...rows));
    return all;
  }

  /** The calls with a cost whose end was written last; 250 at most. */
  async newestWithCost(limit: number): Promise<Row[]> {
    return await this.tables.rows(
      this.tableId,
      this.where(holds('finishedAt', 'neq', null), holds('cost', 'neq', null)),
      { sortBy: 'id:desc', limit },
    );
  }

  /** The calls that were placed last. */
  async newestPlaced(limit: number): Promise<Row[]> {
    return await this.tables.rows(this.tableId, this.where(holds('orderId', 'neq', null)), {
      sortBy: 'triggeredAt:desc',
      limit,
    });
  }

  /**
   * Gives all rows of the account for which the conditions hold, in pages and in no order; see
   * {@link eachPageOfRows}.
   */
  async eachPage(
    conditions: Condition[],
    take: (rows: Row[]) => Promise<void> | void,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.eachPageOfAll(this.where(...conditions).filters, take, signal);
  }

  /** Rows of all accounts for which the conditions hold, as {@link eachPage} gives them. */
  async eachPageOfAll(
    conditions: Condition[],
    take: (rows: Row[]) => Promise<void> | void,
    signal?: AbortSignal,
  ): Promise<void> {
    await eachPageOfRows(this.tables, this.tableId, conditions, take, signal);
  }

  /**
   * Deletes rows that were read. SQLite gives the id of a deleted newest row again: a row that was written
   * since under such an id belongs to somebody else, and is written again.
   */
  async deleteRows(rows: Row[]): Promise<void> {
    const read = new Map(rows.map((row) => [row.id, row]));
    const deleted = await this.tables.deleteByIds(this.tableId, [...read.keys()]);
    const ofOthers = deleted.filter((row) => !isSame(row, read.get(row.id) ?? row));
    await patiently(async () => await this.insertRows(ofOthers.map(contentOf)));
  }

  /**
   * Leaves out those of some rows that other rows of their attempts supersede.
   *
   * @param mayHaveOther whether a row's call may have another row that is not among these
   */
  private async withoutSuperseded(
    rows: Row[],
    mayHaveOther: (row: Row) => boolean,
  ): Promise<Row[]> {
    const others = await this.rowsOfCalls(rows.filter(mayHaveOther));
    const attempts = attemptsOf([...others, ...rows]);
    const counting = rows.filter((row) => attempts.get(callKey(row))?.counts.id === row.id);
    const counts = new Set(counting.map(({ id }) => id));
    const superseded = rows.filter(({ id }) => !counts.has(id));
    await settleSuperseded(this, superseded, attempts);
    return counting;
  }

  /** All rows of the calls of these rows, of every attempt. */
  async rowsOfCalls(rows: Row[]): Promise<Row[]> {
    const callIds = [...new Set(rows.flatMap(({ callId }) => textIn(callId) ?? []))];
    const found = await this.rowsOfAny(ofCalls(callIds).filters);
    return found.filter(({ account }) => account === this.account);
  }

  /**
   * Rows of all accounts for which any of the conditions holds. Many conditions do not fit into an address:
   * n8n is asked what a change of these rows would change.
   */
  async rowsOfAny(conditions: Condition[]): Promise<Row[]> {
    const found: Row[] = [];
    for (let start = 0; start < conditions.length; start += MANY_CONDITIONS) {
      found.push(...(await this.rowsOfMany(conditions.slice(start, start + MANY_CONDITIONS))));
    }
    return found;
  }

  private async rowsOfMany(filters: Condition[]): Promise<Row[]> {
    if (filters.length > CONDITIONS_A_REQUEST) {
      const any: Filter = { type: 'or', filters };
      const all = await this.tables.allRows(this.tableId, any, { lockedBy: '' });
      if (all !== undefined) return all;
    }
    const found: Row[] = [];
    for (let start = 0; start < filters.length; start += CONDITIONS_A_REQUEST) {
      found.push(...(await this.rowsOfFew(filters.slice(start, start + CONDITIONS_A_REQUEST))));
    }
    return found;
  }

  /** Conditions that hold for more rows than a page holds are asked for in halves. */
  private async rowsOfFew(filters: Condition[]): Promise<Row[]> {
    const rows = await this.tables.rows(this.tableId, { type: 'or', filters }, PAGE_BY_ID);
    if (rows.length < LARGEST_PAGE) return rows;
    const found: Row[] = [];
    if (filters.length === 1) {
      await this.eachPageOfAll(filters, (page) => void found.push(...page));
      return found;
    }
    const middle = Math.ceil(filters.length / 2);
    for (const half of [filters.slice(0, middle), filters.slice(middle)]) {
      found.push(...(await this.rowsOfFew(half)));
    }
    return found;
  }

  /** Inserts rows; 1,000 or fewer by one request. */
  async insertRows(rows: IDataObject[]): Promise<Inserted> {
    let inserted: Inserted = 'once';
    for (let start = 0; start < rows.length; start += ROWS_A_REQUEST) {
      const some = rows.slice(start, start + ROWS_A_REQUEST);
      if ((await this.tables.insert(this.tableId, some)) !== 'once') inserted = 'perhapsTwice';
    }
    return inserted;
  }
}

/** Whether a row with the id of one that was read before is that row. */
function isSame(row: Row, read: Row): boolean {
  // An end of the same attempt may have got the id.
  return callKey(row) === callKey(read) && writtenAt(row) <= (writtenAt(read) || Infinity);
}

/** Rows of these calls, of all accounts. */
function ofCalls(callIds: string[]): Filter {
  return { type: 'or', filters: callIds.map((id) => holds('callId', 'eq', id)) };
}

function ofCallsInParts(callIds: string[]): Filter[] {
  const parts: Filter[] = [];
  for (let start = 0; start < callIds.length; start += CALLS_A_CHANGE) {
    parts.push(ofCalls(callIds.slice(start, start + CALLS_A_CHANGE)));
  }
  return parts;
}

/** Gives every row a time of its own, in their order. */
export function spread<R extends IDataObject>(rows: R[]): R[] {
  return rows.map((row, index) => {
    if (typeof row.runAt !== 'number') return row;
    const runAt = row.runAt + index;
    return row.status === ('scheduled' satisfies OwnStatus)
      ? { ...row, runAt, dueAt: isoTime(runAt) }
      : { ...row, runAt };
  });
}
