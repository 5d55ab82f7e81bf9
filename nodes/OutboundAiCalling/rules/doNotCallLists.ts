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
 * A newer change is not settled: another may follow within the same millisecond, or n8n may have
 * noted it in the row and not yet in the table.
 */
const SETTLED_MS = 5_000;
/**
 * How far a row's time may be ahead of its table's. n8n notes a change in the row first, but its
 * own clock and its database's may differ.
 */
const NOTED_LATE_MS = 1_000;
/**
 * At most this many lists are cached. Each may hold the numbers of some hundred thousand people.
 */
const MOST_LISTS = 3;

/** A list that this process has read, and the state of its table then. */
interface KnownList {
  list: DoNotCallList;
  state: string;
}

/** The long lists that this process has read; the one used last comes last. */
const known = new Map<string, KnownList>();

/**
 * A text that differs after every change of a table: when n8n last noted a change in the table, and
 * in which row.
 *
 * @param before milliseconds since 1970; the last change must have settled by then
 * @returns undefined when this state is not reliable
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
  // Some versions of n8n note no changes in the table: a deleted row would not show.
  const isNoted = inRow - NOTED_LATE_MS <= inTable;
  if (!isSettled || !isNoted) return undefined;
  return JSON.stringify([columns, updatedAt, row?.id, row?.updatedAt]);
}

/** Returns a list. Reads the table unless it is unchanged since this process read it last. */
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
  // Reading a short list takes no longer than asking whether it was changed.
  if (list.length <= LARGEST_PAGE) return list;
  const state = await stateOf(tables, table, begin);
  if (state !== undefined) known.set(key, { list, state });
  for (const [oldest] of known) {
    if (known.size <= MOST_LISTS) break;
    known.delete(oldest);
  }
  return list;
}

/** A list that was read longer ago is read again. */
const READ_FOR_MS = 60_000;

/** The lists of one execution. An execution that lasts longer reads them every minute. */
export class DoNotCallLists {
  private readonly lists = new Map<string, { list: Promise<DoNotCallList>; readAt: number }>();
  private readonly told = new Set<string>();

  constructor(private readonly context: IExecuteFunctions) {}

  /**
   * Returns the list as it was less than a minute ago. Shows hints about rows that could not be
   * read. Later changes of the table concern calls that are prepared later.
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
