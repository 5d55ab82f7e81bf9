import type { IDataObject } from 'n8n-workflow';
import type { BookedExecution, Books } from '../books';
import { type Fault, type Step, numberOf } from '../history';
import type { LogRow } from '../logRows';
import type { Ring } from '../world/service';
import { LATEST_MS } from './inTime';
import {
  ABOUT_TO_RING_MS,
  type Check,
  MINUTE_MS,
  RULES_THAT_STOP,
  byOrder,
  intents,
  outlastsWaiting,
  wasDeleted,
  wasUndone,
  keyOfLabel,
} from './questions';

// What the rows of the log say, and what people write into them.

/** The number that a person has written into a row that waits is the one that rings. */
export const writtenPhoneRings: Check = (_history, books) =>
  books.rings.flatMap((ring) => {
    const byHand = books.phonesByHand.get(ring.order);
    if (byHand === undefined || ring.sentAt < byHand.at + ABOUT_TO_RING_MS) return [];
    // A person may have scheduled another row of the order again.
    if (wasUndone(ring.order, books)) return [];
    // Whoever asks for a call after that says by itself whom to call.
    const asked = intents(books).get(ring.order) ?? [];
    const isLater = ({ startedAt, endedAt = Infinity, tries }: BookedExecution) =>
      startedAt > byHand.at || tries > 1 || (asked.length > 1 && endedAt > byHand.at);
    if (asked.some(isLater)) return [];
    return ring.phone === byHand.phone
      ? []
      : [
          `${ring.phone} rang about ${numberOf(ring.order)}, ${byHand.phone} was written into its row`,
        ];
  });

/** The time that a person has written into a row that waits is the one at which it rings. */
export const writtenTimeCounts: Check = ({ steps }, books) =>
  books.rings.flatMap((ring) => {
    const due = books.dueByHand.get(ring.order);
    if (due === undefined || ring.sentAt < due.at + ABOUT_TO_RING_MS) return [];
    if (wasUndone(ring.order, books)) return [];
    // By whose clock the time was written is anybody's guess.
    if (steps.some((step) => step.do === 'setClock')) return [];
    // Each try of an execution has rows of its own, and so has a retry by hand: the time may stand in another one.
    const hasOwnRow = ({ tries, startedAt }: BookedExecution) => tries > 1 || startedAt >= due.at;
    const asked = intents(books).get(ring.order) ?? [];
    if (asked.some(hasOwnRow) || asked.length > 1) return [];
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

const WITHOUT_OUTCOME = new Set(['not_placed', 'cancelled', 'maybe_placed', 'given_up']);

/** Whether an attempt has an outcome: a trigger without the other event has a last word only then. */
export const hasOutcome = (order: number, { rows }: Books): boolean =>
  rows.some((row) => row.order === order && row.hasEnded && !WITHOUT_OUTCOME.has(row.status));

/** A row that is a changed copy of another has an id, and an end, of its own. */
export const isOfCopy = ({ message }: IDataObject): boolean =>
  String(message).includes('it is a copy of row');

/** What an item says of an attempt is what its row says. */
export const itemsAsRows: Check = ({ triggers }, books) => {
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
    // A person may have corrected its outcome.
    if (same.some((row) => row.outcomeKey === said || keyOfLabel(row.outcome) === said)) return [];
    const written = same.map(({ outcomeKey }) => outcomeKey).join(', ');
    return [
      `trigger ${trigger + 1} said ${String(said)} of attempt ${attempt} at ${numberOf(order)}, its row says ${written}`,
    ];
  });
};

/** Of a call that an item says is scheduled, no row says that its list was given up. */
export const scheduledMeansScheduled: Check = (_history, books) => {
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

/** What keeps an execution from telling in the log what became of its calls. */
const SILENCES = new Set<string>([
  ...['kill', 'pause', 'cancelExecution', 'tablesFull', 'tablesFail'],
  // A row that was copied while its call was being placed has nobody who ends it.
  'copyRow',
]);

const DIED = /the execution ended before it came|Nobody wrote what became of this call/;

/** No row says that its execution has died where each has come to its end, and n8n's tables took all that it wrote. */
export const nobodyDiesByItself: Check = ({ steps, faults }, { rows }) => {
  const isSilent = (step: Step) =>
    SILENCES.has(step.do) ||
    outlastsWaiting(step) ||
    // Marks look old then.
    (step.do === 'setClock' && step.ms > MINUTE_MS);
  if (steps.some(isSilent)) return [];
  const isOfService = ({ to, befalls: { kind } }: Fault) =>
    to === 'service' && kind !== 'kill' && kind !== 'pause';
  if (!faults.every(isOfService)) return [];
  return rows
    .filter(({ lastError }) => DIED.test(lastError))
    .map(({ order, lastError }) => `the row of ${numberOf(order)} says: ${lastError}`);
};
