import { type Execution, type N8nClient, type WebhookAnswer, errorOf, jsonOf } from '../n8n';
import type { Order } from './orders';
import type { PublishedWorkflows } from './workflows';

/** What the webhook's caller learned: the order id of the call, or why nobody was called. */
export type Placement =
  { order: Order; orderId: number } | { order: Order; orderId?: undefined; reason: string };

type CallingWorkflow = PublishedWorkflows['calling'];

/**
 * Hands all orders to the workflow at once, as a busy shop would.
 *
 * @returns one placement for each order, in their order
 */
export async function placeCalls(
  client: N8nClient,
  workflow: CallingWorkflow,
  orders: Order[],
  signal: AbortSignal,
): Promise<Placement[]> {
  return await Promise.all(
    orders.map(async (order) => await placeCall(client, workflow, order, signal)),
  );
}

/** How many orders became a call. */
export function placedCount(placements: Placement[]): number {
  return placements.filter(({ orderId }) => orderId !== undefined).length;
}

async function placeCall(
  client: N8nClient,
  workflow: CallingWorkflow,
  order: Order,
  signal: AbortSignal,
): Promise<Placement> {
  try {
    const answer = await client.postToWebhook(workflow.webhookPath, order, {
      headers: workflow.headers,
      signal,
    });
    const orderId = orderIdOf(answer);
    if (orderId !== undefined) return { order, orderId };
    return { order, reason: await reasonOf(client, workflow, order, answer) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { order, reason: error instanceof Error ? error.message : String(error) };
  }
}

function orderIdOf({ status, body }: WebhookAnswer): number | undefined {
  const { orderId } = (body ?? {}) as { orderId?: unknown };
  return status === 200 && typeof orderId === 'number' ? orderId : undefined;
}

/** n8n tells a webhook's caller only that something failed; the execution knows what. */
async function reasonOf(
  client: N8nClient,
  workflow: CallingWorkflow,
  order: Order,
  answer: WebhookAnswer,
): Promise<string> {
  const executions = await client.executions(workflow.workflowId);
  const execution = executions.find((candidate) => isFor(order, candidate, workflow));
  const error = execution && errorOf(execution);
  if (!error) return `n8n answered ${answer.status}: ${JSON.stringify(answer.body)}`;
  const advice = 'description' in error ? String(error.description ?? '') : '';
  // n8n's editor shows descriptions as HTML.
  return [error.message, advice.replace(/<br\s*\/?>/g, ' ')].filter(Boolean).join('. ');
}

function isFor(order: Order, execution: Execution, { webhookNode }: CallingWorkflow): boolean {
  const body = jsonOf(execution, webhookNode)[0]?.body;
  return (body as Partial<Order> | undefined)?.orderNumber === order.orderNumber;
}
