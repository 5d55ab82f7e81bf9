import type { Table, TableRow } from './dataTablesOfN8n';

/** A list with the columns of a do-not-call list, its rows numbered from 1. */
export function listOf(
  rows: Array<Record<string, string | number | null>>,
  types: Partial<Record<'phone' | 'until', 'string' | 'number' | 'date'>> = {},
): Table {
  return {
    id: 'list1',
    name: 'Do not call',
    updatedAt: '2026-01-01T00:00:00.010Z',
    columns: [
      { name: 'phone', type: types.phone ?? 'string' },
      { name: 'reason', type: 'string' },
      { name: 'until', type: types.until ?? 'string' },
    ],
    rows: rows.map((row, index): TableRow => ({
      phone: null,
      reason: null,
      until: null,
      updatedAt: '2026-01-01T00:00:00.000Z',
      ...row,
      id: index + 1,
    })),
  };
}
