import { setTimeout as pause } from 'node:timers/promises';
import type { DataTableRow, N8nClient } from '../n8n';
import type { Order } from './orders';
import { ReceivedOutcomes } from './received';
import type { Scheduled } from './scheduling';
import type { PublishedWorkflows } from './workflows';

const LOOK_EVERY_MS = 2_000;

/** A row of the call log, by its columns. */
type LogRow = Record<string, unknown>;

/** One attempt at a call, by its row in the call log. */
export interface Attempt {
  number: number;
  /** The service took the call and gave it an order id. */
  placed: boolean;
  /** The call's status while it has no outcome. */
  outcome: string;
  seconds?: number;
  cost?: number;
  summary: string;
}

/** How the calls for one order went. */
export interface CallResult {
  order: Order;
  /** As it was dialled, or as the order has it when nobody was called. */
  phone: string;
  /** The workflow was started with the last outcome. */
  received: boolean;
  /** The row of the last attempt tells how it ended. */
  logged: boolean;
  decision: string;
  /** Those that were placed, or are to come; none when nobody was called. */
  attempts: Attempt[];
  /** Why nothing was scheduled; empty when it was. */
  reason: string;
}

export interface FollowOptions {
  signal: AbortSignal;
  /** The waiting ends when nothing has changed for so long. */
  patienceMs: number;
  /** Is told of each order when there is nothing more to wait for. */
  onEnd(result: CallResult): void;
}

/** How all calls went, in the order of the orders. */
export interface Followed {
  results: CallResult[];
  /** What the workflow failed with, when it did. */
  lastError: string | undefined;
}

/**
 * Reads the call log and the executions of the workflow again and again, until every order has had its
 * last call and its outcome was received, or until nothing has changed for too long.
 */
export async function followCalls(
  client: N8nClient,
  { orders, log }: Pick<PublishedWorkflows, 'orders' | 'log'>,
  scheduled: Scheduled[],
  { signal, patienceMs, onEnd }: FollowOptions,
): Promise<Followed> {
  const outcomes = new ReceivedOutcomes(client, orders);
  const ended = new Set<string>();
  let seen = '';
  let changedAt = Date.now();
  for (;;) {
    await outcomes.look();
    const calls = attemptsByCall(await rowsOf(log));
    const results = scheduled.map((one) =>
      resultOf(one, calls.get(one.callId ?? '') ?? [], outcomes.decisionOn(one.order.orderNumber)),
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
function hasEnded({ reason, received, logged }: CallResult): boolean {
  return reason !== '' || (received && logged);
}

async function rowsOf({ tables, name }: PublishedWorkflows['log']): Promise<DataTableRow[]> {
  const table = await tables.find(name);
  return table === undefined ? [] : await tables.rows(table.id);
}

/**
 * The rows of each call by its `callId`, one for each attempt. A row that was replaced comes before the
 * row that replaced it.
 */
export function attemptsByCall<R extends LogRow>(rows: R[]): Map<string, R[]> {
  const attempts = new Map(rows.map((row) => [`${row.callId} ${row.attempt}`, row]));
  const calls = new Map<string, R[]>();
  for (const row of attempts.values()) {
    const callId = String(row.callId);
    calls.set(callId, [...(calls.get(callId) ?? []), row]);
  }
  for (const all of calls.values()) all.sort((a, b) => Number(a.attempt) - Number(b.attempt));
  return calls;
}

/**
 * How the calls for an order went so far.
 *
 * @param rows of its call, one for each attempt
 * @param decision of the workflow; undefined while it has no outcome, empty when it decided nothing
 */
export function resultOf(
  scheduled: Scheduled,
  rows: LogRow[],
  decision: string | undefined,
): CallResult {
  const { order } = scheduled;
  const last = rows.at(-1) ?? {};
  return {
    order,
    phone: textOf(last.customerPhone) || order.phone,
    received: decision !== undefined,
    logged: typeof last.finishedAt === 'string',
    decision: decision ?? '',
    attempts: rows.map((row) => ({
      number: Number(row.attempt),
      placed: textOf(row.orderId) !== '',
      outcome: textOf(row.outcome) || textOf(row.status),
      seconds: numberOf(row.durationSec),
      cost: numberOf(row.cost),
      summary: textOf(row.summary) || textOf(row.lastError),
    })),
    reason: scheduled.callId === undefined ? scheduled.reason : '',
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
