import { DataTablesOfN8n, type ApiRequest } from '../dataTables/dataTablesOfN8n';
import { fc, runs, seed } from '../generators';

const COLUMNS = ['status', 'dueAt', 'mixed'].map((name) => ({ name, type: 'string' }));
const CELLS = {
  status: fc.constantFrom('scheduled', 'placing', 'completed', null),
  dueAt: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.constant(null)),
  mixed: fc.constantFrom('1', 'a', 2, 10, true, null),
};
const row = fc.record(CELLS);
const condition = fc.oneof(
  fc.record({
    columnName: fc.constant('id'),
    condition: fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte'),
    value: fc.integer({ min: 0, max: 600 }),
  }),
  ...Object.entries(CELLS).map(([columnName, value]) =>
    fc.record({
      columnName: fc.constant(columnName),
      condition: fc.constantFrom('eq', 'eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like'),
      value,
    }),
  ),
);
const filter = fc.record({
  type: fc.constantFrom('and', 'and', 'or'),
  filters: fc.array(condition, { maxLength: 4 }),
});
const sortBy = fc
  .tuple(
    // Cells of several types have no order in SQL.
    fc.constantFrom('id', 'status', 'dueAt', 'createdAt'),
    fc.constantFrom('asc', 'desc'),
  )
  .map((parts) => parts.join(':'));

const rows = (method: string, action = ''): Pick<ApiRequest, 'method' | 'path'> => ({
  method,
  path: `/data-tables/table0/rows${action}`,
});
const read = fc
  .record({ filter, sortBy, limit: fc.integer({ min: 1, max: 300 }), offset: fc.nat(20) })
  .map(({ filter: asked, sortBy: order, limit, offset }): ApiRequest => {
    const cursor = Buffer.from(JSON.stringify({ limit, offset })).toString('base64');
    const query = { filter: JSON.stringify(asked), sortBy: order, limit: String(limit), cursor };
    return { ...rows('GET'), query, body: undefined };
  });
// The same rows over and over: to draw thousands takes long.
const insert = fc
  .tuple(fc.array(row, { minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 60 }))
  .map(([some, times]): ApiRequest => {
    const data = Array.from({ length: times }, () => some).flat();
    return { ...rows('POST'), query: {}, body: { data } };
  });
const update = fc
  .record({ filter, data: fc.record(CELLS, { requiredKeys: [] }), returnData: fc.boolean() })
  .map((body): ApiRequest => ({ ...rows('PATCH', '/update'), query: {}, body }));
const remove = filter.map((asked): ApiRequest => ({
  ...rows('DELETE', '/delete'),
  query: { filter: JSON.stringify(asked), returnData: 'true' },
  body: undefined,
}));
const requests = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: read },
    { weight: 3, arbitrary: insert },
    { weight: 2, arbitrary: update },
    { weight: 1, arbitrary: remove },
  ),
  { minLength: 10, maxLength: 30, size: 'max' },
);

/** Every request takes a second; every third of rows is seen late. */
function answersTo(asked: ApiRequest[], database: 'sqlite' | 'postgres', isIndexed: boolean) {
  let now = 0;
  let inserts = 0;
  const visibleAfterMs = () => (inserts++ % 3 === 2 ? 2_500 : 0);
  const api = new DataTablesOfN8n({ now: () => now, visibleAfterMs, database, isIndexed });
  api.handle({
    method: 'POST',
    path: '/data-tables',
    query: {},
    body: { name: 'Calls', columns: COLUMNS },
  });
  const answers = asked.map((one) => {
    now += 1_000;
    return api.handle(structuredClone(one));
  });
  return { answers, rows: api.rowsOf('Calls'), count: api.rowCount };
}

it('answers from an index as it does without one', () => {
  fc.assert(
    fc.property(requests, fc.constantFrom('sqlite', 'postgres'), (asked, database) => {
      expect(answersTo(asked, database, true)).toEqual(answersTo(asked, database, false));
    }),
    { seed, numRuns: runs(20, 2_000) },
  );
});
