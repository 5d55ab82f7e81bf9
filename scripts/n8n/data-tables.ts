import type { Session } from './session';

/** What an API key may be asked for, so that it can do everything with data tables. */
export const DATA_TABLE_SCOPES = [
  'dataTable:create',
  'dataTable:list',
  'dataTable:read',
  'dataTable:update',
  'dataTable:delete',
  'dataTableColumn:create',
  'dataTableColumn:read',
  'dataTableColumn:update',
  'dataTableColumn:delete',
  'dataTableRow:create',
  'dataTableRow:read',
  'dataTableRow:update',
  'dataTableRow:upsert',
  'dataTableRow:delete',
];

export interface DataTable {
  id: string;
  name: string;
  columns: Array<{ id: string; name: string; type: string; index: number }>;
}

export type DataTableRow = { id: number } & Record<string, string | number | boolean | null>;

interface Page<T> {
  data: T[];
  nextCursor?: string | null;
}

/** Data tables seen through n8n's public interface, as the call log uses them. */
export class DataTables {
  constructor(
    private readonly session: Session,
    private readonly apiKey: string,
  ) {}

  async list(): Promise<DataTable[]> {
    return await this.all<DataTable>('');
  }

  /** The table of that name, or undefined. */
  async find(name: string): Promise<DataTable | undefined> {
    return (await this.list()).find((table) => table.name === name);
  }

  async create(
    name: string,
    columns: Array<{ name: string; type: 'string' | 'number' | 'boolean' | 'date' }>,
  ): Promise<DataTable> {
    return await this.send('POST', '', { body: { name, columns } });
  }

  /** Deletes a table with its rows. */
  async drop(tableId: string): Promise<void> {
    await this.send('DELETE', `/${tableId}`, {});
  }

  /** Every row of a table, oldest first as n8n gives them. */
  async rows(tableId: string): Promise<DataTableRow[]> {
    return await this.all<DataTableRow>(`/${tableId}/rows`);
  }

  async insert(tableId: string, rows: Array<Record<string, unknown>>): Promise<unknown> {
    return await this.send('POST', `/${tableId}/rows`, { body: { data: rows, returnType: 'all' } });
  }

  /** As {@link insert}, which is slow for many rows, without the rows as an answer. */
  async insertCounted(tableId: string, rows: Array<Record<string, unknown>>): Promise<void> {
    await this.send('POST', `/${tableId}/rows`, { body: { data: rows, returnType: 'count' } });
  }

  /** Sets fields of the rows in which one column has the given value. */
  async update(
    tableId: string,
    where: { column: string; equals: string | number | boolean | null },
    data: Record<string, unknown>,
  ): Promise<unknown> {
    const filter = {
      type: 'and',
      filters: [{ columnName: where.column, condition: 'eq', value: where.equals }],
    };
    return await this.send('PATCH', `/${tableId}/rows/update`, { body: { filter, data } });
  }

  async deleteRow(tableId: string, id: number): Promise<void> {
    const filters = [{ columnName: 'id', condition: 'eq', value: id }];
    const query = { filter: JSON.stringify({ type: 'and', filters }) };
    await this.send('DELETE', `/${tableId}/rows/delete`, { query });
  }

  private async all<T>(path: string): Promise<T[]> {
    const found: T[] = [];
    let cursor: string | null | undefined;
    do {
      const query: Record<string, string> = { limit: '250', ...(cursor ? { cursor } : {}) };
      const page: Page<T> = await this.send('GET', path, { query });
      found.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor);
    return found;
  }

  private async send<T>(
    method: string,
    path: string,
    details: { body?: unknown; query?: Record<string, string> },
  ): Promise<T> {
    return await this.session.send<T>(method, `/api/v1/data-tables${path}`, {
      ...details,
      headers: { 'X-N8N-API-KEY': this.apiKey },
    });
  }
}
