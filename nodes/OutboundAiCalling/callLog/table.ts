import { CallLogError } from './callLogError';
import type { Column, DataTable, DataTables } from './dataTables';

/** Which table: the value of a resource locator. */
export interface TableLocator {
  mode: string;
  value: unknown;
}

/** So many tables are named when the right one is not there. */
const NAMES_TOLD = 20;

/**
 * The columns that a table lacks.
 *
 * @throws CallLogError when one is there with another type: the table cannot be used
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
    throw new CallLogError(
      'columnTypeDiffers',
      `The data table "${name}" cannot be used: it has columns of another type: ${told.join(', ')}`,
      'Rename or delete these columns, or enter the name of a table that does not exist yet: it is then created with all columns.',
    );
  }
  return needed.filter((column) => !types.has(column.name));
}

function nameIn({ value }: TableLocator): string {
  return String(value ?? '').trim();
}

/** What a table is for, in the words of what a person is told when it is not there. */
export interface TablePurpose {
  /** To be read after "for": `the call log`. */
  name: string;
  /** The parameter that names the table. */
  parameter: string;
  /** What follows "Choose one under ...", or nothing. */
  moreAdvice: string;
}

const CALL_LOG: TablePurpose = {
  name: 'the call log',
  parameter: 'Call Log Table',
  moreAdvice: '; a call that is logged under a new name creates it',
};

/**
 * Finds a table; changes nothing.
 *
 * @returns the table, or for a name or an id that is not there the error that says so
 * @throws CallLogError when the tables cannot be read, or several have the name
 */
export async function findTable(
  tables: DataTables,
  locator: TableLocator,
  { name: purpose, parameter, moreAdvice }: TablePurpose,
): Promise<DataTable | CallLogError> {
  const name = nameIn(locator);
  const names: string[] = [];
  const sameName: DataTable[] = [];
  const table = await tables.find((candidate) => {
    names.push(candidate.name);
    if (locator.mode !== 'name') return candidate.id === name;
    // Every project may have one of that name: all are looked at.
    if (candidate.name === name) sameName.push(candidate);
    return false;
  });
  if (sameName.length > 1) {
    throw new CallLogError(
      'tableAmbiguous',
      `There are ${sameName.length} data tables "${name}"`,
      `They belong to several projects, and the n8n API key sees them all. Choose it from the list under "${parameter}", or rename the others.`,
    );
  }
  const found = table ?? sameName[0];
  if (found !== undefined) return found;
  const told = names.length > NAMES_TOLD ? [...names.slice(0, NAMES_TOLD), '…'] : names;
  const there = names.length === 0 ? 'There are none' : `There are: ${told.join(', ')}`;
  return new CallLogError(
    'tableMissing',
    `There is no data table "${name}" for ${purpose}`,
    `It was deleted, or the n8n API key cannot see it, or its name is written otherwise. ${there}. Choose one under "${parameter}"${moreAdvice}.`,
  );
}

/**
 * Finds the table of a call log and adds the columns that it lacks; makes it when a name was given
 * that does not exist yet.
 *
 * @param create whether a missing table is made
 * @throws CallLogError `tableMissing`, which names the tables that are there, or `columnTypeDiffers`
 */
export async function openTable(
  tables: DataTables,
  locator: TableLocator,
  needed: Column[],
  { create }: { create: boolean },
): Promise<DataTable> {
  const table = await findLogTable(tables, locator, create);
  if (table === undefined) return await tables.create(nameIn(locator), needed);
  for (const column of lackingColumns(table, needed)) await tables.addColumn(table.id, column);
  return table;
}

/**
 * Finds the table of a call log and changes nothing.
 *
 * @returns undefined when {@link openTable} would make it, or add columns
 * @throws CallLogError as {@link openTable}
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
  if (nameIn(locator) === '') {
    throw new CallLogError(
      'tableMissing',
      'No data table was chosen for the call log',
      'Choose a data table under "Call Log Table", or enter a name under which one is created.',
    );
  }
  const table = await findTable(tables, locator, CALL_LOG);
  if (!(table instanceof CallLogError)) return table;
  if (locator.mode === 'name' && mayBeMade) return undefined;
  throw table;
}
