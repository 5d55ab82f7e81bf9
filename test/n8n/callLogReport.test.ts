import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
  DATA_TABLE_SCOPES,
  errorOf,
  jsonOf,
  sharedN8n,
  type Credential,
  type DataTables,
  type SharedN8n,
} from '../../scripts/n8n';
import { BESIDE_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/besideTable';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { logTable } from './triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from './workflows';

const SERVICE = { baseUrl: 'http://127.0.0.1:9' };
const ACCOUNT = accountFingerprint({ ...SERVICE, apiKey: 'test-key' });
const PHONE = '+12025550123';
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

let n8n: SharedN8n;
let tables: DataTables;
let credential: Credential;
let names = 0;
beforeAll(async () => {
  n8n = await sharedN8n();
  const n8nApiKey = await n8n.client.createApiKey('report');
  tables = n8n.client.dataTables(n8nApiKey);
  credential = await saveCredential(n8n.client, SERVICE, { n8nApiKey });
});

/** The row of an ended call that was placed so many days ago. */
function ended(days: number, columns: IDataObject = {}): IDataObject {
  return {
    customerPhone: PHONE,
    status: 'completed',
    outcome: 'Order confirmed',
    outcomeKey: 'order_confirmed',
    cost: 1.5,
    durationSec: 60,
    scriptId: 7,
    triggeredAt: daysAgo(days),
    finishedAt: daysAgo(days),
    dueAt: daysAgo(days),
    runAt: Date.now() - days * DAY_MS,
    callId: `call-${++names}`,
    attempt: 1,
    account: ACCOUNT,
    ...columns,
  };
}

const open = (days: number, columns: IDataObject = {}) =>
  ended(days, {
    status: 'in_progress',
    outcome: null,
    outcomeKey: null,
    finishedAt: null,
    ...columns,
  });

async function logOf(rows: IDataObject[]): Promise<{ id: string; name: string }> {
  const name = `report log ${++names}`;
  const { id } = await tables.create(name, LOG_COLUMNS);
  for (let start = 0; start < rows.length; start += 1_000) {
    await tables.insertCounted(id, rows.slice(start, start + 1_000));
  }
  return { id, name };
}

interface Asked {
  items?: IDataObject[];
  using?: Credential;
  timezone?: string;
}

async function run(
  operation: 'report' | 'prune',
  table: string,
  parameters: INodeParameters = {},
  { items = [{}], using = credential, timezone = 'Asia/Kolkata' }: Asked = {},
) {
  const all = { callLogTable: logTable(table), ...parameters };
  const node = callingNode('Log', `callLog.${operation}`, using, all);
  const workflow = { ...workflowOf(`${operation} ${table}`, items, node), settings: { timezone } };
  return await n8n.client.runManually(await n8n.client.createWorkflow(workflow));
}

const one = async (...asked: Parameters<typeof run>) => jsonOf(await run(...asked), 'Log')[0] ?? {};
const idsIn = async (id: string) => (await tables.rows(id)).map(({ callId }) => callId).sort();

describe('the report of a call log', () => {
  it('counts the calls of the account in the last 30 days, whatever else is in the table', async () => {
    const { id, name } = await logOf([
      ended(1),
      ended(1, { outcome: 'no_answer', outcomeKey: 'no_answer', cost: 0.5, durationSec: null }),
      ended(2, { scriptId: 8 }),
      open(0.01, { cost: null, durationSec: null }),
      ended(3, { status: 'given_up', outcome: null, outcomeKey: null, cost: null }),
      ended(3, { status: 'maybe_placed', outcome: null, outcomeKey: null, finishedAt: null }),
      ended(3, { request: JSON.stringify({ scriptId: 7, testCall: true }) }),
      ended(4, { status: 'not_placed' }),
      ended(4, { status: 'scheduled' }),
      ended(5, { account: 'another0account0' }),
      ended(5, { account: null }),
      ended(40),
    ]);
    const before = await tables.rows(id);
    const report = await one('report', name);
    expect(report).toMatchObject({
      groupBy: 'day',
      timezone: 'Asia/Kolkata',
      from: expect.stringMatching(/T00:00:00\+05:30$/),
      totals: {
        ...{ calls: 5, reached: 2, open: 1, givenUp: 1, maybePlaced: 1 },
        ...{ minutes: 3, cost: 3.5, costPerReached: 1.75 },
      },
    });
    expect(report.html).toMatch(/^<!doctype html>/);
    expect(report.html).toContain('Order confirmed');
    const byScript = await one('report', name, { groupBy: 'script' });
    expect(byScript.groups).toMatchObject([
      { key: '7', label: 'Script 7', calls: 4, outcomes: { order_confirmed: 1, no_answer: 1 } },
      { key: '8', calls: 1, reached: 1 },
    ]);
    const byOutcome = await one('report', name, {
      groupBy: 'outcome',
      options: { notReachedOutcomes: 'Order Confirmed' },
    });
    expect(byOutcome.totals).toMatchObject({ calls: 5, reached: 1 });
    expect(byOutcome.groups).toMatchObject([
      { key: 'order_confirmed', label: 'Order confirmed', calls: 2, reached: 0 },
      ...['given_up', 'in_progress', 'no_answer'].map((key) => ({ key, calls: 1 })),
      { key: 'maybe_placed', calls: 0, maybePlaced: 1 },
    ]);
    expect(await tables.rows(id)).toEqual(before);
  });

  it('includes the day of "To", and knows days by the time zone of the workflow', async () => {
    const { name } = await logOf([
      ended(0, { triggeredAt: '2026-03-09T18:29:59.000Z' }),
      ended(0, { triggeredAt: '2026-03-09T18:30:00.000Z' }),
      ended(0, { triggeredAt: '2026-03-11T18:29:59.000Z' }),
      ended(0, { triggeredAt: '2026-03-11T18:30:00.000Z' }),
    ]);
    const keysOf = async (parameters: INodeParameters, timezone?: string) => {
      const { groups } = await one('report', name, parameters, timezone ? { timezone } : {});
      return (groups as Array<{ key: string; calls: number }>).map(({ key, calls }) => [
        key,
        calls,
      ]);
    };
    const days = { from: '2026-03-10', to: '2026-03-11' };
    expect(await keysOf(days)).toEqual([
      ['2026-03-10', 1],
      ['2026-03-11', 1],
    ]);
    expect(await keysOf({ from: '2026-03-10T00:00:00', to: '2026-03-11T00:00:00' })).toEqual([
      ['2026-03-10', 1],
      ['2026-03-11', 1],
    ]);
    expect(await keysOf({ ...days, to: '2026-03-11T12:00' })).toEqual([['2026-03-10', 1]]);
    expect(await keysOf(days, 'UTC')).toEqual([['2026-03-11', 2]]);
    const expression = { from: '={{ DateTime.fromISO("2026-03-09T18:30:00Z") }}', to: days.to };
    expect(await keysOf(expression)).toEqual([
      ['2026-03-10', 1],
      ['2026-03-11', 1],
    ]);
  });

  it('reads a log of many pages with gaps, and a call with two rows once', async () => {
    const rows = Array.from({ length: 1_500 }, (_, index) => ended(index % 20));
    const { id, name } = await logOf([
      ...rows,
      { ...rows[3], status: 'in_progress', finishedAt: null },
    ]);
    const all = await tables.rows(id);
    for (const row of all.slice(400, 500)) await tables.deleteRow(id, row.id);
    const { totals } = await one('report', name);
    expect(totals).toMatchObject({ calls: 1_400, reached: 1_400, open: 0 });
  });

  it('refuses a table that is no call log, and leaves it as it is', async () => {
    const name = `no log ${++names}`;
    await tables.create(name, [{ name: 'phone', type: 'string' }]);
    for (const operation of ['report', 'prune'] as const) {
      const execution = await run(operation, name);
      expect(errorOf(execution)?.message).toContain(
        `"${name}" is no call log: it lacks the columns`,
      );
      expect((await tables.find(name))?.columns).toHaveLength(1);
    }
    const missing = await run('report', 'Not there at all');
    expect(errorOf(missing)?.message).toContain('There is no data table "Not there at all"');
    expect(await tables.find('Not there at all')).toBeUndefined();
  });
});

describe('pruning a call log', () => {
  it('deletes old rows of the account, and keeps and counts those of calls to come', async () => {
    const old = [...Array.from({ length: 599 }, () => ended(100)), open(100)];
    const stay = [
      open(0.5, { callId: 'open' }),
      open(100, { callId: 'scheduled', status: 'scheduled', triggeredAt: null }),
      ended(100, { callId: 'other', account: 'another0account0' }),
      ended(100, { callId: 'by hand', account: null }),
      ended(89, { callId: 'young' }),
    ];
    const { id, name } = await logOf([...old.slice(0, 300), ...stay, ...old.slice(300)]);
    const pruned = await one('prune', name);
    expect(pruned).toEqual({
      deleted: 600,
      kept: 1,
      reason: expect.stringContaining('1 row is of a scheduled or open call'),
    });
    expect(await idsIn(id)).toEqual(['by hand', 'open', 'other', 'scheduled', 'young']);
    expect(await one('prune', name, { olderThanDays: 95 })).toMatchObject({ deleted: 0, kept: 1 });
    expect(await one('prune', name, { olderThanDays: 88.5 })).toMatchObject({ deleted: 1 });
  });

  it('deletes everything about one person, in any spelling, and nothing about others', async () => {
    const others = Array.from({ length: 300 }, (_, index) =>
      ended(1, { customerPhone: `+1202555${1000 + index}`, callId: `other ${index}` }),
    );
    const { id, name } = await logOf([
      ended(0.1),
      ...others.slice(0, 150),
      ended(200),
      ended(2, { customerPhone: '(202) 555-0123' }),
      ended(2, { status: 'not_placed' }),
      ...others.slice(150),
      ended(2, { customerPhone: '+1 202 555 0132', callId: 'digits turned' }),
      open(0.01, { callId: 'open' }),
      ended(2, { account: null, callId: 'by hand' }),
    ]);
    const pruned = await one('prune', name, {
      pruneBy: 'phone',
      customerPhone: ' 1-202-555-0123',
      options: { defaultCountry: 'us' },
    });
    expect(pruned).toMatchObject({ deleted: 4, kept: 2 });
    expect(pruned.reason).toContain('1 row is of a scheduled or open call');
    expect(pruned.reason).toContain('1 row of this phone was not written with this API key');
    const left = await idsIn(id);
    expect(left).toHaveLength(303);
    expect(left).toEqual(expect.arrayContaining(['by hand', 'digits turned', 'open']));
  });

  it('keeps outcomes that a trigger has not handed over yet, and says which', async () => {
    const { id, name } = await logOf([
      ended(3, { callId: 'before' }),
      ended(2, { callId: 'not handed over' }),
      ended(2, { callId: 'handed over' }),
      ended(1.5, { callId: 'after' }),
    ]);
    const rows = await tables.rows(id);
    const idOf = (callId: string) => Number(rows.find((row) => row.callId === callId)?.id);
    const beside = await tables.create(`Triggers of ${name} (${id})`, BESIDE_COLUMNS);
    const cursor = {
      kind: 'cursor',
      workflow: 'Weekly outcomes',
      trigger: 'w:t',
      account: ACCOUNT,
      position: idOf('before'),
      handedOver: JSON.stringify([[idOf('handed over'), idOf('handed over')]]),
      seenUntil: Date.now() + DAY_MS,
      polledAt: Date.now() - 2 * DAY_MS,
    };
    await tables.insertCounted(beside.id, [
      cursor,
      { ...cursor, account: 'another0account0', workflow: 'Of others', position: 0 },
    ]);
    const pruned = await one('prune', name, { olderThanDays: 1 });
    expect(pruned).toEqual({
      deleted: 2,
      kept: 2,
      reason: expect.stringContaining(
        '2 rows have outcomes for which the workflow "Weekly outcomes" has not run yet',
      ),
    });
    expect(await idsIn(id)).toEqual(['after', 'not handed over']);
    const byPhone = { pruneBy: 'phone', customerPhone: PHONE };
    expect(await one('prune', name, byPhone)).toMatchObject({ deleted: 0, kept: 2 });
    await tables.update(
      beside.id,
      { column: 'account', equals: ACCOUNT },
      { position: idOf('after') },
    );
    expect(await one('prune', name, byPhone)).toEqual({ deleted: 2, kept: 0 });
  });

  it('tells every mistake before anything is deleted', async () => {
    const { id, name } = await logOf([ended(100)]);
    const items = [{ days: 90 }, { days: 0 }, { days: 'x' }];
    const execution = await run('prune', name, { olderThanDays: '={{ $json.days }}' }, { items });
    expect(errorOf(execution)?.message).toContain('2 mistakes in 2 items: nothing was sent');
    expect(errorOf(execution)?.description).toContain('Older Than (Days) is not');
    expect(await idsIn(id)).toHaveLength(1);
  });

  it('needs the right to delete, and a report does not', async () => {
    const { id, name } = await logOf([ended(100)]);
    const without = async (rights: RegExp) => {
      const scopes = DATA_TABLE_SCOPES.filter((scope) => !rights.test(scope));
      const n8nApiKey = await n8n.client.createApiKey(`reader ${++names}`, scopes);
      return { using: await saveCredential(n8n.client, SERVICE, { n8nApiKey }) };
    };
    const pruned = await run('prune', name, {}, await without(/delete/));
    expect(errorOf(pruned)?.message).toContain('dataTableRow:delete');
    expect(await idsIn(id)).toHaveLength(1);
    const reader = await without(/delete|update|create/);
    expect(await one('report', name, {}, reader)).toMatchObject({ totals: { calls: 0 } });
  });
});
