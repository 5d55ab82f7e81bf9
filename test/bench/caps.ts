import type { PreparedN8n, WorkflowNode } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { startCountingProxy } from '../n8n/countingProxy';
import { workflowOf } from '../n8n/workflows';
import { ANSWER_MS, ITEMS } from './dispatch';
import { callsNode, fill, msOf as msOfCalls } from './log';
import { ratios, type Bench, type Figure } from './figure';
import { RUNS, sized } from './size';

const ROWS_OF_TODAY = sized(10_000, 2_000);
const OLD_ROWS = sized(90_000, 2_000);
const DAY_MS = 24 * 3_600_000;

/** Caps that are never reached, so that all is counted and everybody is called. */
const CAPS = {
  rules: { maxCallsPerDay: 1_000_000, maxCallsPerPersonPerDay: 1_000, maxCostPerDay: 1_000_000 },
};

/** Executions that begin at the same time, each with its share of the calls. */
const TOGETHER = 20;
const CAP = ITEMS / 2;

interface Run {
  /** How long the node took. */
  ms: number;
  /** How many requests n8n got for the log. */
  requests: number;
}

/** How long the node takes for one call, in milliseconds. */
export async function msOfOne({ client }: PreparedN8n, calls: WorkflowNode): Promise<number> {
  const items = [{ phone: '+12025550100' }];
  const workflow = await client.createWorkflow(workflowOf('One', items, calls));
  const { data } = await client.runManually(workflow, { timeoutMs: 60_000 });
  const [task] = data.resultData.runData.Calls ?? [];
  if (task === undefined || task.error !== undefined) throw new Error('Nobody was called');
  return task.executionTime;
}

/** How long executions that begin together took for all calls, in milliseconds. */
export async function msOfTogether(
  { client }: PreparedN8n,
  service: CallingService,
  calls: WorkflowNode,
  placed: number,
  together = TOGETHER,
): Promise<number> {
  const orders = Array.from({ length: ITEMS }, (_, index) => ({
    phone: `+1202555${1000 + index}`,
  }));
  const workflows = await Promise.all(
    Array.from({ length: together }, async (_, index) => {
      const share = orders.filter((_order, position) => position % together === index);
      return await client.createWorkflow(workflowOf(`Share ${index}`, share, calls));
    }),
  );
  service.reset();
  const executions = await Promise.all(
    workflows.map(async (workflow) => await client.runManually(workflow, { timeoutMs: 400_000 })),
  );
  if (service.seen.calls.length !== placed) {
    throw new Error(`${service.seen.calls.length} calls were placed instead of ${placed}`);
  }
  const tasks = executions.flatMap(({ data }) => data.resultData.runData.Calls ?? []);
  const begin = Math.min(...tasks.map(({ startTime }) => startTime));
  return (
    Math.max(...tasks.map(({ startTime, executionTime }) => startTime + executionTime)) - begin
  );
}

async function measure(n8n: PreparedN8n): Promise<Figure[]> {
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
      counted(async () => await msOfCalls(n8n, service, callsNode(credential, table, more)));
    const one = (more = {}) =>
      counted(async () => await msOfOne(n8n, callsNode(credential, 'Large', more)));

    for (const table of ['Off', 'On', 'Large']) await many(table); // warms up
    const off: Run[] = [];
    const on: Run[] = [];
    for (let round = 0; round < RUNS; round++) {
      off.push(await many('Off'));
      on.push(await many('On', CAPS));
    }
    const capped: number[] = [];
    const free: number[] = [];
    for (let round = 0; round < RUNS; round++) {
      const node = (table: string, more = {}) => callsNode(credential, `${table} ${round}`, more);
      free.push(await msOfTogether(n8n, service, node('Free'), ITEMS));
      const rules = { maxCallsPerDay: CAP };
      capped.push(await msOfTogether(n8n, service, node('Capped', { rules }), CAP));
    }
    await fill(n8n, 'Large', { rows: OLD_ROWS, endedAt: Date.now() - 30 * DAY_MS });
    await fill(n8n, 'Large', { rows: ROWS_OF_TODAY, endedAt: Date.now() });
    await one(CAPS); // The first call of a process counts all of today.
    const oneOff: Run[] = [];
    const oneOn: Run[] = [];
    for (let round = 0; round < RUNS; round++) {
      oneOff.push(await one());
      oneOn.push(await one(CAPS));
    }
    const msOf = (runs: Run[]) => runs.map(({ ms }) => ms);
    const more = (with_: Run[], without: Run[]) =>
      with_.map(({ requests }, run) => requests - (without[run]?.requests ?? NaN));
    return [
      {
        name: `${ITEMS} calls of ${TOGETHER} executions at once: a cap of ${CAP} ÷ none`,
        unit: 'times',
        values: ratios(capped, free),
        aim: { atMost: 1.3 },
      },
      {
        name: `${ITEMS} calls at 50: caps ÷ none`,
        unit: 'times',
        values: ratios(msOf(on), msOf(off)),
      },
      { name: 'one call: caps', unit: 'ms', values: msOf(oneOn) },
      { name: 'one call: no caps', unit: 'ms', values: msOf(oneOff) },
      {
        name: 'one call: more requests to n8n',
        unit: 'requests',
        values: more(oneOn, oneOff),
      },
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}

export const caps: Bench = {
  title: 'Caps for a day',
  about: `First come a thousand calls of ${TOGETHER} executions at once, under a cap of ${CAP}: exactly ${CAP} are placed. The figures after it have caps on calls, calls of a person and costs of a day, which nobody reaches. Each is compared with the same log without caps. Second come a thousand calls of one execution at 50 at once. Then come single calls in a log of ${ROWS_OF_TODAY + OLD_ROWS} calls, ${ROWS_OF_TODAY} of them of today.`,
  misses:
    'What costs: calls are admitted in groups. Each group sends five requests to n8n, one after the other: it locks, reads what changed, reads the last costs, marks its rows and releases the lock. So two processes never exceed a cap together.',
  measure,
};
