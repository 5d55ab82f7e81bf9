import type { IDataObject } from 'n8n-workflow';
import type { PreparedN8n, WorkflowNode } from '../../scripts/n8n';
import { callingNode, saveCredential } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { ratios, type Bench, type Figure } from './figure';
import { httpCalls } from './peers/calls';
import { RUNS, sized } from './size';

export const ITEMS = sized(1000, 50);
export const ANSWER_MS = 100;
const CONCURRENCIES = [50, 200];

const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });

/** A thousand orders, made inside n8n. */
const orders: WorkflowNode = {
  name: 'Orders',
  type: 'n8n-nodes-base.code',
  typeVersion: 2,
  position: [200, 0],
  parameters: {
    jsCode: `return Array.from({ length: ${ITEMS} }, (_, i) => ({ json: { phone: '+1202555' + (1000 + i) } }));`,
  },
};
const start: WorkflowNode = {
  name: 'Start',
  type: 'n8n-nodes-base.manualTrigger',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
};

/** @param more parameters of the node, such as those of a call log */
export function ourNode(
  concurrency: number,
  credential: { id: string; name: string },
  more: WorkflowNode['parameters'] = {},
): WorkflowNode {
  return callingNode('Calls', 'call.trigger', credential, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    options: { concurrency },
    ...more,
  });
}

export interface Run {
  /** How long the nodes took after one another, as n8n measured them, in milliseconds. */
  ms: number;
  /** What of it had passed when the service took the first call: reading and checking all items. */
  beforehandMs: number;
  items: IDataObject[];
}

/** Places a thousand calls with the nodes after one another; all of them must be placed. */
export async function run(
  { client }: PreparedN8n,
  service: CallingService,
  ...steps: WorkflowNode[]
): Promise<Run> {
  const nodes = [start, orders, ...steps];
  const connections = Object.fromEntries(
    nodes.slice(1).map(({ name }, index) => [nodes[index]?.name ?? '', link(name)]),
  );
  const workflow = await client.createWorkflow({ name: 'Dispatch', nodes, connections });
  service.reset();
  const { data } = await client.runManually(workflow, { timeoutMs: 400_000 });
  const { runData, error } = data.resultData;
  const tasks = steps.flatMap(({ name }) => runData[name] ?? []);
  const items = (tasks.at(-1)?.data?.main?.[0] ?? []).map(({ json }) => json);
  if (items.length !== ITEMS || service.seen.calls.length !== ITEMS) {
    const skipped = items.find((item) => 'reason' in item);
    const why = error?.message ?? JSON.stringify(skipped);
    throw new Error(`${service.seen.calls.length} calls were placed: ${why}`);
  }
  const firstCallAt = service.seen.calls[0]?.placedAt ?? NaN;
  const beforehandMs = firstCallAt - ANSWER_MS - (tasks[0]?.startTime ?? NaN);
  const ms = tasks.reduce((sum, { executionTime }) => sum + executionTime, 0);
  return { ms, beforehandMs, items };
}

async function measure(n8n: PreparedN8n): Promise<Figure[]> {
  const service = await startCallingService({ answerDelayMs: ANSWER_MS });
  try {
    const credential = await saveCredential(n8n.client, service);
    const figures: Figure[] = [];
    for (const concurrency of CONCURRENCIES) {
      const limitMs = (ITEMS / concurrency) * ANSWER_MS;
      const batch = { batchSize: concurrency, batchInterval: ANSWER_MS };
      const ours: Run[] = [];
      const theirs: Run[] = [];
      await run(n8n, service, ourNode(concurrency, credential)); // warms up
      for (let round = 0; round < RUNS; round++) {
        ours.push(await run(n8n, service, ourNode(concurrency, credential)));
        theirs.push(await run(n8n, service, httpCalls(service, batch)));
      }
      const byLimit = (name: string, values: number[], aim?: Figure['aim']): Figure => ({
        name: `${concurrency} at once: ${name}`,
        unit: 'times',
        values: values.map((ms) => ms / limitMs),
        ...(aim === undefined ? {} : { aim }),
      });
      const isAimed = concurrency === 50;
      const ms = ours.map((one) => one.ms);
      const theirMs = theirs.map((one) => one.ms);
      figures.push(
        byLimit('this node ÷ limit', ms, isAimed ? { atMost: 1.25 } : undefined),
        byLimit(
          'the same from the first call on ÷ limit',
          ours.map((one) => one.ms - one.beforehandMs),
          isAimed ? { atMost: 1.05 } : undefined,
        ),
        byLimit('HTTP Request ÷ limit', theirMs),
        {
          name: `${concurrency} at once: HTTP Request ÷ this node`,
          unit: 'times',
          values: ratios(theirMs, ms),
        },
      );
    }
    return figures;
  } finally {
    await service.close();
  }
}

export const dispatch: Bench = {
  title: 'A thousand calls at once',
  about:
    'A thousand calls to a service that answers after 100 ms. The limit is the time of the answers: 2 s at 50 at once. Before the first call n8n works out the expressions of all items, and the node checks them. The peer is n8n’s HTTP Request in batches of the same size.',
  misses:
    'What costs, by a profile of five runs of 2.9 s: n8n needs 0.7 s for expressions and items, and 0.6 s for HTTP requests. This node needs 0.25 s. Most of the rest is waiting for answers.',
  measure,
};
