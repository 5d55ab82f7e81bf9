import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { jsonOf, sharedN8n, type Credential, type SharedN8n } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { logTable } from './triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from './workflows';

const DAY_MS = 24 * 3_600_000;

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let apiKey: string;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 20, max: 20 }, answerDelayMs: 50 });
  n8n = await sharedN8n();
  apiKey = await n8n.client.createApiKey('Caps');
  calling = await saveCredential(n8n.client, service, { n8nApiKey: apiKey });
});
afterAll(async () => {
  await service.close();
});
beforeEach(() => service.reset());

const phonesOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `+1202555${String(1000 + from + index)}`);

/** Calls the phones with a call log and rules; gives what came out. */
async function call(table: string, phones: string[], rules: INodeParameters) {
  const node = callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    callLog: 'dataTable',
    callLogTable: logTable(table),
    rules,
  });
  const items = phones.map((phone) => ({ phone }));
  const { client } = n8n;
  const workflow = await client.createWorkflow(workflowOf(table, items, node));
  return jsonOf(await client.runManually(workflow), 'Call');
}

async function tableOf(name: string) {
  const tables = n8n.client.dataTables(apiKey);
  const { id = '' } = (await tables.find(name)) ?? {};
  return { tables, id, rows: await tables.rows(id) };
}

const isSkipped = ({ skipped }: IDataObject) => skipped === true;

describe('caps for a day', () => {
  it('skip what is beyond them, tell it, and hold for later executions', async () => {
    const output = await call('told', phonesOf(8), { maxCallsPerDay: 5 });
    const skipped = output.filter(isSkipped);
    expect(skipped).toHaveLength(3);
    expect(skipped[0]).toMatchObject({
      reason: 'dailyCap',
      customerPhone: expect.any(String),
      nextAllowedAt: expect.any(String),
    });
    expect(Date.parse(String(skipped[0]?.nextAllowedAt))).toBeGreaterThan(Date.now());
    expect(service.seen.calls).toHaveLength(5);
    const { rows } = await tableOf('told');
    const unplaced = rows.filter(({ status }) => status === 'not_placed');
    expect(unplaced).toHaveLength(3);
    for (const { lastError } of unplaced) {
      expect(lastError).toMatch(/^Nobody was called: the daily cap of 5 calls is reached; it is/);
    }
    const again = await call('told', phonesOf(2, 50), { maxCallsPerDay: 6 });
    expect(again.filter(isSkipped)).toHaveLength(1);
    expect(service.seen.calls).toHaveLength(6);
  });

  it('skip a person who was called today', async () => {
    const [phone = ''] = phonesOf(1, 100);
    const rules = { maxCallsPerPersonPerDay: 1 };
    expect((await call('person', [phone, phone], rules)).filter(isSkipped)).toHaveLength(1);
    expect((await call('person', [phone], rules)).filter(isSkipped)).toHaveLength(1);
    expect(service.seen.calls).toHaveLength(1);
  });

  it('count the cost of calls that ended, and that of others by their mean', async () => {
    await call('cost', phonesOf(2), {});
    const { tables, id, rows } = await tableOf('cost');
    const [row] = rows;
    // One of 2, one that goes on and is expected to cost 2 as well.
    await tables.update(
      id,
      { column: 'id', equals: row?.id ?? 0 },
      { cost: 2, status: 'completed', finishedAt: new Date().toISOString() },
    );
    const output = await call('cost', phonesOf(4, 200), { maxCostPerDay: 8.5 });
    expect(output.filter(isSkipped)).toHaveLength(2);
  });

  it('do not count the calls of yesterday, which begins anew where the hours are', async () => {
    await call('yesterday', phonesOf(4), {});
    const { tables, id, rows } = await tableOf('yesterday');
    const ids = rows.map((row) => row.id);
    const timezone = 'Asia/Kolkata';
    const hours = {
      start: '00:00',
      end: '00:00',
      days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
      timezone,
    };
    const kolkata = 5.5 * 3_600_000;
    const midnight = Math.floor((Date.now() + kolkata) / DAY_MS) * DAY_MS - kolkata;
    const placedAt = [midnight - 1, midnight - DAY_MS, midnight, Date.now()];
    for (const [index, at] of placedAt.entries()) {
      const triggeredAt = new Date(at).toISOString();
      await tables.update(id, { column: 'id', equals: ids[index] ?? 0 }, { triggeredAt });
    }
    const rules = { maxCallsPerDay: 3, callingHours: { hours } };
    const output = await call('yesterday', phonesOf(2, 300), rules);
    expect(output.filter(isSkipped)).toHaveLength(1);
    const [skipped] = output.filter(isSkipped);
    expect(Date.parse(String(skipped?.nextAllowedAt))).toBe(midnight + DAY_MS);
  });

  it('hold for executions at once, and leave no place free', async () => {
    const rules = { maxCallsPerDay: 10 };
    // The table must be there, or both make it.
    await call('at once', phonesOf(1, 400), rules);
    const outputs = await Promise.all(
      [410, 430, 450].map(async (from) => await call('at once', phonesOf(6, from), rules)),
    );
    expect(outputs.flat().filter(isSkipped)).toHaveLength(9);
    expect(service.seen.calls).toHaveLength(10);
    const rest = await Promise.all(
      [470, 480].map(
        async (from) => await call('at once', phonesOf(1, from), { maxCallsPerDay: 11 }),
      ),
    );
    expect(rest.flat().filter(isSkipped)).toHaveLength(1);
  });
});
