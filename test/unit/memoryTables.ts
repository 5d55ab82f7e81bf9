import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import type { DataTablesContext, Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { LARGEST_BODY_BYTES, TOO_LARGE_PAGE } from '../dataTables/dataTablesServer';
import { DataTablesOfN8n, type Table, type TableRow } from '../dataTables/dataTablesOfN8n';

/** A call log behind the API of n8n, and the tables that are made beside it, in memory. */
export class MemoryTables {
  /** Says that the answer to a request is lost, after it has had its effect. */
  isAnswerLost: (method: string) => boolean = () => false;
  /** Says that a request does not come through. */
  isAway: (method: string) => boolean = () => false;
  /** Says that n8n refuses to store what a request holds. */
  isRefused: (method: string, body: string) => boolean = () => false;
  /** Says that the tables are full. */
  isFull: (method: string) => boolean = () => false;
  /** Says that n8n has no time for a request. */
  isBusy: (method: string) => boolean = () => false;
  /** Says that n8n fails at a request. */
  isFailing: (method: string, body: string) => boolean = () => false;
  /** How many requests came, by method. */
  readonly requests = { GET: 0, POST: 0, PATCH: 0, DELETE: 0 };
  private readonly api: DataTablesOfN8n;
  private readonly log: Table;

  constructor(
    readonly tableId: string,
    /** Waits before the request acts, and before its answer. */
    private readonly latency: () => Promise<void> = async () => await Promise.resolve(),
  ) {
    this.api = new DataTablesOfN8n({ idPrefix: `${tableId}beside` });
    this.log = { id: tableId, name: 'Calls', columns: LOG_COLUMNS, rows: [] };
    this.api.tables.push(this.log);
  }

  /** The rows of the log. */
  get rows(): Row[] {
    return this.log.rows;
  }

  /** The rows of the table beside the log. */
  get besideRows(): Row[] {
    return this.api.tables[1]?.rows ?? [];
  }

  /** As a person does who deletes the log. */
  dropLog(): void {
    this.api.tables.splice(0, 1);
  }

  /** As a person does who deletes the table beside the log. */
  dropBeside(): void {
    this.api.tables.splice(1);
  }

  insert(rows: IDataObject[]): void {
    this.api.add(this.log, rows as Array<Omit<TableRow, 'id'>>);
  }

  readonly context: DataTablesContext = {
    getCredentials: async () => await Promise.resolve({ n8nApiKey: 'key' }),
    getInstanceBaseUrl: () => 'http://localhost:5678',
    getTimezone: () => 'UTC',
    helpers: {
      httpRequestWithAuthentication: async (_type, request) => await this.send(request),
    },
  };

  async send({ url, method = 'GET', qs, body }: IHttpRequestOptions): Promise<unknown> {
    await this.latency();
    const lost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    if (this.isAway(method)) throw lost();
    this.requests[method as keyof typeof this.requests]++;
    if (Buffer.byteLength(JSON.stringify(body ?? null)) > LARGEST_BODY_BYTES) {
      return { statusCode: 413, headers: {}, body: TOO_LARGE_PAGE };
    }
    if (this.isFailing(method, JSON.stringify(body ?? null))) {
      return { statusCode: 500, headers: {}, body: { message: 'SQLITE_BUSY' } };
    }
    if (this.isRefused(method, JSON.stringify(body ?? null))) {
      return { statusCode: 400, headers: {}, body: { message: 'The value cannot be stored' } };
    }
    if (this.isFull(method)) {
      return { statusCode: 400, headers: {}, body: { message: 'Data table size limit exceeded' } };
    }
    if (this.isBusy(method)) {
      return { statusCode: 429, headers: {}, body: { message: 'Too many requests' } };
    }
    const path = url.slice(url.indexOf('/data-tables'));
    const entries = Object.entries((qs ?? {}) as IDataObject);
    const query = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
    const answer = this.api.handle({ method, path, query, body: structuredClone(body) });
    await this.latency();
    if (this.isAnswerLost(method)) throw lost();
    return { statusCode: answer.status, headers: {}, body: structuredClone(answer.body) };
  }
}
