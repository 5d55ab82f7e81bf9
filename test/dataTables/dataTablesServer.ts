import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { DataTablesOfN8n, type ApiAnswer, type Table, type TableRow } from './dataTablesOfN8n';

/** What becomes of one request: its answer is lost, or n8n fails, before or after it has its effect. */
export interface DataTablesFault {
  kind: 'reset' | 'status';
  when: 'before' | 'after';
}

export interface AskedOfServer {
  method: string;
  url: string;
}

/** The data tables of n8n's public API on loopback, in memory. */
export interface DataTablesServer {
  /** As n8n's own base URL: the API is under `/api/v1`. */
  baseUrl: string;
  /** For `n8nApiUrl` of a credential. */
  url: string;
  api: DataTablesOfN8n;
  tables: Table[];
  /** How many requests came. */
  count: number;
  /** Every request, as method and path. */
  requests: string[];
  /** The bodies of requests that would have changed something, but for dry runs. */
  writes: string[];
  /** Is asked for each request what becomes of it. */
  faultOf: (request: AskedOfServer) => DataTablesFault | undefined;
  /** Whether n8n refuses a request. */
  refuse: (request: AskedOfServer) => boolean;
  /** Answers a request, as method and path, otherwise when it gives a status. */
  fail: (request: string) => { status: number; message: string } | undefined;
  /** Is told of every request for rows before it is answered. */
  beforeRows: () => void;
  rowsOf(table: string): TableRow[];
  idOf(table: string): string | undefined;
  /** As a person does in n8n. */
  rename(table: string, to: string): void;
  reset(): void;
  close(): Promise<void>;
}

const AWAY: ApiAnswer = { status: 503, body: { message: 'Away' } };

/** What nginx, as it comes, lets pass to the n8n behind it. */
export const LARGEST_BODY_BYTES = 1_048_576;
/** How nginx answers a larger one. */
export const TOO_LARGE_PAGE = '<html><h1>413 Request Entity Too Large</h1>nginx</html>';

/** The body as text, and what is in it. */
async function bodyOf(request: IncomingMessage): Promise<{ text: string; body: unknown }> {
  const text = await textOf(request);
  return { text, body: text === '' ? undefined : JSON.parse(text) };
}

/** Serves {@link DataTablesOfN8n} on loopback, as behind an nginx. */
export async function startDataTablesServer(tables: Table[] = []): Promise<DataTablesServer> {
  const api = new DataTablesOfN8n();
  api.tables.push(...tables);
  const answer = (method: string, path: string, url: URL, body: unknown): ApiAnswer => {
    const request = `${method} ${url.pathname}`;
    self.requests.push(request);
    const failure = self.fail(request);
    if (failure !== undefined) return { status: failure.status, body: failure };
    const isDryRun = (body as { dryRun?: boolean } | undefined)?.dryRun === true;
    if (method !== 'GET' && !(isDryRun && api.saysDryRuns)) self.writes.push(JSON.stringify(body));
    if (path.includes('/rows')) self.beforeRows();
    return api.handle({ method, path, query: Object.fromEntries(url.searchParams), body });
  };
  const server = createServer((request, reply) => {
    void bodyOf(request).then(({ text, body }) => {
      const { method = '', url: asked = '' } = request;
      self.count++;
      if (Buffer.byteLength(text) > LARGEST_BODY_BYTES) {
        return reply.writeHead(413, { 'content-type': 'text/html' }).end(TOO_LARGE_PAGE);
      }
      const send = ({ status, body: content }: ApiAnswer) =>
        reply
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(content));
      if (self.refuse({ method, url: asked })) {
        return send({ status: 400, body: { message: 'Too much' } });
      }
      const fault = self.faultOf({ method, url: asked });
      const url = new URL(asked, 'http://localhost');
      const path = url.pathname.replace(/^\/api\/v1/, '');
      const given = fault?.when === 'before' ? AWAY : answer(method, path, url, body);
      if (fault?.kind === 'reset') return request.socket.resetAndDestroy();
      send(fault === undefined ? given : AWAY);
    });
  });
  const self: DataTablesServer = {
    baseUrl: '',
    url: '',
    api,
    tables: api.tables,
    count: 0,
    requests: [],
    writes: [],
    faultOf: () => undefined,
    refuse: () => false,
    fail: () => undefined,
    beforeRows: () => undefined,
    rowsOf: (name) => api.rowsOf(name),
    idOf: (name) => api.idOf(name),
    rename: (name, to) => api.rename(name, to),
    reset: () => {
      api.reset();
      self.count = 0;
      self.requests.length = 0;
      self.writes.length = 0;
      self.faultOf = () => undefined;
      self.refuse = () => false;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  self.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  self.url = `${self.baseUrl}/api/v1`;
  return self;
}
