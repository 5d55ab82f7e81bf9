import type { Row } from '../../dataTables/dataTables';

/**
 * Rows of several processes may become visible out of the order of their ids. The database numbers
 * a row when it is inserted, and shows it when the insert is committed. Once a row has been visible
 * for this long, all rows with lower ids are visible too.
 */
export const VISIBLE_WITHIN_MS = 15_000;

/** ISO 8601, UTC. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function textIn(value: unknown): string | undefined {
  return value === null || value === undefined || value === '' ? undefined : String(value);
}

export function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The time in a cell as ISO 8601 in UTC; null when it holds none. */
export function isoTimeIn(cell: unknown): string | null {
  const time = timeIn(cell);
  return time === undefined ? null : isoTime(time);
}

/** The time in a cell, in milliseconds since 1970; undefined when it holds none. */
export function timeIn(value: unknown): number | undefined {
  const time = Date.parse(String(value ?? ''));
  return Number.isNaN(time) ? undefined : time;
}

/** When n8n wrote a row, in milliseconds since 1970; 0 when the row does not say. */
export function writtenAt({ createdAt }: Row): number {
  const text = String(createdAt ?? '').replace(' ', 'T');
  return Date.parse(/T[^Z+]*$/.test(text) ? `${text}Z` : text) || 0;
}
