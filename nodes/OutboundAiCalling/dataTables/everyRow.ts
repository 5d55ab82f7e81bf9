import { isTooLong, undefinedIf } from './dataTableError';
import {
  holds,
  LARGEST_PAGE,
  where,
  type Condition,
  type DataTables,
  type Row,
} from './dataTables';
import { PAGE_BY_ID, pagesInOrder } from './rowPages';

/** For this many rows, or characters, n8n needs about 30 ms, and does nothing else meanwhile. */
const MOST_AT_ONCE = 4_000;
const CHARACTERS_AT_ONCE = 700_000;
/** Where rows were deleted, a range has at most this many times as many ids: after them, each may have a row. */
const MOST_GROWTH = 4;

/** Gets rows of a table, some thousands at a time at most. */
export type TakeRows = (rows: Row[]) => Promise<void> | void;
type RowsBetween = (after: number, last: number) => Promise<Row[]>;
type ReadPage = (range: Condition[]) => Promise<Row[]>;

/** The table to read, and any column of it. */
interface Source {
  tables: DataTables;
  tableId: string;
  column: string;
}

/**
 * Reads every row for which the conditions hold. Changes nothing. It asks for ranges of ids: added or
 * deleted rows make it miss no other row, and read none twice. A row that is replaced meanwhile comes in
 * its old form, its new form, or both.
 *
 * @param take while it works, n8n finds the next rows
 * @param signal ends the reading before the next request
 * @throws DataTableError, and what `take` throws; nothing more is asked for then
 */
export async function everyRow(
  source: Source,
  conditions: Condition[],
  take: TakeRows,
  signal?: AbortSignal,
): Promise<void> {
  const parts = partsOf(source, conditions, signal);
  for (let next = parts.next(); ;) {
    const { value, done } = await next;
    if (done === true) return;
    next = parts.next();
    // It is awaited only if `take` does not fail.
    next.catch(() => {});
    await take(value);
  }
}

/** The rows in parts: in ranges of ids, and in pages where few rows match. */
async function* partsOf(
  source: Source,
  conditions: Condition[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Row[], void> {
  const { tables, tableId } = source;
  const readPage: ReadPage = async (range) =>
    await tables.rows(tableId, where(...conditions, ...range), PAGE_BY_ID);
  let page = await readPage([holds('id', 'gte', 1)]);
  yield page;
  let last = page.at(-1);
  if (page.length < LARGEST_PAGE || last === undefined) return;
  const rowsOf = await unlimited(source, conditions, last, readPage);
  const characters = JSON.stringify(page).length / page.length;
  const most = Math.ceil(Math.min(MOST_AT_ONCE, CHARACTERS_AT_ONCE / characters));
  let width = most;
  for (let after = last.id; signal?.aborted !== true;) {
    const rows = await rowsBetween(rowsOf, after, after + width);
    after += width;
    yield rows;
    if (rows.length >= most / MOST_GROWTH) {
      width = Math.min(MOST_GROWTH * most, Math.ceil((width * most) / rows.length));
      continue;
    }
    page = await readPage([holds('id', 'gt', after)]);
    yield page;
    last = page.at(-1);
    if (page.length < LARGEST_PAGE || last === undefined) return;
    after = last.id;
  }
}

/** The rows of a range of ids. A range whose answer is too long is split in halves. */
async function rowsBetween(rowsOf: RowsBetween, after: number, last: number): Promise<Row[]> {
  return await rowsOf(after, last).catch(async (error: unknown) => {
    if (!isTooLong(error) || last - after < 2) throw error;
    const middle = Math.floor((after + last) / 2);
    const half = await rowsBetween(rowsOf, after, middle);
    return [...half, ...(await rowsBetween(rowsOf, middle, last))];
  });
}

/**
 * How to read rows without a limit. In pages, when this n8n or its key cannot do it without the risk of a
 * change. Tries it with a value that a row already has: even if n8n wrote it, that row would not change.
 */
async function unlimited(
  { tables, tableId, column }: Source,
  conditions: Condition[],
  { id, [column]: value = null }: Row,
  readPage: ReadPage,
): Promise<RowsBetween> {
  const tryAll = async (range: Condition[]) =>
    await tables
      .allRows(tableId, where(...conditions, ...range), { [column]: value })
      // Reading must not need the right to change rows.
      .catch(undefinedIf('scopeMissing'));
  const tried = await tryAll([holds('id', 'eq', id)]);
  return async (after, last) => {
    const range = [holds('id', 'gt', after), holds('id', 'lte', last)];
    const all = tried?.length === 1 ? await tryAll(range) : undefined;
    if (all !== undefined) return all;
    const rows: Row[] = [];
    await pagesInOrder(readPage, after + 1, last, (page) => void rows.push(...page));
    return rows;
  };
}
