import { numberOf } from '../history';
import type { LogRow } from '../logRows';
import { isWithin } from './hours';
import {
  type Check,
  DAY_MS,
  MINUTE_MS,
  clock,
  hasStoodStill,
  intents,
  rulesOf,
  wasDeleted,
  wasUndone,
} from './questions';

// The rules that keep a phone silent, and the times of calls.

/** By then an execution that goes on knows of a new entry on the do-not-call list. */
const LIST_READ_AGAIN_MS = 2 * MINUTE_MS;

/** What has an execution stand still, or wait for n8n. */
const SLOW = new Set<string>(['pause', 'tablesSlow', 'tablesFail', 'tablesFull', 'setClock']);

/** Nobody is called outside the hours or on the do-not-call list. */
export const nobodyAgainstRules: Check = ({ begins, steps, faults }, books) => {
  const allAsked = intents(books);
  const broken: string[] = [];
  for (const ring of books.rings) {
    const asked = allAsked.get(ring.order);
    const allHours = rulesOf(asked, ({ hours }) => hours);
    // Whoever calls goes by its own clock.
    const sentAt = ring.sentAt + ring.aheadMs;
    const isOutside = allHours?.every((hours) => !isWithin(hours, begins.timezone, sentAt));
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
  return broken;
};

/** Nobody is called before the time for which the call was scheduled, by the clock of whoever calls. */
export const notBeforeCallAt: Check = (_history, books) =>
  books.rings.flatMap((ring) => {
    const { order } = ring;
    const asked = intents(books).get(order) ?? [];
    // Somebody may write another time.
    if (asked.length === 0 || books.dueByHand.has(order) || wasUndone(order, books)) return [];
    const callAt = Math.min(...asked.map((one) => one.callAt ?? 0));
    // The clock of the process may have been set back since it has found that the time has come.
    const earlyMs = callAt - (ring.sentAt + Math.max(0, ring.aheadMs));
    if (earlyMs <= 0) return [];
    return [
      `${numberOf(order)} rang ${earlyMs / 1000} s before the time for which it was scheduled`,
    ];
  });

/** Place Scheduled Calls places a call only while fewer go on than it may. */
export const neverTooMany: Check = ({ steps }, books) => {
  // A process whose clock is half a minute fast takes the lock too early.
  if (steps.some((step) => step.do === 'setClock' && Math.abs(step.ms) > 20_000)) return [];
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

/** Who has said that nobody should call is put on the list, and not called by what begins after the end was heard. */
export const wishesAreKept: Check = ({ steps, faults }, books) => {
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
      // Of a call whose row a person has deleted while it rang, nothing writes the list.
      .filter(() => listed.has(phone) && !books.deletedByHand.has(order))
      .map(
        (one) => `${phone} rang about ${numberOf(one.order)} after it had said "Not Interested"`,
      );
    return [...forgotten, ...again];
  });
};

/** Of whom a row says that they stand on the do-not-call list, somebody has put them there. */
export const listedMeansListed: Check = (_history, { rows, doNotCall, listed, renumbered }) =>
  rows
    // Another number may have been written into the row since.
    .filter(({ order }) => !renumbered.has(order))
    .filter(({ lastError }) => lastError.includes('the number is on the do-not-call list'))
    .filter(({ phone }) => !doNotCall.has(phone) && !listed.includes(phone))
    .map(({ order, phone }) => `${numberOf(order)} says that ${phone} is on the do-not-call list`);
