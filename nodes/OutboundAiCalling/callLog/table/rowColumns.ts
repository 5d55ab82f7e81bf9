import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { MINUTE_MS } from '../../clocks';
import type { Outcome } from '../../service/outcome';
import type { Row } from '../../dataTables/dataTables';
import { isoTime } from './cells';
import type { NewCall } from '../placing/loggedRequest';
import { GIVEN_UP, PLACING, SCHEDULED, statusOfEnd, type OwnStatus } from '../states';

/** When a row has waited this long for its turn, its execution was killed. */
const AHEAD_FOR_MS = 60 * MINUTE_MS;
/** As {@link AHEAD_FOR_MS}, for a row that becomes due when its list is written. */
const LIST_TAKES_AT_MOST_MS = 10 * MINUTE_MS;
/** An agent has heard that nobody was called. After this time, it no longer counts as one that may ask again. */
export const AGENT_ASKS_AGAIN_WITHIN_MS = 10 * MINUTE_MS;

export const UNLOCKED: IDataObject = { lockedBy: '', lockedUntil: 0 };
/** The machinery's cells of a row that nobody has locked and that belongs to no list. */
const AT_REST: IDataObject = { ...UNLOCKED, batch: '' };

/** A random id for a call, a batch or the holder of a lock. */
export function drawnId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 12);
}

/** The name in a row. For a test call: the customer whom it stands for. */
function nameIn(customerName?: string, testCall?: boolean): string | null {
  if (testCall !== true) return customerName ?? null;
  return customerName === undefined ? 'Test call' : `Test call (${customerName})`;
}

/** The row of a call that waits for its list (then `lockedBy` is empty), or for its turn in an execution. */
export function aheadRow(
  { callId, request }: NewCall,
  account: string,
  { at, batch, lockedBy = '' }: { at: number; batch: string; lockedBy?: string },
): IDataObject {
  const { customerPhone, customerName, orderNumber, scriptId, duplicateKey, ...rest } = request;
  return {
    orderNumber: orderNumber ?? null,
    customerName: nameIn(customerName, rest.testCall),
    customerPhone,
    attempt: 1,
    scriptId,
    callId,
    account,
    duplicateKey: duplicateKey ?? null,
    request: JSON.stringify({ scriptId, ...rest }),
    ...scheduledColumns(at),
    ...aheadLock(batch, lockedBy),
  };
}

export function aheadLock(
  batch: string,
  lockedBy: string,
  lockedForMs = lockedBy === '' ? LIST_TAKES_AT_MOST_MS : AHEAD_FOR_MS,
): IDataObject {
  return { batch, lockedBy, lockedUntil: Date.now() + lockedForMs };
}

/** The changes to a row that nobody is to place. What a person has written into it stays. */
export function uncalledColumns(status: OwnStatus, reason: string): IDataObject {
  return { status, lastError: reason, triggeredAt: null, runAt: null, ...UNLOCKED };
}

/** The changes to a row whose call was cancelled. What a person has written into it stays. */
export const CANCELLED = uncalledColumns('cancelled', 'Cancelled: nobody is called');

export const HAS_OUTCOME = 'a person has written an outcome into its row';

export const CANCELLED_BY_OUTCOME = uncalledColumns('cancelled', `Cancelled: ${HAS_OUTCOME}`);

/** Also empties what stands in the row from a call before, after which a person has scheduled it again. */
export function notPlacedColumns(reason: string): IDataObject {
  return { ...NOT_CALLED_YET, ...uncalledColumns('not_placed', reason) };
}

/** The changes to a row whose request is about to leave, beside its lock. */
export function placingColumns(now: number): IDataObject {
  return { status: PLACING, lastError: null, triggeredAt: isoTime(now) };
}

/** The changes to a row whose call is due later, and the reason why it was not placed before. */
export function scheduledColumns(at: number, reason: string | null = null): IDataObject {
  const runAt = Math.round(at);
  return {
    status: SCHEDULED,
    dueAt: isoTime(runAt),
    runAt,
    lookCount: 0,
    lastError: reason,
    triggeredAt: null,
    ...AT_REST,
  };
}

function requestedColumns(status: OwnStatus, time: string): IDataObject {
  return { status, lookCount: 0, dueAt: time, triggeredAt: time };
}

/** The columns of an accepted call. `runAt` is when to look for its outcome for the first time. */
export function acceptedColumns(orderId: number, placedAt: number, runAt: number): IDataObject {
  const open = { lastError: null, orderId: String(orderId), runAt: Math.round(runAt) };
  return { ...requestedColumns('in_progress', isoTime(placedAt)), ...open, ...AT_REST };
}

export function maybePlacedColumns(reason: string, at: number): IDataObject {
  const end = endColumns({ finishedAt: isoTime(at), lastError: reason });
  return { ...requestedColumns('maybe_placed', isoTime(at)), ...end };
}

export const NOT_CALLED_YET: IDataObject = Object.fromEntries(
  [
    ...['orderId', 'outcome', 'outcomeKey', 'summary', 'cost', 'durationSec'],
    ...['triggeredAt', 'finishedAt', 'nextAttemptAt'],
  ].map((name) => [name, null]),
);

/** The columns of any end of an attempt: the given ones, and the machinery's cells, emptied. */
export function endColumns(columns: IDataObject): IDataObject {
  return { nextAttemptAt: null, ...columns, ...AT_REST, runAt: null };
}

export function outcomeColumns(outcome: Outcome, now: number): IDataObject {
  return {
    status: statusOfEnd(outcome.callStatus),
    outcome: outcome.callOutcome,
    outcomeKey: outcome.outcomeKey,
    durationSec: outcome.callDurationSec,
    cost: outcome.totalCallCost,
    summary: outcome.summary,
    finishedAt: isoTime(now),
    lastError: null,
  };
}

export function givenUpColumns(message: string, now: number): IDataObject {
  return { status: GIVEN_UP, finishedAt: isoTime(now), lastError: message };
}

/** Gives every row its own `runAt`, in the order of the rows. */
export function spread<R extends IDataObject>(rows: R[]): R[] {
  return rows.map((row, index) => {
    if (typeof row.runAt !== 'number') return row;
    const runAt = row.runAt + index;
    return row.status === SCHEDULED ? { ...row, runAt, dueAt: isoTime(runAt) } : { ...row, runAt };
  });
}

const ADDED_BY_N8N = new Set(['id', 'createdAt', 'updatedAt']);

/** The cells of a row, including those in columns that a person has added, without n8n's own. */
export function contentOf(row: Row): IDataObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !ADDED_BY_N8N.has(name)));
}
