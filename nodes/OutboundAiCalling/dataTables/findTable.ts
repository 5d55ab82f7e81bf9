import { isRecord, textOf } from '../http/json';
import { isBesideName } from './besideName';
import { DataTableError } from './dataTableError';
import type { DataTable, DataTables } from './dataTables';

export interface TableLocator {
  mode: string;
  value: unknown;
}

const MODES = ['list', 'name', 'id'];

/** Reads the value of a parameter, also a name that is a number; undefined when it names no table. */
export function readTableLocator(given: unknown): TableLocator | undefined {
  const { mode, value } = isRecord(given) ? given : {};
  if (typeof mode !== 'string' || !MODES.includes(mode)) return undefined;
  const name = textOf(value)?.trim() ?? '';
  return name === '' ? undefined : { mode, value: name };
}

/** An error about a missing table names at most this many others. */
const NAMES_TOLD = 20;

/** The purpose of a table, in the words of the error that says that it is missing. */
export interface TablePurpose {
  /** Follows "for" in the error, e.g. `the call log`. */
  name: string;
  parameter: string;
  /** Follows "Choose one under ..."; may be empty. */
  moreAdvice: string;
}

export function tableNameIn({ value }: TableLocator): string {
  return textOf(value)?.trim() ?? '';
}

/**
 * Finds a table. Changes nothing.
 *
 * @returns the table, or the error to throw when no table has the name or id
 * @throws DataTableError when the tables cannot be read, or several have the name
 */
export async function findTable(
  tables: DataTables,
  locator: TableLocator,
  { name: purpose, parameter, moreAdvice }: TablePurpose,
): Promise<DataTable | DataTableError> {
  const name = tableNameIn(locator);
  const names: string[] = [];
  const sameName: DataTable[] = [];
  const table = await tables.find((candidate) => {
    if (!isBesideName(candidate.name)) names.push(candidate.name);
    if (locator.mode !== 'name') return candidate.id === name;
    // Each project may have a table of that name: look at all.
    if (candidate.name === name) sameName.push(candidate);
    return false;
  });
  if (sameName.length > 1) {
    throw new DataTableError(
      'tableAmbiguous',
      `There are ${sameName.length} data tables "${name}"`,
      `They belong to several projects, and the n8n API key sees them all. Choose it from the list under "${parameter}", or rename the others.`,
    );
  }
  const found = table ?? sameName[0];
  if (found !== undefined) return found;
  const shown = names.length > NAMES_TOLD ? [...names.slice(0, NAMES_TOLD), '…'] : names;
  const there = names.length === 0 ? 'There are none' : `There are: ${shown.join(', ')}`;
  return new DataTableError(
    'tableMissing',
    `There is no data table "${name}" for ${purpose}: create it in n8n, or choose another`,
    `It was deleted, or the n8n API key cannot see it, or its name is spelled differently. ${there}. Choose one under "${parameter}"${moreAdvice}.`,
  );
}
