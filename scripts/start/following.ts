import { setTimeout as pause } from 'node:timers/promises';
import type { DataTableRow, N8nClient } from '../n8n';
import type { Order } from './orders';
import type { Placement } from './placing';
import { ReceivedOutcomes } from './received';
import type { PublishedWorkflows } from './workflows';

const LOOK_EVERY_MS = 2_000;

/** How the call for one order went, as the call log tells it. */
export interface CallResult {
  order: Order;
  /** As it was dialled, or as the order has it when nobody was called. */
  phone: string;
  /** The service took the call and gave it an order id. */
  placed: boolean;
  /** The acting workflow was started with the call's outcome. */
  received: boolean;
  /** The call's row tells how it ended. */
  logged: boolean;
  decision: string;
  /** The call's status while it has no outcome. */
  outcome: string;
  seconds?: number;
  cost?: number;
  summary: string;
}

export interface FollowOptions {
  signal: AbortSignal;
  /** The waiting ends when nothing has changed for so long. */
  patienceMs: number;
  /** Is told of each call when there is nothing more to wait for. */
  onEnd(result: CallResult): void;
}

/** How all calls went, in the order of the orders. */
export interface Followed {
  results: CallResult[];
  /** What the acting workflow failed with, when it did. */
  lastError: string | undefined;
}

/**
 * Reads the call log and the executions of the acting workflow again and again, until every placed
 * call has ended and its outcome was received, or until nothing has changed for too long.
 */
export async function followCalls(
  client: N8nClient,
  { acting, log }: Pick<PublishedWorkflows, 'acting' | 'log'>,
  placements: Placement[],
  { signal, patienceMs, onEnd }: FollowOptions,
): Promise<Followed> {
  const outcomes = new ReceivedOutcomes(client, acting);
  const ended = new Set<string>();
  let seen = '';
  let changedAt = Date.now();
  for (;;) {
    await outcomes.look();
    const rows = await rowsByOrder(log);
    const results = placements.map((placement) =>
      resultOf(placement, rows.get(placement.order.orderNumber), outcomes),
    );
    for (const result of results.filter(hasEnded)) {
      if (!ended.has(result.order.orderNumber)) onEnd(result);
      ended.add(result.order.orderNumber);
    }
    const state = JSON.stringify(results);
    if (state !== seen) changedAt = Date.now();
    seen = state;
    if (results.every(hasEnded) || Date.now() - changedAt > patienceMs) {
      return { results, lastError: outcomes.lastError };
    }
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Whether there is nothing more to wait for. */
function hasEnded({ placed, received, logged }: CallResult): boolean {
  return !placed || (received && logged);
}

async function rowsByOrder({
  tables,
  name,
}: PublishedWorkflows['log']): Promise<Map<string, DataTableRow>> {
  const table = await tables.find(name);
  const rows = table === undefined ? [] : await tables.rows(table.id);
  return new Map(rows.map((row) => [String(row.orderNumber), row]));
}

function resultOf(
  placement: Placement,
  row: Partial<DataTableRow> = {},
  outcomes: ReceivedOutcomes,
): CallResult {
  const { order, orderId } = placement;
  const decision = orderId === undefined ? undefined : outcomes.decisionOn(orderId);
  return {
    order,
    phone: textOf(row.customerPhone) || order.phone,
    placed: orderId !== undefined,
    received: decision !== undefined,
    logged: typeof row.finishedAt === 'string',
    decision: decision ?? '',
    outcome: textOf(row.outcome) || textOf(row.status) || 'not_placed',
    seconds: numberOf(row.durationSec),
    cost: numberOf(row.cost),
    summary: orderId === undefined ? placement.reason : textOf(row.summary),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
