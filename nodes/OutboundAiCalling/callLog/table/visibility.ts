/**
 * Rows of several processes may become visible out of the order of their ids. The database numbers
 * a row when it is inserted, and shows it when the insert is committed. Once a row has been visible
 * for this long, all rows with lower ids are visible too.
 */
export const VISIBLE_WITHIN_MS = 15_000;
