import { DataTableError } from '../dataTables/dataTableError';
import type { Column, DataTable, DataTables } from '../dataTables/dataTables';
import {
  findTable,
  tableNameIn,
  type TableLocator,
  type TablePurpose,
} from '../dataTables/findTable';
import { KNOWN_BY } from './columns';

const CALL_LOG: TablePurpose = {
  name: 'the call log',
  parameter: 'Call Log Table',
  moreAdvice: '; a call that is logged under a new name creates it',
};

/**
 * The columns that a table lacks.
 *
 * @throws DataTableError when one is there with another type: the table cannot be used
 */
function lackingColumns({ name, columns }: DataTable, needed: Column[]): Column[] {
  const types = new Map(columns.map((column) => [column.name, column.type]));
  const other = needed.filter(
    (column) => types.has(column.name) && types.get(column.name) !== column.type,
  );
  if (other.length > 0) {
    const told = other.map(
      (column) => `${column.name} (${types.get(column.name)}, not ${column.type})`,
    );
    throw new DataTableError(
      'columnTypeDiffers',
      `The data table "${name}" cannot be used: it has columns of another type: ${told.join(', ')}`,
      'Rename or delete these columns, or enter the name of a table that does not exist yet: it is then created with all columns.',
    );
  }
  return needed.filter((column) => !types.has(column.name));
}

/**
 * Finds the table of a call log and adds the columns that it lacks; makes it when a name was given
 * that does not exist yet.
 *
 * @param create whether a missing table is made
 * @throws DataTableError `tableMissing`, which names the tables that are there, or `columnTypeDiffers`
 */
export async function openTable(
  tables: DataTables,
  locator: TableLocator,
  needed: Column[],
  { create }: { create: boolean },
): Promise<{ table: DataTable; isNew: boolean }> {
  const table = await findLogTable(tables, locator, create);
  if (table === undefined) {
    return { table: await tables.create(tableNameIn(locator), needed), isNew: true };
  }
  for (const column of lackingColumns(table, needed)) await tables.addColumn(table.id, column);
  return { table, isNew: false };
}

/** The columns without which a table is no call log and that it lacks. */
export function lackingOfLog({ columns }: DataTable): string[] {
  const has = new Set(columns.map(({ name }) => name));
  return KNOWN_BY.filter((name) => !has.has(name));
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
  needed: Column[],
): Promise<DataTable | undefined> {
  const table = await findLogTable(tables, locator, true);
  return table === undefined || lackingColumns(table, needed).length > 0 ? undefined : table;
}

/** @returns undefined when it does not exist and may be made */
async function findLogTable(
  tables: DataTables,
  locator: TableLocator,
  mayBeMade: boolean,
): Promise<DataTable | undefined> {
  if (tableNameIn(locator) === '') {
    throw new DataTableError(
      'tableMissing',
      'No data table was chosen for the call log',
      'Choose a data table under "Call Log Table", or enter a name under which one is created.',
    );
  }
  const table = await findTable(tables, locator, CALL_LOG);
  if (!(table instanceof DataTableError)) return table;
  if (locator.mode === 'name' && mayBeMade) return undefined;
  throw table;
}
