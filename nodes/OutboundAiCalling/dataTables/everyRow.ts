import { DataTableError, isTooLong, undefinedIf } from './dataTableError';
import {
  holds,
  LARGEST_PAGE,
  where,
  type Condition,
  type DataTables,
  type Row,
} from './dataTables';
import { PAGE_BY_ID, pagesInOrder } from './rowPages';

/**
 * Without a limit, this many rows are asked for at once. n8n needs about 30 ms for them, and does
 * nothing else meanwhile.
 */
const ROWS_AT_ONCE = 4_000;
/** Two requests at once: while this process reads an answer, n8n's database finds the next. */
const REQUESTS_AT_ONCE = 2;
/**
 * Where many rows were deleted, a range of ids may grow by this factor from one request to the
 * next.
 */
const MOST_GROWTH = 4;

/** The rows of a range of ids. A range whose answer is too long is split in halves. */
async function rowsBetween(
  rowsOf: (after: number, last: number) => Promise<Row[]>,
  after: number,
  last: number,
): Promise<Row[]> {
  return await rowsOf(after, last).catch(async (error: unknown) => {
    if (!isTooLong(error) || last - after < 2) throw error;
    const middle = Math.floor((after + last) / 2);
    const half = await rowsBetween(rowsOf, after, middle);
    return [...half, ...(await rowsBetween(rowsOf, middle, last))];
  });
}

/**
 * Reads every row that the table holds at the start. Changes nothing. It asks for ranges of ids:
 * added or deleted rows make it miss no other row, and read none twice.
 *
 * @param column any column of the table
 * @param take gets the rows, some at a time, in no order
 * @throws DataTableError, and what `take` throws
 */
export async function everyRow(
  tables: DataTables,
  tableId: string,
  column: string,
  take: (rows: Row[]) => Promise<void>,
): Promise<void> {
  const readPage = async (range: Condition[]) =>
    await tables.rows(tableId, where(...range), PAGE_BY_ID);
  const first = await readPage([holds('id', 'gte', 1)]);
  await take(first);
  if (first.length < LARGEST_PAGE) return;
  let after = first.at(-1)?.id ?? 0;
  const rowsOf = await unlimited(tables, tableId, column);
  if (rowsOf === undefined) return await pagesInOrder(readPage, after + 1, undefined, take);
  const newest = rowsOf.newestId;
  let width = ROWS_AT_ONCE;
  const readOn = async () => {
    while (after < newest) {
      const range = { after, last: Math.min(newest, after + width), width };
      after = range.last;
      const rows = await rowsBetween(rowsOf.ask, range.after, range.last);
      const growth = Math.min(MOST_GROWTH, ROWS_AT_ONCE / Math.max(rows.length, 1));
      width = Math.max(ROWS_AT_ONCE, Math.floor(range.width * growth));
      await take(rows);
    }
  };
  const stop = (error: unknown) => {
    after = newest;
    throw error;
  };
  await Promise.all(
    Array.from({ length: REQUESTS_AT_ONCE }, async () => await readOn().catch(stop)),
  );
}

/**
 * Finds out how to read rows without a limit.
 *
 * @returns undefined when this n8n or its key cannot do so without the risk of a change, or the
 * table is empty
 */
async function unlimited(tables: DataTables, tableId: string, column: string) {
  const last = { sortBy: 'id:desc', limit: 1 };
  const [newest] = await tables.rows(tableId, where(holds('id', 'gt', 0)), last);
  if (newest === undefined) return undefined;
  // Uses a value that the newest row already has: even if n8n wrote it, that row would not change.
  const content = { [column]: newest[column] ?? null };
  const tried = await tables
    .allRows(tableId, where(holds('id', 'eq', newest.id)), content)
    // Reading must not need the right to change rows.
    .catch(undefinedIf('scopeMissing'));
  if (tried?.length !== 1) return undefined;
  const ask = async (after: number, last: number): Promise<Row[]> => {
    const range = where(holds('id', 'gt', after), holds('id', 'lte', last));
    const rows = await tables.allRows(tableId, range, content);
    if (rows !== undefined) return rows;
    throw new DataTableError(
      'refused',
      'n8n gave two different answers while a data table was read',
      'Run the workflow again.',
    );
  };
  return { newestId: newest.id, ask };
}
