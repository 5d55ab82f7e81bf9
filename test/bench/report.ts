import { setTimeout as delay } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { PreparedN8n } from '../../scripts/n8n';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { logTable } from '../n8n/triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { watched } from './watched';

const ROWS = 100_000;
const DAYS = 400;
const DAY_MS = 24 * 3_600_000;
/** Rows older than this are deleted: most of them. */
const KEPT_DAYS = 20;
const service = { baseUrl: 'http://127.0.0.1:9' };
const OUTCOMES = ['Order confirmed', 'no_answer', 'Not Interested', 'voicemail', 'Unclear'];

/** Calls of 400 days as they look when they have ended, the oldest first. */
function endedCall(index: number, account: string) {
  const placedAt = Date.now() - DAYS * DAY_MS + Math.floor((index / ROWS) * DAYS * DAY_MS);
  const outcome = OUTCOMES[index % OUTCOMES.length] ?? '';
  return {
    orderNumber: `B-${index}`,
    customerName: `Customer ${index}`,
    customerPhone: `+1202555${1000 + (index % 9000)}`,
    status: 'completed',
    outcome,
    outcomeKey: outcome.toLowerCase().replace(' ', '_'),
    summary: 'The customer confirmed the order, and asked to have it delivered in the afternoon.',
    cost: 1.25,
    durationSec: 42,
    triggeredAt: new Date(placedAt).toISOString(),
    finishedAt: new Date(placedAt + 60_000).toISOString(),
    dueAt: new Date(placedAt).toISOString(),
    attempt: 1,
    orderId: String(1_000_000 + index),
    scriptId: 7,
    callId: `abcdef012345-${Math.floor(index / 100)}-${index % 100}`,
    account,
    lookCount: 2,
    runAt: placedAt + 60_000,
    request: JSON.stringify({ scriptId: 7, variables: { brand_name: 'Acme', amount: '499' } }),
  };
}

async function fill(n8n: PreparedN8n, name: string, account: string): Promise<void> {
  const tables = n8n.client.dataTables(await n8n.client.createApiKey('Fill'));
  const table = await tables.create(name, LOG_COLUMNS);
  for (let start = 0; start < ROWS; start += 2_000) {
    const rows = Array.from({ length: 2_000 }, (_, index) => endedCall(start + index, account));
    await tables.insertCounted(table.id, rows);
  }
}

/** A call log with 100,000 calls of 400 days: its report, that of the last 30 days, and its pruning. */
export async function benchReport(n8n: PreparedN8n): Promise<string[][]> {
  const n8nApiKey = await n8n.client.createApiKey('Log');
  const account = accountFingerprint({ ...service, apiKey: 'test-key' });
  const credential = await saveCredential(n8n.client, service, { n8nApiKey });
  await fill(n8n, 'Large log', account);
  const run = async (label: string, operation: string, parameters: INodeParameters) => {
    const table = { callLogTable: logTable('Large log') };
    const node = callingNode('Log', operation, credential, { ...table, ...parameters });
    const workflow = await n8n.client.createWorkflow(workflowOf(label, [{}], node));
    await delay(3_000);
    const { result, peakMb, blockMs, processorMs } = await watched(
      n8n,
      async () => await n8n.client.runManually(workflow, { timeoutMs: 400_000 }),
    );
    const [task] = result.data.resultData.runData.Log ?? [];
    const json = task?.data?.main?.[0]?.[0]?.json;
    if (task === undefined || json === undefined) {
      throw new Error(task?.error?.message ?? 'The node did not run');
    }
    const { totals, deleted } = json as { totals?: { calls: number }; deleted?: number };
    return [
      label,
      String(totals?.calls ?? deleted),
      `${task.executionTime} ms`,
      `${processorMs.toFixed(0)} ms`,
      `${peakMb.toFixed(0)} MB`,
      `${blockMs.toFixed(0)} ms`,
    ];
  };
  const idle = await watched(n8n, async () => await delay(10_000));
  const whole = { from: new Date(Date.now() - (DAYS + 1) * DAY_MS).toISOString() };
  return [
    [`log of ${ROWS} calls`, 'calls', 'time', 'processor', 'peak above idle', 'longest block'],
    [
      'nothing, for 10 s',
      '0',
      '',
      `${idle.processorMs.toFixed(0)} ms`,
      '0 MB',
      `${idle.blockMs.toFixed(0)} ms`,
    ],
    await run('report of all', 'callLog.report', whole),
    await run('report of all, by outcome', 'callLog.report', { ...whole, groupBy: 'outcome' }),
    await run('report of the last 30 days', 'callLog.report', {}),
    await run('prune one phone', 'callLog.prune', {
      pruneBy: 'phone',
      customerPhone: '+1 (202) 555-1234',
    }),
    await run('prune by age', 'callLog.prune', { olderThanDays: KEPT_DAYS }),
    await run('report of what is left', 'callLog.report', whole),
  ];
}
