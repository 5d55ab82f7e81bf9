import type { IDataObject } from 'n8n-workflow';
import type { PreparedN8n, WorkflowNode } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';

export const ITEMS = 1000;
export const ANSWER_MS = 100;
const CONCURRENCIES = [10, 50, 200];

/** A thousand orders, made inside n8n. */
const orders: WorkflowNode = {
  id: 'orders',
  name: 'Orders',
  type: 'n8n-nodes-base.code',
  typeVersion: 2,
  position: [200, 0],
  parameters: {
    jsCode: `return Array.from({ length: ${ITEMS} }, (_, i) => ({ json: { phone: '+1202555' + (1000 + i) } }));`,
  },
};
const start: WorkflowNode = {
  id: 'start',
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
  return {
    id: 'calls',
    name: 'Calls',
    type: 'n8n-nodes-outbound-ai-calling.outboundAiCalling',
    typeVersion: 1,
    position: [400, 0],
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      options: { concurrency },
      ...more,
    },
    credentials: { outboundAiCallingApi: credential },
  };
}

/** n8n's own node at the same. It waits for a batch only by the clock, not for its answers. */
function httpRequestNode(batchSize: number, { baseUrl }: CallingService): WorkflowNode {
  return {
    id: 'calls',
    name: 'Calls',
    type: 'n8n-nodes-base.httpRequest',
    typeVersion: 4.2,
    position: [400, 0],
    parameters: {
      method: 'POST',
      url: `${baseUrl}/api/v1/calls/trigger`,
      sendHeaders: true,
      headerParameters: { parameters: [{ name: 'X-API-Key', value: 'test-key' }] },
      sendBody: true,
      specifyBody: 'json',
      jsonBody: '={{ { scriptId: 7, customerPhone: $json.phone } }}',
      options: { batching: { batch: { batchSize, batchInterval: ANSWER_MS } } },
    },
  };
}

export interface Run {
  /** How long the node took, as n8n measured it, in milliseconds. */
  ms: number;
  /** What of it had passed when the service took the first call: reading and checking all items. */
  beforehandMs: number;
  items: IDataObject[];
}

/** Places a thousand calls with the node `Calls`. */
export async function run(
  { client }: PreparedN8n,
  service: CallingService,
  calls: WorkflowNode,
): Promise<Run> {
  const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
  const workflow = await client.createWorkflow({
    name: 'Dispatch',
    nodes: [start, orders, calls],
    connections: { Start: link('Orders'), Orders: link('Calls') },
  });
  service.reset();
  const execution = await client.runManually(workflow, { timeoutMs: 400_000 });
  const [task] = execution.data.resultData.runData.Calls ?? [];
  const items = (task?.data?.main?.[0] ?? []).map(({ json }) => json);
  if (task === undefined || items.length !== ITEMS || service.seen.calls.length !== ITEMS) {
    throw new Error(`Not every call was placed: ${task?.error?.message ?? items.length}`);
  }
  const firstCallAt = service.seen.calls[0]?.placedAt ?? NaN;
  const beforehandMs = firstCallAt - ANSWER_MS - task.startTime;
  return { ms: task.executionTime, beforehandMs, items };
}

/**
 * A thousand calls against a service that takes 100 ms for each: beside the physical limit, n8n's
 * own HTTP Request node, and one call after the other.
 */
export async function benchDispatch(n8n: PreparedN8n): Promise<string[][]> {
  const service = await startCallingService({ answerDelayMs: ANSWER_MS });
  try {
    const credential = await n8n.client.createCredential('Service', 'outboundAiCallingApi', {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      headerForm: 'bearer',
      pathForm: 'versioned',
      allowHttp: false,
    });
    const rows = [
      [
        'concurrency',
        'limit',
        'this node',
        '÷ limit',
        'before the first call',
        'the rest ÷ limit',
        'HTTP Request',
        '÷ limit',
      ],
    ];
    const measure = async (label: string, concurrency: number) => {
      const limit = (ITEMS / concurrency) * ANSWER_MS;
      const { ms, beforehandMs } = await run(n8n, service, ourNode(concurrency, credential));
      const theirs = await run(n8n, service, httpRequestNode(concurrency, service));
      rows.push([
        label,
        `${limit} ms`,
        `${ms} ms`,
        (ms / limit).toFixed(2),
        `${beforehandMs} ms`,
        ((ms - beforehandMs) / limit).toFixed(2),
        `${theirs.ms} ms`,
        (theirs.ms / limit).toFixed(2),
      ]);
    };
    await run(n8n, service, ourNode(50, credential)); // warms up
    for (const concurrency of CONCURRENCIES) await measure(String(concurrency), concurrency);
    await measure('1 (one after the other)', 1);
    return rows;
  } finally {
    await service.close();
  }
}
