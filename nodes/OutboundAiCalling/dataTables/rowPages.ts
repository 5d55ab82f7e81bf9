import { holds, LARGEST_PAGE, type Condition, type Row } from './dataTables';

export const PAGE_BY_ID = { sortBy: 'id:asc', limit: LARGEST_PAGE };

/** Gets the rows of a page, and returns `false` to stop. */
export type TakePage = (rows: Row[]) => Promise<boolean | void> | boolean | void;

/**
 * Reads pages one after the other, in the order of ids.
 *
 * @param readPage reads one page of rows whose ids are in a range, as {@link PAGE_BY_ID} asks for it
 * @param to the last id; undefined for no end
 */
export async function pagesInOrder(
  readPage: (range: Condition[]) => Promise<Row[]>,
  from: number,
  to: number | undefined,
  take: TakePage,
): Promise<void> {
  const end = to === undefined ? [] : [holds('id', 'lte', to)];
  for (let next = from; next <= (to ?? Infinity);) {
    const rows = await readPage([holds('id', 'gte', next), ...end]);
    if (rows.length > 0 && (await take(rows)) === false) return;
    if (rows.length < LARGEST_PAGE) return;
    next = (rows.at(-1)?.id ?? next) + 1;
  }
}
