import type { IDataObject } from 'n8n-workflow';
import type { Outcome } from '../service/outcome';
import { CallLogFailure } from './callLogFailure';
import { COLUMNS, isoTime, outcomeColumns, rowOf, type LogStatus, type NewLogEntry } from './row';
import {
  DataTables,
  type CallLogContext,
  type DataTable,
  type Filter,
  type Row,
  type RowPage,
} from './dataTables';
import { firstLookAt } from '../trigger/schedule';

/** Which table: the value of a resource locator. */
export interface TableLocator {
  mode: string;
  value: unknown;
}

/** A row of the log, as the action node holds it. */
export interface LogEntry {
  readonly rowId: number;
}

/** n8n inserts so many rows in well under a second. */
const BATCH = 500;
/** A row that is still `placing` after this long belongs to an execution that was killed. */
const PLACING_ENDS_AFTER_MS = 3_600_000;
/** The trigger decides when it looks first; a look by this row's time is never too early. */
const FIRST_CHECK_AFTER_MS = 15_000;

function isRightTable({ mode, value }: TableLocator): (table: DataTable) => boolean {
  const wanted = String(value ?? '').trim();
  return ({ id, name }) => (mode === 'name' ? name === wanted : id === wanted);
}

function checkColumns({ name, columns }: DataTable): void {
  const types = new Map(columns.map((column) => [column.name, column.type]));
  const missing = COLUMNS.filter((column) => !types.has(column.name));
  const other = COLUMNS.filter(
    (column) => types.has(column.name) && types.get(column.name) !== column.type,
  );
  if (missing.length === 0 && other.length === 0) return;
  const told = [
    ...missing.map((column) => `${column.name} (${column.type})`),
    ...other.map((column) => `${column.name} (${column.type}, not ${types.get(column.name)})`),
  ];
  throw new CallLogFailure(
    'columnsMissing',
    `The data table "${name}" lacks columns of a call log: ${told.join(', ')}`,
    'Add these columns to the table, or enter the name of a table that does not exist yet: it is then created with all columns.',
  );
}

/**
 * The call log: a data table of n8n with one row a call, written ahead of the call. Every method
 * throws {@link CallLogFailure} only. `status` moves by conditional updates, so that whoever comes
 * late changes nothing.
 */
export class CallLog {
  private constructor(
    private readonly tables: DataTables,
    readonly tableId: string,
  ) {}

  /**
   * Finds the table, makes it when a name was given that does not exist yet, and checks its columns
   * and that its rows may be changed.
   *
   * @param create whether a missing table is made
   */
  static async open(
    context: CallLogContext,
    locator: TableLocator,
    { create = true } = {},
  ): Promise<CallLog> {
    const name = String(locator.value ?? '').trim();
    if (name === '') {
      throw new CallLogFailure(
        'tableMissing',
        'No data table was chosen for the call log',
        'Choose a data table under "Call Log Table", or enter a name under which one is created.',
      );
    }
    const tables = await DataTables.open(context);
    const found = await tables.find(isRightTable(locator));
    if (found !== undefined) {
      checkColumns(found);
      return await new CallLog(tables, found.id).checkedForUpdates();
    }
    if (locator.mode !== 'name' || !create) {
      throw new CallLogFailure(
        'tableMissing',
        `There is no data table "${name}" for the call log`,
        locator.mode === 'name'
          ? 'It was deleted, or the n8n API key cannot see it. The next call that is logged under this name creates it anew; or choose another table under "Call Log Table".'
          : 'It was deleted, or the n8n API key cannot see it. Choose another table under "Call Log Table".',
      );
    }
    return new CallLog(tables, (await createTable(tables, name)).id);
  }

  /**
   * Writes the rows of calls that are about to be placed, before any request leaves.
   *
   * @returns one entry for each call, in order
   */
  async writeAhead(calls: NewLogEntry[]): Promise<LogEntry[]> {
    const now = Date.now();
    const rows = calls.map((call) => rowOf(call, now, now + PLACING_ENDS_AFTER_MS));
    const entries: LogEntry[] = [];
    for (let start = 0; start < rows.length; start += BATCH) {
      const ids = await this.tables.insert(this.tableId, rows.slice(start, start + BATCH));
      entries.push(...ids.map((rowId) => ({ rowId })));
    }
    return entries;
  }

  /** The service has taken the call. */
  async placed(entry: LogEntry, orderId: number): Promise<void> {
    const now = Date.now();
    await this.move(entry, ['placing', 'maybe_placed'], {
      status: 'in_progress' satisfies LogStatus,
      orderId: String(orderId),
      triggeredAt: isoTime(now),
      nextCheckAt: isoTime(firstLookAt(now, FIRST_CHECK_AFTER_MS)),
      lastError: null,
    });
  }

  /** The call was surely not placed: refused, skipped, or never sent. */
  async notPlaced(entry: LogEntry, reason: string): Promise<void> {
    const status: LogStatus = 'not_placed';
    await this.move(entry, ['placing'], { status, nextCheckAt: null, lastError: reason });
  }

  /** The request left and nobody knows what became of it. */
  async maybePlaced(entry: LogEntry, reason: string): Promise<void> {
    const status: LogStatus = 'maybe_placed';
    await this.move(entry, ['placing'], { status, nextCheckAt: null, lastError: reason });
  }

  /** The outcome is known to who placed the call; a trigger still hands it over. */
  async finished(entry: LogEntry, outcome: Outcome): Promise<void> {
    await this.move(entry, ['in_progress'], outcomeColumns(outcome, Date.now()));
  }

  /**
   * Rows that have a time for the next look, the earliest first. n8n compares dates by their text
   * on SQLite, so a row's time is for the reader to compare.
   */
  async dueRows(limit: number, cursor: string | undefined): Promise<RowPage> {
    const filters: Filter[] = [{ columnName: 'nextCheckAt', condition: 'neq', value: null }];
    return await this.tables.rows(this.tableId, {
      filters,
      sortBy: 'nextCheckAt:asc',
      limit,
      cursor,
    });
  }

  /** The newest rows whose call was placed. */
  async newestRows(limit: number): Promise<Row[]> {
    const filters: Filter[] = [{ columnName: 'orderId', condition: 'neq', value: null }];
    const sortBy = 'triggeredAt:desc';
    return (await this.tables.rows(this.tableId, { filters, sortBy, limit })).rows;
  }

  /** Writes the same into several rows; never their status. */
  async note(rowIds: number[], data: IDataObject): Promise<void> {
    const filters = rowIds.map((value): Filter => ({ columnName: 'id', condition: 'eq', value }));
    await this.tables.update(this.tableId, { type: 'or', filters }, data);
  }

  /** Changes a row that still has one of the statuses. */
  async move({ rowId }: LogEntry, from: string[], data: IDataObject): Promise<boolean> {
    for (const status of from) {
      const filters: Filter[] = [
        { columnName: 'id', condition: 'eq', value: rowId },
        { columnName: 'status', condition: 'eq', value: status },
      ];
      const changed = await this.tables.update(this.tableId, { type: 'and', filters }, data, {
        returnData: true,
      });
      if (changed.length > 0) return true;
    }
    return false;
  }

  /** A key without the scope to update must be told before anybody is called. */
  private async checkedForUpdates(): Promise<this> {
    const filters: Filter[] = [{ columnName: 'id', condition: 'eq', value: 0 }];
    const data = { lastError: null };
    await this.tables.update(this.tableId, { type: 'and', filters }, data, { dryRun: true });
    return this;
  }
}

/** Makes the table; two executions that do so at once end with one. */
async function createTable(tables: DataTables, name: string): Promise<DataTable> {
  return await tables.create(name, COLUMNS).catch(async (error: unknown) => {
    const other = await tables.find((table) => table.name === name);
    if (other === undefined) throw error;
    return other;
  });
}
