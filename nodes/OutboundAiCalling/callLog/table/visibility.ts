/**
 * Rows that several processes write become visible out of the order of their ids: the database numbers a
 * row when it is inserted, and shows it when the insert is committed. By then every row with a lower id
 * than one that was seen can be seen as well.
 */
export const VISIBLE_WITHIN_MS = 15_000;
