import {
  type Execution,
  type N8nClient,
  type WebhookAnswer,
  errorOf,
  jsonOf,
} from '../../test/n8n/runtime';
import type { PublishedExample } from './demo';
import type { Order } from './orders';

/** How the call for one order went. */
export interface CallResult {
  order: Order;
  /** The service took the call and gave it an order id. */
  placed: boolean;
  /** The call is over and its outcome was read. */
  finished: boolean;
  decision: string;
  outcome: string;
  seconds?: number;
  cost?: number;
  summary: string;
}

/**
 * Hands all orders to the workflow at once, as a busy shop would, and waits for their outcomes.
 *
 * @param onResult is told of each as it comes; the results are in the order of the orders
 */
export async function callForAll(
  client: N8nClient,
  example: PublishedExample,
  orders: Order[],
  onResult: (result: CallResult) => void,
  signal: AbortSignal,
): Promise<CallResult[]> {
  return await Promise.all(
    orders.map(async (order) => {
      const result = await callFor(client, example, order, signal);
      onResult(result);
      return result;
    }),
  );
}

async function callFor(
  client: N8nClient,
  example: PublishedExample,
  order: Order,
  signal: AbortSignal,
): Promise<CallResult> {
  try {
    const answer = await client.postToWebhook(example.webhookPath, order, signal);
    if (answer.status === 200) return readAnswer(order, answer);
    return failed(order, await reasonOf(client, example, order, answer));
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(order, error instanceof Error ? error.message : String(error));
  }
}

function readAnswer(order: Order, answer: WebhookAnswer): CallResult {
  const body = answer.body;
  if (typeof body !== 'object' || body === null) {
    return failed(order, `n8n answered ${answer.status}: ${String(body)}`);
  }
  const fields = body as Record<string, unknown>;
  return {
    order,
    placed: fields.orderId !== undefined,
    finished: fields.finished === true,
    decision: textOf(fields.decision),
    outcome: textOf(fields.callOutcome) || textOf(fields.callStatus),
    seconds: numberOf(fields.callDurationSec),
    cost: numberOf(fields.totalCallCost),
    summary: textOf(fields.summary),
  };
}

/** n8n tells a webhook's caller only that something failed; the execution knows what. */
async function reasonOf(
  client: N8nClient,
  example: PublishedExample,
  order: Order,
  answer: WebhookAnswer,
): Promise<string> {
  const executions = await client.executions(example.workflowId);
  const execution = executions.find((candidate) => isFor(order, candidate, example));
  const error = execution && errorOf(execution);
  if (!error) return `n8n answered ${answer.status}`;
  const advice = 'description' in error ? textOf(error.description) : '';
  // n8n's editor shows descriptions as HTML.
  return [error.message, advice.replace(/<br\s*\/?>/g, ' ')].join(' ').trim();
}

function isFor(order: Order, execution: Execution, { webhookNode }: PublishedExample): boolean {
  const body = jsonOf(execution, webhookNode)[0]?.body;
  return (body as Partial<Order> | undefined)?.orderNumber === order.orderNumber;
}

function failed(order: Order, reason: string): CallResult {
  return {
    order,
    placed: false,
    finished: false,
    decision: '',
    outcome: 'failed',
    summary: reason,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
