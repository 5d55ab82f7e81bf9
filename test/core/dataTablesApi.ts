import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  Condition,
  DataTable,
  Filter,
  Row,
} from '../../nodes/OutboundAiCalling/dataTables/dataTables';

export interface ServedTable extends DataTable {
  rows: Row[];
}

/** The part of n8n's public API with which data tables are read; it changes nothing. */
export interface DataTablesApi {
  /** For `n8nApiUrl` of a credential. */
  url: string;
  tables: ServedTable[];
  /** Every request, as method and path. */
  requests: string[];
  /** Requests that would have changed something. */
  writes: string[];
  /** Answers a request otherwise when it gives a status. */
  fail: (request: string) => { status: number; message: string } | undefined;
  /** Is told of every request for rows before it is answered. */
  beforeRows: () => void;
  /** Whether this n8n knows of dry runs. */
  dryRuns: boolean;
  /** A page has so many rows, or tables, at most. */
  largestPage: number;
  close(): Promise<void>;
}

/** A page of a list, and what leads to the next, as n8n gives it. */
function pageOf<T>(all: T[], { limit, cursor }: Record<string, string>, largest: number) {
  const offset = Number(cursor ?? 0);
  const end = offset + Math.min(Number(limit), largest);
  return { data: all.slice(offset, end), nextCursor: end < all.length ? String(end) : null };
}

function isHeld(row: Row, { columnName, condition, value }: Condition): boolean {
  const cell = row[columnName] as number;
  const other = value as number;
  switch (condition) {
    case 'eq':
      return cell === other;
    case 'gt':
      return cell > other;
    case 'gte':
      return cell >= other;
    case 'lte':
      return cell <= other;
    default:
      throw new Error(`Not served: ${condition}`);
  }
}

const matching = ({ rows }: ServedTable, { filters }: Filter) =>
  rows.filter((row) => filters.every((condition) => isHeld(row, condition)));

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : JSON.parse(text);
}

/** Serves data tables on loopback as n8n's public API does. */
export async function startDataTablesApi(tables: ServedTable[] = []): Promise<DataTablesApi> {
  const answer = (method: string, url: URL, body: unknown): unknown => {
    const [, id, action] = /\/data-tables\/(\w+)\/(.+)$/.exec(url.pathname) ?? [];
    const query = Object.fromEntries(url.searchParams);
    if (id === undefined) {
      const shown = api.tables.map(({ rows, ...table }) => ({ ...table, size: rows.length }));
      return pageOf(shown, query, api.largestPage);
    }
    const table = api.tables.find((one) => one.id === id);
    if (table === undefined) return undefined;
    if (method === 'GET' && action === 'rows') {
      api.beforeRows();
      const held = matching(table, JSON.parse(query.filter ?? '') as Filter);
      const [column = '', order] = (query.sortBy ?? '').split(':');
      const sign = order === 'desc' ? -1 : 1;
      const at = (row: Row) => (column === 'id' ? row.id : Date.parse(String(row[column])));
      const sorted = held.sort((a, b) => sign * (at(a) - at(b)));
      return pageOf(sorted, query, api.largestPage);
    }
    const { filter, data, dryRun } = body as { filter: Filter; data: object; dryRun?: boolean };
    if (method !== 'PATCH' || dryRun !== true || !api.dryRuns)
      api.writes.push(JSON.stringify(body));
    if (method !== 'PATCH') return {};
    api.beforeRows();
    return matching(table, filter).flatMap((row) =>
      api.dryRuns
        ? [
            { ...row, dryRunState: 'before' },
            { ...row, ...data, dryRunState: 'after' },
          ]
        : [{ ...row, ...data }],
    );
  };
  const server = createServer((request, reply) => {
    void bodyOf(request).then((body) => {
      const { method = '' } = request;
      const url = new URL(request.url ?? '', 'http://localhost');
      const name = `${method} ${url.pathname}`;
      api.requests.push(name);
      const failure = api.fail(name);
      const answered = failure === undefined ? answer(method, url, body) : { ...failure };
      const status = failure?.status ?? (answered === undefined ? 404 : 200);
      const text = JSON.stringify(answered ?? { message: 'Could not find the data table' });
      reply.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api: DataTablesApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    tables,
    requests: [],
    writes: [],
    fail: () => undefined,
    beforeRows: () => undefined,
    dryRuns: true,
    largestPage: 250,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return api;
}

/** A list with the columns of a do-not-call list, its rows numbered from 1. */
export function listOf(
  rows: Array<Record<string, string | number | null>>,
  types: Partial<Record<'phone' | 'until', 'string' | 'number' | 'date'>> = {},
): ServedTable {
  return {
    id: 'list1',
    name: 'Do not call',
    updatedAt: '2026-01-01T00:00:00.010Z',
    columns: [
      { name: 'phone', type: types.phone ?? 'string' },
      { name: 'reason', type: 'string' },
      { name: 'until', type: types.until ?? 'string' },
    ],
    rows: rows.map((row, index) => ({
      phone: null,
      reason: null,
      until: null,
      updatedAt: '2026-01-01T00:00:00.000Z',
      ...row,
      id: index + 1,
    })),
  };
}
