import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/columns';
import type {
  Condition,
  DataTablesContext,
  Filter,
  Row,
} from '../../nodes/OutboundAiCalling/dataTables/dataTables';

type Cell = string | number | null;

function compare(a: Cell, b: Cell): number {
  if (a === b) return 0;
  return a !== null && b !== null && a < b ? -1 : 1;
}

function isTrue({ columnName, condition, value }: Condition, row: Row): boolean {
  const cell = (row[columnName] ?? null) as Cell;
  if (condition === 'eq') return cell === value;
  if (condition === 'neq') return cell !== value;
  // As in SQL, nothing compares with an empty cell.
  if (cell === null || value === null) return false;
  if (condition === 'like') return String(cell).startsWith(String(value).replace(/%$/, ''));
  const order = compare(cell, value);
  if (condition === 'gt') return order > 0;
  if (condition === 'gte') return order >= 0;
  return condition === 'lt' ? order < 0 : order <= 0;
}

/**
 * One call log behind the API of n8n, in memory. Like SQLite it gives the id of a deleted last row to
 * the next one.
 */
export class MemoryTables {
  rows: Row[] = [];
  /** How many requests came, by method. */
  readonly requests = { GET: 0, POST: 0, PATCH: 0, DELETE: 0 };

  constructor(
    readonly tableId: string,
    /** Waits before the request acts, and before its answer. */
    private readonly latency: () => Promise<void> = async () => await Promise.resolve(),
  ) {}

  insert(rows: IDataObject[]): void {
    for (const row of rows) this.rows.push({ ...row, id: (this.rows.at(-1)?.id ?? 0) + 1 });
  }

  readonly context: DataTablesContext = {
    getCredentials: async () => await Promise.resolve({ n8nApiKey: 'key' }),
    getInstanceBaseUrl: () => 'http://localhost:5678',
    helpers: {
      httpRequestWithAuthentication: async (_type, request) => await this.send(request),
    },
  };

  async send(request: IHttpRequestOptions): Promise<unknown> {
    await this.latency();
    const body = this.answer(request);
    await this.latency();
    return { statusCode: 200, headers: {}, body };
  }

  private answer({ url, method = 'GET', qs, body }: IHttpRequestOptions): unknown {
    this.requests[method as keyof typeof this.requests]++;
    const asked = (qs ?? {}) as { filter?: string; sortBy?: string; limit?: number };
    if (!url.includes(`/${this.tableId}/`)) {
      return { data: [{ id: this.tableId, name: 'Calls', columns: LOG_COLUMNS }] };
    }
    if (method === 'GET') {
      const [column = 'id', order] = (asked.sortBy ?? '').split(':');
      const found = this.matching(JSON.parse(asked.filter ?? '{}') as Filter).sort(
        (a, b) => compare(a[column] as Cell, b[column] as Cell) || a.id - b.id,
      );
      if (order === 'desc') found.reverse();
      return { data: found.slice(0, asked.limit).map((row) => ({ ...row })) };
    }
    if (method === 'POST') {
      this.insert((body as { data: IDataObject[] }).data);
      return { count: 0 };
    }
    const { dryRun } = { ...asked, ...(body as IDataObject) } as { dryRun?: boolean };
    if (dryRun === true) return [];
    if (method === 'PATCH') {
      const { filter, data } = body as unknown as { filter: Filter; data: IDataObject };
      const changed = this.matching(filter);
      for (const row of changed) Object.assign(row, data);
      return changed.map((row) => ({ ...row }));
    }
    const gone = new Set(this.matching(JSON.parse(asked.filter ?? '{}') as Filter));
    this.rows = this.rows.filter((row) => !gone.has(row));
    return true;
  }

  private matching({ type, filters }: Filter): Row[] {
    return this.rows.filter((row) =>
      type === 'and'
        ? filters.every((condition) => isTrue(condition, row))
        : filters.some((condition) => isTrue(condition, row)),
    );
  }
}
