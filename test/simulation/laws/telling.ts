import type { BookedExecution } from '../books';
import { accountsIn, numberOf, orderOf } from '../history';
import { CANCELS, type Check, intents, isFair, timesIn, triesOf } from './questions';

// What items, errors and hints say.

const NOBODY = /^Nobody was called/;

/** An execution has called nobody about whom it says so. */
export const notCalledMeansNotCalled: Check = ({ steps }, { executions, rings }) =>
  executions.flatMap(({ id, step, notCalled, retryOf = id }) =>
    rings
      // Another round of its loop may have.
      .filter(() => executions.every((one) => one.id !== retryOf || timesIn(steps[one.step]) === 1))
      .filter(() => timesIn(steps[step]) === 1)
      .filter(({ sender, order }) => sender === id && notCalled.includes(order))
      .map(({ order }) => `${id} called about ${numberOf(order)}, and says that it did not`),
  );

/** "Nobody was called" is said only when nobody was, nor is later by what was said to have failed. */
export const nobodyMeansNobody: Check = (_history, books) =>
  books.executions.flatMap(({ id, error, deed, orders, state, toldAgent, endedAt = Infinity }) => {
    if (toldAgent.length > 0) {
      return toldAgent
        .filter((told) => NOBODY.test(told.error))
        .filter((told) =>
          books.rings.some(
            ({ sender, at, order, orderId }) =>
              sender === id &&
              at <= told.at &&
              order === told.order &&
              // The answer to another of its requests may be on its way.
              !toldAgent.some((other) => other.at > told.at && other.orderIds.includes(orderId)),
          ),
        )
        .map(({ order }) => `${id} says "Nobody was called" of ${numberOf(order)} to its agent`);
    }
    if (state !== 'error' || error === undefined || !NOBODY.test(error)) return [];
    const called = books.rings.filter(({ sender, at }) => sender === id && at <= endedAt);
    if (called.length > 0) return [`${id} says "Nobody was called", and ${called.length} were`];
    if (deed !== 'schedule' || /may still be placed|may have been scheduled/.test(error)) return [];
    const others = new Set(
      books.executions
        .filter(
          (other) =>
            other.id !== id && !['place', 'cancel', 'prune', 'pruneByAge'].includes(other.deed),
        )
        .flatMap((other) => other.orders),
    );
    const isOwn = (order: number) => !others.has(order) && !books.scheduledByHand.has(order);
    const later = books.rings.filter(({ order }) => orders.includes(order) && isOwn(order));
    return later.length === 0
      ? []
      : [`${id} says "Nobody was called", and ${later.length} of its calls were placed after`];
  });

/** Whoever places calls tells of each of them. */
export const placedCallsAreTold: Check = ({ steps }, books) =>
  books.executions.flatMap(({ id, state, items, error = '', placedByError, deed, tries }) => {
    // With another key an id means something else.
    if (tries > 1 && steps.some((step) => step.do === 'exchangeKey')) return [];
    if (deed === 'schedule' || (state !== 'success' && state !== 'error')) return [];
    const isItemOf = (orderId: number) => items.some((item) => Number(item.orderId) === orderId);
    const said = [error, ...items.map((item) => item.error)].join(' ');
    return books.rings
      .filter(({ sender, isTold }) => sender === id && isTold)
      .map(({ orderId }) => orderId)
      .filter((orderId) => !isItemOf(orderId) && !said.includes(String(orderId)))
      .filter((orderId) => !placedByError.includes(orderId))
      .map((orderId) => `${id} does not tell of call ${orderId}`);
  });

/** Where nothing happens that is not of every day, no execution fails, and no call is in doubt. */
export const nothingFailsByItself: Check = (history, { executions, rows }) => {
  const { hasNoLog } = history;
  if (!isFair(history)) return [];
  const mayFail = ({ deed, settings, error = '' }: BookedExecution) =>
    // There is nothing to place before anybody has scheduled a call.
    (deed === 'place' && hasNoLog === true) ||
    (settings.outsideHours === 'fail' && error.includes('Calling Hours do not allow')) ||
    // All steps are of one workflow, which began with the one account after it had placed calls of the other.
    (accountsIn(history).length > 1 && error.includes('which this workflow had before'));
  const failed = executions
    .filter((execution) => execution.state === 'error' && !mayFail(execution))
    .map(({ id, error }) => `${id} fails: ${error}`);
  const inDoubt = rows
    .filter(({ status }) => status === 'maybe_placed')
    .map(({ order, lastError }) => `the call about ${numberOf(order)} is in doubt: ${lastError}`);
  return [...failed, ...inDoubt];
};

/** Where an item says that another try has called, somebody was called, or another try or the log tells what became of it. */
export const earlierTryTells: Check = ({ steps }, { executions, rings, rows }) => {
  if (steps.some((step) => CANCELS.has(step.do))) return [];
  return executions.flatMap((execution) => {
    const others = triesOf(execution, executions).filter(({ id }) => id !== execution.id);
    // The error of another retry tells.
    if (others.some(({ retryOf, state }) => retryOf !== undefined && state !== 'success'))
      return [];
    return execution.items
      .filter(({ reason }) => reason === 'earlierTry')
      .map(({ orderNumber }) => orderOf(orderNumber))
      .filter((order) => !rings.some((ring) => ring.order === order))
      .filter((order) => !rows.some((row) => row.order === order && row.status !== 'not_placed'))
      .filter((order) =>
        others
          .flatMap(({ items }) => items)
          .every((item) => orderOf(item.orderNumber) !== order || item.reason === 'earlierTry'),
      )
      .map((order) => `${execution.id} says that another try has called about ${numberOf(order)}`);
  });
};

/** Of several executions that ask for one order at least one calls, or says why not: they do not all call it a duplicate. */
export const duplicateTells: Check = ({ steps }, books) => {
  if (steps.some((step) => CANCELS.has(step.do))) return [];
  return [...intents(books)]
    .filter(([order]) => !books.rings.some((ring) => ring.order === order))
    .filter(([order, asked]) =>
      asked.every(({ state, items }) => {
        const item = items.find(({ orderNumber }) => orderOf(orderNumber) === order);
        return state === 'success' && item?.reason === 'duplicate';
      }),
    )
    .map(([order]) => `all say that ${numberOf(order)} is a duplicate, and nobody is called`);
};
