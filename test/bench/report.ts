import { setTimeout as delay } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { DataTables, PreparedN8n, WorkflowNode } from '../../scripts/n8n';
import type { Blocks } from './blocks';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { logTable } from '../n8n/triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { median, ratios, type Bench, type Figure } from './figure';
import { callsSince, deleteBefore, summarize } from './peers/calls';
import { RUNS, sized } from './size';
import { watched, type Needs } from './watched';

const ROWS = sized(100_000, 4_000);
const DAYS = 400;
const DAY_MS = 24 * 3_600_000;
/** Rows older than this are deleted: most of them. */
const KEPT_DAYS = 20;
const OLD_ROWS = (ROWS * (DAYS - KEPT_DAYS)) / DAYS;
const TABLE = 'Large log';
const service = { baseUrl: 'http://127.0.0.1:9' };
const OUTCOMES = ['Order confirmed', 'no_answer', 'Not Interested', 'voicemail', 'Unclear'];

/** Calls of 400 days as they look when they have ended, the oldest first. */
const PEOPLE = 9_000;
/** Numbers as those of a town: their digits have nothing in common but the area code. */
const phoneOf = (person: number) => `+1202${2_000_000 + ((person * 48_271) % 7_999_993)}`;

function endedCall(index: number, account: string) {
  const placedAt = Date.now() - DAYS * DAY_MS + Math.floor((index / ROWS) * DAYS * DAY_MS);
  const outcome = OUTCOMES[index % OUTCOMES.length] ?? '';
  return {
    orderNumber: `B-${index}`,
    customerName: `Customer ${index}`,
    customerPhone: phoneOf(index % PEOPLE),
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

interface Run extends Needs {
  ms: number;
  json: { totals?: { calls: number }; deleted?: number };
  items: number;
}

/** A log of calls that have ended, and what is done with it. */
class LargeLog {
  private constructor(
    private readonly n8n: PreparedN8n,
    private readonly blocks: Blocks,
    private readonly credential: { id: string; name: string },
    private readonly account: string,
    private readonly tables: DataTables,
    private readonly tableId: string,
  ) {}

  static async fill(n8n: PreparedN8n, blocks: Blocks): Promise<LargeLog> {
    const n8nApiKey = await n8n.client.createApiKey('Log');
    const account = accountFingerprint({ ...service, apiKey: 'test-key' });
    const credential = await saveCredential(n8n.client, service, { n8nApiKey });
    const tables = n8n.client.dataTables(n8nApiKey);
    const { id } = await tables.create(TABLE, LOG_COLUMNS);
    const log = new LargeLog(n8n, blocks, credential, account, tables, id);
    await log.add(ROWS);
    return log;
  }

  /** Adds the oldest of the calls. */
  async add(rows: number): Promise<void> {
    for (let start = 0; start < rows; start += 1_000) {
      const some = Array.from({ length: Math.min(1_000, rows - start) }, (_, index) =>
        endedCall(start + index, this.account),
      );
      await this.tables.insertCounted(this.tableId, some);
    }
  }

  async ours(operation: string, parameters: INodeParameters): Promise<Run> {
    const table = { callLogTable: logTable(TABLE) };
    return await this.run(
      callingNode('Log', operation, this.credential, { ...table, ...parameters }),
    );
  }

  async run(...steps: WorkflowNode[]): Promise<Run> {
    const { n8n, blocks } = this;
    const workflow = await n8n.client.createWorkflow(workflowOf('Log', [{}], ...steps));
    await delay(2_000);
    const { result, ...needs } = await watched(
      n8n,
      blocks,
      async () => await n8n.client.runManually(workflow, { timeoutMs: 400_000 }),
    );
    const { runData, error } = result.data.resultData;
    const tasks = steps.flatMap(({ name }) => runData[name] ?? []);
    const items = tasks.at(-1)?.data?.main?.[0] ?? [];
    const [item] = items;
    if (item === undefined) throw new Error(error?.message ?? 'The node did not run');
    const ms = tasks.reduce((sum, { executionTime }) => sum + executionTime, 0);
    return { ...needs, ms, json: item.json as Run['json'], items: items.length };
  }
}

const msOf = (runs: Run[]) => runs.map(({ ms }) => ms);

/** The time, memory and longest block of some runs. */
function needsOf(name: string, runs: Run[], mostMs: number, mostMb?: number): Figure[] {
  const memory: Figure = {
    name: `${name}: memory`,
    unit: 'MB',
    values: runs.map(({ peakMb }) => peakMb),
  };
  return [
    { name, unit: 's', values: msOf(runs).map((ms) => ms / 1000), aim: { atMost: mostMs / 1000 } },
    {
      name: `${name}: n8n's processor`,
      unit: 's',
      values: runs.map(({ processorMs }) => processorMs / 1000),
    },
    mostMb === undefined ? memory : { ...memory, aim: { atMost: mostMb } },
    {
      name: `${name}: longest block`,
      unit: 'ms',
      values: runs.map(({ blockMs }) => blockMs),
      aim: { atMost: 50 },
    },
  ];
}

const since = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** How many calls a report has counted. */
function callsOf({ json }: Run): number {
  const calls = json.totals?.calls;
  if (calls === undefined || calls === 0) throw new Error('No call was counted');
  return calls;
}

async function measureReport(n8n: PreparedN8n, blocks: Blocks): Promise<Figure[]> {
  const log = await LargeLog.fill(n8n, blocks);
  const whole: Run[] = [];
  const month: Run[] = [];
  const theirs: Run[] = [];
  await log.ours('callLog.report', {}); // warms up
  for (let round = 0; round < RUNS; round++) {
    whole.push(await log.ours('callLog.report', { from: since(DAYS + 1) }));
    month.push(await log.ours('callLog.report', {}));
    theirs.push(await log.run(callsSince(TABLE, since(DAYS + 1)), summarize));
  }
  const outcomes = new Set(OUTCOMES).size;
  if (callsOf(whole[0] as Run) !== ROWS || theirs.some(({ items }) => items !== outcomes)) {
    throw new Error('Not every call was counted');
  }
  const perCall = (runs: Run[]) => runs.map((run) => run.ms / callsOf(run));
  return [
    ...needsOf(`${ROWS} calls`, whole, 5_000, 50),
    {
      name: `30 days, ${median(month.map(callsOf))} calls`,
      unit: 's',
      values: msOf(month).map((ms) => ms / 1000),
    },
    {
      name: '30 days: time for each call ÷ that of all',
      unit: 'times',
      values: ratios(perCall(month), perCall(whole)),
    },
    {
      name: `${ROWS} calls by Data Table and Summarize`,
      unit: 's',
      values: msOf(theirs).map((ms) => ms / 1000),
    },
    {
      name: 'the same: memory',
      unit: 'MB',
      values: theirs.map(({ peakMb }) => peakMb),
    },
    {
      name: 'the same: longest block',
      unit: 'ms',
      values: theirs.map(({ blockMs }) => blockMs),
    },
  ];
}

async function measurePrune(n8n: PreparedN8n, blocks: Blocks): Promise<Figure[]> {
  const log = await LargeLog.fill(n8n, blocks);
  const ours: Run[] = [];
  const theirs: Run[] = [];
  const onePhone: Run[] = [];
  for (let round = 0; round < RUNS; round++) {
    onePhone.push(
      await log.ours('callLog.prune', {
        pruneBy: 'phone',
        customerPhone: phoneOf(1_000 + round),
      }),
    );
    const before = await log.ours('callLog.prune', { olderThanDays: KEPT_DAYS });
    if ((before.json.deleted ?? 0) < OLD_ROWS * 0.99) throw new Error('Too little was deleted');
    ours.push(before);
    await log.add(OLD_ROWS);
    const by = await log.run(deleteBefore(TABLE, since(KEPT_DAYS)));
    if (by.items < OLD_ROWS * 0.99) throw new Error(`n8n deleted ${by.items} rows`);
    theirs.push(by);
    await log.add(OLD_ROWS);
  }
  return [
    ...needsOf(`${OLD_ROWS} rows by age`, ours, 10_000),
    { name: 'the rows of one phone', unit: 's', values: msOf(onePhone).map((ms) => ms / 1000) },
    { name: 'by age by Data Table', unit: 's', values: msOf(theirs).map((ms) => ms / 1000) },
    { name: 'the same: memory', unit: 'MB', values: theirs.map(({ peakMb }) => peakMb) },
    { name: 'the same: longest block', unit: 'ms', values: theirs.map(({ blockMs }) => blockMs) },
  ];
}

export const report: Bench = {
  title: 'Reports',
  about: `A report of a call log with ${ROWS} calls of ${DAYS} days, and of its last 30 days. The peers are Data Table, which reads the rows, and Summarize, which counts outcomes and sums costs. Memory is what n8n's processes use in addition. The longest block is how long n8n's event loop did nothing else.`,
  misses:
    'What costs: n8n reads the rows, and writes each twice as JSON. Measured alone, this node needs 3 s to read that JSON and to count the calls. Data Table and Summarize need as long in one process, and 25 times the memory.',
  measure: measureReport,
};

export const prune: Bench = {
  title: 'Prune',
  about: `The deletion of the ${OLD_ROWS} oldest rows of a call log with ${ROWS}. The peer is Data Table, which deletes them in one request of its own. It asks no trigger whether it still waits for their outcomes.`,
  measure: measurePrune,
};
