import { alike } from '../../alike';
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

export function lackingOfLog({ columns }: DataTable): Column[] {
  const has = new Set(columns.map(({ name }) => name));
  return LOG_COLUMNS.filter(({ name }) => !has.has(name));
}

/** A table with most columns of a log is one from which a person has deleted some. */
function adviceOnLacking(lacking: Column[]): string {
  if (lacking.length > LOG_COLUMNS.length / 2) return '';
  const columns = lacking.map(({ name, type }) => `${name} (${type})`).join(', ');
  return `If somebody has deleted columns of your call log, add them again: ${columns}. `;
}

/** @throws DataTableError `columnMissing` when the table is no call log */
export function refuseOtherTable(table: DataTable): void {
  const lacking = lackingOfLog(table);
  if (lacking.length === 0) return;
  throw new DataTableError(
    'columnMissing',
    `The data table "${table.name}" is no call log: it lacks the columns ${lacking.map(({ name }) => name).join(', ')}`,
    adviceOnLacking(lacking) +
      'It was left as it is. Choose the table that calls are logged in under "Call Log Table", or enter a name that no table has yet. If a column was renamed, give it its name back.',
  );
}

/** Whether a table has no rows, and no columns but the first of a log, which another process may be adding. */
async function isUnused(tables: DataTables, { id, columns }: DataTable): Promise<boolean> {
  // Two processes that add columns at once may leave them in another order.
  const first = new Set(LOG_COLUMNS.slice(0, columns.length).map(({ name }) => name));
  if (columns.some(({ name }) => !first.has(name))) return false;
  if (columns.length === 0) return true;
  const any = where(holds('id', 'gt', 0));
  return (await tables.rows(id, any, { sortBy: 'id:asc', limit: 1 })).length === 0;
}

/**
 * The columns to add to the table of a log; all of them for a table without columns.
 *
 * @throws DataTableError `columnMissing` when the table holds something else, `columnTypeDiffers`
 * when a column has another type. The table stays as it is.
 */
async function lackingColumns(tables: DataTables, found: DataTable): Promise<Column[]> {
  let table = found;
  if (lackingOfLog(found).length > 0 && !(await isUnused(tables, found))) {
    // Another process may have added the other columns, and a row, since the table was read.
    table = (await tables.find(({ id }) => id === found.id)) ?? found;
    refuseOtherTable(table);
  }
  const types = new Map(table.columns.map(({ name, type }) => [name, type]));
  const wrong = LOG_COLUMNS.flatMap(({ name, type }) => {
    const given = types.get(name) ?? type;
    return given === type ? [] : [`${name} (${given}, not ${type})`];
  });
  if (wrong.length === 0) return lackingOfLog(table);
  throw new DataTableError(
    'columnTypeDiffers',
    `The data table "${table.name}" cannot be used: it has columns of another type: ${wrong.join(', ')}`,
    'Enter the name of a table that does not exist yet: it is then created with all columns. To keep the rows of a CSV file, import the file into that table. To delete a column would empty it in every row.',
  );
}

/** A name without what people mistype in it. */
function bareName(name: string): string {
  return alike(name)
    .toLowerCase()
    .replace(/[\s_-]/g, '');
}

/** A log that may be meant instead of a missing one: one with nearly the same name, or any. */
async function logMeant(tables: DataTables, locator: TableLocator, isAny: boolean) {
  const name = bareName(tableNameIn(locator));
  return await tables.find(
    (other) => lackingOfLog(other).length === 0 && (isAny || bareName(other.name) === name),
  );
}

/**
 * Finds the table of a call log, and the columns that it lacks. Changes nothing.
 *
 * @param onlyFirst whether a table is made only when no other call log exists
 * @returns all columns and no table when one is to be made, because none has that name or nearly so
 * @throws DataTableError `tableMissing`, which names the tables that exist, `columnMissing` or
 * `columnTypeDiffers`
 */
export async function findIncomplete(
  tables: DataTables,
  locator: TableLocator,
  onlyFirst: boolean,
): Promise<{ table?: DataTable; lacking: Column[] }> {
  const table = await findLogTable(tables, locator);
  if (!(table instanceof DataTableError)) {
    return { table, lacking: await lackingColumns(tables, table) };
  }
  if (locator.mode !== 'name') throw table;
  const meant = await logMeant(tables, locator, onlyFirst);
  if (meant === undefined) return { lacking: LOG_COLUMNS };
  // Another execution may have made it since.
  if (meant.name === tableNameIn(locator)) return { table: meant, lacking: [] };
  throw table;
}

/** @returns the table, or the error to throw when it is missing */
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
