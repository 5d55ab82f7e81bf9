import type { INodeExecutionData } from 'n8n-workflow';
import type { BookedExecution } from '../books';
import { listOf, numberOf, ordersOfPhone, phoneIn, type Deed, type History } from '../history';
import { firstAt } from '../world/calendar';

const MINUTE_MS = 60_000;

/** The orders that an execution is about. */
export function ordersOf(history: History, deed: Deed): number[] {
  if ('orders' in deed) return listOf(deed.orders);
  if (deed.do !== 'cancel' && deed.do !== 'prune') return [];
  if (deed.do === 'cancel' && deed.by === 'orderNumber') return [deed.order];
  const { order } = deed;
  return [...new Set([order, ...ordersOfPhone(history, phoneIn(history, order))])];
}

/**
 * At which time an execution wants its orders to be called, when it says one.
 *
 * @param askedAt when its input came
 */
export function callAtOf(history: History, deed: Deed, askedAt: number): number | undefined {
  if (deed.do !== 'schedule') return undefined;
  const { callAt, delayMinutes } = deed;
  if (callAt !== undefined) return firstAt(history.begins.timezone, callAt);
  return delayMinutes === undefined ? undefined : askedAt + delayMinutes * MINUTE_MS;
}

/**
 * The items about some of its orders.
 *
 * @param write how the number of an order is written
 */
export function itemsOf(
  history: History,
  deed: Deed,
  { callAt: at }: BookedExecution,
  orders: number[],
  write: typeof numberOf,
): INodeExecutionData[] {
  if (!('orders' in deed)) return [{ json: {} }];
  const written = deed.do === 'schedule' ? deed.callAt : undefined;
  const when = at === undefined ? {} : { callAt: written ?? new Date(at).toISOString() };
  return orders.map((order) => ({
    json: { phone: phoneIn(history, order), number: write(order), ...when },
  }));
}
