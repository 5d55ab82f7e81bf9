import type { INodeParameters } from 'n8n-workflow';
import {
  DATA_TABLE_SCOPES,
  errorOf,
  jsonOf,
  sharedN8n,
  type DataTableRow,
  type SharedN8n,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { callingNode, saveCredential, workflowOf } from './workflows';

const PHONES = ['+12025550101', '+12025550102', '+12025550103'];

let n8n: SharedN8n;
let service: CallingService;
let keys = 0;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 20, max: 20 }, speed: 2 });
  n8n = await sharedN8n();
});
afterAll(async () => {
  await service.close();
});
beforeEach(() => service.reset());

interface Calls {
  scopes?: string[];
  parameters?: INodeParameters;
  phones?: string[];
  settings?: Parameters<typeof callingNode>[4];
}

/** Calls the phones with a call log in the table of that name. */
async function call(
  operation: 'trigger' | 'triggerAndWait',
  table: string,
  { scopes = DATA_TABLE_SCOPES, parameters = {}, phones = PHONES, settings = {} }: Calls = {},
) {
  const { client } = n8n;
  const credential = await saveCredential(client, service, {
    n8nApiKey: await client.createApiKey(`log of actions ${++keys}`, scopes),
  });
  const node = callingNode(
    'Call',
    `call.${operation}`,
    credential,
    {
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.number }}' },
      callLog: 'dataTable',
      callLogTable: { __rl: true, mode: 'name', value: table },
      ...parameters,
    },
    settings,
  );
  const items = phones.map((phone, index) => ({ phone, number: `A-${index}` }));
  return await client.runManually(await client.createWorkflow(workflowOf(table, items, node)));
}

async function tableOf(table: string) {
  const tables = n8n.client.dataTables(await n8n.client.createApiKey(`log of actions ${++keys}`));
  const found = await tables.find(table);
  if (found === undefined) throw new Error(`There is no table ${table}`);
  const rows = await tables.rows(found.id);
  return { tables, id: found.id, columns: found.columns, rows };
}

const byPhone = (a: DataTableRow, b: DataTableRow) =>
  String(a.customerPhone).localeCompare(String(b.customerPhone));
const rowsOf = async (table: string) => (await tableOf(table)).rows.sort(byPhone);

describe('the call log of the action node', () => {
  it('is made when missing and holds one row for every call', async () => {
    const output = jsonOf(await call('trigger', 'log of actions'), 'Call');
    expect(output.map((item) => 'callLogError' in item)).toEqual([false, false, false]);
    const rows = await rowsOf('log of actions');
    expect(rows.map(({ customerPhone }) => customerPhone)).toEqual(PHONES);
    expect(rows.map(({ orderId }) => Number(orderId))).toEqual(
      output.map(({ orderId }) => orderId),
    );
    expect(rows[1]).toMatchObject({
      orderNumber: 'A-1',
      scriptId: 7,
      status: 'in_progress',
      attempt: 1,
      dueAt: expect.any(String),
      callId: expect.stringMatching(/^[0-9a-f]{12}-[0-9a-f]{8}-[0-9a-f]{12}$/),
      account: expect.stringMatching(/^[0-9a-f]{16}$/),
      lookCount: 0,
      lockedBy: '',
      lockedUntil: 0,
      batch: '',
      request: JSON.stringify({ scriptId: 7, variables: {}, dialled: rows[1]?.customerPhone }),
    });
  });

  it('has its columns in the order in which a person looks', async () => {
    const { columns } = await tableOf('log of actions');
    expect(columns.sort((a, b) => a.index - b.index).map(({ name }) => name)).toEqual(
      (
        'orderNumber customerName customerPhone status dueAt attempt outcome summary cost durationSec ' +
        'triggeredAt finishedAt nextAttemptAt lastError orderId outcomeKey scriptId callId account ' +
        'duplicateKey request runAt lockedBy lockedUntil lookCount batch'
      ).split(' '),
    );
  });

  it('holds one row for every call of many batches', async () => {
    const phones = Array.from({ length: 150 }, (_, index) => `+1202555${1000 + index}`);
    const output = jsonOf(await call('trigger', 'log of many', { phones }), 'Call');
    const rows = await rowsOf('log of many');
    expect(rows.map(({ customerPhone }) => customerPhone)).toEqual(phones);
    expect(rows.map(({ status }) => status)).toEqual(phones.map(() => 'in_progress'));
    expect(rows.map(({ orderId }) => Number(orderId))).toEqual(
      output.map(({ orderId }) => orderId),
    );
  });

  it('shows how the calls ended that were waited for', async () => {
    await call('triggerAndWait', 'log of waiting');
    const rows = await rowsOf('log of waiting');
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row.status).toMatch(/completed|failed/);
      expect(row.outcome).toEqual(expect.any(String));
      expect(row.outcomeKey).toMatch(/^[a-z_]+$/);
      expect(row.finishedAt).not.toBeNull();
    }
  });

  it('shows a call that may have been placed, and one that surely was not', async () => {
    service.faults.add({ kind: 'reset', when: 'after' });
    const execution = await call('trigger', 'log in doubt', {
      parameters: { options: { concurrency: 1 } },
    });
    expect(errorOf(execution)?.message).toContain('the call may have been placed');
    expect(errorOf(execution)?.message).toMatch(/^Somebody may have been called/);
    const rows = await rowsOf('log in doubt');
    expect(rows.map(({ status }) => status)).toEqual(['maybe_placed', 'not_placed', 'not_placed']);
    expect(rows[0]?.lastError).toContain('the call may have been placed');
    expect(service.seen.calls).toHaveLength(1);
  });

  it('keeps one row a call through Retry On Fail, and forgets what was not tried before', async () => {
    service.faults.add({ kind: 'status', status: 400, times: 1 });
    const execution = await call('trigger', 'log of retries', {
      parameters: { options: { concurrency: 1 } },
      settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 },
    });
    expect(jsonOf(execution, 'Call')).toHaveLength(3);
    const rows = await rowsOf('log of retries');
    expect(rows.map(({ status, customerPhone }) => [customerPhone, status])).toEqual([
      [PHONES[0], 'in_progress'],
      [PHONES[1], 'in_progress'],
      [PHONES[2], 'in_progress'],
    ]);
    expect(service.seen.calls).toHaveLength(3);
  });

  it('says of a call whose row was deleted meanwhile that the log does not tell of it', async () => {
    const running = call('triggerAndWait', 'log of a deleted row', { phones: PHONES.slice(0, 1) });
    for (;;) {
      const found = await tableOf('log of a deleted row').catch(() => undefined);
      const row = found?.rows.find(({ status }) => status === 'in_progress');
      if (found === undefined || row === undefined) continue;
      const { tables, id } = found;
      await tables.deleteRow(id, row.id);
      break;
    }
    const execution = await running;
    const [item] = jsonOf(execution, 'Call');
    expect(item).toMatchObject({ finished: true });
    expect(item?.callLogError).toContain('its row was deleted, or its call was scheduled again');
    expect((await tableOf('log of a deleted row')).rows).toEqual([]);
  });

  it('is no table that holds something else, which is left as it is', async () => {
    const { client } = n8n;
    const tables = client.dataTables(await client.createApiKey(`log of actions ${++keys}`));
    const columns = [
      { name: 'note', type: 'string' },
      { name: 'status', type: 'string' },
    ] as const;
    const { id } = await tables.create('Clients of the action node', [...columns]);
    const refused = await call('trigger', 'Clients of the action node');
    expect(errorOf(refused)?.message).toMatch(
      /^Nobody was called.*"Clients of the action node" is no call log/,
    );
    const table = (await tables.list()).find((one) => one.id === id);
    expect(table?.columns.map(({ name }) => name).sort()).toEqual(['note', 'status']);
    expect(service.seen.calls).toEqual([]);
  });

  it.each(['dataTableRow:create', 'dataTableRow:update', 'dataTableRow:delete'])(
    'is written before anybody is called: without %s nobody is',
    async (missing) => {
      const scopes = DATA_TABLE_SCOPES.filter((scope) => scope !== missing);
      const execution = await call('trigger', 'log of actions', { scopes });
      expect(errorOf(execution)?.message).toMatch(/^Nobody was called/);
      expect(errorOf(execution)?.message).toContain(missing);
      expect(service.seen.calls).toEqual([]);
    },
  );

  it('gives every item its error when it cannot be opened and the node continues on error', async () => {
    const scopes = DATA_TABLE_SCOPES.filter((scope) => scope !== 'dataTable:list');
    const execution = await call('trigger', 'log of actions', {
      scopes,
      settings: { onError: 'continueRegularOutput' },
    });
    const output = jsonOf(execution, 'Call');
    expect(output).toHaveLength(3);
    for (const { error } of output) expect(error).toMatch(/^Nobody was called.*dataTable:list/);
    expect(service.seen.calls).toEqual([]);
  });
});
