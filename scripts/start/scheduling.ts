import { type Execution, type N8nClient, type WebhookAnswer, errorOf, jsonOf } from '../n8n';
import type { Order } from './orders';
import type { PublishedWorkflows } from './workflows';

/** What the webhook's caller learned: the id of the scheduled call, or why nobody will be called. */
export type Scheduled =
  { order: Order; callId: string } | { order: Order; callId?: undefined; reason: string };

type OrderWorkflow = PublishedWorkflows['orders'];

/**
 * Hands all orders to the workflow at once, as a busy shop would.
 *
 * @returns one for each order, in their order
 */
export async function scheduleCalls(
  client: N8nClient,
  workflow: OrderWorkflow,
  orders: Order[],
  signal: AbortSignal,
): Promise<Scheduled[]> {
  return await Promise.all(
    orders.map(async (order) => await scheduleCall(client, workflow, order, signal)),
  );
}

/** For how many orders a call is scheduled. */
export function scheduledCount(scheduled: Scheduled[]): number {
  return scheduled.filter(({ callId }) => callId !== undefined).length;
}

async function scheduleCall(
  client: N8nClient,
  workflow: OrderWorkflow,
  order: Order,
  signal: AbortSignal,
): Promise<Scheduled> {
  try {
    const answer = await client.postToWebhook(workflow.webhookPath, order, {
      headers: workflow.headers,
      signal,
    });
    const callId = callIdOf(answer);
    if (callId !== undefined) return { order, callId };
    return { order, reason: await reasonOf(client, workflow, order, answer) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { order, reason: error instanceof Error ? error.message : String(error) };
  }
}

function callIdOf({ status, body }: WebhookAnswer): string | undefined {
  const { callId } = (body ?? {}) as { callId?: unknown };
  return status === 200 && typeof callId === 'string' ? callId : undefined;
}

/** The workflow tells why nobody is called; when it fails, the execution knows more than the answer. */
async function reasonOf(
  client: N8nClient,
  workflow: OrderWorkflow,
  order: Order,
  answer: WebhookAnswer,
): Promise<string> {
  const { why } = (answer.body ?? {}) as { why?: unknown };
  if (typeof why === 'string') return why;
  const executions = await client.executions(workflow.workflowId);
  const execution = executions.find((candidate) => isFor(order, candidate, workflow));
  const error = execution && errorOf(execution);
  if (!error) return `n8n answered ${answer.status}: ${JSON.stringify(answer.body)}`;
  const advice = 'description' in error ? String(error.description ?? '') : '';
  // n8n's editor shows descriptions as HTML.
  return [error.message, advice.replace(/<br\s*\/?>/g, ' ')].filter(Boolean).join('. ');
}

function isFor(order: Order, execution: Execution, { webhookNode }: OrderWorkflow): boolean {
  const body = jsonOf(execution, webhookNode)[0]?.body;
  return (body as Partial<Order> | undefined)?.orderNumber === order.orderNumber;
}
