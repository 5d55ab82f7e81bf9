import type { PreparedN8n, WorkflowNode } from '../../scripts/n8n';
import { startCallingService } from '../service';
import { startCountingProxy } from '../n8n/countingProxy';
import { workflowOf } from '../n8n/workflows';
import { ANSWER_MS, ITEMS } from './dispatch';
import { callsNode, fill, msOf } from './log';
import { median } from './median';

const RUNS = 5;
const ROWS_OF_TODAY = 10_000;
const OLD_ROWS = 90_000;
const DAY_MS = 24 * 3_600_000;

/** Caps that are never reached, so that all is counted and everybody is called. */
const CAPS = {
  rules: { maxCallsPerDay: 1_000_000, maxCallsPerPersonPerDay: 1_000, maxCostPerDay: 1_000_000 },
};

interface Run {
  /** How long the node took. */
  ms: number;
  /** How many requests n8n got for the log. */
  requests: number;
}

/** How long the node takes for one call, in milliseconds. */
async function msOfOne({ client }: PreparedN8n, calls: WorkflowNode): Promise<number> {
  const items = [{ phone: '+12025550100' }];
  const workflow = await client.createWorkflow(workflowOf('One', items, calls));
  const { data } = await client.runManually(workflow, { timeoutMs: 60_000 });
  const [task] = data.resultData.runData.Calls ?? [];
  if (task === undefined || task.error !== undefined) throw new Error('Nobody was called');
  return task.executionTime;
}

/**
 * Caps for a day beside none, both with a call log: a thousand calls at 50 with answers after 100 ms,
 * and single calls when the log holds ten thousand calls of today among a hundred thousand.
 */
export async function benchCaps(n8n: PreparedN8n): Promise<string[][]> {
  const service = await startCallingService({ answerDelayMs: ANSWER_MS });
  const counter = await startCountingProxy(n8n.client.baseUrl);
  try {
    const credential = await n8n.client.createCredential('Service', 'outboundAiCallingApi', {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey: await n8n.client.createApiKey('Log'),
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const counted = async (work: () => Promise<number>): Promise<Run> => {
      const before = counter.count();
      const ms = await work();
      return { ms, requests: counter.count() - before };
    };
    const many = (table: string, more = {}) =>
      counted(async () => await msOf(n8n, service, callsNode(credential, table, more)));
    const one = (more = {}) =>
      counted(async () => await msOfOne(n8n, callsNode(credential, 'Large', more)));

    for (const table of ['Off', 'On', 'Large']) await many(table); // warms up
    const off: Run[] = [];
    const on: Run[] = [];
    for (let round = 0; round < RUNS; round++) {
      off.push(await many('Off'));
      on.push(await many('On', CAPS));
    }
    await fill(n8n, 'Large', { rows: OLD_ROWS, endedAt: Date.now() - 30 * DAY_MS });
    await fill(n8n, 'Large', { rows: ROWS_OF_TODAY, endedAt: Date.now() });
    const first = await one(CAPS);
    const oneOff: Run[] = [];
    const oneOn: Run[] = [];
    for (let round = 0; round < RUNS; round++) {
      oneOff.push(await one());
      oneOn.push(await one(CAPS));
    }
    const row = (label: string, without: Run[], with_: Run[]) => {
      const [ms, msWith] = [without, with_].map((runs) => median(runs.map((run) => run.ms)));
      const [asked, askedWith] = [without, with_].map((runs) =>
        median(runs.map((run) => run.requests)),
      );
      return [
        label,
        `${ms} ms, ${asked} requests`,
        `${msWith} ms, ${askedWith} requests`,
        ((msWith ?? NaN) / (ms ?? NaN)).toFixed(2),
      ];
    };
    return [
      ['with a call log', 'no caps', 'caps', 'ratio'],
      row(`${ITEMS} calls at 50`, off, on),
      row(`one call, ${ROWS_OF_TODAY} of today in the log`, oneOff, oneOn),
      row('the same, the first in this process', oneOff, [first]),
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}
