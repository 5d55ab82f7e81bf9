import type { IDataObject } from 'n8n-workflow';
import type { BookedExecution, Books, Fired } from './books';
import {
  numberOf,
  orderOf,
  phoneIn,
  phoneOf,
  TEST_PHONE,
  type Fault,
  type Step,
  type History,
  type TriggerOfHistory,
} from './history';
import { goesOn, type LogRow } from './logRows';
import { API_KEYS, type Ring } from './world/service';

/** What a history has shown to be broken. */
export interface Violation {
  law: LawName;
  what: string;
}

type Check = (history: History, books: Books) => string[];

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** India, whose clock the histories go by. */
const OFFSET_MS = 5.5 * 60 * MINUTE_MS;
/** A call that was about to be placed when Cancel came may ring for so long after. */
const ABOUT_TO_RING_MS = 90_000;
/** From its last question to its request a process takes less long. */
const ABOUT_TO_SEND_MS = 50;

/** By then an execution that goes on knows of a new entry on the do-not-call list. */
const LIST_READ_AGAIN_MS = 2 * MINUTE_MS;
/** What has an execution stand still, or wait for n8n. */
const SLOW = new Set<string>(['pause', 'tablesSlow', 'tablesFail', 'tablesFull', 'setClock']);

/** A call that is due is placed by then, however many others wait. */
const LATEST_MS = 6 * 60 * MINUTE_MS;

const RULES_THAT_STOP = ['hours', 'maxCallsPerDay', 'maxCallsPerPersonPerDay', 'maxCostPerDay'];

const NOBODY = /^Nobody was called/;
const STOOD_STILL = /n8n stood still/;

/** By what they have in common, in the order of time. */
function grouped<K, T>(entries: T[], keyOf: (entry: T) => K): Map<K, T[]> {
  const map = new Map<K, T[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const same = map.get(key);
    if (same === undefined) map.set(key, [entry]);
    else same.push(entry);
  }
  return map;
}

const byOrder = <T extends { order: number }>(entries: T[]): Map<number, T[]> =>
  grouped(entries, ({ order }) => order);

const clock = ({ startedAt }: Books, at: number): string =>
  `${((at - startedAt) / 1000).toFixed(1)} s`;

/** Executions that ask for a call about each order, but for retries: those call nobody again. */
function intents({ executions }: Books): Map<number, BookedExecution[]> {
  const map = new Map<number, BookedExecution[]>();
  for (const execution of executions) {
    if (!['schedule', 'call', 'callAndWait'].includes(execution.deed)) continue;
    for (const order of execution.orders) {
      map.set(order, [...(map.get(order) ?? []), execution]);
    }
  }
  return map;
}

/** Whether a person has deleted what the log told of an order, or has written over it by scheduling again. */
const wasUndone = (order: number, { deletedByHand, scheduledByHand }: Books): boolean =>
  deletedByHand.has(order) || scheduledByHand.has(order);

/** Whether the log was made to forget an order, or a call about it. */
const wasDeleted = (order: number, books: Books): boolean =>
  wasUndone(order, books) ||
  books.executions.some(({ deed, orders }) => deed === 'prune' && orders.includes(order));

const isFirst = ({ retryOf }: BookedExecution): boolean => retryOf === undefined;

/** How often a step asks for each of its calls. */
const timesIn = (step: History['steps'][number] | undefined): number =>
  step?.do === 'call' && step.isRepeated === true ? (step.rounds ?? 1) : 1;

const attemptsOf = ({ settings: { planMinutes = [] } }: BookedExecution): number =>
  planMinutes.length + 1;

/** Nobody is rung twice for one attempt, nor again after an outcome that no plan follows. */
const nobodyTwice: Check = ({ settings: { hasNoLog, inOwnWorkflows }, steps }, books) => {
  const allAsked = intents(books);
  return [...byOrder(books.rings)].flatMap(([order, rings]) => {
    const asked = allAsked.get(order) ?? [];
    const first = asked.filter(isFirst);
    // Of an execution that has scheduled a call only the log could tell another retry of it.
    if (books.deletedByHand.has(order) && asked.length > first.length) return [];
    // Without a log, or when that was deleted, each node has keys of its own.
    const nodes = new Set(first.map(({ deed, step }) => (inOwnWorkflows ? step : deed)));
    const alike =
      hasNoLog || books.deletedByHand.has(order) ? nodes.size : Math.min(1, first.length);
    const free = first.filter((one) => one.settings.preventDuplicates !== true);
    const asks = free.reduce((sum, { step }) => sum + timesIn(steps[step]), 0);
    const chains = asks + (free.length < first.length ? alike : 0);
    const isByHand = books.scheduledByHand.has(order);
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
    return rings.slice(1).flatMap((ring, index) => {
      const before = rings[index] as Ring;
      if (!isByHand && !before.labels.includes('no_answer')) {
        return [
          `${numberOf(order)} was called again at ${clock(books, ring.at)} after "${before.labels.join('", "')}"`,
        ];
      }
      // Of a call in doubt the person who has it called again knows best.
      if (ring.at < before.endsAt && (before.isTold || !isByHand)) {
        return [
          `${numberOf(order)} was called at ${clock(books, ring.at)} while the call before went on`,
        ];
      }
      return [];
    });
  });
};

/**
 * Whether an execution asks for its calls again, and means other calls: in rounds of a loop, or because its agent
 * has heard that nobody was called.
 */
const asksAgain =
  ({ steps }: History) =>
  ({ step, deed }: BookedExecution): boolean =>
    (deed === 'call' && 'asks' in (steps[step] ?? {})) || timesIn(steps[step]) > 1;

/** After Cancel has answered nobody is called about the order that the log showed to it. */
const nobodyAfterCancel: Check = (history, books) =>
  books.executions
    .filter(({ deed, state }) => deed === 'cancel' && state === 'success')
    // An item with an error says that calls may still be placed.
    .filter(({ items }) => items.every(({ error }) => error === undefined))
    // A person who deletes rows deletes what says that they were cancelled.
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
      const isUnknown = /may still be to come|another API key/.test(message);
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
      const saysSo = /being placed and could not be stopped/.test(message);
      const goesOnOnce = /goes on and is not tried again/.test(message);
      const mayRing = goesOnOnce || (counted === 0 && saysSo && !isCancelled);
      const hadBegun = ({ sender }: Ring) =>
        books.executions.some(({ id, startedAt }) => id === sender && startedAt <= answeredAt);
      if (counted === 0 && !waits && !isWrittenAhead(rowsBefore)) return [];
      return books.rings
        .filter((ring) => ring.order === order && ring.sentAt > answeredAt)
        .filter((ring) => !mayRing || !hadBegun(ring))
        .filter(({ phone }) => counted > 0 || phone === phoneIn(history, order))
        .map(
          ({ at }) =>
            `${numberOf(order)} rang at ${clock(books, at)}, Cancel had answered ${counted} at ${clock(books, answeredAt)}`,
        );
    });

/** Nobody is called of a row in which a person has written that it is cancelled. */
const cancelledByHandIsCancelled: Check = (_history, books) =>
  books.rings.flatMap(({ order, sentAt, at }) => {
    const cancelledAt = books.cancelledByHand.get(order) ?? Infinity;
    if (books.scheduledByHand.has(order)) return [];
    const asked = intents(books).get(order) ?? [];
    const isAskedAgain = asked.some(
      ({ endedAt = Infinity, tries, retryOf }) =>
        endedAt >= cancelledAt || tries > 1 || retryOf !== undefined,
    );
    // A second call of the order may ring, and so may what follows it.
    const areTwo = asked.filter(isFirst).length > 1;
    return sentAt <= cancelledAt || isAskedAgain || areTwo
      ? []
      : [`${numberOf(order)} rang at ${clock(books, at)}, its row was cancelled by hand before`];
  });

/** Rows that are not scheduled yet, because their list is still being written. */
function isWrittenAhead(rows: LogRow[]): boolean {
  return rows.some(({ status }) => status === 'not_placed');
}

const isCancelledCall =
  (of: number) =>
  ({ order, status, attempt }: LogRow): boolean =>
    order === of && attempt === 1 && status === 'cancelled';

/** Whether a later try of its execution may come to the call of a row. */
const isUntried = ({ status, batch, hasEnded }: LogRow): boolean =>
  status === 'not_placed' && batch !== '' && !hasEnded;

/** A process that stands still between its last question and its request cannot ask again. */
const hasStoodStill = ({ process, sentAt }: Ring, { processes }: Books): boolean =>
  processes[process]?.resumedAt.some((at) => at <= sentAt && sentAt < at + ABOUT_TO_SEND_MS) ===
  true;

/** A rule of one of the workflows that ask for a call; undefined when one of them does not have it. */
function rulesOf<T>(
  asked: BookedExecution[] | undefined,
  rule: (settings: History['settings']) => T | undefined,
): T[] | undefined {
  const rules = (asked ?? []).map(({ settings }) => rule(settings));
  return rules.length === 0 || rules.includes(undefined) ? undefined : (rules as T[]);
}

/** The first and the last to see a day of all who may have the numbers: in Newfoundland and on Hawaii. */
const CUSTOMERS_OFFSETS_MS = [-3.5, -10].map((hours) => hours * 60 * MINUTE_MS);

function isWithin(
  { start, end, isOfCustomers }: NonNullable<History['settings']['hours']>,
  at: number,
): boolean {
  const offsets = isOfCustomers === true ? CUSTOMERS_OFFSETS_MS : [OFFSET_MS];
  return offsets.every((offset) => {
    const time = new Date(at + offset).toISOString().slice(11, 16);
    return start < end ? time >= start && time < end : time >= start || time < end;
  });
}

/** Nobody is called outside the hours, on the do-not-call list or over the cap. */
const nobodyAgainstRules: Check = ({ steps, faults }, books) => {
  const allAsked = intents(books);
  const broken: string[] = [];
  for (const ring of books.rings) {
    const asked = allAsked.get(ring.order);
    const allHours = rulesOf(asked, ({ hours }) => hours);
    // Whoever calls goes by its own clock.
    const sentAt = ring.sentAt + ring.aheadMs;
    const isOutside = allHours?.every((hours) => !isWithin(hours, sentAt));
    if (isOutside === true && !hasStoodStill(ring, books)) {
      const said = allHours?.map(({ start, end }) => `${start} to ${end}`).join(', ');
      broken.push(`${numberOf(ring.order)} rang at ${clock(books, ring.at)}, outside ${said}`);
    }
    const listedAt = books.doNotCall.get(ring.phone);
    const began = books.executions.find(({ id }) => id === ring.sender)?.startedAt ?? Infinity;
    const isAsked = rulesOf(asked, ({ doNotCall }) => doNotCall || undefined) !== undefined;
    // The list is read again after a minute; with a slow n8n that takes long.
    const isReadAgain = steps.every(({ do: deed }) => !SLOW.has(deed)) && faults.length === 0;
    const readBy = isReadAgain ? (listedAt ?? 0) + LIST_READ_AGAIN_MS : Infinity;
    if (isAsked && listedAt !== undefined && (listedAt < began || readBy < ring.sentAt)) {
      broken.push(
        `${numberOf(ring.order)} rang although the number stands on the do-not-call list`,
      );
    }
  }
  const dayOf = ({ at, aheadMs }: Ring) => Math.floor((at + aheadMs + OFFSET_MS) / DAY_MS);
  // Nobody can count what the log was made to forget, nor for whom it was made to forget it.
  const counted = books.rings.filter(({ order }) => !wasDeleted(order, books));
  const named = counted.filter(({ order }) => !books.renumbered.has(order));
  const caps: Array<
    [(settings: History['settings']) => number | undefined, Ring[], (ring: Ring) => string]
  > = [
    [
      ({ maxCallsPerDay }) => maxCallsPerDay,
      counted,
      (ring) => `on day ${dayOf(ring)} with ${ring.key}`,
    ],
    [
      ({ maxCallsPerPersonPerDay }) => maxCallsPerPersonPerDay,
      named,
      (ring) => `to ${ring.phone} on day ${dayOf(ring)} with ${ring.key}`,
    ],
  ];
  for (const [capOf, rings, placeOf] of caps) {
    const capOfRing = ({ order }: Ring) =>
      Math.max(...(rulesOf(allAsked.get(order), capOf) ?? [Infinity]));
    for (const [place, same] of grouped(rings, placeOf)) {
      for (const ring of same) {
        const cap = capOfRing(ring);
        // A workflow without the cap may call between the count of one that has it and its call.
        const before = same.filter(
          (one) =>
            one.at < ring.at && (capOfRing(one) <= cap || one.at < ring.at - ABOUT_TO_RING_MS),
        );
        if (before.length < cap) continue;
        broken.push(`${before.length + 1} calls ${place} with a cap of ${cap}`);
        break;
      }
    }
  }
  return broken;
};

/** What an execution said is scheduled has a row that says what became of it, and nothing hangs. */
const nobodyForgotten: Check = (_history, books) => {
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

/** The number that a person has written into a row that waits is the one that rings. */
const writtenPhoneRings: Check = (_history, books) =>
  books.rings.flatMap((ring) => {
    const byHand = books.phonesByHand.get(ring.order);
    if (byHand === undefined || ring.sentAt < byHand.at + ABOUT_TO_RING_MS) return [];
    // A person may have scheduled another row of the order again.
    if (wasUndone(ring.order, books)) return [];
    // Whoever asks for a call after that says by itself whom to call.
    const asked = intents(books).get(ring.order) ?? [];
    if (asked.some(({ startedAt, tries }) => startedAt > byHand.at || tries > 1)) return [];
    return ring.phone === byHand.phone
      ? []
      : [
          `${ring.phone} rang about ${numberOf(ring.order)}, ${byHand.phone} was written into its row`,
        ];
  });

/** The time that a person has written into a row that waits is the one at which it rings. */
const writtenTimeCounts: Check = ({ steps }, books) =>
  books.rings.flatMap((ring) => {
    const due = books.dueByHand.get(ring.order);
    if (due === undefined || ring.sentAt < due.at + ABOUT_TO_RING_MS) return [];
    if (wasUndone(ring.order, books)) return [];
    // By whose clock the time was written is anybody's guess.
    if (steps.some((step) => step.do === 'setClock')) return [];
    // Each try of an execution has rows of its own, and so has one that begins later.
    const hasOwnRow = ({ tries, startedAt }: BookedExecution) => tries > 1 || startedAt >= due.at;
    const asked = intents(books).get(ring.order) ?? [];
    // Of two calls of one order the other one may ring.
    if (asked.some(hasOwnRow) || asked.filter(isFirst).length > 1) return [];
    // Its call was about to ring: the time of the next attempt is reckoned from its end.
    const isOfRing = ({ order, sentAt }: Ring) =>
      order === ring.order && sentAt >= due.at && sentAt < due.at + ABOUT_TO_RING_MS;
    if (books.rings.some(isOfRing)) return [];
    const lateMs = ring.sentAt - due.dueAt;
    const isFirstRing = books.rings.find(({ order }) => order === ring.order) === ring;
    // Hours and caps have calls wait longer.
    const isHeldUp = asked.some(({ settings }) => RULES_THAT_STOP.some((rule) => rule in settings));
    if (lateMs >= -MINUTE_MS && (!isFirstRing || isHeldUp || lateMs <= LATEST_MS)) return [];
    const minutes = Math.round(lateMs / MINUTE_MS);
    return [`${numberOf(ring.order)} rang ${minutes} minutes after the time in its row`];
  });

/** Nobody is called before the time for which the call was scheduled, by the clock of whoever calls. */
const notBeforeCallAt: Check = (_history, books) =>
  books.rings.flatMap((ring) => {
    const { order } = ring;
    const asked = intents(books).get(order) ?? [];
    // Somebody may write another time.
    if (asked.length === 0 || books.dueByHand.has(order) || wasUndone(order, books)) return [];
    const callAt = Math.min(...asked.map((one) => one.callAt ?? 0));
    const earlyMs = callAt - (ring.sentAt + ring.aheadMs);
    if (earlyMs <= 0) return [];
    return [
      `${numberOf(order)} rang ${earlyMs / 1000} s before the time for which it was scheduled`,
    ];
  });

/** Place Scheduled Calls places a call only while fewer go on than it may. */
const neverTooMany: Check = (_history, books) => {
  const placing = books.executions.filter(({ deed }) => deed === 'place');
  const mostOf = new Map(placing.map(({ id, settings }) => [id, settings.maxInProgress]));
  // Of calls whose execution was killed, or stood still, the log may have no open row.
  const placers = new Set(
    placing
      .filter(({ state, startedAt }) => state !== 'crashed' && startedAt < books.calmAt)
      .map(({ id }) => id),
  );
  const rings = books.rings.filter(
    ({ sender, isTold, order, process, at }) =>
      placers.has(sender) &&
      isTold &&
      !wasDeleted(order, books) &&
      // A person who writes "cancelled" into the row of a call frees its channel for a moment.
      !books.cancelledByHand.has(order) &&
      !(books.processes[process]?.resumedAt.some((time) => time >= at) === true),
  );
  return rings.flatMap((ring) => {
    const { at, key, order, sender } = ring;
    const maxInProgress = mostOf.get(sender) ?? Infinity;
    const others = rings.filter(
      // A call is given up after a day, by the clock of whoever looks.
      (one) =>
        one !== ring &&
        one.key === key &&
        one.at <= at &&
        at < Math.min(one.endsAt, one.at + DAY_MS - 10 * MINUTE_MS),
    );
    if (others.length < maxInProgress) return [];
    return [
      `${numberOf(order)} rang while ${others.length} calls went on, of at most ${maxInProgress}`,
    ];
  });
};

/** A call that waits or rings is not scheduled again by a second press of the button. */
const scheduledOnce: Check = ({ steps }, books) => {
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

/** Who has said that nobody should call is put on the list, and not called by what begins after the end was heard. */
const wishesAreKept: Check = ({ steps, faults }, books) => {
  const isReadAgain = steps.every(({ do: deed }) => !SLOW.has(deed)) && faults.length === 0;
  const readAgainMs = isReadAgain ? LIST_READ_AGAIN_MS : Infinity;
  const listed = new Set(books.listed);
  const allAsked = intents(books);
  const hasRule = (order: number) =>
    rulesOf(allAsked.get(order), ({ doNotCall }) => doNotCall || undefined) !== undefined;
  const hasOutcomes = (order: number) =>
    rulesOf(allAsked.get(order), (one) => one.doNotCallOutcomes || undefined) !== undefined;
  return books.rings.flatMap((ring) => {
    const { orderId, order, phone } = ring;
    if (!hasRule(order) || !hasOutcomes(order)) return [];
    if (ring.labels.length > 1 || ring.labels[0] !== 'Not Interested') return [];
    const isOwn = (row: LogRow) => row.order === order && row.outcomeKey === 'not_interested';
    // n8n may have refused the entry.
    const isHeard = books.rows.some((row) => isOwn(row) && !/do-not-call/i.test(row.lastError));
    const forgotten =
      isHeard && !listed.has(phone) && !wasDeleted(order, books)
        ? [`${phone} said "Not Interested", and does not stand on the list`]
        : [];
    const heardAt = Math.min(
      ...books.fired
        .filter(({ item }) => Number(item.orderId) === orderId)
        .filter(({ item }) => item.outcomeKey === 'not_interested')
        .map(({ at }) => at),
    );
    const beganAt = (sender: string) =>
      books.executions.find(({ id }) => id === sender)?.startedAt ?? 0;
    const again = books.rings
      .filter((one) => one.phone === phone && hasRule(one.order))
      .filter((one) => beganAt(one.sender) > heardAt || one.sentAt > heardAt + readAgainMs)
      .filter(() => listed.has(phone))
      .map(
        (one) => `${phone} rang about ${numberOf(one.order)} after it had said "Not Interested"`,
      );
    return [...forgotten, ...again];
  });
};

/** An execution has called nobody about whom it says so. */
const notCalledMeansNotCalled: Check = ({ steps }, { executions, rings }) =>
  executions.flatMap(({ id, notCalled, step }) =>
    rings
      // Another round of its loop may have.
      .filter(() => timesIn(steps[step]) === 1)
      .filter(({ sender, order }) => sender === id && notCalled.includes(order))
      .map(({ order }) => `${id} called about ${numberOf(order)}, and says that it did not`),
  );

/** Who tries a workflow out calls no customer, and starts no workflow. */
const trialsCallNobody: Check = (_history, { trials, rings, fired }) => [
  ...rings
    .filter(({ sender }) => trials.some(({ id }) => id === sender))
    .map(({ sender, order }) => `the trial ${sender} called about ${numberOf(order)}`),
  ...fired
    .filter(({ item }) => item.customerPhone === TEST_PHONE)
    .map(({ trigger }) => `trigger ${trigger + 1} fired for a test call`),
];

/** What one account has called about only that account tells of, and calls again. */
const accountsStayApart: Check = ({ triggers }, { rings, fired, executions }) => {
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
const knownToOthers: Check = ({ steps, settings }, books) => {
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

const keyOfLabel = (label: string): string => label.toLowerCase().replace(/[^\p{L}]+/gu, '_');

/** The outcome with which a workflow starts is one that the service has told of this call. */
const outcomesAreTrue: Check = (_history, { fired, rings }) =>
  fired.flatMap(({ trigger, item }) => {
    const { event, orderId, orderNumber, outcomeKey } = item;
    const ring = rings.find((one) => one.orderId === Number(orderId));
    if (event !== 'outcomeAvailable' || ring === undefined) return [];
    if (ring.labels.map(keyOfLabel).includes(String(outcomeKey))) return [];
    return [
      `trigger ${trigger + 1} said ${String(outcomeKey)} of ${String(orderNumber)}, the service "${ring.labels.join('", "')}"`,
    ];
  });

/** An agent that asks again for a call hears of the first one. */
const agentsCallOnce: Check = ({ steps }, { executions, rings }) =>
  executions.flatMap(({ id, step, items }) => {
    const deed = steps[step];
    if (deed === undefined || !('asks' in deed)) return [];
    const scheduled = items.filter(({ status }) => status === 'scheduled');
    // It means another call when it asks again for one that was cancelled.
    const isCancelled = steps.some((one) => CANCELS.has(one.do));
    const scheduledTwice = isCancelled
      ? []
      : [...grouped(scheduled, ({ orderNumber }) => String(orderNumber))]
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
const deletedIsNotCalled: Check = (_history, books) => {
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

/** Whether an order may have fired twice: its trigger was killed at some time. */
function wasKilled({ processes }: Books, process: number): boolean {
  return processes[process]?.kills !== 0;
}

/**
 * Whether a trigger has to tell of a call. One that was away while the second key was in use goes on, with that
 * key, where it stood with the first.
 */
function isForTrigger(
  ring: Ring,
  { exchangedBefore, executions }: Books,
  trigger: number,
  key: TriggerOfHistory['key'],
): boolean {
  if (key !== undefined) return ring.key === API_KEYS[key];
  if (ring.key === API_KEYS[0]) return true;
  // Prune keeps what a trigger waits for; it may come before the trigger's first poll with that key.
  const isPruned = executions.some(
    ({ deed, orders }) => deed === 'prune' && orders.includes(ring.order),
  );
  return exchangedBefore[trigger] === 1 && !isPruned;
}

/** What a trigger has fired. */
const firedBy = ({ fired }: Books, trigger: number): Fired[] =>
  fired.filter((one) => one.trigger === trigger);

/** An execution that a person cancels has no error: it tells n8n's log of its calls. */
const cancelledWarnings = ({ warnings }: Books): string[] =>
  warnings.flatMap(({ what }) => (/was cancelled/.test(what) ? what : []));

/**
 * Every call that the service took fires once at every trigger that asks for each attempt. Of an execution
 * that was killed, or stood still for too long, nobody may know the call's id: then it fires as one that may have been placed. Nor can
 * anybody know it when n8n refused to write it, as the execution's item says.
 */
const everyOutcomeOnce: Check = ({ triggers, skews, steps }, books) => {
  // While n8n fails for minutes, the id of a call reaches the person in an error only, and its row is in doubt.
  const mayBeUnwritten = steps.some((step) => step.do === 'tablesFail');
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
        books.processes[placedBy]?.resumedAt.some((time) => time >= at);
      if (times === 0 && isUncertain === true && doubts.length >= asDoubt) return [];
      return [
        `trigger ${trigger + 1} fired ${times} times for call ${orderId} about ${numberOf(order)}`,
      ];
    });
  });
};

/** A trigger on This Instance fires once for each call that its process knows of, as long as that lives. */
const everyOutcomeOfInstance: Check = ({ triggers, skews, steps }, books) =>
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
function oneLastWord(wasBegun: (order: number, books: Books) => boolean): Check {
  return ({ triggers, skews }, books) => {
    const orders = [...intents(books)].flatMap(([order, asked]) => {
      const [first, ...more] = asked.filter(isFirst);
      const isOne =
        first !== undefined &&
        more.length === 0 &&
        wasBegun(order, books) &&
        !books.deletedByHand.has(order);
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
        const doubts = words.filter(({ item }) => item.endReason === 'maybePlaced').length;
        const most = mayBeMore ? Infinity : tries + doubts;
        if (words.length >= 1 && words.length <= most) return [];
        return [`${numberOf(order)} has ${words.length} last words at trigger ${trigger + 1}`];
      });
    });
  };
}

const WITHOUT_OUTCOME = new Set(['not_placed', 'cancelled', 'maybe_placed', 'given_up']);

/** Whether an attempt has an outcome: a trigger without the other event has a last word only then. */
const hasOutcome = (order: number, { rows }: Books): boolean =>
  rows.some((row) => row.order === order && row.hasEnded && !WITHOUT_OUTCOME.has(row.status));

/** A row that is a changed copy of another has an id, and an end, of its own. */
const isOfCopy = ({ message }: IDataObject): boolean =>
  String(message).includes('it is a copy of row');

const wasScheduled = (order: number, { executions }: Books): boolean =>
  executions.some(({ items }) =>
    items.some((item) => item.status === 'scheduled' && item.orderNumber === numberOf(order)),
  );

/** What an item says of an attempt is what its row says. */
const itemsAsRows: Check = ({ triggers }, books) => {
  // Of two calls about an order the rows of one may be gone.
  if (books.executions.some(({ deed }) => deed === 'pruneByAge')) return [];
  const rows = byOrder(books.rows);
  return books.fired.flatMap(({ item, trigger }) => {
    const order = Number(String(item.orderNumber).slice(2));
    if (wasDeleted(order, books) || triggers[trigger]?.watch === 'instance') return [];
    const attempt = Number(item.attempt ?? 1);
    const same = (rows.get(order) ?? []).filter((row) => row.attempt === attempt);
    const said = item.outcomeKey ?? null;
    if (said === null || same.length === 0) return [];
    if (same.some(({ outcomeKey }) => outcomeKey === said)) return [];
    const written = same.map(({ outcomeKey }) => outcomeKey).join(', ');
    return [
      `trigger ${trigger + 1} said ${String(said)} of attempt ${attempt} at ${numberOf(order)}, its row says ${written}`,
    ];
  });
};

/** Of a call that an item says is scheduled, no row says that its list was given up. */
const scheduledMeansScheduled: Check = (_history, books) => {
  const isGivenUp = ({ status, lastError, order }: LogRow) =>
    // A copy of a row that a person has deleted may come to light later.
    !wasDeleted(order, books) &&
    status === 'not_placed' &&
    /execution ended before it came to this call/.test(lastError);
  const givenUp = new Set(books.rows.filter(isGivenUp).map(({ callId }) => callId));
  return books.executions.flatMap(({ id, items }) =>
    items
      .filter(({ status, callId }) => status === 'scheduled' && givenUp.has(String(callId)))
      .map((item) => `${id} says that ${String(item.orderNumber)} is scheduled, and its row not`),
  );
};

/** "Nobody was called" is said only when nobody was, nor is later by what was said to have failed. */
const nobodyMeansNobody: Check = (_history, books) =>
  books.executions.flatMap(({ id, error, deed, orders, state, toldAgent, endedAt = Infinity }) => {
    if (toldAgent.length > 0) {
      return toldAgent
        .filter((told) => NOBODY.test(told.error))
        .filter((told) =>
          books.rings.some(
            ({ sender, at, order }) => sender === id && at <= told.at && order === told.order,
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
    const later = books.rings.filter(({ order }) => orders.includes(order) && !others.has(order));
    return later.length === 0
      ? []
      : [`${id} says "Nobody was called", and ${later.length} of its calls were placed after`];
  });

/** Whoever places calls tells of each of them. */
const placedCallsAreTold: Check = ({ steps }, books) =>
  books.executions.flatMap(({ id, state, items, error = '', placedByError, deed, tries }) => {
    // With another key an id means something else.
    if (tries > 1 && steps.some((step) => step.do === 'exchangeKey')) return [];
    if (deed === 'schedule' || (state !== 'success' && state !== 'error')) return [];
    const isItemOf = (orderId: number) => items.some((item) => Number(item.orderId) === orderId);
    return books.rings
      .filter(({ sender, isTold }) => sender === id && isTold)
      .map(({ orderId }) => orderId)
      .filter((orderId) => !isItemOf(orderId) && !error.includes(String(orderId)))
      .filter((orderId) => !placedByError.includes(orderId))
      .map((orderId) => `${id} does not tell of call ${orderId}`);
  });

/** What many rows have in common goes in one request: a list is not written row by row. */
const listsInOneGo: Check = (_history, books) => {
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

/** What a person and n8n do every day: nobody edits, stops or breaks anything. */
const EVERY_DAY = new Set<string>(['schedule', 'call', 'callAndWait', 'place', 'poll', 'try']);

const isFair = ({ steps, faults }: History): boolean =>
  faults.length === 0 && steps.every((step) => EVERY_DAY.has(step.do));

/** Two rounds of n8n's minutes, and how late rows may be seen. */
const IN_TIME_MS = 3 * 60_000;

/**
 * On a day like any other, with polls by the minute, what is due rings within minutes when a channel is free, and
 * each end is heard within minutes.
 */
const inTime: Check = (history, books) => {
  const { minutes = 0, latencyMs, triggers, settings, outcomes, steps, labelAfterMs = 0 } = history;
  if (!isFair(history) || latencyMs > 1_000) return [];
  const until = books.startedAt + minutes * 60_000 - IN_TIME_MS;
  const isHeldBack = RULES_THAT_STOP.some((rule) =>
    [settings, ...steps.map((step) => step.settings ?? {})].some((one) => rule in one),
  );
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

/** Where nothing happens that is not of every day, no execution fails, and no call is in doubt. */
const nothingFailsByItself: Check = (history, { executions, rows }) => {
  const { hasNoLog } = history;
  if (!isFair(history)) return [];
  // There is nothing to place before anybody has scheduled a call.
  const mayFail = (deed: string) => deed === 'place' && hasNoLog === true;
  const failed = executions
    .filter(({ state, deed }) => state === 'error' && !mayFail(deed))
    .map(({ id, error }) => `${id} fails: ${error}`);
  const inDoubt = rows
    .filter(({ status }) => status === 'maybe_placed')
    .map(({ order, lastError }) => `the call about ${numberOf(order)} is in doubt: ${lastError}`);
  return [...failed, ...inDoubt];
};

/** What has a waiting call cancelled, or its row deleted. */
const CANCELS = new Set<string>([
  ...[
    'cancel',
    'cancelByHand',
    'cancelExecution',
    'edit',
    'editDueAt',
    'copyRow',
    'scheduleByHand',
  ],
  ...['deleteRows', 'emptyLog', 'prune'],
]);

/** The executions of which one is a retry of the other, or both of a third one. */
function triesOf({ id, retryOf }: BookedExecution, executions: BookedExecution[]) {
  const first = retryOf ?? id;
  return executions.filter((one) => (one.retryOf ?? one.id) === first);
}

/**
 * Where nobody cancels anything, no item says that a call was cancelled: but for when its execution stood still, or
 * when another try has deleted the row and tells what became of the call.
 */
const cancelledMeansCancelled: Check = ({ steps }, { executions }) => {
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

/** Where an item says that another try has called, somebody was called, or another try or the log tells what became of it. */
const earlierTryTells: Check = ({ steps }, { executions, rings, rows }) => {
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
const duplicateTells: Check = ({ steps }, books) => {
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

/** Every execution comes to its end. */
const executionsEnd: Check = (_history, { executions }) =>
  executions.filter(({ state }) => state === 'running').map(({ id }) => `${id} never ends`);

/** What keeps an execution from telling in the log what became of its calls. */
const SILENCES = new Set<string>([
  ...['kill', 'pause', 'cancelExecution', 'tablesFull', 'tablesFail'],
  // A row that was copied while its call was being placed has nobody who ends it.
  'copyRow',
]);
/** The nodes wait no longer for n8n's answer. */
const TABLES_WAITED_FOR_MS = 20_000;
const DIED = /the execution ended before it came|n8n stopped while the call was being placed/;

/** No row says that its execution has died where each has come to its end, and n8n's tables took all that it wrote. */
const nobodyDiesByItself: Check = ({ steps, faults }, { rows }) => {
  const isSilent = (step: Step) =>
    SILENCES.has(step.do) || (step.do === 'tablesSlow' && step.lateMs >= TABLES_WAITED_FOR_MS);
  if (steps.some(isSilent)) return [];
  const isOfService = ({ to, befalls: { kind } }: Fault) =>
    to === 'service' && kind !== 'kill' && kind !== 'pause';
  if (!faults.every(isOfService)) return [];
  return rows
    .filter(({ lastError }) => DIED.test(lastError))
    .map(({ order, lastError }) => `the row of ${numberOf(order)} says: ${lastError}`);
};

/** A lost answer stops the others for one try only: with tries left, each of them is called. */
const doubtStopsNobody: Check = ({ steps, faults, settings }, { executions, rings }) => {
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

const LAWS = {
  nobodyTwice,
  nobodyAfterCancel,
  cancelledByHandIsCancelled,
  nobodyAgainstRules,
  nobodyForgotten,
  writtenPhoneRings,
  writtenTimeCounts,
  notBeforeCallAt,
  neverTooMany,
  notCalledMeansNotCalled,
  trialsCallNobody,
  wishesAreKept,
  everyOutcomeOfInstance,
  scheduledOnce,
  everyOutcomeOnce,
  lastWordOfCalled: oneLastWord((order, { rings }) =>
    rings.some((ring) => ring.order === order && ring.isTold),
  ),
  lastWordOfAll: oneLastWord(wasScheduled),
  itemsAsRows,
  scheduledMeansScheduled,
  nobodyMeansNobody,
  placedCallsAreTold,
  listsInOneGo,
  nothingFailsByItself,
  cancelledMeansCancelled,
  earlierTryTells,
  duplicateTells,
  executionsEnd,
  nobodyDiesByItself,
  doubtStopsNobody,
  inTime,
  accountsStayApart,
  knownToOthers,
  outcomesAreTrue,
  agentsCallOnce,
  deletedIsNotCalled,
} satisfies Record<string, Check>;

export type LawName = keyof typeof LAWS;

export const LAW_NAMES = Object.keys(LAWS) as LawName[];

/** Holds the books of a history against the laws. */
export function violations(
  history: History,
  books: Books,
  laws: readonly LawName[] = LAW_NAMES,
): Violation[] {
  return laws.flatMap((law) => LAWS[law](history, books).map((what) => ({ law, what })));
}
