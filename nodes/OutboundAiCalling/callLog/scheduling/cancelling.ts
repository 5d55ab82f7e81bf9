import { mayName } from '../../contacts/numbersIn';
import { holds, type Condition, type Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { isUnderWay } from '../rowFacts';
import { respell, resume } from '../mending';
import { groupBy } from '../../collections';
import { bareOrderNumber } from '../../contacts/orderNumber';
import { inEveryScript } from '../../contacts/writtenNumber';
import { textIn } from '../table/cells';
import { CANCELLED, drawnId } from '../table/rowColumns';
import { writeDecided } from '../ends/ends';
import { isOfTestCall } from '../placing/loggedRequest';
import { settleSuperseded } from '../ends/superseded';
import { preventNext } from '../ends/nextAttempt';
import { usualKeysOf } from '../reading/callsLike';
import { findOutOfReach, type Advice } from '../reading/outOfReach';
import { isOfPhone, likePhone, type PhoneInLog } from '../reading/rowsOfPhone';
import {
  attemptsOf,
  callKey,
  callStateOf,
  goesOn,
  hasEnded,
  isDecided,
  notEnded,
  IN_OTHER_WORDS,
  NOT_PLACED,
  says,
  UNDER_WAY,
  UNENDED,
  type CallState,
  type OwnStatus,
} from '../states';

/** Which calls to cancel. */
export type CancelBy = { orderNumber: string } | { callId: string } | PhoneInLog;

/** How many calls were cancelled, and what became of the others. */
export interface Cancellation extends Record<Uncancelled, number> {
  /** Calls that are not placed, or not tried again. */
  cancelled: number;
  /** How many phone numbers the cancelled calls were to. */
  phones: number;
  /** Of the cancelled calls, those whose present attempt goes on: they are not tried again. */
  goOn: number;
  /** Of the cancelled calls, those that are being placed and may ring once: they are not tried again. */
  onceMore: number;
  /** Sentences for a person about rows that no execution of this account works with. */
  outOfReach: string[];
}

/** Rows that wait for their time, or for their turn in this try of an execution or a later one. */
const WAITING: Condition[][] = [
  notEnded('scheduled'),
  [...notEnded(NOT_PLACED), holds('batch', 'neq', '')],
];

/** How to find the rows that mean the order number, call or phone to cancel. */
interface Search {
  given: Condition;
  /** At least one of these conditions, or of the rare ones, holds for each other such row. */
  alike: Condition[];
  rare: Condition[];
  /** Holds for a row that is meant, and for no row that is not; undefined when the row is not meant. */
  conditionFor(row: Row): Condition | undefined;
}

function searchFor(by: CancelBy): Search {
  if ('callId' in by) {
    const given = holds('callId', 'eq', by.callId.trim());
    return { given, alike: [], rare: [], conditionFor: () => given };
  }
  const withCell = (row: Row, column: 'orderNumber' | 'customerPhone' | 'callId') =>
    holds(column, 'eq', String(row[column]));
  if ('orderNumber' in by) {
    const given = by.orderNumber.trim();
    const bare = bareOrderNumber(given);
    // SQLite knows capitals of ASCII only, an accent may be a character of its own, a dash or a space another
    // one, and i and ss may be ı and ß. The usual duplicate key names the bare number, whatever letters the row has.
    const pattern = bare.replace(/(?:[^\x21-\x2c\x2e-\x7e]|i|ss)+/gu, '%');
    const alike = [holds('orderNumber', 'ilike', `%${pattern}%`), usualKeysOf(bare)];
    const inOtherDigits = inEveryScript(pattern).filter((one) => one !== pattern);
    const rare = inOtherDigits.map((one) => holds('orderNumber', 'ilike', `%${one}%`));
    const conditionFor = (row: Row) =>
      bareOrderNumber(String(row.orderNumber)) === bare ? withCell(row, 'orderNumber') : undefined;
    return { given: holds('orderNumber', 'eq', given), alike, rare, conditionFor };
  }
  const { usual: alike, rare } = likePhone(by.phone);
  const conditionFor = (row: Row) => {
    if (mayName(row.customerPhone, by.phone, by.country)) return withCell(row, 'customerPhone');
    // Other calls to a corrected phone are not meant. Each condition costs requests: a log may have many ended calls.
    return isOfPhone(row, by) && !hasEnded(row) ? withCell(row, 'callId') : undefined;
  };
  return { given: holds('customerPhone', 'eq', by.phone), alike, rare, conditionFor };
}

/** One condition for each spelling that the log has, also of calls that have ended: a retry may come to them. */
async function conditionsOf(log: CallLog, search: Search): Promise<Condition[]> {
  const { given, alike, rare, conditionFor } = search;
  const conditions = new Map([[JSON.stringify(given), given]]);
  const take = (rows: Row[]) => {
    for (const condition of rows.flatMap((row) => conditionFor(row) ?? [])) {
      conditions.set(JSON.stringify(condition), condition);
    }
  };
  for (const isAlike of alike) await log.eachPageById([isAlike], take);
  take(await log.rowsOfAny(rare));
  return [...conditions.values()];
}

const CANCEL_WITH_IT = 'cancel them with that credential, or delete the rows';

/** About rows out of reach whose calls are not to be placed. */
const ADVICE: Advice = {
  otherAccount: CANCEL_WITH_IT,
  exchanged: CANCEL_WITH_IT,
  otherAccountAtWork:
    'a workflow with that credential places them. Cancel them with that credential now, or delete the rows',
  noAccount: 'nobody is called because of it. Write cancelled there',
  noStatus: 'write cancelled there',
  endedBefore: 'nobody is called because of it. Write back how the call ended',
};

/**
 * Cancels the scheduled calls of an order, a call or a person, also in a list that is being written. A
 * call that goes on is not stopped, but is not tried again. A call that is being placed is not placed
 * later, if this try fails.
 */
export async function cancelScheduled(log: CallLog, by: CancelBy): Promise<Cancellation> {
  const cancelled = new Set<string>();
  const stopped = new Set<string>();
  const placing = new Set<string>();
  const phones: string[] = [];
  const about: Row[] = [];
  const search = searchFor(by);
  for (const condition of await conditionsOf(log, search)) {
    const one = await cancelOne(log, condition);
    for (const { customerPhone } of [...one.cancelled, ...one.stopped]) {
      const phone = textIn(customerPhone) ?? '';
      const isSame = (other: string) => mayName(other, phone) || mayName(phone, other);
      if (phone !== '' && !phones.some(isSame)) phones.push(phone);
    }
    for (const row of one.cancelled) cancelled.add(idOf(row));
    for (const row of one.stopped) {
      stopped.add(idOf(row));
      const now = one.begun.get(callKey(row));
      if (now !== undefined && callStateOf(now) === 'placing') placing.add(idOf(row));
    }
    about.push(...one.about);
  }
  const all = new Set([...cancelled, ...stopped]);
  const isOther = (row: Row) => !all.has(idOf(row)) && !isOfTestCall(row);
  const states = statesOfCalls(about.filter(isOther));
  const counts = UNCANCELLED.map((one) => [one, states.filter((state) => state === one).length]);
  const others = Object.fromEntries(counts) as Record<Uncancelled, number>;
  const { given, alike, conditionFor } = search;
  const meant = {
    about: [alike[0] ?? given],
    isMeant: (row: Row) => conditionFor(row) !== undefined,
  };
  const unreached = await findOutOfReach(log, { ofOthers: [[UNENDED]], meant, advice: ADVICE });
  const outOfReach = unreached.map(({ sentence }) => sentence);
  const once = [...stopped].filter((id) => !cancelled.has(id));
  const onceMore = once.filter((id) => placing.has(id)).length;
  const goOn = once.length - onceMore;
  return { cancelled: all.size, phones: phones.length, goOn, onceMore, ...others, outOfReach };
}

/**
 * Cancels the calls of rows for which one condition holds. The order of the steps matters: a call may begin or
 * end meanwhile.
 *
 * @returns the cancelled rows, the rows of calls that are not tried again, the rows of calls that are being placed or
 * go on by their attempts, and all rows that it is about
 */
async function cancelOne(
  log: CallLog,
  condition: Condition,
): Promise<{ cancelled: Row[]; stopped: Row[]; begun: Map<string, Row>; about: Row[] }> {
  // Otherwise a call that rings would count as cancelled.
  await resume(log, Date.now(), condition);
  await respell(log, await log.allRows(condition, ...IN_OTHER_WORDS));
  const stopped = await stopFurtherAttempts(log, condition);
  // An execution puts back only what it has locked. One may mark a row between these changes, or put it back.
  const lockOut = async () =>
    await log.update([condition, says('placing')], { lockedBy: drawnId() });
  await lockOut();
  const changed = await cancelRows(log, condition);
  await lockOut();
  stopped.push(...(await stopFurtherAttempts(log, condition)));
  const read = await log.allRows(condition);
  await cancelRetries(log, condition, read);
  const begun = new Map(read.filter(isUnderWay).map((row) => [callKey(row), row]));
  // A late copy of a row does not stop a call that has begun.
  const isCopy = (row: Row) => begun.has(callKey(row));
  const copies = changed.filter(isCopy);
  await settleSuperseded(log, copies, begun);
  const about = read.filter(({ id }) => !copies.some((copy) => copy.id === id));
  const isUnwritten = (row: Row) => callStateOf(row) === 'cancelled' && isDecided(row);
  // If this fails, the next execution or poll writes these ends. Nobody is called until then.
  await writeDecided(log, about.filter(isUnwritten)).catch(() => {});
  return { cancelled: changed.filter((row) => !isCopy(row)), stopped, begun, about };
}

/**
 * What may be said of a call that was not cancelled now: the first that holds for one of its attempts. `unknown`:
 * it may still be placed, as one with an unknown status.
 */
const UNCANCELLED = [
  'unknown',
  'placing',
  'inProgress',
  'inDoubt',
  'cancelledBefore',
  'ended',
  'notPlaced',
] as const;
type Uncancelled = (typeof UNCANCELLED)[number];
const OF_STATE: Partial<Record<CallState, Uncancelled>> = {
  placing: 'placing',
  open: 'inProgress',
  maybePlaced: 'inDoubt',
  cancelled: 'cancelledBefore',
  notPlaced: 'notPlaced',
};

/** The present state of each call that could not be cancelled. */
function statesOfCalls(rows: Row[]): Uncancelled[] {
  // Others that go on were written during the search, or their status cannot be read.
  const stateOf = (row: Row) => OF_STATE[callStateOf(row)] ?? (goesOn(row) ? 'unknown' : 'ended');
  const attempts = groupBy(attemptsOf(rows).values(), idOf);
  return [...attempts.values()].map((all) => {
    const states = all.map(stateOf);
    return UNCANCELLED.find((one) => states.includes(one)) ?? 'unknown';
  });
}

function idOf(row: Row): string {
  return textIn(row.callId) ?? callKey(row);
}

/** Cancels rows that wait, in a list or an execution, and those that a later try may come to. */
async function cancelRows(log: CallLog, about: Condition): Promise<Row[]> {
  const lockedBy = drawnId();
  const columns = { ...CANCELLED, lockedBy };
  for (const waits of WAITING) await log.update([about, ...waits], columns);
  return await log.allRows(about, holds('lockedBy', 'eq', lockedBy));
}

/** Cancels calls that were not placed: their execution may have failed, and its retry then calls nobody. */
async function cancelRetries(log: CallLog, about: Condition, rows: Row[]): Promise<void> {
  if (!rows.some((row) => row.status === NOT_PLACED && hasEnded(row))) return;
  const unplaced = [about, says(NOT_PLACED), holds('finishedAt', 'neq', null)];
  await log.update(unplaced, { status: 'cancelled' satisfies OwnStatus });
}

async function stopFurtherAttempts(log: CallLog, about: Condition): Promise<Row[]> {
  const open: Row[] = [];
  for (const status of UNDER_WAY) open.push(...(await log.allRows(about, ...notEnded(status))));
  return await preventNext(log, open);
}
