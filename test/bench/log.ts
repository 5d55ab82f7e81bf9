import { setTimeout as delay } from 'node:timers/promises';
import type { PreparedN8n, WorkflowNode } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { logTable } from '../n8n/triggerWorkflows';
import { saveCredential } from '../n8n/workflows';
import { ANSWER_MS, ITEMS, ourNode, run } from './dispatch';
import { ratios, type Bench, type Figure } from './figure';
import { httpCalls, writeCalls } from './peers/calls';
import { RUNS, sized } from './size';
import { startCountingProxy } from '../n8n/countingProxy';

const CONCURRENCY = 50;
const OLD_ROWS = sized(100_000, 2_000);

/** @param more parameters of the node, such as its rules */
export function callsNode(
  credential: { id: string; name: string },
  table?: string,
  more: WorkflowNode['parameters'] = {},
): WorkflowNode {
  if (table === undefined) return ourNode(CONCURRENCY, credential, more);
  const log = { callLog: 'dataTable', callLogTable: logTable(table) };
  return ourNode(CONCURRENCY, credential, { ...log, ...more });
}

/** How long the node took, as n8n measured it, in milliseconds; every call must be in the log. */
export async function msOf(n8n: PreparedN8n, service: CallingService, calls: WorkflowNode) {
  const { ms, items } = await run(n8n, service, calls);
  if (items.some((item) => 'callLogError' in item)) throw new Error('Not every row was written');
  return ms;
}

const orderOf = (number: number) => `b-${number}`;
const phoneOf = (number: number) => `+1303${5_000_000 + number}`;
/** Orders whose numbers run, as those of a shop do; each run of the workflow has others. */
const RUNNING = { orderNumber: '=c-{{ $execution.id }}-{{ 100000 + $itemIndex }}' };

/** Fills a log with calls of one account that ended at a time, each to another person. */
export async function fill(
  { client }: PreparedN8n,
  table: string,
  { rows: total, endedAt }: { rows: number; endedAt: number },
): Promise<void> {
  const tables = client.dataTables(await client.createApiKey(`Fill ${table} ${endedAt}`));
  const found = await tables.find(table);
  if (found === undefined) throw new Error(`There is no table ${table}`);
  const [row] = await tables.rows(found.id);
  const finishedAt = new Date(endedAt).toISOString();
  const ended = { status: 'completed', outcome: 'Confirmed', outcomeKey: 'confirmed', finishedAt };
  for (let count = 0; count < total; count += 2_000) {
    const rows = Array.from({ length: 2_000 }, (_, index) => ({
      orderNumber: orderOf(100_000 + count + index),
      duplicateKey: JSON.stringify([orderOf(100_000 + count + index), phoneOf(count + index)]),
      customerPhone: phoneOf(count + index),
      orderId: String(1_000_000 + count + index),
      callId: `bench-${endedAt}-${count + index}`,
      cost: 0.1,
      account: row?.account,
      attempt: 1,
      lookCount: 1,
      triggeredAt: finishedAt,
      runAt: endedAt,
      ...ended,
    }));
    await tables.insertCounted(found.id, rows);
  }
}

async function measure(n8n: PreparedN8n): Promise<Figure[]> {
  const service = await startCallingService({ answerDelayMs: ANSWER_MS });
  const counter = await startCountingProxy(n8n.client.baseUrl);
  try {
    const n8nApiKey = await n8n.client.createApiKey('Log');
    const credential = await saveCredential(n8n.client, service, {
      n8nApiKey,
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const tables = n8n.client.dataTables(n8nApiKey);
    const theirs = await tables.create('Theirs', [{ name: 'orderId', type: 'string' }]);
    const batch = { batchSize: CONCURRENCY, batchInterval: ANSWER_MS };
    const peer = [httpCalls(service, batch), writeCalls('Theirs')];
    const plain: number[] = [];
    const logged: number[] = [];
    const peers: number[] = [];
    const requests: number[] = [];
    await msOf(n8n, service, callsNode(credential)); // warms up
    for (const table of ['Log', 'Large']) await msOf(n8n, service, callsNode(credential, table));
    for (let round = 0; round < RUNS; round++) {
      plain.push(await msOf(n8n, service, callsNode(credential)));
      const before = counter.count();
      logged.push(await msOf(n8n, service, callsNode(credential, 'Log')));
      requests.push(counter.count() - before);
      peers.push((await run(n8n, service, ...peer)).ms);
    }
    const written = (await tables.rows(theirs.id)).filter(({ orderId }) => Number(orderId) > 0);
    if (written.length !== RUNS * ITEMS) throw new Error(`${written.length} rows were written`);
    await fill(n8n, 'Large', { rows: OLD_ROWS, endedAt: Date.now() - 30 * 24 * 3_600_000 });
    await delay(1_000);
    const plainAgain: number[] = [];
    const large: number[] = [];
    const unasked: number[] = [];
    const asked: number[] = [];
    const numbered = (rules: WorkflowNode['parameters']) =>
      callsNode(credential, 'Large', { additionalFields: RUNNING, rules });
    for (let round = 0; round < RUNS; round++) {
      plainAgain.push(await msOf(n8n, service, callsNode(credential)));
      large.push(await msOf(n8n, service, callsNode(credential, 'Large')));
      unasked.push(await msOf(n8n, service, numbered({})));
      asked.push(await msOf(n8n, service, numbered({ preventDuplicates: true })));
    }
    const aim = { atMost: 1.25 };
    return [
      { name: 'with the log ÷ without', unit: 'times', values: ratios(logged, plain), aim },
      {
        name: `with ${OLD_ROWS} old rows in it ÷ without`,
        unit: 'times',
        values: ratios(large, plainAgain),
        aim,
      },
      {
        name: `Prevent Duplicates with ${OLD_ROWS} old rows ÷ without the rule`,
        unit: 'times',
        values: ratios(asked, unasked),
        aim: { atMost: 1.5 },
      },
      {
        name: 'HTTP Request, then Data Table ÷ with the log',
        unit: 'times',
        values: ratios(peers, logged),
      },
      { name: 'requests to n8n for the log', unit: 'requests', values: requests },
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}

export const log: Bench = {
  title: 'The call log',
  about:
    'A thousand calls at 50 at once, with answers after 100 ms: with a call log, and without. A second series has orders whose numbers run, with Prevent Duplicates and without. The peer is HTTP Request, then Data Table, which writes the thousand rows when all calls were placed.',
  misses:
    'What costs, by a profile of five runs: n8n answers the requests for the log in the process that runs the node. With the log it works 0.9 s longer, 0.7 s of that for its own tables, 0.03 s for this node. The rest is waiting for answers.',
  measure,
};
