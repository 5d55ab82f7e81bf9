import type { IDataObject } from 'n8n-workflow';
import {
  holds,
  LARGEST_PAGE,
  where,
  type Condition,
  type DataTables,
  type Filter,
  type Row,
} from '../../dataTables/dataTables';
import { undefinedIf } from '../../dataTables/dataTableError';
import { everyRow, type TakeRows } from '../../dataTables/everyRow';
import { PAGE_BY_ID, pagesInOrder, type TakePage } from '../../dataTables/rowPages';
import { inParts } from '../../collections';
import { drawnId } from './rowColumns';

const ROWS_A_REQUEST = 1_000;
/** A proxy before n8n may pass 1 MB at most, as nginx does where nobody has changed it. */
const BYTES_A_REQUEST = 500_000;
/** The address of a request has room for this many conditions, and for a filter of this length. */
const CONDITIONS_A_REQUEST = 50;
const FILTER_CHARACTERS = 8_000;
/** One request changes at most this many rows, or deletes at most this many that are locked together. */
export const ROWS_A_CHANGE = 100;
/** A search that does not use the address has at most this many conditions. */
export const MANY_CONDITIONS = 250;

function anyOf(filters: Condition[]): Filter {
  return { type: 'or', filters };
}

/** Whether conditions do not fit into the address of a request. */
function isTooLong(filters: Condition[]): boolean {
  return encodeURIComponent(JSON.stringify(anyOf(filters))).length > FILTER_CHARACTERS;
}

/** The rows of one account in the table of a log; of all accounts where the comment of a method says so. */
export class AccountRows {
  constructor(
    readonly tables: DataTables,
    readonly tableId: string,
    /** The fingerprint of the account that owns the rows. */
    readonly account: string,
  ) {}

  /** Names the table and the account, for what this process remembers of them. */
  get key(): string {
    return `${this.tables.address} ${this.tableId} ${this.account}`;
  }

  where(...conditions: Condition[]): Filter {
    return where(holds('account', 'eq', this.account), ...conditions);
  }

  async rows(conditions: Condition[], page: { sortBy: string; limit: number }): Promise<Row[]> {
    return await this.tables.rows(this.tableId, this.where(...conditions), page);
  }

  async update(conditions: Condition[], columns: IDataObject): Promise<void> {
    await this.tables.update(this.tableId, this.where(...conditions), columns);
  }

  async updateAndReturn(conditions: Condition[], columns: IDataObject): Promise<Row[]> {
    return await this.tables.updateAndReturn(this.tableId, this.where(...conditions), columns);
  }

  /** Reads the rows of the account page by page, in the order of ids, until `take` returns `false`. */
  async eachPageById(conditions: Condition[], take: TakePage): Promise<void> {
    const readPage = async (range: Condition[]) =>
      await this.rows([...conditions, ...range], PAGE_BY_ID);
    await pagesInOrder(readPage, 0, undefined, take);
  }

  /** All rows of the account for which the conditions hold, in the order of ids. */
  async allRows(...conditions: Condition[]): Promise<Row[]> {
    const all: Row[] = [];
    await this.eachPageById(conditions, (rows) => void all.push(...rows));
    return all;
  }

  /** Locks rows of the account, and returns them; if n8n's answer was lost, they are found by the lock. */
  async lock(
    conditions: Condition[],
    { lockedUntil, expected }: { lockedUntil: number; expected: number },
  ): Promise<Row[]> {
    const lock = { lockedBy: drawnId(), lockedUntil: Math.ceil(lockedUntil) };
    const rows = await this.updateAndReturn(conditions, lock);
    if (rows.length >= expected) return rows;
    return await this.allRows(holds('lockedBy', 'eq', lock.lockedBy));
  }

  /** As {@link everyRow}, for rows of the account for which the conditions hold. */
  async eachPage(conditions: Condition[], take: TakeRows, signal?: AbortSignal): Promise<void> {
    await this.eachPageOfAll(this.where(...conditions).filters, take, signal);
  }

  /** As {@link eachPage}, for rows of all accounts. */
  async eachPageOfAll(
    conditions: Condition[],
    take: TakeRows,
    signal?: AbortSignal,
  ): Promise<void> {
    const { tables, tableId } = this;
    await everyRow({ tables, tableId, column: 'lockedBy' }, conditions, take, signal);
  }

  /** All rows of all accounts for which the conditions hold. */
  async allRowsOfAll(conditions: Condition[]): Promise<Row[]> {
    const all: Row[] = [];
    await this.eachPageOfAll(conditions, (rows) => void all.push(...rows));
    return all;
  }

  /** Rows of all accounts for which any condition holds. Too many for an address are asked by a dry run of an update. */
  async rowsOfAny(conditions: Condition[]): Promise<Row[]> {
    return await partByPart(conditions, MANY_CONDITIONS, async (filters) => {
      if (filters.length > CONDITIONS_A_REQUEST || isTooLong(filters)) {
        const all = this.tables.allRows(this.tableId, anyOf(filters), { lockedBy: '' });
        const rows = await all.catch(undefinedIf('tooLong'));
        if (rows !== undefined) return rows;
      }
      return await this.rowsOfFew(filters, CONDITIONS_A_REQUEST);
    });
  }

  /** Asks for each half of the conditions alone when these, or their rows, are too many. */
  private async rowsOfFew(conditions: Condition[], atOnce: number): Promise<Row[]> {
    return await partByPart(conditions, atOnce, async (filters) => {
      const isOne = filters.length === 1;
      if (isOne || !isTooLong(filters)) {
        const page = this.tables.rows(this.tableId, anyOf(filters), PAGE_BY_ID);
        const rows = await page.catch(undefinedIf('tooLong'));
        if (rows !== undefined && rows.length < LARGEST_PAGE) return rows;
      }
      if (isOne) return await this.allRowsOfAll(filters);
      return await this.rowsOfFew(filters, Math.ceil(filters.length / 2));
    });
  }

  /** Writes the same cells into some rows, of whatever account. Returns the changed rows. */
  async changeRows(rows: Row[], columns: IDataObject): Promise<Row[]> {
    return await partByPart(rows, ROWS_A_CHANGE, async (some) => {
      const them = anyOf(some.map(({ id }) => holds('id', 'eq', id)));
      return await this.tables.updateAndReturn(this.tableId, them, columns);
    });
  }

  /** As `DataTables.insert`. The rows go into as few requests as {@link inRequests} makes of them, in their order. */
  async insertRows(rows: IDataObject[]): Promise<boolean> {
    let mayBeTwice = false;
    for (const some of inRequests(rows, (row) => [row])) {
      if (await this.tables.insert(this.tableId, some)) mayBeTwice = true;
    }
    return mayBeTwice;
  }
}

/** Parts entries in order, by the rows and bytes of one request. An entry's rows stay together. */
export function* inRequests<T>(
  all: T[],
  rowsOf: (one: T) => IDataObject[],
  most = ROWS_A_REQUEST,
): Generator<T[]> {
  const whole = { rows: most, bytes: BYTES_A_REQUEST };
  let some: T[] = [];
  let room = whole;
  for (const one of all) {
    const rows = rowsOf(one);
    const bytes = Buffer.byteLength(JSON.stringify(rows));
    if (some.length > 0 && (rows.length > room.rows || bytes > room.bytes)) {
      yield some;
      some = [];
      room = whole;
    }
    some.push(one);
    room = { rows: room.rows - rows.length, bytes: room.bytes - bytes };
  }
  if (some.length > 0) yield some;
}

async function partByPart<T>(
  all: T[],
  size: number,
  ask: (part: T[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const part of inParts(all, size)) rows.push(...(await ask(part)));
  return rows;
}
