import type { INodeParameters } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import {
  DATA_TABLE_SCOPES,
  errorOf,
  jsonOf,
  startPreparedN8n,
  type PreparedN8n,
} from '../../scripts/n8n';
import { callingNode, saveCredential, workflowOf } from './workflows';

jest.setTimeout(240_000);

const PHONES = ['+12025550101', '+12025550102', '+12025550103'];

let n8n: PreparedN8n;
let service: CallingService;
let keys = 0;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 20, max: 20 }, speed: 2 });
  n8n = await startPreparedN8n();
});
afterAll(async () => {
  await n8n.stop();
  await service.close();
});
beforeEach(() => service.reset());

/** Calls the phones with a call log in the table of that name, under a key with these scopes. */
async function call(
  operation: 'trigger' | 'triggerAndWait',
  table: string,
  scopes = DATA_TABLE_SCOPES,
  more: INodeParameters = {},
) {
  const { client } = n8n;
  const credential = await saveCredential(client, service);
  const log = await client.createCredential('Call log', 'n8nCallLogApi', {
    baseUrl: `${client.baseUrl}/api/v1`,
    apiKey: await client.createApiKey(`key ${++keys}`, scopes),
  });
  const node = callingNode('Call', `call.${operation}`, credential, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.number }}' },
    callLog: 'dataTable',
    callLogTable: { __rl: true, mode: 'name', value: table },
    ...more,
  });
  node.credentials = { ...node.credentials, n8nCallLogApi: { id: log.id, name: log.name } };
  const items = PHONES.map((phone, index) => ({ phone, number: `A-${index}` }));
  return await client.runManually(await client.createWorkflow(workflowOf(table, items, node)));
}

async function rowsOf(table: string) {
  const tables = n8n.client.dataTables(await n8n.client.createApiKey(`key ${++keys}`));
  const found = await tables.find(table);
  return found === undefined ? [] : await tables.rows(found.id);
}

describe('the call log of the action node', () => {
  it('is made when missing and holds a row for every call', async () => {
    const output = jsonOf(await call('trigger', 'calls'), 'Call');
    expect(output.map((item) => 'callLogError' in item)).toEqual([false, false, false]);
    const rows = await rowsOf('calls');
    expect(rows.map(({ customerPhone }) => customerPhone)).toEqual(PHONES);
    expect(rows.map(({ orderId }) => Number(orderId))).toEqual(
      output.map(({ orderId }) => orderId),
    );
    expect(rows[1]).toMatchObject({ orderNumber: 'A-1', scriptId: 7, status: 'in_progress' });
  });

  it('shows how the calls ended that were waited for', async () => {
    await call('triggerAndWait', 'waited');
    const rows = await rowsOf('waited');
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row.outcome).toEqual(expect.any(String));
      expect(row.finishedAt).not.toBeNull();
    }
  });

  it('shows a call that may have been placed, and one that surely was not', async () => {
    service.faults.add({ kind: 'reset', when: 'after' });
    const execution = await call('trigger', 'in-doubt', DATA_TABLE_SCOPES, {
      options: { concurrency: 1 },
    });
    expect(errorOf(execution)?.message).toContain('the call may have been placed');
    const rows = await rowsOf('in-doubt');
    expect(rows.map(({ status }) => status)).toEqual(['maybe_placed', 'not_placed', 'not_placed']);
  });

  it('is written before anybody is called: without it nobody is', async () => {
    const scopes = DATA_TABLE_SCOPES.filter((scope) => scope !== 'dataTableRow:create');
    const execution = await call('trigger', 'calls', scopes);
    expect(errorOf(execution)?.message).toContain('dataTableRow:create');
    expect(errorOf(execution)?.description).toContain('Nobody was called');
    expect(service.seen.calls).toEqual([]);
  });
});
