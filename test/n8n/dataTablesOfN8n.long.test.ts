import type { IDataObject } from 'n8n-workflow';
import type { DataTableError } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import {
  DataTables,
  holds,
  where,
  type Column,
  type DataTable,
} from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { sharedN8n } from '../../scripts/n8n';
import { DataTablesOfN8n, type ApiAnswer, type ApiRequest } from '../dataTables/dataTablesOfN8n';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { dataTablesContext } from './callLogFromOutside';

let standIn: DataTablesServer;
beforeAll(async () => {
  standIn = await startDataTablesServer();
});
afterAll(async () => await standIn.close());

const COLUMNS: Column[] = [
  { name: 'status', type: 'string' },
  { name: 'at', type: 'number' },
  { name: 'day', type: 'date' },
];

/** Without what differs from table to table. */
function plain(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer ?? null, (name, value: unknown) =>
      name === 'createdAt' || name === 'updatedAt' ? undefined : value,
    ),
  );
}

/** How an answer that is none is told; n8n's own words may change. */
const kindOf = ({ kind }: DataTableError) => kind;

/** What n8n answers to everything that a call log asks of it. */
async function answersOf(baseUrl: string, key: string): Promise<unknown[]> {
  const tables = await DataTables.open(dataTablesContext(baseUrl, key));
  const { id } = await tables.create('Stand-in', COLUMNS.slice(0, 2));
  await tables.create('Stand-in', COLUMNS.slice(0, 2));
  await tables.addColumn(id, COLUMNS[2] as Column);
  const day = '2030-01-02T03:04:05.678Z';
  const rows: IDataObject[] = [
    { status: 'a-1', at: 3, day },
    { status: 'a-2', at: 1.5 },
    { status: 'b_1', at: null, day },
    { status: null, at: 2 },
    { at: 2 },
  ];
  await tables.insert(id, rows);
  const page = { sortBy: 'id:asc', limit: 250 };
  const some = { type: 'or' as const, filters: [holds('id', 'eq', 1), holds('id', 'eq', 4)] };
  const asked = [
    where(),
    where(holds('status', 'eq', 'a-1')),
    where(holds('status', 'neq', 'a-1')),
    where(holds('status', 'eq', null)),
    where(holds('status', 'neq', null), holds('at', 'lte', 3)),
    where(holds('status', 'like', 'a-%')),
    where(holds('status', 'like', 'A-%')),
    where(holds('at', 'gte', 1.5), holds('at', 'lt', 3)),
    where(holds('at', 'gt', 2)),
    some,
  ];
  const answers: unknown[] = [];
  for (const filter of asked) answers.push(await tables.rows(id, filter, page));
  answers.push(await tables.rows(id, where(), { sortBy: 'at:asc', limit: 2 }));
  answers.push(await tables.rows(id, where(), { sortBy: 'at:desc', limit: 2 }));
  await tables.checkRights(id);
  answers.push(await tables.updateAndReturn(id, where(holds('at', 'eq', 1.5)), { at: 7.5, day }));
  answers.push(await tables.updateAndReturn(id, where(holds('at', 'eq', 1.5)), { at: 8 }));
  await tables.update(id, some, { status: 'changed', at: null });
  await tables.delete(id, where(holds('id', 'eq', 3)));
  await tables.delete(id, where(holds('status', 'eq', null)));
  answers.push(await tables.rows(id, where(), page));
  const there = await tables.find(({ name }) => name === 'Stand-in');
  // n8n gives columns in no order.
  answers.push(there?.columns.map(({ name, type }) => [name, type]).sort());
  answers.push(await tables.rows('AAAAAAAAAAAAAAAA', where(), page).catch(kindOf));
  answers.push(await tables.insert(id, [{ none: 1 }]).catch(kindOf));
  answers.push(await tables.update(id, where(), { none: 1 }).catch(kindOf));
  return answers.map(plain);
}

/** One request as it is sent to both; `T` in the path is the id of the table that was made first. */
type Asked = [method: string, path: string, query?: Record<string, unknown>, body?: unknown];

const DAY = '2030-01-02T03:04:05.678Z';
const filterOf = (type: 'and' | 'or', ...filters: Array<[string, string, unknown]>) => ({
  type,
  filters: filters.map(([columnName, condition, value]) => ({ columnName, condition, value })),
});
const rowsBy = (sortBy: string, filter: unknown, more: Record<string, unknown> = {}): Asked => [
  'GET',
  '/data-tables/T/rows',
  { filter: JSON.stringify(filter), sortBy, ...more },
];
const ALL = filterOf('and');
const insert = (...data: unknown[]): Asked => [
  'POST',
  '/data-tables/T/rows',
  {},
  { data, returnType: 'count' },
];

const REQUESTS: Asked[] = [
  ['POST', '/data-tables', {}, { name: 'Request by request', columns: COLUMNS.slice(0, 2) }],
  ['POST', '/data-tables', {}, { name: 'Request by request', columns: COLUMNS.slice(0, 2) }],
  ['POST', '/data-tables/T/columns', {}, COLUMNS[2]],
  ['POST', '/data-tables/T/columns', {}, COLUMNS[2]],
  insert(
    { status: 'a-1', at: 3, day: DAY },
    { status: 'a-2', at: 1.5 },
    { status: 'A_1', at: null, day: DAY },
    { status: null, at: 2 },
    { at: 2 },
  ),
  insert({ none: 1 }),
  rowsBy('id:asc', ALL),
  rowsBy('at:asc', ALL),
  rowsBy('at:desc', ALL),
  rowsBy('id:asc', ALL, { limit: 2 }),
  rowsBy('id:asc', filterOf('and', ['status', 'eq', 'a-1'])),
  rowsBy('id:asc', filterOf('and', ['status', 'neq', 'a-1'])),
  rowsBy('id:asc', filterOf('and', ['status', 'eq', null])),
  rowsBy('id:asc', filterOf('and', ['status', 'neq', null], ['at', 'lte', 3])),
  rowsBy('id:asc', filterOf('and', ['status', 'like', 'a-%'])),
  rowsBy('id:asc', filterOf('and', ['status', 'like', 'A_%'])),
  rowsBy('id:asc', filterOf('and', ['at', 'gte', 1.5], ['at', 'lt', 3])),
  rowsBy('id:asc', filterOf('or', ['id', 'eq', 1], ['id', 'eq', 4])),
  [
    'PATCH',
    '/data-tables/T/rows/update',
    {},
    { filter: filterOf('and', ['at', 'eq', 2]), data: { status: 'two' } },
  ],
  [
    'PATCH',
    '/data-tables/T/rows/update',
    {},
    {
      filter: filterOf('and', ['at', 'eq', 2], ['status', 'eq', 'two']),
      data: { at: 7 },
      returnData: true,
    },
  ],
  [
    'PATCH',
    '/data-tables/T/rows/update',
    {},
    { filter: filterOf('and', ['at', 'eq', 2]), data: { at: 8 }, returnData: true },
  ],
  [
    'PATCH',
    '/data-tables/T/rows/update',
    {},
    { filter: filterOf('and', ['at', 'eq', 7]), data: { at: 9 }, returnData: true, dryRun: true },
  ],
  ['PATCH', '/data-tables/T/rows/update', {}, { filter: ALL, data: { none: 1 } }],
  [
    'DELETE',
    '/data-tables/T/rows/delete',
    { filter: JSON.stringify(filterOf('or', ['id', 'eq', 5])), dryRun: true },
  ],
  [
    'DELETE',
    '/data-tables/T/rows/delete',
    { filter: JSON.stringify(filterOf('or', ['id', 'eq', 5], ['id', 'eq', 3])) },
  ],
  // Whether the id of a deleted last row is given again.
  insert({ status: 'after' }),
  rowsBy('id:asc', ALL),
  ['GET', '/data-tables/AAAAAAAAAAAAAAAA/rows', { filter: JSON.stringify(ALL) }],
];

const TIMES = new Set(['createdAt', 'updatedAt']);

/** What of an answer has to be the same: ids of tables, times and n8n's words for a refusal need not be. */
function comparable({ status, body }: ApiAnswer): unknown {
  if (status >= 400) return { status };
  const of = (one: unknown): unknown => {
    if (typeof one !== 'object' || one === null) return one;
    if (Array.isArray(one)) return one.map(of);
    const { columns, name, type } = one as Partial<DataTable & Column>;
    if (columns !== undefined) {
      return { name, columns: columns.map((column) => [column.name, column.type]).sort() };
    }
    if (name !== undefined && type !== undefined) return { name, type };
    const entries = Object.entries(one).filter(([key]) => !TIMES.has(key));
    return Object.fromEntries(entries.map(([key, value]) => [key, of(value)]));
  };
  return { status, body: of(body) };
}

/** Sends the same requests, one after the other. */
async function answersTo(send: (request: ApiRequest) => Promise<ApiAnswer>) {
  const answers: unknown[] = [];
  let table = '';
  for (const [method, path, query = {}, body] of REQUESTS) {
    const asked = Object.entries(query).map(([name, value]) => [name, String(value)] as const);
    const answer = await send({
      method,
      path: path.replace('/T', `/${table}`),
      query: Object.fromEntries(asked),
      body,
    });
    if (table === '') table = (answer.body as DataTable).id;
    answers.push({
      request: `${method} ${path} ${JSON.stringify([query, body])}`,
      ...(comparable(answer) as object),
    });
  }
  return answers;
}

describe('the stand-in for the data tables of n8n', () => {
  it('answers as the real n8n does', async () => {
    const { client } = await sharedN8n();
    const real = await answersOf(client.baseUrl, await client.createApiKey('Stand-in'));
    expect(await answersOf(standIn.baseUrl, 'key')).toEqual(real);
  });

  it('answers each request as the real n8n does', async () => {
    const { client } = await sharedN8n();
    const key = await client.createApiKey('Requests');
    const real = await answersTo(async ({ method, path, query, body }) => {
      const url = `${client.baseUrl}/api/v1${path}?${new URLSearchParams(query).toString()}`;
      const answer = await fetch(url, {
        method,
        headers: { 'X-N8N-API-KEY': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    });
    const api = new DataTablesOfN8n();
    expect(await answersTo(async (request) => await Promise.resolve(api.handle(request)))).toEqual(
      real,
    );
  });
});
