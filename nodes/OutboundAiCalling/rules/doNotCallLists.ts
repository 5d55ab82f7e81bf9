import type { IExecuteFunctions } from 'n8n-workflow';
import { findDoNotCallTable, mayHaveEntrySince } from '../callLog/table/doNotCallTable';
import { VISIBLE_WITHIN_MS } from '../callLog/table/cells';
import { HOUR_MS, MINUTE_MS } from '../clocks';
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

/** How far a row's time may be ahead of its table's: n8n's clock and its database's may differ. */
const NOTED_LATE_MS = 1_000;
/** At most this many lists are cached. Each may hold some hundred thousand numbers. */
const MOST_LISTS = 3;
/**
 * A cached list is read whole again after this time. An import that is committed late has older times than entries
 * that were read before it, so that its rows are not among those changed since.
 */
const READ_WHOLE_EVERY_MS = HOUR_MS;
/** A list whose people are asked for more often is read whole again. */
const MOST_CONFIRMED = 20;

interface CachedList {
  list: DoNotCallList;
  columns: string;
  /** The state of its table then; undefined when more may have changed before it. */
  state: string | undefined;
  /** All changes until then were read, in milliseconds since 1970 on the clock of the table. */
  readUntil: number;
  /** When it was last read whole, in milliseconds since 1970. */
  readWholeAt: number;
}

/** The long lists that this process has read; the one used last comes last. */
const cache = new Map<string, CachedList>();

const changedAt = (one: Row | DataTable | undefined) => Date.parse(String(one?.updatedAt));

/** Reads the newest rows of a table, by when they were changed. */
async function newestRows(tables: DataTables, { id }: DataTable, limit: number): Promise<Row[]> {
  return await tables.rows(id, where(holds('id', 'gt', 0)), { sortBy: 'updatedAt:desc', limit });
}

/**
 * Reads when n8n last noted a change in a table, and in which row. Their text differs after every
 * change.
 *
 * @param begin milliseconds since 1970: a list that was read then has all changes of this state,
 * when they are old enough
 * @returns undefined when this n8n notes no changes in the table: a deleted row would not show
 */
async function stateOf(tables: DataTables, table: DataTable, begin: number) {
  const [row] = await newestRows(tables, table, 1);
  const inTable = changedAt(table);
  const inRow = changedAt(row);
  if (!(inRow - NOTED_LATE_MS <= inTable)) return undefined;
  const newest = Math.max(inTable, inRow);
  // Another change may follow within the same millisecond, or be visible later.
  const isSettled = newest < begin - VISIBLE_WITHIN_MS;
  const text = JSON.stringify([table.updatedAt, row?.id, row?.updatedAt]);
  return {
    columns: JSON.stringify(table.columns),
    state: isSettled ? text : undefined,
    readUntil: isSettled ? inRow : Math.min(inRow, begin) - VISIBLE_WITHIN_MS,
  };
}

/** Reads the rows changed since a list was read. Returns whether it names everybody again. */
async function isReadOn(
  tables: DataTables,
  table: DataTable,
  { list, readUntil }: CachedList,
): Promise<boolean> {
  const newest = await newestRows(tables, table, LARGEST_PAGE);
  const changed = newest.filter((row) => changedAt(row) > readUntil);
  // Without such a row, one was deleted, or another clock has noted the change.
  if (changed.length === 0 || changed.length === LARGEST_PAGE) return false;
  list.readOn(changed);
  return list.isReadable;
}

/** Returns a list that names everybody whom the table names, and nobody else if `isExact`. */
async function listIn(
  tables: DataTables,
  table: DataTable,
  { defaultCountry, isExact }: { defaultCountry: DefaultCountry; isExact: boolean },
): Promise<DoNotCallList> {
  const key = JSON.stringify([tables.address, table.id, table.name, defaultCountry]);
  const cached = cache.get(key);
  cache.delete(key);
  const begin = Date.now();
  const isRecent =
    cached !== undefined && Math.abs(begin - cached.readWholeAt) < READ_WHOLE_EVERY_MS;
  if (isRecent && (cached.list.isExact || !isExact)) {
    const state = await stateOf(tables, table, begin);
    const isSame = state?.state !== undefined && state.state === cached.state;
    const mayReadOn = !isExact && cached.list.isReadable;
    if (
      state?.columns === cached.columns &&
      (isSame || (mayReadOn && (await isReadOn(tables, table, cached))))
    ) {
      cache.set(key, { ...cached, ...state });
      return cached.list;
    }
  }
  const list = await DoNotCallList.read(tables, table, defaultCountry);
  // Reading a short list takes no longer than asking whether it was changed.
  if (list.length <= LARGEST_PAGE) return list;
  const state = await stateOf(tables, table, begin);
  if (state !== undefined) cache.set(key, { list, readWholeAt: begin, ...state });
  for (const [oldest] of cache) {
    if (cache.size <= MOST_LISTS) break;
    cache.delete(oldest);
  }
  return list;
}

/** A list that was read longer ago is read again. */
const READ_FOR_MS = MINUTE_MS;

/** A list as this execution has read it, and the table that it is in. */
interface OpenList {
  tables: DataTables;
  table: DataTable;
  list: DoNotCallList;
}

/**
 * The lists of one execution. An execution that lasts longer reads them every minute. Hints say
 * which rows could not be read. Every method throws {@link DataTableError} when a list cannot be
 * read, or is no such list: nobody may be called.
 */
export class DoNotCallLists {
  private readonly lists = new Map<string, { open: Promise<OpenList>; readAt: number }>();
  private readonly hinted = new Set<string>();
  private confirmed = 0;

  constructor(private readonly context: IExecuteFunctions) {}

  /** As {@link DoNotCallList.reasonFor}, by the list as it was less than a minute ago. */
  async reasonFor(setting: DoNotCallSetting, e164: string): Promise<string | undefined> {
    const { list, tables, table } = await this.open(setting);
    const reason = list.reasonFor(e164);
    if (reason === undefined || list.isExact) return reason;
    const isFew = this.confirmed++ < MOST_CONFIRMED;
    const isConfirmed = isFew && (await asListError(list.isConfirmed(tables, table, e164)));
    return isConfirmed ? reason : (await this.exact(setting)).reasonFor(e164);
  }

  /** Returns a list that names exactly whom the table named less than a minute ago. */
  async exact(setting: DoNotCallSetting): Promise<DoNotCallList> {
    for (;;) {
      const open = this.open(setting);
      const { list } = await open;
      if (list.isExact) return list;
      // Another call may be reading it meanwhile.
      if (this.lists.get(keyOf(setting))?.open === open) this.read(setting, true);
    }
  }

  private open(setting: DoNotCallSetting): Promise<OpenList> {
    const recent = this.lists.get(keyOf(setting));
    const isFresh =
      recent !== undefined &&
      Math.abs(Date.now() - recent.readAt) < READ_FOR_MS &&
      !mayHaveEntrySince(recent.readAt);
    return isFresh ? recent.open : this.read(setting, false);
  }

  private read(setting: DoNotCallSetting, isExact: boolean): Promise<OpenList> {
    const open = asListError(this.find(setting, isExact));
    const key = keyOf(setting);
    this.lists.set(key, { open, readAt: Date.now() });
    // The next call reads the list again.
    open.catch(() => this.lists.get(key)?.open === open && this.lists.delete(key));
    return open;
  }

  private async find(
    { locator, defaultCountry }: DoNotCallSetting,
    isExact: boolean,
  ): Promise<OpenList> {
    const tables = await DataTables.open(this.context);
    const table = await findDoNotCallTable(tables, locator);
    const list = await listIn(tables, table, { defaultCountry, isExact });
    for (const message of list.hints((text) => tables.withoutSecrets(text))) {
      if (this.hinted.has(message)) continue;
      this.hinted.add(message);
      tellHint(this.context, message, 'warning');
    }
    return { tables, table, list };
  }
}

function keyOf({ locator, defaultCountry }: DoNotCallSetting): string {
  return JSON.stringify([locator.mode, locator.value, defaultCountry]);
}

async function asListError<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return await answer.catch((error: unknown) => {
    if (!(error instanceof DataTableError)) throw error;
    const message = `The do-not-call list could not be read: ${error.message}`;
    throw new DataTableError(error.kind, message, error.advice);
  });
}
