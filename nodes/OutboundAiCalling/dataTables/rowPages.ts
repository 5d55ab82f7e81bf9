import {
  holds,
  LARGEST_PAGE,
  where,
  type Condition,
  type DataTables,
  type Row,
} from './dataTables';

/**
 * This many pages are read at once: while n8n writes one answer, its database reads another page.
 */
const PAGES_AT_ONCE = 4;
/**
 * For every page, n8n counts all rows that match the filter. So a filter spans at most this many
 * ids. Almost every page is still full, and a request costs more than its rows.
 */
const IDS_A_RANGE = 10_000;

export const PAGE_BY_ID = { sortBy: 'id:asc', limit: LARGEST_PAGE };

/**
 * Reads pages one after the other, in the order of ids.
 *
 * @param readPage reads one page of rows whose ids are in a range, as {@link PAGE_BY_ID} asks for
 * it
 * @param to the last id; undefined for no end
 * @param take returns `false` to stop
 */
export async function pagesInOrder(
  readPage: (range: Condition[]) => Promise<Row[]>,
  from: number,
  to: number | undefined,
  take: (rows: Row[]) => Promise<boolean | void> | boolean | void,
): Promise<void> {
  const end = to === undefined ? [] : [holds('id', 'lte', to)];
  for (let next = from; ;) {
    const rows = await readPage([holds('id', 'gte', next), ...end]);
    if (rows.length > 0 && (await take(rows)) === false) return;
    if (rows.length < LARGEST_PAGE) return;
    next = (rows.at(-1)?.id ?? next) + 1;
  }
}

/**
 * Reads all rows for which the conditions hold, in pages of at most 250, several at once. A page
 * has all such rows between its first and its last, in the order of ids. Pages come in no order. A
 * row that is replaced during the reading comes in its old form, its new form, or both.
 *
 * @param take gets the pages, several at once
 * @param signal ends the reading before the next page
 * @throws DataTableError, and what `take` throws; no page is read after that
 */
export async function eachPageOfRows(
  tables: DataTables,
  tableId: string,
  conditions: Condition[],
  take: (rows: Row[]) => Promise<void> | void,
  signal?: AbortSignal,
): Promise<void> {
  const edge = async (order: 'asc' | 'desc') => {
    const page = { sortBy: `id:${order}`, limit: 1 };
    const [row] = await tables.rows(tableId, where(...conditions), page);
    return row?.id;
  };
  const [first, last] = await Promise.all([edge('asc'), edge('desc')]);
  if (first === undefined || last === undefined) return;
  const failures: unknown[] = [];
  const isOver = () => failures.length > 0 || signal?.aborted === true;
  const readPage = async (range: Condition[]): Promise<Row[]> => {
    if (isOver()) return [];
    return await tables.rows(tableId, where(...conditions, ...range), PAGE_BY_ID);
  };
  let next = first;
  const readOn = async () => {
    while (next <= last && !isOver()) {
      const from = next;
      next += IDS_A_RANGE;
      await pagesInOrder(readPage, from, Math.min(next - 1, last), take);
    }
  };
  const fail = (failure: unknown) => void failures.push(failure);
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, async () => await readOn().catch(fail)));
  if (failures.length > 0) throw failures[0];
  // Reads the rows that have replaced others meanwhile.
  await pagesInOrder(readPage, last + 1, undefined, take);
}
