import fastify from 'fastify';

type Value = string | number | boolean | null;
export type Row = { id: number } & Record<string, Value>;

interface Column {
  name: string;
  type: string;
}

interface Table {
  id: string;
  name: string;
  columns: Column[];
  rows: Row[];
  nextId: number;
}

interface Filter {
  type: 'and' | 'or';
  filters: Array<{ columnName: string; condition: string; value: Value }>;
}

/** What becomes of one request: its answer is lost, or n8n fails, before or after it has its effect. */
export interface DataTablesFault {
  kind: 'reset' | 'status';
  when: 'before' | 'after';
}

/** The data tables of n8n's public API on loopback, in memory. */
export interface DataTablesServer {
  /** As n8n's own base URL: the API is under `/api/v1`. */
  baseUrl: string;
  /** How many requests came. */
  count: number;
  /** Is asked for each request what becomes of it. */
  faultOf: (request: { method: string; url: string }) => DataTablesFault | undefined;
  /** Whether n8n refuses a request. */
  refuse: (request: { method: string; url: string }) => boolean;
  rowsOf(table: string): Row[];
  idOf(table: string): string | undefined;
  /** As a person does in n8n. */
  rename(table: string, to: string): void;
  reset(): void;
  close(): Promise<void>;
}

/** SQL: nothing but `is null` holds for a cell without a value, but `is not` another value does. */
function holds(cell: Value, condition: string, value: Value): boolean {
  if (value === null) return condition === 'eq' ? cell === null : cell !== null;
  if (condition === 'neq') return cell !== value;
  if (cell === null) return false;
  switch (condition) {
    case 'eq':
      return cell === value;
    case 'like':
      return new RegExp(
        `^${String(value)
          .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
          .replaceAll('%', '.*')}$`,
      ).test(String(cell));
    case 'gt':
      return cell > value;
    case 'gte':
      return cell >= value;
    case 'lt':
      return cell < value;
    case 'lte':
      return cell <= value;
    default:
      throw new Error(`There is no condition ${condition}`);
  }
}

function matches({ type, filters }: Filter): (row: Row) => boolean {
  const one = (row: Row) => (filter: Filter['filters'][number]) =>
    holds(row[filter.columnName] ?? null, filter.condition, filter.value);
  return (row) => (type === 'and' ? filters.every(one(row)) : filters.some(one(row)));
}

function compare(a: Value, b: Value): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}

/**
 * Starts a stand-in for n8n's public API as far as data tables go; `test/n8n/dataTablesServer.long.test.ts`
 * holds what it answers against the answers of the real n8n.
 */
export async function startDataTablesServer(): Promise<DataTablesServer> {
  const tables: Table[] = [];
  const server = fastify({ forceCloseConnections: true, bodyLimit: 64 * 1024 * 1024 });
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body === '' ? undefined : JSON.parse(String(body)));
  });
  const self: DataTablesServer = {
    baseUrl: '',
    count: 0,
    faultOf: () => undefined,
    refuse: () => false,
    rowsOf: (name) => tables.find((table) => table.name === name)?.rows ?? [],
    idOf: (name) => tables.find((table) => table.name === name)?.id,
    rename: (name, to) => {
      for (const table of tables) if (table.name === name) table.name = to;
    },
    reset: () => {
      tables.length = 0;
      self.count = 0;
      self.faultOf = () => undefined;
      self.refuse = () => false;
    },
    close: async () => await server.close(),
  };
  const refuse = (statusCode: number, message: string) =>
    Object.assign(new Error(message), { statusCode });
  const tableOf = (params: unknown): Table => {
    const { id } = params as { id: string };
    const table = tables.find((one) => one.id === id);
    if (table === undefined) throw refuse(404, `Could not find the data table: '${id}'`);
    return table;
  };
  const checkColumns = ({ columns }: Table, given: Record<string, Value>) => {
    const unknown = Object.keys(given).find((key) => !columns.some(({ name }) => name === key));
    if (unknown === undefined) return;
    const message = `Validation error with data table request: unknown column name '${unknown}'`;
    throw refuse(400, message);
  };
  const filterIn = (query: unknown): Filter =>
    JSON.parse((query as { filter?: string }).filter ?? '{"type":"and","filters":[]}') as Filter;
  const shown = ({ id, name, columns }: Table) => ({ id, name, columns });

  server.addHook('onRequest', async (request, reply) => {
    self.count++;
    if (self.refuse(request)) return await reply.code(400).send({ message: 'Too much' });
    const fault = self.faultOf(request);
    if (fault === undefined) return;
    if (fault.when === 'after') {
      (request as { lost?: DataTablesFault }).lost = fault;
      return;
    }
    if (fault.kind === 'status') return await reply.code(503).send({ message: 'Away' });
    reply.hijack();
    request.raw.socket.resetAndDestroy();
  });
  server.addHook('onSend', async (request, reply, payload) => {
    const { lost } = request as { lost?: DataTablesFault };
    if (lost === undefined) return payload;
    if (lost.kind === 'reset') request.raw.socket.resetAndDestroy();
    reply.code(503);
    return '{"message":"Away"}';
  });
  server.get('/api/v1/data-tables', async () => ({ data: tables.map(shown), nextCursor: null }));
  server.post('/api/v1/data-tables', async ({ body }) => {
    const { name, columns } = body as { name: string; columns: Column[] };
    if (tables.some((table) => table.name === name)) {
      throw refuse(409, `Data table with name '${name}' already exists in this project`);
    }
    const table: Table = { id: `table${tables.length}`, name, columns, rows: [], nextId: 1 };
    tables.push(table);
    return shown(table);
  });
  server.post('/api/v1/data-tables/:id/columns', async ({ params, body }) => {
    tableOf(params).columns.push(body as Column);
    return body;
  });
  server.get('/api/v1/data-tables/:id/rows', async ({ params, query }) => {
    const { sortBy = 'id:asc', limit = 100 } = query as { sortBy?: string; limit?: number };
    const [column = 'id', direction] = sortBy.split(':');
    const sign = direction === 'desc' ? -1 : 1;
    const found = tableOf(params).rows.filter(matches(filterIn(query)));
    const sorted = found.toSorted(
      (a, b) => sign * compare(a[column] ?? null, b[column] ?? null) || a.id - b.id,
    );
    return { data: sorted.slice(0, Number(limit)), nextCursor: null };
  });
  server.post('/api/v1/data-tables/:id/rows', async ({ params, body }) => {
    const table = tableOf(params);
    const { data } = body as { data: Array<Record<string, Value>> };
    for (const given of data) {
      checkColumns(table, given);
      const cells = table.columns.map(({ name }) => [name, given[name] ?? null]);
      const now = new Date().toISOString();
      const added = { id: table.nextId++, createdAt: now, updatedAt: now };
      table.rows.push({ ...Object.fromEntries(cells), ...added } as Row);
    }
    return { success: true, insertedRows: data.length };
  });
  server.patch('/api/v1/data-tables/:id/rows/update', async ({ params, body }) => {
    const { filter, data, returnData, dryRun } = body as {
      filter: Filter;
      data: Record<string, Value>;
      returnData?: boolean;
      dryRun?: boolean;
    };
    const table = tableOf(params);
    checkColumns(table, data);
    const found = table.rows.filter(matches(filter));
    if (dryRun === true) return found;
    for (const row of found) Object.assign(row, data, { updatedAt: new Date().toISOString() });
    return returnData === true ? found : true;
  });
  server.delete('/api/v1/data-tables/:id/rows/delete', async ({ params, query }, reply) => {
    const table = tableOf(params);
    const isMeant = matches(filterIn(query));
    if ((query as { dryRun?: string }).dryRun === 'true') return table.rows.filter(isMeant);
    table.rows = table.rows.filter((row) => !isMeant(row));
    return await reply.send('true');
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  self.baseUrl = `http://127.0.0.1:${server.addresses()[0]?.port}`;
  return self;
}
