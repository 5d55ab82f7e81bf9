import type { IDataObject } from 'n8n-workflow';
import type { DataTableError } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import {
  DataTables,
  holds,
  where,
  type Column,
} from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { sharedN8n } from '../../scripts/n8n';
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
    { type: 'or' as const, filters: [holds('id', 'eq', 1), holds('id', 'eq', 4)] },
  ];
  const answers: unknown[] = [];
  for (const filter of asked) answers.push(await tables.rows(id, filter, page));
  answers.push(await tables.rows(id, where(), { sortBy: 'at:asc', limit: 2 }));
  answers.push(await tables.rows(id, where(), { sortBy: 'at:desc', limit: 2 }));
  await tables.checkUpdate(id);
  await tables.checkDelete(id);
  answers.push(await tables.updateAndReturn(id, where(holds('at', 'eq', 1.5)), { at: 7.5, day }));
  answers.push(await tables.updateAndReturn(id, where(holds('at', 'eq', 1.5)), { at: 8 }));
  await tables.updateByIds(id, [1, 4], { status: 'changed', at: null });
  await tables.deleteByIds(id, [3]);
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

describe('the stand-in for the data tables of n8n', () => {
  it('answers as the real n8n does', async () => {
    const { client } = await sharedN8n();
    const real = await answersOf(client.baseUrl, await client.createApiKey('Stand-in'));
    expect(await answersOf(standIn.baseUrl, 'key')).toEqual(real);
  });
});
