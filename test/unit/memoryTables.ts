import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/columns';
import type {
  Column,
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

/** As SQL has it: each percent sign stands for any text. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('%').map((part) => part.replace(/[^\w\s]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

function isTrue({ columnName, condition, value }: Condition, row: Row): boolean {
  const cell = (row[columnName] ?? null) as Cell;
  if (condition === 'eq') return cell === value;
  if (condition === 'neq') return cell !== value;
  // As in SQL, nothing compares with an empty cell.
  if (cell === null || value === null) return false;
  if (condition === 'like') return isLike(String(cell), String(value));
  const order = compare(cell, value);
  if (condition === 'gt') return order > 0;
  if (condition === 'gte') return order >= 0;
  return condition === 'lt' ? order < 0 : order <= 0;
}

interface Table {
  id: string;
  name: string;
  columns: Column[];
  rows: Row[];
}

/**
 * A call log behind the API of n8n, and the tables that are made beside it, in memory. Like SQLite it gives
 * the id of a deleted last row to the next one.
 */
export class MemoryTables {
  private readonly log: Table;
  private readonly tables: Table[];
  /** Says that the answer to a request is lost, after it has had its effect. */
  isAnswerLost: (method: string) => boolean = () => false;
  private made = 0;
  /** How many requests came, by method. */
  readonly requests = { GET: 0, POST: 0, PATCH: 0, DELETE: 0 };

  constructor(
    readonly tableId: string,
    /** Waits before the request acts, and before its answer. */
    private readonly latency: () => Promise<void> = async () => await Promise.resolve(),
  ) {
    this.log = { id: tableId, name: 'Calls', columns: LOG_COLUMNS, rows: [] };
    this.tables = [this.log];
  }

  /** The rows of the log. */
  get rows(): Row[] {
    return this.log.rows;
  }

  /** The rows of the table beside the log. */
  get besideRows(): Row[] {
    return this.tables[1]?.rows ?? [];
  }

  /** As a person does who deletes the table beside the log. */
  dropBeside(): void {
    this.tables.splice(1);
  }

  insert(rows: IDataObject[], table = this.log): void {
    for (const row of rows) table.rows.push({ ...row, id: (table.rows.at(-1)?.id ?? 0) + 1 });
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
    const answer = this.answer(request);
    await this.latency();
    if (this.isAnswerLost(request.method ?? 'GET')) {
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    }
    return answer;
  }

  private answer({ url, method = 'GET', qs, body }: IHttpRequestOptions): object {
    this.requests[method as keyof typeof this.requests]++;
    const asked = (qs ?? {}) as { filter?: string; sortBy?: string; limit?: number };
    const id = /\/data-tables\/([^/]+)\//.exec(url)?.[1];
    const table = this.tables.find((one) => one.id === id);
    if (id === undefined) return this.answerAboutTables(method, body as IDataObject);
    if (table === undefined) {
      const message = `Could not find the data table: '${id}'`;
      return { statusCode: 404, headers: {}, body: { message } };
    }
    return { statusCode: 200, headers: {}, body: this.answerAboutRows(table, method, asked, body) };
  }

  private answerAboutTables(method: string, body: IDataObject): object {
    if (method !== 'POST') return { statusCode: 200, headers: {}, body: { data: this.tables } };
    const { name, columns } = body as unknown as Pick<Table, 'name' | 'columns'>;
    if (this.tables.some((table) => table.name === name)) {
      return { statusCode: 409, headers: {}, body: { message: 'It exists' } };
    }
    const table = { id: `${this.tableId}beside${++this.made}`, name, columns, rows: [] };
    this.tables.push(table);
    return { statusCode: 201, headers: {}, body: table };
  }

  private answerAboutRows(
    table: Table,
    method: string,
    asked: { filter?: string; sortBy?: string; limit?: number },
    body: unknown,
  ): unknown {
    if (method === 'GET') {
      const [column = 'id', order] = (asked.sortBy ?? '').split(':');
      const found = matching(table, JSON.parse(asked.filter ?? '{}') as Filter).sort(
        (a, b) => compare(a[column] as Cell, b[column] as Cell) || a.id - b.id,
      );
      if (order === 'desc') found.reverse();
      return { data: found.slice(0, asked.limit).map((row) => ({ ...row })) };
    }
    if (method === 'POST') {
      this.insert((body as { data: IDataObject[] }).data, table);
      return { count: 0 };
    }
    const { dryRun } = { ...asked, ...(body as IDataObject) } as { dryRun?: boolean };
    if (dryRun === true) return [];
    if (method === 'PATCH') {
      const { filter, data } = body as unknown as { filter: Filter; data: IDataObject };
      const changed = matching(table, filter);
      for (const row of changed) Object.assign(row, data);
      return changed.map((row) => ({ ...row }));
    }
    const gone = new Set(matching(table, JSON.parse(asked.filter ?? '{}') as Filter));
    table.rows = table.rows.filter((row) => !gone.has(row));
    return true;
  }
}

function matching({ rows }: Table, { type, filters }: Filter): Row[] {
  return rows.filter((row) =>
    type === 'and'
      ? filters.every((condition) => isTrue(condition, row))
      : filters.some((condition) => isTrue(condition, row)),
  );
}
