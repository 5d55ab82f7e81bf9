import type { IExecuteFunctions } from 'n8n-workflow';
import { findDoNotCallTable } from '../callLog/table/doNotCallTable';
import type { DefaultCountry } from '../contacts/phoneNumber';
import { DataTableError } from '../dataTables/dataTableError';
import {
  DataTables,
  holds,
  LARGEST_PAGE,
  where,
  type DataTable,
  type Row,
} from '../dataTables/dataTables';
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

/** So many changed rows are looked at; a list of which more were changed is read whole. */
const FEW = 50;

/** When n8n noted a change of a row or of a table: milliseconds since 1970. */
const changedAt = (noted: DataTable | Row): number => Date.parse(String(noted.updatedAt));

/** The rows that were changed last, the last one first. */
async function lastChanged(tables: DataTables, { id }: DataTable, limit: number): Promise<Row[]> {
  return await tables.rows(id, where(holds('id', 'gt', 0)), { sortBy: 'updatedAt:desc', limit });
}

/** A long list as this process has read it. What was added since is read; after any other change, all is. */
class KnownList {
  /** Rows that were added, and may not be settled yet: when each was changed. */
  private readonly added = new Map<number, number>();

  private constructor(
    readonly list: DoNotCallList,
    private readonly columns: string,
    /** When n8n noted the last change in the table, and in a row. */
    private noted: DataTable['updatedAt'],
    private settledAt: number,
  ) {}

  /**
   * @param before when the reading began; milliseconds since 1970
   * @returns undefined when the table may have changed meanwhile, or does not tell changes
   */
  static async of(
    list: DoNotCallList,
    tables: DataTables,
    table: DataTable,
    before: number,
  ): Promise<KnownList | undefined> {
    const [row] = await lastChanged(tables, table, 1);
    const inRow = row === undefined ? NaN : changedAt(row);
    const isSettled = Math.max(changedAt(table), inRow) < before - SETTLED_MS;
    // A version of n8n that notes no changes in the table would not tell of rows that were deleted.
    const isNoted = inRow - NOTED_LATE_MS <= changedAt(table);
    if (!isSettled || !isNoted) return undefined;
    return new KnownList(list, JSON.stringify(table.columns), table.updatedAt, inRow);
  }

  /**
   * Reads the rows that were added since.
   *
   * @param table as it was found just before
   * @returns false when anything else may have changed, so that the list is of no use any more
   */
  async readOn(tables: DataTables, table: DataTable): Promise<boolean> {
    if (JSON.stringify(table.columns) !== this.columns) return false;
    const before = Date.now() - SETTLED_MS;
    const rows = await lastChanged(tables, table, FEW);
    const changed = rows.filter((row) => !(changedAt(row) <= this.settledAt));
    const [newest] = rows;
    if (newest === undefined || changed.length === rows.length) return false;
    const fresh = changed.filter((row) => this.added.get(row.id) !== changedAt(row));
    if (fresh.some(({ id }) => id <= this.list.newestId)) return false;
    const isExplained =
      fresh.length === 0
        ? table.updatedAt === this.noted
        : Math.abs(changedAt(table) - changedAt(newest)) <= NOTED_LATE_MS;
    if (!isExplained) return false;
    const length = this.list.length + fresh.length;
    if (changed.length > 0 && !(await tables.hasLength(table.id, length))) return false;
    await this.list.add(fresh);
    for (const row of fresh) this.added.set(row.id, changedAt(row));
    this.noted = table.updatedAt;
    if (Math.max(changedAt(table), changedAt(newest)) < before) {
      this.settledAt = changedAt(newest);
      this.added.clear();
    }
    return true;
  }
}

/** The long lists that this process has read, the one used last at the end. */
const known = new Map<string, KnownList>();

/** Reads a list, or what was added to it since this process has read it. */
async function listIn(
  tables: DataTables,
  table: DataTable,
  defaultCountry: DefaultCountry,
): Promise<DoNotCallList> {
  const key = JSON.stringify([tables.address, table.id, table.name, defaultCountry]);
  const kept = known.get(key);
  known.delete(key);
  if (kept !== undefined && (await kept.readOn(tables, table))) {
    known.set(key, kept);
    return kept.list;
  }
  const begin = Date.now();
  const list = await DoNotCallList.read(tables, table, defaultCountry);
  // To read a short one takes no longer than to ask whether it was changed.
  if (list.length <= LARGEST_PAGE) return list;
  const read = await KnownList.of(list, tables, table, begin);
  if (read !== undefined) known.set(key, read);
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
