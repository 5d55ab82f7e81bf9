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

/**
 * A request asks for at most so many rows, of about so many characters. n8n needs about 30 ms for
 * them, and does nothing else meanwhile.
 */
const MOST_AT_ONCE = 4_000;
const CHARACTERS_AT_ONCE = 1_000_000;
/** Two requests at once: while this process reads an answer, n8n's database finds the next. */
const REQUESTS_AT_ONCE = 2;
/** Where few rows match, a range grows to at most so many times as many ids: many may match after them. */
const MOST_GROWTH = 8;

type RowsBetween = (after: number, last: number) => Promise<Row[]>;

/** The table to read, and any column of it. */
interface Source {
  tables: DataTables;
  tableId: string;
  column: string;
}

/**
 * Reads every row for which the conditions hold. Changes nothing. It asks for ranges of ids: added or
 * deleted rows make it miss no other row. A row that is replaced meanwhile comes in its old form, its
 * new form, or both.
 *
 * @param take gets the rows, some thousands at a time at most, in no order
 * @param signal ends the reading before the next request
 * @throws DataTableError, and what `take` throws; no row is read after that
 */
export async function everyRow(
  source: Source,
  conditions: Condition[],
  take: (rows: Row[]) => Promise<void> | void,
  signal?: AbortSignal,
): Promise<void> {
  const { tables, tableId } = source;
  let hasFailed = false;
  const isOver = () => hasFailed || signal?.aborted === true;
  const readPage = async (range: Condition[]) =>
    isOver() ? [] : await tables.rows(tableId, where(...conditions, ...range), PAGE_BY_ID);
  const first = await readPage([holds('id', 'gte', 1)]);
  await take(first);
  const [newest] =
    first.length < LARGEST_PAGE
      ? []
      : await tables.rows(tableId, where(...conditions), { sortBy: 'id:desc', limit: 1 });
  if (newest === undefined) return;
  const rowsOf = await unlimited(source, conditions, newest, readPage);
  const characters = JSON.stringify(first).length / first.length;
  const most = Math.ceil(Math.min(MOST_AT_ONCE, CHARACTERS_AT_ONCE / characters));
  let after = first.at(-1)?.id ?? 0;
  let width = most;
  const readOn = async () => {
    while (after < newest.id && !isOver()) {
      const range = { after, last: Math.min(newest.id, after + width) };
      after = range.last;
      const rows = await rowsBetween(rowsOf, range.after, range.last);
      if (isOver()) return;
      const asked = range.last - range.after;
      width = Math.min(MOST_GROWTH * most, Math.ceil((asked * most) / Math.max(rows.length, 1)));
      await take(rows);
    }
  };
  const stop = (error: unknown) => {
    hasFailed = true;
    throw error;
  };
  await Promise.all(
    Array.from({ length: REQUESTS_AT_ONCE }, async () => await readOn().catch(stop)),
  );
  // Reads the rows that have replaced others meanwhile.
  await pagesInOrder(readPage, newest.id + 1, undefined, take);
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
 * change. Tries it with a value that the newest row already has: even if n8n wrote it, that row would not change.
 */
async function unlimited(
  { tables, tableId, column }: Source,
  conditions: Condition[],
  newest: Row,
  readPage: (range: Condition[]) => Promise<Row[]>,
): Promise<RowsBetween> {
  const content = { [column]: newest[column] ?? null };
  const tryAll = async (range: Condition[]) =>
    await tables
      .allRows(tableId, where(...conditions, ...range), content)
      // Reading must not need the right to change rows.
      .catch(undefinedIf('scopeMissing'));
  const tried = await tryAll([holds('id', 'eq', newest.id)]);
  return async (after, last) => {
    const range = [holds('id', 'gt', after), holds('id', 'lte', last)];
    const all = tried?.length === 1 ? await tryAll(range) : undefined;
    if (all !== undefined) return all;
    const rows: Row[] = [];
    await pagesInOrder(readPage, after + 1, last, (page) => void rows.push(...page));
    return rows;
  };
}
