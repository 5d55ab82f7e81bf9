import { groupBy } from '../../../nodes/OutboundAiCalling/collections';
import type { BookedExecution, Books } from '../books';
import { type Fault, TEST_PHONE, numberOf, orderOf, phoneOf } from '../history';
import { API_KEYS, type Ring } from '../world/service';
import {
  ABOUT_TO_RING_MS,
  CANCELS,
  type Check,
  EVERY_DAY,
  RULES_THAT_STOP,
  attemptsOf,
  byOrder,
  clock,
  hasStoodStill,
  intents,
  isFirst,
  timesIn,
  wasDeleted,
} from './questions';

// Who is called, and how often.

/** The attempt of a call, when its execution has told of it. */
function attemptOf({ orderId }: Ring, { executions }: Books): number | undefined {
  const items = executions.flatMap((execution) => execution.items);
  const attempt = items.find((item) => Number(item.orderId) === orderId)?.attempt;
  return attempt === undefined ? undefined : Number(attempt);
}

/** Nobody is rung twice for one attempt, nor again after an outcome that no plan follows. */
export const nobodyTwice: Check = ({ settings: { hasNoLog, inOwnWorkflows }, steps }, books) => {
  const allAsked = intents(books);
  return [...byOrder(books.rings)].flatMap(([order, rings]) => {
    const asked = allAsked.get(order) ?? [];
    const first = asked.filter(isFirst);
    // Of an execution that has scheduled a call only the log could tell another retry of it.
    if (books.deletedByHand.has(order) && asked.length > first.length) return [];
    // Without a log, or when that was deleted, each node has keys of its own.
    const nodes = new Set(first.map(({ deed, step }) => (inOwnWorkflows ? step : deed)));
    const alike = hasNoLog || wasDeleted(order, books) ? nodes.size : Math.min(1, first.length);
    const free = first.filter((one) => one.settings.preventDuplicates !== true);
    const asks = free.reduce((sum, { step }) => sum + timesIn(steps[step]), 0);
    const chains = asks + (free.length < first.length ? alike : 0);
    const byHand = books.scheduledByHand.get(order) ?? [];
    const isByHand = byHand.length > 0;
    const attempts = Math.max(1, ...first.map(attemptsOf));
    const most = isByHand ? Infinity : chains * attempts;
    if (rings.length > most) {
      return [
        `${phoneOf(order)} rang ${rings.length} times about ${numberOf(order)}, ${most} at most were asked for`,
      ];
    }
    const rows = books.rows.filter((row) => row.order === order);
    // Also of a try that called nobody there is a row, which a person may have had called beside the other.
    const isTwoCalls = isByHand && new Set(rows.map(({ callId }) => callId)).size > 1;
    if (chains > 1 || isTwoCalls) return [];
    const mayRing = (attempt: number | undefined) =>
      isByHand && (attempt === undefined || byHand.includes(attempt));
    return rings.slice(1).flatMap((ring, index) => {
      const before = rings[index] as Ring;
      if (!before.labels.includes('no_answer') && !mayRing(attemptOf(ring, books))) {
        return [
          `${numberOf(order)} was called again at ${clock(books, ring.at)} after "${before.labels.join('", "')}"`,
        ];
      }
      // Also a process that stands still for minutes is dead for others.
      const isDead = books.executions.some(
        ({ id, state, process }) =>
          id === before.sender &&
          (state === 'crashed' ||
            books.processes[process]?.resumedAt.some((at) => at > before.at) === true),
      );
      // Of a call in doubt the person who has it called again knows best.
      if (ring.at < before.endsAt && !(isByHand && (isDead || !before.isTold))) {
        return [
          `${numberOf(order)} was called at ${clock(books, ring.at)} while the call before went on`,
        ];
      }
      return [];
    });
  });
};

/** What lets the log say otherwise than the service which calls go on. */
const TOUCHES_ROWS = new Set<string>([
  ...['edit', 'cancelByHand', 'scheduleByHand', 'copyRow', 'exchangeKey', 'deleteRows', 'emptyLog'],
  ...['prune', 'pruneByAge', 'setClock'],
]);

const isKeyRefused = (faults: Fault[]): boolean =>
  faults.some(({ befalls }) => befalls.kind === 'status' && befalls.status === 401);

/** So long Call Customer and Wait waits for the end of a call. */
const MAX_WAIT_MS = 10 * 60_000;

/**
 * Of the calls that Place Scheduled Calls places with one account, nobody gets one while another rings; nor of those
 * for whose ends one execution waits.
 */
export const onePersonAtATime: Check = ({ steps, faults }, books) => {
  if (steps.some((step) => TOUCHES_ROWS.has(step.do))) return [];
  const senders = new Map(books.executions.map((execution) => [execution.id, execution]));
  const together = ({ sender, key, phone }: Ring): string | undefined => {
    const deed = senders.get(sender)?.deed;
    if (deed === 'place') return `${key} ${phone}`;
    return deed === 'callAndWait' ? `${sender} ${phone}` : undefined;
  };
  const compared = books.rings.filter((ring) => together(ring) !== undefined);
  return [...groupBy(compared, (ring) => together(ring)).values()].flatMap((rings) =>
    rings
      .filter((ring) => !hasStoodStill(ring, books))
      .flatMap((ring) => {
        // Nobody knows of a call in doubt that it rings.
        const isKnown = (one: Ring) => one.isTold && senders.get(one.sender)?.state !== 'crashed';
        const lasts = ({ sender, at, endsAt, orderId }: Ring) => {
          const { deed, items = [], tries = 1, error } = senders.get(sender) ?? {};
          if (deed === 'place') return endsAt;
          // A refused key ends the waiting: the item says that the call goes on, unless a later try has read it, or
          // the execution has failed and gives none.
          const mayBeUntold = (tries > 1 || error !== undefined) && isKeyRefused(faults);
          const isUnread =
            mayBeUntold || items.some((item) => item.orderId === orderId && item.outcomeError);
          return isUnread ? at : Math.min(endsAt, at + MAX_WAIT_MS);
        };
        // Of a request that was given up, nobody knows that it is still on its way.
        const known = rings.filter((one) => isKnown(one) && (ring.isTold || one.at <= ring.sentAt));
        const before = known.find(
          (one) => one !== ring && one.at <= ring.at && ring.at < lasts(one),
        );
        if (before === undefined) return [];
        const [own, other] = [ring, before].map(({ order }) => numberOf(order));
        return [
          `${ring.phone} rang at ${clock(books, ring.at)} about ${own} and still about ${other}`,
        ];
      }),
  );
};

/** Place Scheduled Calls counts calls before it asks rules and marks rows. */
const COUNTED_BEFORE_MS = 20_000;
const SLOW = new Set<string>(['pause', 'kill', 'tablesSlow', 'tablesFail', 'tablesFull']);

/** Nor does Place Scheduled Calls call somebody who has been rung by Call Customer, and still is. */
export const nobodyWhoIsRung: Check = ({ steps, faults, latencyMs }, books) => {
  const isDisturbed = steps.some(({ do: deed }) => TOUCHES_ROWS.has(deed) || SLOW.has(deed));
  if (isDisturbed || faults.length > 0 || latencyMs > 400) return [];
  const senders = new Map(books.executions.map((execution) => [execution.id, execution]));
  const isPlaced = ({ sender }: Ring) => senders.get(sender)?.deed === 'place';
  const isLogged = ({ sender }: Ring) => senders.get(sender)?.settings.hasNoLog !== true;
  const others = books.rings.filter((ring) => !isPlaced(ring) && isLogged(ring) && ring.isTold);
  return books.rings.filter(isPlaced).flatMap((ring) => {
    const other = others.find(
      ({ key, phone, at, endsAt }) =>
        key === ring.key &&
        phone === ring.phone &&
        at < ring.sentAt - COUNTED_BEFORE_MS &&
        ring.at < endsAt,
    );
    if (other === undefined) return [];
    const [own, rung] = [ring, other].map(({ order }) => numberOf(order));
    return [`${ring.phone} rang at ${clock(books, ring.at)} about ${own} and still about ${rung}`];
  });
};

/** A call that waits or rings is not scheduled again by a second press of the button. */
export const scheduledOnce: Check = ({ steps }, books) => {
  if (books.executions.some(({ settings }) => settings.scheduleAgain === true)) return [];
  if (steps.some((step) => CANCELS.has(step.do))) return [];
  return [...intents(books)].flatMap(([order, asked]) => {
    // Of a call in doubt the person knows best.
    if (books.rows.some((row) => row.order === order && row.status === 'maybe_placed')) return [];
    if (
      asked.some(
        ({ deed, retryOf, tries }) => deed !== 'schedule' || retryOf !== undefined || tries > 1,
      )
    )
      return [];
    const over = Math.min(
      ...books.rings.filter((ring) => ring.order === order).map(({ endsAt }) => endsAt),
    );
    const before = asked.filter(
      ({ startedAt, items, endedAt = Infinity }) =>
        Math.max(startedAt, endedAt) < over &&
        items.some((item) => item.status === 'scheduled' && orderOf(item.orderNumber) === order),
    );
    if (before.length < 2) return [];
    return [`${before.map(({ id }) => id).join(' and ')} scheduled ${numberOf(order)}`];
  });
};

/** Who tries a workflow out calls no customer, and starts no workflow. */
export const trialsCallNobody: Check = (_history, { trials, rings, fired }) => [
  ...rings
    .filter(({ sender }) => trials.some(({ id }) => id === sender))
    .map(({ sender, order }) => `the trial ${sender} called about ${numberOf(order)}`),
  ...fired
    .filter(({ item }) => item.customerPhone === TEST_PHONE)
    .map(({ trigger }) => `trigger ${trigger + 1} fired for a test call`),
];

/** What one account has called about only that account tells of, and calls again. */
export const accountsStayApart: Check = ({ triggers }, { rings, fired, executions }) => {
  const keys = new Map(
    executions.flatMap(({ id, key }) => (key === undefined ? [] : [[id, API_KEYS[key]]])),
  );
  const ofOther = rings
    .filter(({ sender, key }) => keys.has(sender) && keys.get(sender) !== key)
    .map(({ sender, order, key }) => `${sender} called about ${numberOf(order)} with ${key}`);
  const toldByOther = fired.flatMap(({ trigger, item: { orderId, orderNumber } }) => {
    const { key } = triggers[trigger] ?? {};
    const ring = rings.find((one) => one.orderId === Number(orderId));
    if (key === undefined || ring === undefined || ring.key === API_KEYS[key]) return [];
    return [`trigger ${trigger + 1} fired for ${String(orderNumber)}, which ${ring.key} called`];
  });
  return [...ofOther, ...toldByOther];
};

/** An order that another workflow has called, or scheduled, is a duplicate for one that prevents them. */
export const knownToOthers: Check = ({ steps, settings }, books) => {
  if (settings.hasNoLog === true || steps.some((step) => CANCELS.has(step.do))) return [];
  return [...intents(books)].flatMap(([order, asked]) =>
    asked.filter(isFirst).flatMap((one) => {
      if (one.settings.preventDuplicates !== true || wasDeleted(order, books)) return [];
      const hasCalled = ({ items }: BookedExecution) =>
        items.some(
          (item) =>
            orderOf(item.orderNumber) === order &&
            item.skipped !== true &&
            (item.status === 'scheduled' || item.orderId !== undefined),
        );
      const begunBefore = asked.filter(
        (other) => other !== one && (other.endedAt ?? Infinity) < one.startedAt && hasCalled(other),
      );
      const isKept = books.rings.some(
        (ring) => ring.order === order && ring.isTold && ring.sentAt < one.startedAt,
      );
      const doesCall = books.rings.some((ring) => ring.order === order && ring.sender === one.id);
      const schedules = one.items.some(
        (item) => orderOf(item.orderNumber) === order && item.status === 'scheduled',
      );
      if (begunBefore.length === 0 || !isKept || !(doesCall || schedules)) return [];
      return [`${one.id} calls about ${numberOf(order)} after ${begunBefore[0]?.id}`];
    }),
  );
};

/** An agent that asks again for a call hears of the first one. */
export const agentsCallOnce: Check = ({ steps }, { executions, rings }) =>
  executions.flatMap(({ id, step, items }) => {
    const deed = steps[step];
    if (deed === undefined || !('asks' in deed)) return [];
    const scheduled = items.filter(({ status }) => status === 'scheduled');
    // Call Customer calls after all, when the agent asks again after it has heard of the cancellation.
    const isCancelled = deed.do === 'call' && steps.some((one) => CANCELS.has(one.do));
    const scheduledTwice = isCancelled
      ? []
      : [...groupBy(scheduled, ({ orderNumber }) => String(orderNumber))]
          .filter(([, same]) => new Set(same.map(({ callId }) => callId)).size > 1)
          .map(([orderNumber]) => `the agent of ${id} scheduled ${orderNumber} twice`);
    const called = [...byOrder(rings.filter(({ sender }) => sender === id))];
    const twice = called
      .filter(([, { length }]) => length > 1)
      .map(([order]) => `the agent of ${id} called twice about ${numberOf(order)}`);
    const untrue = items
      .filter(({ orderId }) => orderId !== undefined)
      .filter(({ orderId, orderNumber }) =>
        rings.some((ring) => ring.orderId === orderId && ring.order !== orderOf(orderNumber)),
      )
      .map(({ orderNumber }) => `the agent of ${id} hears another call of ${String(orderNumber)}`);
    return [...twice, ...scheduledTwice, ...untrue];
  });

/** Nobody is called of a row that was deleted while it waited. */
export const deletedIsNotCalled: Check = (_history, books) => {
  const { emptiedAt } = books;
  if (emptiedAt === undefined) return [];
  return (
    books.rings
      .filter(({ sentAt }) => sentAt > emptiedAt + ABOUT_TO_RING_MS)
      // The row of a call that was just being placed, or had just ended, came after.
      .filter(
        ({ order }) =>
          !books.rings.some(
            (ring) => ring.order === order && ring.sentAt <= emptiedAt + ABOUT_TO_RING_MS,
          ),
      )
      .filter(({ sender }) =>
        books.executions.some(
          ({ id, deed, startedAt }) => id === sender && deed === 'place' && startedAt > emptiedAt,
        ),
      )
      .filter(({ order }) =>
        (intents(books).get(order) ?? []).every(({ endedAt = Infinity }) => endedAt < emptiedAt),
      )
      .map(
        ({ order, at }) =>
          `${numberOf(order)} rang at ${clock(books, at)}, its row was deleted before`,
      )
  );
};

/** A lost answer stops the others for one try only: with tries left, each of them is called. */
export const doubtStopsNobody: Check = ({ steps, faults, settings }, { executions, rings }) => {
  const isLost = ({ to, befalls: { kind } }: Fault) => to === 'service' && kind === 'lost';
  if (!faults.every(isLost) || !steps.every((step) => EVERY_DAY.has(step.do))) return [];
  const all = [settings, ...steps.map((step) => step.settings ?? {})];
  if (RULES_THAT_STOP.some((rule) => all.some((one) => rule in one))) return [];
  // A request that was lost on its way rings nobody: its own call stays in doubt.
  const mostInDoubt = faults.filter(({ when }) => when === 'before').length;
  return executions
    .filter(({ deed }) => deed === 'call' || deed === 'callAndWait')
    .filter(({ state, tries }) => state === 'error' && tries > faults.length)
    .flatMap(({ id, orders }) => {
      const silent = orders.filter((order) => !rings.some((ring) => ring.order === order));
      if (silent.length <= mostInDoubt) return [];
      return silent.map((order) => `${id} does not call about ${numberOf(order)} in any try`);
    });
};
