import {
  holds,
  LARGEST_PAGE,
  where,
  type Condition,
  type DataTables,
  type Row,
} from './dataTables';

/** So many pages are read at once: n8n's database works while n8n writes another page's answer. */
const PAGES_AT_ONCE = 4;
/** A range of ids is to hold this share of a page, so that few ranges need a second one. */
const FILLED = 0.9;
const WIDEST = 1_000_000;

/** Rows whose ids lie in a range, in the order of their ids. */
async function readRange(
  tables: DataTables,
  tableId: string,
  conditions: Condition[],
  range: { from: number; to?: number },
): Promise<Row[]> {
  const end = range.to === undefined ? [] : [holds('id', 'lte', range.to)];
  const filter = where(...conditions, holds('id', 'gte', range.from), ...end);
  return await tables.rows(tableId, filter, { sortBy: 'id:asc', limit: LARGEST_PAGE });
}

/**
 * Reads all rows for which the conditions hold, in pages of at most 250 and in no particular order,
 * by ranges of ids: n8n counts the rows of a filter for every page, which would make it the slower the
 * more rows come after the page. A row that is replaced by another while the reading goes on is given
 * at least once, as the one or the other or both.
 *
 * @param take gets the pages, several at once
 * @param signal ends the reading before the next page
 * @throws CallLogError, and what `take` throws; no page is read after that
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
  const goesOn = () => !hasFailed && signal?.aborted !== true;
  let hasFailed = false;
  let next = first;
  let width = LARGEST_PAGE;
  const readOn = async () => {
    while (next <= last && goesOn()) {
      let from = next;
      const to = Math.min(from + width - 1, last);
      next = to + 1;
      while (from <= to && goesOn()) {
        const rows = await readRange(tables, tableId, conditions, { from, to });
        // Rows that were replaced leave gaps in the ids.
        const until = rows.length < LARGEST_PAGE ? to : (rows.at(-1)?.id ?? to);
        const ids = until - from + 1;
        const fitting = Math.floor((ids / Math.max(rows.length, 1)) * LARGEST_PAGE * FILLED);
        width = Math.min(Math.max(fitting, LARGEST_PAGE), width * 4, WIDEST);
        from = until + 1;
        if (rows.length > 0) await take(rows);
      }
    }
  };
  const lanes = Array.from({ length: PAGES_AT_ONCE }, async () => {
    await readOn().catch((failure: unknown) => {
      hasFailed = true;
      throw failure;
    });
  });
  const ended = await Promise.allSettled(lanes);
  const failed = ended.find((lane) => lane.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  // What was replaced meanwhile.
  for (let from = last + 1; goesOn();) {
    const rows = await readRange(tables, tableId, conditions, { from });
    if (rows.length > 0) await take(rows);
    if (rows.length < LARGEST_PAGE) return;
    from = (rows.at(-1)?.id ?? from) + 1;
  }
}
