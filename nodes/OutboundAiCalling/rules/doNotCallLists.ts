import type { IExecuteFunctions } from 'n8n-workflow';
import { findDoNotCallTable } from '../callLog/table/doNotCallTable';
import type { DefaultCountry } from '../contacts/phoneNumber';
import { DataTableError } from '../dataTables/dataTableError';
import { DataTables, holds, LARGEST_PAGE, where, type DataTable } from '../dataTables/dataTables';
import type { TableLocator } from '../dataTables/findTable';
import { tellHint } from '../hints';
import { DoNotCallList } from './doNotCallList';

/** Which table is the list, and how its phone numbers are written. */
export interface DoNotCallSetting {
  locator: TableLocator;
  /** The country that its national numbers belong to. */
  defaultCountry: DefaultCountry;
}

/**
 * What was changed less long ago may be changed once more within the same millisecond, or be noted by
 * n8n in the row and not yet in the table.
 */
const SETTLED_MS = 5_000;
/** n8n notes a change in the row first; the clocks of its database and of itself may differ. */
const NOTED_LATE_MS = 1_000;
/** So many lists are kept, each with the numbers of up to some hundred thousand people. */
const MOST_LISTS = 3;

/** A list as this process has read it, and what the table looked like. */
interface KnownList {
  list: DoNotCallList;
  state: string;
}

/** The long lists that this process has read, the one used last at the end. */
const known = new Map<string, KnownList>();

/**
 * What differs after every change of a table: when n8n noted one last in the table, and in which row.
 *
 * @param before milliseconds since 1970; the last change must have been settled by then
 * @returns undefined when the table tells no state that can be relied on
 */
async function stateOf(
  tables: DataTables,
  { id, columns, updatedAt }: DataTable,
  before: number,
): Promise<string | undefined> {
  const [row] = await tables.rows(id, where(holds('id', 'gt', 0)), {
    sortBy: 'updatedAt:desc',
    limit: 1,
  });
  const inTable = Date.parse(String(updatedAt));
  const inRow = Date.parse(String(row?.updatedAt));
  const isSettled = Math.max(inTable, inRow) < before - SETTLED_MS;
  // A version of n8n that notes no changes in the table would not tell of rows that were deleted.
  const isNoted = inRow - NOTED_LATE_MS <= inTable;
  if (!isSettled || !isNoted) return undefined;
  return JSON.stringify([columns, updatedAt, row?.id, row?.updatedAt]);
}

/** Reads a list, unless this process has read it since it was changed last. */
async function listIn(
  tables: DataTables,
  table: DataTable,
  defaultCountry: DefaultCountry,
): Promise<DoNotCallList> {
  const key = JSON.stringify([tables.address, table.id, table.name, defaultCountry]);
  const kept = known.get(key);
  known.delete(key);
  const begin = Date.now();
  if (kept !== undefined && kept.state === (await stateOf(tables, table, begin))) {
    known.set(key, kept);
    return kept.list;
  }
  const list = await DoNotCallList.read(tables, table, defaultCountry);
  // To read a short one takes no longer than to ask whether it was changed.
  if (list.length <= LARGEST_PAGE) return list;
  const state = await stateOf(tables, table, begin);
  if (state !== undefined) known.set(key, { list, state });
  for (const [oldest] of known) {
    if (known.size <= MOST_LISTS) break;
    known.delete(oldest);
  }
  return list;
}

/** What was read longer ago is read again. */
const READ_FOR_MS = 60_000;

/** The lists of one execution; one that lasts longer reads them every minute. */
export class DoNotCallLists {
  private readonly lists = new Map<string, { list: Promise<DoNotCallList>; readAt: number }>();
  private readonly told = new Set<string>();

  constructor(private readonly context: IExecuteFunctions) {}

  /**
   * The list as it was less than a minute before, and which of its rows could not be read told with
   * the execution. What is changed in the table afterwards concerns calls that are prepared later.
   *
   * @throws DataTableError when the list cannot be read, or is no such list: nobody may be called
   */
  async get(setting: DoNotCallSetting): Promise<DoNotCallList> {
    const { locator, defaultCountry } = setting;
    const key = JSON.stringify([locator.mode, locator.value, defaultCountry]);
    const now = Date.now();
    const known = this.lists.get(key);
    if (known !== undefined && Math.abs(now - known.readAt) < READ_FOR_MS) return await known.list;
    const list = this.read(setting);
    this.lists.set(key, { list, readAt: now });
    return await list;
  }

  private async read(setting: DoNotCallSetting): Promise<DoNotCallList> {
    return await this.find(setting).catch((error: unknown) => {
      if (!(error instanceof DataTableError)) throw error;
      const message = `The do-not-call list could not be read: ${error.message}`;
      throw new DataTableError(error.kind, message, error.advice);
    });
  }

  private async find({ locator, defaultCountry }: DoNotCallSetting): Promise<DoNotCallList> {
    const tables = await DataTables.open(this.context);
    const table = await findDoNotCallTable(tables, locator);
    const list = await listIn(tables, table, defaultCountry);
    for (const message of list.hints((text) => tables.withoutSecrets(text))) {
      if (this.told.has(message)) continue;
      this.told.add(message);
      tellHint(this.context, message, 'warning');
    }
    return list;
  }
}
