import { setTimeout as delay } from 'node:timers/promises';
import type { PreparedN8n, WorkflowNode } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { logTable } from '../n8n/triggerWorkflows';
import { ANSWER_MS, ITEMS, ourNode, run } from './dispatch';
import { median } from './median';
import { startCountingProxy } from '../n8n/countingProxy';

const CONCURRENCY = 50;
const OLD_ROWS = 100_000;
const RUNS = 5;

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

/** Fills a log with calls of one account that ended at a time. */
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
      orderNumber: `B-${count + index}`,
      customerPhone: '+12025550100',
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

/**
 * A thousand calls at 50, with answers after 100 ms: without a call log, with one, and with one that
 * holds a hundred thousand calls that have ended.
 */
export async function benchLog(n8n: PreparedN8n): Promise<string[][]> {
  const service = await startCallingService({ answerDelayMs: ANSWER_MS });
  const counter = await startCountingProxy(n8n.client.baseUrl);
  try {
    const credential = await n8n.client.createCredential('Service', 'outboundAiCallingApi', {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey: await n8n.client.createApiKey('Log'),
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const plain: number[] = [];
    const logged: number[] = [];
    const large: number[] = [];
    let requests = 0;
    await msOf(n8n, service, callsNode(credential)); // warms up
    for (const table of ['Log', 'Large']) await msOf(n8n, service, callsNode(credential, table));
    for (let round = 0; round < RUNS; round++) {
      plain.push(await msOf(n8n, service, callsNode(credential)));
      const before = counter.count();
      logged.push(await msOf(n8n, service, callsNode(credential, 'Log')));
      requests = counter.count() - before;
    }
    await fill(n8n, 'Large', { rows: OLD_ROWS, endedAt: Date.now() - 30 * 24 * 3_600_000 });
    await delay(1_000);
    const plainAgain: number[] = [];
    for (let round = 0; round < RUNS; round++) {
      plainAgain.push(await msOf(n8n, service, callsNode(credential)));
      large.push(await msOf(n8n, service, callsNode(credential, 'Large')));
    }
    const row = (label: string, with_: number[], without: number[]) => [
      label,
      `${median(without)} ms`,
      `${median(with_)} ms`,
      (median(with_) / median(without)).toFixed(2),
    ];
    return [
      ['1,000 calls at 50', 'without log', 'with log', 'ratio'],
      row('log of some thousand rows', logged, plain),
      row(`${OLD_ROWS} old rows`, large, plainAgain),
      ['requests to n8n', '0', String(requests), `${(requests / ITEMS).toFixed(3)} a call`],
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}
