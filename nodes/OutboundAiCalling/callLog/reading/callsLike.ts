import { jsonParse } from 'n8n-workflow';
import { MINUTE_MS } from '../../clocks';
import { mayName, namedIn } from '../../contacts/numbersIn';
import { e164sOf } from '../../contacts/person';
import { writingsOf } from '../../contacts/writings';
import { holds, type Condition, type Row } from '../../dataTables/dataTables';
import { groupBy } from '../../collections';
import type { CallLog } from '../callLog';
import { isUnderWay } from '../rowFacts';
import { bareOrderNumber } from '../../contacts/orderNumber';
import { textIn, timeIn } from '../table/cells';
import { dialledIn, isOfTestCall, storedIn } from '../placing/loggedRequest';
import {
  attemptsOf,
  callKey,
  callStateOf,
  mayHaveBeenCalled,
  saysCancelled,
  SCHEDULED,
} from '../states';
import { beginningsOf } from './beginnings';

export interface ComparedCall {
  /** The id in its own rows; undefined while it has none. */
  callId: string | undefined;
  key: string;
  /** Whether the key consists of order number and phone only. */
  isUsualKey: boolean;
  orderNumber: string | undefined;
  /** In E.164. */
  customerPhone: string;
}

/** The other calls in a log that are the same as one call; `rules/loggedDuplicates.ts` has contenders agree. */
export interface CallsLike {
  /** Another call was placed, may have been, or will be. */
  isClaimed: boolean;
  /** The other calls of which somebody was called, or may have been, or is about to be, or that were cancelled. */
  rows: Row[];
  /** Another call waits for its time, is being placed, or rings. */
  isPending: boolean;
  /** All of these are calls to another phone number. */
  isOfAnother: boolean;
  /** A call about the same order, to another phone number, waits for its time, is being placed, or rings. */
  isAnothersToo: boolean;
  /** Row ids of other calls that are about to be placed or scheduled, but may not be. */
  contenders: number[];
  /** A contender's list is still not due after a minute: its execution may be dead. */
  isStuck: boolean;
  /** The id of the own row of the call, once that call is about to be placed or scheduled. */
  ownId: number | undefined;
}

/** A list takes at most this long from writing its rows to making them due. */
const LISTS_TAKE_MS = MINUTE_MS;

/** Spaces, hyphens and invisible marks that come along when a person copies a number. */
const COPIED = [
  ...['\u00a0', '\u2009', '\u202f', '\u2010', '\u2011', '\u2013', '\u2014', '\u2212'],
  ...['\u00ad', '\u200b', '\u200e', '\u200f', '\u202c', '\u2069', '\ufeff', '\uff0b'],
];
/** Characters in phones that a person has written into a row; E.164 has none of them. */
const SPELLED = [
  ...[...'0123456789'].map((digit) => `${digit}%`),
  ...[' ', '-', '.', '/', '(', ':', ...COPIED].map((sign) => `%${sign}%`),
].map((spelling) => holds('customerPhone', 'like', spelling));

/** Finds usual keys by the bare order number, however a row spells it, and whatever its phone. */
export function usualKeysOf(bareNumber: string): Condition {
  return holds('duplicateKey', 'like', `${JSON.stringify([bareNumber]).slice(0, -1)},%`);
}

/** Finds the usual keys of all order numbers that begin so. */
function usualKeysFrom(beginning: string): Condition {
  return holds('duplicateKey', 'like', `${JSON.stringify([beginning]).slice(0, -2)}%`);
}

/** Numbers with fewer digits, or fewer in a row, are part of too many others. */
const FEWEST_DIGITS = 4;
const FEWEST_IN_A_ROW = 3;
/** Comparing with more parts, as a UUID has, may take the database long. */
const MOST_RUNS = 3;
/** All rows of more people may be too many: customers come again. To look for more in long texts takes the database long. */
const MOST_PEOPLE = 20;

/** Finds order numbers by their digits, which are the same in nearly every spelling. */
function byDigits(orderNumber: string, beginning: string | undefined): Condition[] {
  const bare = beginning ?? bareOrderNumber(orderNumber);
  const runs = (bare.match(/\d+/g) ?? []).slice(-MOST_RUNS);
  const isTelling = runs.some(({ length }) => length >= FEWEST_IN_A_ROW);
  if (!isTelling || runs.join('').length < FEWEST_DIGITS) return [];
  const digits = holds('orderNumber', 'like', `%${runs.join('%')}%`);
  // Written in another script, it does not have these digits.
  return new RegExp(runs.join('.*'), 's').test(orderNumber)
    ? [digits]
    : [digits, ...byForms(orderNumber)];
}

function byForms(orderNumber: string): Condition[] {
  // Not `ilike`: n8n would find every order number that contains this one.
  const forms = ['NFC', 'NFD'].flatMap((form) => {
    const written = orderNumber.normalize(form);
    return [written.toLowerCase(), written.toUpperCase()];
  });
  return [...new Set([orderNumber, ...forms])].map((form) => holds('orderNumber', 'eq', form));
}

/** Finds the rows like a call and others, which are compared. A person may have corrected the row, but not its usual key. */
function conditionsOf(
  { key, isUsualKey, orderNumber, customerPhone }: ComparedCall,
  { areFew, beginnings }: { areFew: boolean; beginnings: ReadonlyMap<string, string> },
): Condition[] {
  if (!isUsualKey) return [holds('duplicateKey', 'eq', key)];
  const ofPerson = e164sOf(customerPhone).map((e164) => holds('customerPhone', 'eq', e164));
  if (orderNumber === undefined) {
    const dialled = e164sOf(customerPhone).map((e164) =>
      holds('request', 'like', `%"dialled":${JSON.stringify(e164)}%`),
    );
    return [holds('duplicateKey', 'eq', key), ...ofPerson, ...SPELLED, ...(areFew ? dialled : [])];
  }
  const bare = bareOrderNumber(orderNumber);
  const beginning = beginnings.get(bare);
  const usual = beginning === undefined ? usualKeysOf(bare) : usualKeysFrom(beginning);
  const spelled = byDigits(orderNumber, beginning);
  if (spelled.length === 0) return [usual, ...byForms(orderNumber), ...ofPerson];
  return [usual, ...spelled, ...(areFew ? ofPerson : [])];
}

const nameOfOrder = (order: string) => `order ${bareOrderNumber(order)}`;

/** Whether any call to the same person is like this one. */
const isByPerson = ({ isUsualKey, orderNumber }: ComparedCall): boolean =>
  isUsualKey && orderNumber === undefined;

/** Order number and phone in a usual key, for rows in which a person has emptied the cells. */
function namesInKey(key: unknown): [order: string | undefined, phone: string | undefined] {
  const names = jsonParse<unknown>(textIn(key) ?? 'null', { fallbackValue: null });
  return Array.isArray(names) ? [textIn(names[0]), textIn(names[1])] : [undefined, undefined];
}

/** What a row may be found by: its key, its order and, if some call asks for them, who was dialled and whom its phone may name. */
function namesOfRow(row: Row, byPerson: boolean) {
  const { duplicateKey, orderNumber, customerPhone } = row;
  const [orderInKey, phoneInKey] = namesInKey(duplicateKey);
  const order = textIn(orderNumber) ?? orderInKey;
  const orders = order === undefined ? [] : [nameOfOrder(order)];
  const phones = byPerson ? [textIn(customerPhone) ?? phoneInKey, dialledIn(row)] : [];
  return [`key ${textIn(duplicateKey) ?? ''}`, ...orders, ...new Set(phones.flatMap(namedIn))];
}

/**
 * What rows like a call are found by. Only a key of a person's own is one: a person may have corrected the order number
 * or phone of which a usual key was made. Without an order number, a call to this person about any order is the same.
 */
function namesOfCall({ key, isUsualKey, orderNumber, customerPhone }: ComparedCall): string[] {
  if (!isUsualKey) return [`key ${key}`];
  return orderNumber === undefined ? writingsOf(customerPhone) : [nameOfOrder(orderNumber)];
}

/** Whether the call of a row is about to be placed, or to be scheduled with its list. */
function isContending(row: Row): boolean {
  const state = callStateOf(row);
  const isOfList = row.status === SCHEDULED && textIn(row.lockedBy) === undefined;
  return state === 'placing' || (state === 'ahead' && isOfList);
}

/** Whether the call of a row is placed only if there is no other like it. */
function asksForOthers(row: Row): boolean {
  return storedIn(row)?.asksForOthers === true;
}

/** Whether the call of a row will be placed, whatever calls like it there are by then. */
function isWaiting(row: Row): boolean {
  const state = callStateOf(row);
  // An execution places its calls in turn, and asks then if it has the rule.
  const waitsForTurn = state === 'ahead' && row.status === SCHEDULED && !isContending(row);
  return state === 'scheduled' || (waitsForTurn && !asksForOthers(row));
}

/** Whether a row is, or was, about the phone of a call. */
const isToPhoneOf = (row: Row, { customerPhone }: ComparedCall): boolean =>
  [row.customerPhone, dialledIn(row)].some((phone) => mayName(phone, customerPhone));

/**
 * The rows that count, and those being placed whose attempt has another row by which nobody is called: an agent may
 * have asked twice for a call, and a person has cancelled one row. The request of the other may have left.
 */
function countingOrPlaced(rows: Row[]): Row[] {
  const attempts = attemptsOf(rows);
  const isDenied = (row: Row) => {
    const counts = attempts.get(callKey(row));
    return counts !== undefined && counts !== row && !mayHaveBeenCalled(counts);
  };
  const placed = rows.filter((row) => callStateOf(row) === 'placing' && isDenied(row));
  return [...attempts.values(), ...placed];
}

function likeAmong(
  rows: Row[],
  call: ComparedCall,
  own: ReadonlySet<string>,
): Omit<CallsLike, 'isAnothersToo'> {
  const counting = countingOrPlaced(rows);
  const isItself = ({ callId }: Row) => call.callId !== undefined && callId === call.callId;
  const others = counting.filter(
    (row) => !isItself(row) && !isOfTestCall(row) && !own.has(String(row.callId)),
  );
  const contending = others.filter(isContending);
  const latest = Date.now() - LISTS_TAKE_MS;
  const isOld = ({ createdAt }: Row) => (timeIn(createdAt) ?? 0) < latest;
  const called = others.filter(mayHaveBeenCalled);
  return {
    rows: others.filter((row) => mayHaveBeenCalled(row) || saysCancelled(row)),
    isClaimed: others.some(isWaiting) || called.some((row) => !isContending(row)),
    isPending: others.some(
      (row) => isWaiting(row) || (isUnderWay(row) && !(isContending(row) && asksForOthers(row))),
    ),
    isOfAnother: others.length > 0 && !others.some((row) => isToPhoneOf(row, call)),
    contenders: contending.map(({ id }) => id),
    isStuck: contending.some((row) => callStateOf(row) === 'ahead' && isOld(row)),
    ownId: counting.findLast((row) => isItself(row) && isContending(row))?.id,
  };
}

/**
 * Finds other calls in a log that are the same as these. It looks at the rows of all workflows and
 * accounts: the person is the same. Rows of calls that were not placed, were cancelled, or were
 * test calls do not count.
 *
 * @param own ids of calls of the execution that asks: it already knows what became of them
 * @returns one for each call, in the order of the calls
 */
export async function callsLike(
  log: CallLog,
  calls: ComparedCall[],
  own: ReadonlySet<string> = new Set(),
): Promise<CallsLike[]> {
  const areFew = calls.length <= MOST_PEOPLE;
  const numbers = calls.map(({ orderNumber }) => bareOrderNumber(orderNumber ?? ''));
  const beginnings = areFew ? new Map<string, string>() : beginningsOf(numbers);
  const all = calls.flatMap((call) => conditionsOf(call, { areFew, beginnings }));
  const conditions = new Map(all.map((one) => [JSON.stringify(one), one]));
  const rows = await log.rowsOfAny([...conditions.values()]);
  const byPerson = calls.some(isByPerson);
  const names = rows.flatMap((row) => namesOfRow(row, byPerson).map((name) => ({ name, row })));
  const byName = groupBy(names, ({ name }) => name);
  return calls.map((call) => {
    const named = namesOfCall(call).flatMap((name) => byName.get(name) ?? []);
    const same = [...new Set(named.map(({ row }) => row))];
    // A shop may ask again with the phone that a person has corrected: the order was asked for with it.
    const isLike = (row: Row) => row.duplicateKey === call.key || isToPhoneOf(row, call);
    const others = same.filter((row) => !isLike(row));
    const isAnothersToo = likeAmong(others, call, own).isPending;
    return { ...likeAmong(same.filter(isLike), call, own), isAnothersToo };
  });
}
