import { numberOf, phoneIn } from '../history';
import { goesOn } from '../logRows';
import type { Ring } from '../world/service';
import {
  ABOUT_TO_RING_MS,
  CANCELS,
  type Check,
  STOOD_STILL,
  asksAgain,
  clock,
  intents,
  isCancelledCall,
  isFirst,
  isUntried,
  isWrittenAhead,
  triesOf,
  wasDeleted,
} from './questions';

// Nobody is called about what was cancelled.

/** After Cancel has answered nobody is called about the order that the log showed to it. */
export const nobodyAfterCancel: Check = (history, books) =>
  books.executions
    .filter(({ deed, state }) => deed === 'cancel' && state === 'success')
    // An item with an error says that calls may still be placed.
    .filter(({ items }) => items.every(({ error }) => error === undefined))
    // Who deletes rows deletes what says that they were cancelled.
    .filter(({ orders }) => !orders.some((order) => wasDeleted(order, books)))
    .flatMap((cancel) => cancel.orders.map((order) => ({ cancel, order })))
    .flatMap(({ cancel, order }) => {
      const [item = {}] = cancel.items;
      const rowsBefore = cancel.rowsBefore.filter((row) => row.order === order);
      // Of several orders of a person nobody can tell which were counted.
      const counted = cancel.orders.length > 1 ? 0 : Number(item.cancelled ?? 0);
      const answeredAt = cancel.endedAt ?? Infinity;
      const waits = rowsBefore.some(goesOn);
      // What a person has edited since is found by what the row says now.
      const isFound = rowsBefore.some(({ phone }) => phone === phoneIn(history, order));
      const message = String(item.message ?? '');
      // Of rows that were written while it searched it says that it does not know.
      const isUnknown = /may still be placed|another API key/.test(message);
      if (counted === 0 && (!isFound || isUnknown)) return [];
      const asked = intents(books).get(order) ?? [];
      // What asks again means another call.
      const isAskedOnce = asked.filter(isFirst).length === 1 && !asked.some(asksAgain(history));
      if (isUnknown && !isAskedOnce) return [];
      const isCancelled = isAskedOnce && books.rows.some(isCancelledCall(order));
      const isLaterAsked = asked.some((one) => {
        const { startedAt, tries, endedAt = Infinity } = one;
        // Of several that ask, one that has not ended may write its rows after Cancel has read them.
        const since = isAskedOnce ? startedAt : endedAt;
        const isNew = isFirst(one) && since >= cancel.startedAt;
        // What it has counted, or found waiting, is not called by a further try either.
        const hasWaited = rowsBefore.some(isUntried) && startedAt >= answeredAt;
        const mustNotCall = counted > 0 || isCancelled || hasWaited;
        if (isNew || (isAskedOnce && mustNotCall)) return isNew;
        return startedAt >= cancel.startedAt || (tries > 1 && endedAt > answeredAt);
      });
      if (isLaterAsked) return [];
      // It says what it could not stop, also what has begun since it was read.
      const saysSo = /being placed and may still ring/.test(message);
      // What goes on rang before.
      const isAboutToRing = /being placed and (?:is|are) not tried again/.test(message);
      const mayRing = saysSo && (counted === 0 ? !isCancelled : !isAskedOnce);
      const hadBegun = ({ sender }: Ring) =>
        books.executions.some(({ id, startedAt }) => id === sender && startedAt <= answeredAt);
      if (counted === 0 && !waits && !isWrittenAhead(rowsBefore)) return [];
      return (
        books.rings
          .filter((ring) => ring.order === order && ring.sentAt > answeredAt)
          .filter((ring) => !mayRing || !hadBegun(ring))
          .filter(({ sentAt }) => !isAboutToRing || sentAt > answeredAt + ABOUT_TO_RING_MS)
          // Of two calls, it has found those with this phone.
          .filter(({ phone }) => (counted > 0 && isAskedOnce) || phone === phoneIn(history, order))
          .map(
            ({ at }) =>
              `${numberOf(order)} rang at ${clock(books, at)}, Cancel had answered ${counted} at ${clock(books, answeredAt)}`,
          )
      );
    });

/** Nobody is called of a row in which a person has written that it is cancelled. */
export const cancelledByHandIsCancelled: Check = ({ steps }, books) =>
  books.rings.flatMap(({ order, sentAt, at }) => {
    const cancelledAt = books.cancelledByHand.get(order) ?? Infinity;
    // Who deletes rows deletes what says that they were cancelled.
    if (books.scheduledByHand.has(order) || wasDeleted(order, books)) return [];
    const asked = intents(books).get(order) ?? [];
    const isAskedAgain = asked.some(
      ({ startedAt, tries, retryOf }) =>
        startedAt >= cancelledAt || tries > 1 || retryOf !== undefined,
    );
    // A second call of the order may ring, and so may what follows it. The row may be that of a test call.
    const isTested = steps.some((step) => step.do === 'try' && step.how === 'testPhone');
    const areTwo = asked.filter(isFirst).length > 1 || isTested;
    return sentAt <= cancelledAt || isAskedAgain || areTwo
      ? []
      : [`${numberOf(order)} rang at ${clock(books, at)}, its row was cancelled by hand before`];
  });

/**
 * Where nobody cancels anything, no item says that a call was cancelled: but for when its execution stood still, or
 * when another try has deleted the row and tells what became of the call.
 */
export const cancelledMeansCancelled: Check = ({ steps }, { executions }) => {
  if (steps.some((step) => CANCELS.has(step.do))) return [];
  return executions.flatMap((execution) =>
    execution.items
      .filter(({ reason, message }) => reason === 'cancelled' && !STOOD_STILL.test(String(message)))
      .filter(
        ({ orderNumber }) =>
          !triesOf(execution, executions).some(({ items }) =>
            items.some((item) => item.orderNumber === orderNumber && item.reason !== 'cancelled'),
          ),
      )
      .map(({ orderNumber }) => `${execution.id} says that ${String(orderNumber)} was cancelled`),
  );
};
