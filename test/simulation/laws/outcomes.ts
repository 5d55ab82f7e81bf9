import type { IDataObject } from 'n8n-workflow';
import type { BookedExecution, Books, Fired } from '../books';
import { groupBy } from '../../../nodes/OutboundAiCalling/collections';
import { numberOf, orderOf, type History } from '../history';
import type { LogRow } from '../logRows';
import { API_KEYS, type Ring } from '../world/service';
import {
  type Check,
  byOrder,
  DAY_MS,
  firedBy,
  intents,
  isFirst,
  isForTrigger,
  timesIn,
  wasDeleted,
  wasKilled,
  wasUndone,
  keyOfLabel,
} from './questions';
import { hasOutcome, isOfCopy } from './rows';

// What triggers hand over.

const NEVER_CAME = /the execution ended before it came to this call/;

/**
 * The outcome with which a workflow starts is one that the service has told of this call, or that a person has written
 * into its row: of a call that waited, only if it was scheduled again, and then withdrawn. A day after the call, what the service has said so
 * far is taken.
 */
export const outcomesAreTrue: Check = (
  { steps, labelAfterMs = 0 },
  { fired, rings, scheduledByHand },
) =>
  fired.flatMap(({ trigger, at, item }) => {
    const { event, orderId, orderNumber, outcomeKey } = item;
    const ring = rings.find((one) => one.orderId === Number(orderId));
    if (event !== 'outcomeAvailable' || ring === undefined) return [];
    if (labelAfterMs > 0 && at > ring.at + DAY_MS) return [];
    const written = steps.flatMap((step) => {
      if (step.do !== 'edit' || step.order !== ring.order) return [];
      const isOfEnd = step.where?.status !== 'scheduled' || scheduledByHand.has(ring.order);
      return isOfEnd ? String(step.cells.outcome) : [];
    });
    if ([...ring.labels, ...written].map(keyOfLabel).includes(String(outcomeKey))) return [];
    return [
      `trigger ${trigger + 1} said ${String(outcomeKey)} of ${String(orderNumber)}, the service "${ring.labels.join('", "')}"`,
    ];
  });

/** An execution that a person cancels has no error: it tells n8n's log of its calls. */
const cancelledWarnings = ({ warnings }: Books): string[] =>
  warnings.flatMap(({ what }) => (/was cancelled/.test(what) ? what : []));

/** Whether a call may have been in doubt for a while: the process that placed it stood still then. */
const stoodStill = ({ process, at }: Pick<Ring, 'process' | 'at'>, { processes }: Books): boolean =>
  processes[process]?.resumedAt.some((time) => time >= at) === true;

/**
 * Every call that the service took fires once at every trigger that asks for each attempt. Of an execution
 * that was killed, or stood still for too long, nobody may know the call's id: then it fires as one that may have been placed. Nor can
 * anybody know it when n8n refused to write it, as the execution's item says.
 */
export const everyOutcomeOnce: Check = ({ triggers, skews, steps }, books) => {
  // While n8n stores nothing for minutes, the id of a call reaches the person in an error only, and its row is in doubt.
  const mayBeUnwritten = steps.some(
    (step) => step.do === 'tablesFail' || (step.do === 'tablesFull' && step.refusesChanges),
  );
  const told = [...books.executions.map(({ error = '' }) => error), ...cancelledWarnings(books)];
  const named = [
    ...books.executions.flatMap(({ placedByError }) => placedByError),
    ...told.flatMap((text) => text.match(/\d+/g) ?? []),
  ];
  const onlyInError = new Set(mayBeUnwritten ? named.map(Number) : []);
  return triggers.flatMap(({ finalOnly, process, events, watch, key }, trigger) => {
    if (finalOnly === true || events !== undefined || watch === 'instance') return [];
    const fired = firedBy(books, trigger);
    const unwritten = new Set(
      books.executions
        .flatMap(({ items }) => items)
        .filter(({ callLogError }) => callLogError !== undefined)
        .map(({ orderId }) => Number(orderId)),
    );
    // The service took it: that it was cancelled, or that nobody knows, is no end of such a call.
    const isEnd = ({ event, endReason }: IDataObject) =>
      event === 'outcomeAvailable' || endReason === 'givenUp';
    const timesOf = (orderId: number) =>
      fired.filter(({ item }) => Number(item.orderId) === orderId && isEnd(item) && !isOfCopy(item))
        .length;
    const own = books.rings.filter((ring) => {
      const { isTold, endsAt, orderId, order } = ring;
      return (
        isTold &&
        isForTrigger(ring, books, trigger, key) &&
        endsAt >= (books.beganAt[trigger] ?? Infinity) &&
        !unwritten.has(orderId) &&
        !wasUndone(order, books)
      );
    });
    const inDoubt = byOrder(own.filter(({ orderId }) => timesOf(orderId) === 0));
    const wereKilled = new Set(
      books.executions.filter(({ state }) => state === 'crashed').map(({ id }) => id),
    );
    return own.flatMap(({ orderId, order, sender, at, process: placedBy }) => {
      const times = timesOf(orderId);
      if (times === 1 || (times > 1 && wasKilled(books, process % skews.length))) return [];
      const doubts = fired.filter(
        ({ item }) => item.endReason === 'maybePlaced' && item.orderNumber === numberOf(order),
      );
      const asDoubt = inDoubt.get(order)?.length ?? 0;
      const isUncertain =
        onlyInError.has(orderId) ||
        wereKilled.has(sender) ||
        stoodStill({ process: placedBy, at }, books);
      if (times === 0 && isUncertain && doubts.length >= asDoubt) return [];
      return [
        `trigger ${trigger + 1} fired ${times} times for call ${orderId} about ${numberOf(order)}`,
      ];
    });
  });
};

const wasEdited = (of: number, { steps }: History): boolean =>
  steps.some((step) => (step.do === 'edit' || step.do === 'editDueAt') && step.order === of);

/**
 * Nobody rang in an attempt of which a trigger says that it was not placed: what rang are the others. That n8n tries an
 * execution several times, or that an agent asks again, does not make it another call. A retry by hand does, and so does
 * an edit: the row ends, and the next try goes by the items. After Prune Old Calls no row of the new account tells the old
 * one that its call was placed there.
 */
export const notPlacedDidNotRing: Check = (history, books) => {
  const isExchanged = history.steps.some((step) => step.do === 'exchangeKey');
  if (isExchanged && books.executions.some(({ deed }) => deed === 'pruneByAge')) return [];
  return history.triggers.flatMap((_trigger, trigger) => {
    const fired = firedBy(books, trigger).filter(({ item }) => !isOfCopy(item));
    const ends = groupBy(fired, ({ item }) => orderOf(item.orderNumber));
    return [...intents(books)].flatMap(([order, asked]) => {
      const isRepeated = asked.some(({ step }) => timesIn(history.steps[step]) > 1);
      const isTriedAgain = asked.some(({ tries }) => tries > 1);
      if (asked.length > 1 || isRepeated || wasUndone(order, books)) return [];
      if (isTriedAgain && wasEdited(order, history)) return [];
      const items = (ends.get(order) ?? []).map(({ item }) => item);
      const attempts = items.map(({ attempt }) => Number(attempt ?? 1));
      const notPlaced = new Set(
        items.filter(({ endReason }) => endReason === 'notPlaced').map(({ attempt }) => attempt),
      );
      const rang = books.rings.filter((ring) => ring.order === order).length;
      if (notPlaced.size === 0 || rang + notPlaced.size <= Math.max(...attempts)) return [];
      return [
        `trigger ${trigger + 1} says of ${notPlaced.size} attempts about ${numberOf(order)} that they were not placed, ${rang} of ${Math.max(...attempts)} rang`,
      ];
    });
  });
};

/**
 * Where duplicates are prevented, no trigger that has told an outcome of an order says later that an execution ended
 * before it came to its call. A person may have deleted what tells of the other call, or the log has none.
 */
export const retryTellsLastWord: Check = ({ triggers, skews, steps }, books) => {
  if (steps.some((step) => step.do === 'exchangeKey' || step.do === 'emptyLog')) return [];
  const isPrevented = ({ settings, key }: BookedExecution) =>
    settings.preventDuplicates === true && settings.hasNoLog !== true && key === undefined;
  const asked = [...intents(books)].filter(
    ([order, executions]) => executions.every(isPrevented) && !wasDeleted(order, books),
  );
  return triggers.flatMap(({ process }, trigger) => {
    if (wasKilled(books, process % skews.length)) return [];
    const fired = groupBy(firedBy(books, trigger), ({ item }) => orderOf(item.orderNumber));
    return asked.flatMap(([order]) => {
      const items = (fired.get(order) ?? []).map(({ item }) => item);
      const told = items.findIndex(({ event }) => event === 'outcomeAvailable');
      const never = items.findLastIndex(({ message }) => NEVER_CAME.test(String(message)));
      if (told === -1 || never < told) return [];
      return [
        `trigger ${trigger + 1} tells an outcome of ${numberOf(order)}, then that nobody came`,
      ];
    });
  });
};

/** A trigger on This Instance fires once for each call that its process knows of, as long as that lives. */
export const everyOutcomeOfInstance: Check = ({ triggers, skews, steps }, books) =>
  triggers.flatMap(({ watch, finalOnly, events, process, key, publishedAt }, trigger) => {
    const isOther =
      watch !== 'instance' ||
      finalOnly === true ||
      events !== undefined ||
      publishedAt !== undefined;
    if (isOther || steps.some((step) => step.do === 'exchangeKey')) return [];
    const own = process % skews.length;
    if (wasKilled(books, own)) return [];
    const fired = firedBy(books, trigger);
    return books.rings.flatMap((ring) => {
      const { orderId, order, isTold, process: placedBy } = ring;
      if (!isTold || placedBy !== own) return [];
      if (key !== undefined && ring.key !== API_KEYS[key]) return [];
      const isOf = ({ item }: Fired) =>
        Number(item.orderId) === orderId &&
        (item.event === 'outcomeAvailable' || item.endReason === 'givenUp');
      const times = fired.filter(isOf).length;
      if (times === 1) return [];
      return [`trigger ${trigger + 1} on its instance fired ${times} times for ${numberOf(order)}`];
    });
  });

/**
 * Every order that was begun after a trigger has one last word there, when that fires for last attempts only:
 * one for each time that its execution was tried.
 */
export function oneLastWord(wasBegun: (order: number, books: Books) => boolean): Check {
  return ({ triggers, skews, steps }, books) => {
    const isExchanged = steps.some((step) => step.do === 'exchangeKey');
    const orders = [...intents(books)].flatMap(([order, asked]) => {
      const [first, ...more] = asked.filter(isFirst);
      const isOne =
        first !== undefined &&
        more.length === 0 &&
        wasBegun(order, books) &&
        !books.deletedByHand.has(order) &&
        // Prune may come before a trigger's first poll with the new key.
        !(isExchanged && wasDeleted(order, books));
      const tries = asked.reduce((sum, one) => sum + one.tries, 0);
      return isOne ? [{ order, tries, begunAt: first.startedAt, account: first.key }] : [];
    });
    return triggers.flatMap(({ finalOnly, process, events, watch, key }, trigger) => {
      if (finalOnly !== true || watch === 'instance') return [];
      const fired = firedBy(books, trigger);
      return orders.flatMap(({ order, tries, begunAt, account }) => {
        if (account !== key) return [];
        if (begunAt < (books.beganAt[trigger] ?? Infinity)) return [];
        const rings = books.rings.filter((ring) => ring.order === order);
        if (!rings.every((ring) => isForTrigger(ring, books, trigger, key))) return [];
        if (events !== undefined && !hasOutcome(order, books)) return [];
        const words = fired.filter(
          ({ item }) => item.orderNumber === numberOf(order) && !isOfCopy(item),
        );
        const mayBeMore =
          wasKilled(books, process % skews.length) || books.scheduledByHand.has(order);
        // The outcome follows when the log gets the id of a call that may have been placed.
        const doubts =
          events === undefined
            ? words.filter(({ item }) => item.endReason === 'maybePlaced').length
            : rings.filter((ring) => stoodStill(ring, books)).length;
        const most = mayBeMore ? Infinity : tries + doubts;
        if (words.length >= 1 && words.length <= most) return [];
        // Scheduled again before the trigger had fired for it, and withdrawn: the docs say to wait for the trigger.
        // So do they of rows that Schedule Call has not written: such a call counts as it did.
        const isUncalled = ({ status }: LogRow) =>
          status === 'cancelled' || status === 'not_placed';
        const isWithdrawn =
          books.scheduledByHand.has(order) &&
          books.rows.some((row) => row.order === order && isUncalled(row));
        if (words.length === 0 && isWithdrawn) return [];
        return [`${numberOf(order)} has ${words.length} last words at trigger ${trigger + 1}`];
      });
    });
  };
}

export const wasScheduled = (order: number, { executions }: Books): boolean =>
  executions.some(({ items }) =>
    items.some((item) => item.status === 'scheduled' && item.orderNumber === numberOf(order)),
  );
