import type { IDataObject } from 'n8n-workflow';
import { numberOf, orderOf } from '../history';
import { goesOn } from '../logRows';
import {
  type Check,
  MINUTE_MS,
  RULES_THAT_STOP,
  byOrder,
  firedBy,
  intents,
  isFair,
  isForTrigger,
  outlastsWaiting,
  wasDeleted,
} from './questions';

// Everything comes to its end, and without too many requests.

/** A call that is due is placed by then, however many others wait. */
export const LATEST_MS = 6 * 60 * MINUTE_MS;

/** What an execution said is scheduled has a row that says what became of it, and nothing hangs. */
export const nobodyForgotten: Check = (_history, books) => {
  const rows = byOrder(books.rows);
  const hanging = books.rows
    .filter(goesOn)
    .map(
      ({ order, attempt, status }) => `attempt ${attempt} at ${numberOf(order)} stays ${status}`,
    );
  const lost = books.executions
    .flatMap(({ items }) => items)
    .filter(({ status }) => status === 'scheduled')
    .map(({ orderNumber }) => Number(String(orderNumber).slice(2)))
    .filter((order) => !rows.has(order) && !wasDeleted(order, books))
    .filter(() => !books.executions.some(({ deed }) => deed === 'pruneByAge'))
    .map((order) => `${numberOf(order)} was scheduled, and the log has no row of it`);
  return [...hanging, ...lost];
};

/** What many rows have in common goes in one request: a list is not written row by row. */
export const listsInOneGo: Check = ({ steps }, books) => {
  if (steps.some(outlastsWaiting)) return [];
  const asked = intents(books);
  return books.executions.flatMap(({ id, deed, state, orders, tries }) => {
    const requests = books.requests.get(id)?.tables ?? 0;
    if (deed !== 'schedule' || state !== 'success') return [];
    // One that waits for another execution asks twice a second for 15 seconds what it has decided: about so many
    // calls a request.
    const isAlone = orders.every((order) => asked.get(order)?.length === 1);
    const waits = isAlone ? 0 : 30 * Math.ceil(orders.length / 100);
    const most = tries * (40 + waits + orders.length / 4);
    if (requests <= most) return [];
    return [`${id} scheduled ${orders.length} calls with ${requests} requests, ${most} at most`];
  });
};

/** Two rounds of n8n's minutes, and how late rows may be seen. */
const IN_TIME_MS = 3 * 60_000;

/**
 * On a day like any other, with polls by the minute, what is due rings within minutes when a channel is free, and
 * each end is heard within minutes.
 */
export const inTime: Check = (history, books) => {
  const { minutes = 0, latencyMs, triggers, settings, outcomes, steps, labelAfterMs = 0 } = history;
  if (!isFair(history) || latencyMs > 1_000) return [];
  const until = books.startedAt + minutes * 60_000 - IN_TIME_MS;
  const isRuled = RULES_THAT_STOP.some((rule) =>
    [settings, ...steps.map((step) => step.settings ?? {})].some((one) => rule in one),
  );
  // Of a person with several orders, each waits for the calls about the others.
  const isHeldBack = isRuled || history.people !== undefined;
  const hasRoom = (settings.maxInProgress ?? Infinity) >= Object.keys(outcomes).length;
  const ringAt = (order: number) =>
    Math.min(...books.rings.filter((ring) => ring.order === order).map(({ at }) => at));
  const isScheduled = ({ status }: IDataObject) => status === 'scheduled';
  const unplaced = books.executions
    .filter(() => hasRoom && !isHeldBack)
    .flatMap(({ items, endedAt = Infinity }) =>
      items.filter(isScheduled).flatMap((item) => {
        const dueAt = Math.max(Date.parse(String(item.callAt)), endedAt);
        const lateMs = ringAt(orderOf(item.orderNumber)) - dueAt;
        if (dueAt > until || lateMs <= IN_TIME_MS) return [];
        return [`${String(item.orderNumber)} rang ${lateMs / 1000} s late`];
      }),
    );
  const ended = books.rings.filter(({ endsAt }) => endsAt <= until);
  const unheard = triggers.flatMap(({ finalOnly, watch, key, publishedAt }, trigger) => {
    const heardAt = new Map(
      firedBy(books, trigger).map(({ item, at }) => [Number(item.orderId), at]),
    );
    if (finalOnly === true || watch === 'instance' || publishedAt !== undefined) return [];
    const own = ended.filter((ring) => isForTrigger(ring, books, trigger, key));
    return own.flatMap(({ orderId, endsAt, order }) => {
      const lateMs = (heardAt.get(orderId) ?? Infinity) - endsAt - labelAfterMs;
      if (lateMs <= IN_TIME_MS) return [];
      return [`trigger ${trigger + 1} heard of ${numberOf(order)} after ${lateMs / 1000} s`];
    });
  });
  return [...unplaced, ...unheard];
};

/** Every execution comes to its end. */
export const executionsEnd: Check = (_history, { executions }) =>
  executions.filter(({ state }) => state === 'running').map(({ id }) => `${id} never ends`);
