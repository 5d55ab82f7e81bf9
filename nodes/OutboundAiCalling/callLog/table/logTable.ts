import { DataTableError } from '../../dataTables/dataTableError';
import {
  holds,
  where,
  type Column,
  type DataTable,
  type DataTables,
} from '../../dataTables/dataTables';
import {
  findTable,
  tableNameIn,
  type TableLocator,
  type TablePurpose,
} from '../../dataTables/findTable';
import { LOG_COLUMNS } from './columns';

const CALL_LOG: TablePurpose = {
  name: 'the call log',
  parameter: 'Call Log Table',
  moreAdvice:
    '; to make it, publish a trigger that watches a log of that name, or log a call in it',
};

/** The columns of a call log that a table lacks. */
export function lackingOfLog({ columns }: DataTable): Column[] {
  const has = new Set(columns.map(({ name }) => name));
  return LOG_COLUMNS.filter(({ name }) => !has.has(name));
}

/** @throws DataTableError `columnMissing` when the table is no call log */
export function refuseOtherTable(table: DataTable): void {
  const lacking = lackingOfLog(table);
  if (lacking.length === 0) return;
  throw new DataTableError(
    'columnMissing',
    `The data table "${table.name}" is no call log: it lacks the columns ${lacking.map(({ name }) => name).join(', ')}`,
    'It was left as it is. Choose the table that calls are logged in under "Call Log Table", or enter a name that no table has yet. If a column was renamed, give it its name back.',
  );
}

/** A table without columns, or one to which somebody is adding ours, the first ones first, and that has no rows yet. */
async function isUnused(tables: DataTables, { id, columns }: DataTable): Promise<boolean> {
  // Two that add columns at once may leave them in another order.
  const first = new Set(LOG_COLUMNS.slice(0, columns.length).map(({ name }) => name));
  if (columns.some(({ name }) => !first.has(name))) return false;
  if (columns.length === 0) return true;
  const any = where(holds('id', 'gt', 0));
  return (await tables.rows(id, any, { sortBy: 'id:asc', limit: 1 })).length === 0;
}

/**
 * The columns that the table of a log lacks; all of them when it is to become one.
 *
 * @throws DataTableError `columnMissing` when it holds something else, `columnTypeDiffers` when a column
 * is there with another type: it is left as it is
 */
async function lackingColumns(tables: DataTables, found: DataTable): Promise<Column[]> {
  // Somebody may have added the rest, and a row, while this was read.
  const isToComplete = lackingOfLog(found).length === 0 || (await isUnused(tables, found));
  const now = isToComplete ? found : await tables.find(({ id }) => id === found.id);
  const table = now ?? found;
  const { name, columns } = table;
  const types = new Map(columns.map((column) => [column.name, column.type]));
  const lacking = lackingOfLog(table);
  if (!isToComplete) refuseOtherTable(table);
  const other = LOG_COLUMNS.filter(
    (column) => types.has(column.name) && types.get(column.name) !== column.type,
  );
  if (other.length === 0) return lacking;
  const told = other.map(
    (column) => `${column.name} (${types.get(column.name)}, not ${column.type})`,
  );
  throw new DataTableError(
    'columnTypeDiffers',
    `The data table "${name}" cannot be used: it has columns of another type: ${told.join(', ')}`,
    'Rename or delete these columns, or enter the name of a table that does not exist yet: it is then created with all columns.',
  );
}

/** Whether a table is made that is not there; `first`: only where no other log can be meant. */
export type MayMake = boolean | 'first';

/**
 * Finds the table of a call log, and adds the columns that it lacks; makes it when a name was given
 * that does not exist yet and that is allowed.
 *
 * @throws DataTableError `tableMissing`, which names the tables that are there, `columnMissing` or
 * `columnTypeDiffers`; nothing was changed
 */
export async function openTable(
  tables: DataTables,
  locator: TableLocator,
  mayMake: MayMake,
): Promise<{ table: DataTable; isNew: boolean }> {
  const table = await findLogTable(tables, locator);
  if (!(table instanceof DataTableError)) {
    for (const column of await lackingColumns(tables, table)) {
      await tables.addColumn(table.id, column);
    }
    return { table, isNew: false };
  }
  const isLog = (other: DataTable) => lackingOfLog(other).length === 0;
  const isMeant = mayMake === 'first' ? (await tables.find(isLog)) === undefined : mayMake;
  if (locator.mode !== 'name' || !isMeant) throw table;
  return { table: await tables.create(tableNameIn(locator), LOG_COLUMNS), isNew: true };
}

/**
 * Finds the table of a call log and changes nothing.
 *
 * @returns undefined when {@link openTable} would make it, or add columns
 * @throws DataTableError as {@link openTable}
 */
export async function findCompleteTable(
  tables: DataTables,
  locator: TableLocator,
): Promise<DataTable | undefined> {
  const table = await findLogTable(tables, locator);
  if (table instanceof DataTableError && locator.mode !== 'name') throw table;
  if (table instanceof DataTableError) return undefined;
  return (await lackingColumns(tables, table)).length > 0 ? undefined : table;
}

/** @returns the error that says that it is not there when it is not */
export async function findLogTable(
  tables: DataTables,
  locator: TableLocator,
): Promise<DataTable | DataTableError> {
  if (tableNameIn(locator) !== '') return await findTable(tables, locator, CALL_LOG);
  throw new DataTableError(
    'tableMissing',
    'No data table was chosen for the call log',
    'Choose a data table under "Call Log Table", or enter a name under which one is created.',
  );
}
