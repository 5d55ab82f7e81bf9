import type { IDataObject } from 'n8n-workflow';
import type { Outcome } from '../../service/outcome';
import type { Row } from '../../dataTables/dataTables';
import { isoTime } from './cells';
import type { NewCall } from '../placing/loggedRequest';
import { statusOfEnd, type OwnStatus } from '../states';

/** What a row says until its call's turn has come. */
export const UNTRIED = 'Nobody was called: the execution did not come to this call';

/** A row whose turn has not come after this long belongs to an execution that was killed. */
const AHEAD_FOR_MS = 3_600_000;

/** The lock of a row that nobody works on. */
export const UNLOCKED: IDataObject = { lockedBy: '', lockedUntil: 0 };
/** The machinery's cells of a row that nobody works on and that waits for no list. */
const AT_REST: IDataObject = { ...UNLOCKED, batch: '' };

/** The name that a row shows: of a test call, whom it was about. */
function nameIn(customerName?: string, testCall?: boolean): string | null {
  if (testCall !== true) return customerName ?? null;
  return customerName === undefined ? 'Test call' : `Test call (${customerName})`;
}

/** The columns that stay the same as long as a call lives. */
function callColumns({ callId, request }: NewCall, account: string): IDataObject {
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
  };
}

/**
 * The row of a call that waits for its list, or for its turn in an execution.
 *
 * @param lockedBy empty when the call is due as soon as its list is written whole
 */
export function aheadRow(
  call: NewCall,
  account: string,
  { at, batch, lockedBy = '' }: { at: number; batch: string; lockedBy?: string },
): IDataObject {
  const row = placementRow(call, account, { status: 'scheduled', at });
  return { ...row, ...aheadLock(batch, lockedBy) };
}

/** The machinery's cells of such a row. */
export function aheadLock(batch: string, lockedBy: string): IDataObject {
  return { batch, lockedBy, lockedUntil: Date.now() + AHEAD_FOR_MS };
}

/** What changes when nobody will be called because of a row. */
export function notPlacedColumns(reason: string): IDataObject {
  const status = 'not_placed' satisfies OwnStatus;
  return { status, lastError: reason, runAt: null, triggeredAt: null, ...UNLOCKED };
}

/**
 * What changes when the request is about to leave.
 *
 * @param lockedUntil when the row belongs to an execution that was killed if it still says so
 */
export function placingColumns(now: number, lockedUntil: number): IDataObject {
  return {
    status: 'placing' satisfies OwnStatus,
    lastError: null,
    triggeredAt: isoTime(now),
    lockedUntil,
  };
}

/**
 * What a row says of a call that is to be placed at a time.
 *
 * @param reason why it was not placed before, when it was to be
 */
export function scheduledColumns(at: number, reason: string | null = null): IDataObject {
  const runAt = Math.round(at);
  return {
    status: 'scheduled' satisfies OwnStatus,
    dueAt: isoTime(runAt),
    runAt,
    lookCount: 0,
    lastError: reason,
    triggeredAt: null,
    ...AT_REST,
  };
}

/** What became of a call when it was to be placed, or scheduled. Times are milliseconds since 1970. */
export type Placement =
  /** `runAt`: when to look for its outcome first. */
  | { status: 'in_progress'; orderId: number; placedAt: number; runAt: number }
  | { status: 'not_placed' | 'maybe_placed'; reason: string; at: number }
  | { status: 'scheduled'; at: number };

/** What a row says of what became of its call. */
export function placementColumns(placement: Placement): IDataObject {
  const { status } = placement;
  const columns = { status, lookCount: 0, lastError: null, ...AT_REST };
  switch (placement.status) {
    case 'in_progress': {
      const { orderId, placedAt, runAt } = placement;
      const time = isoTime(placedAt);
      const looked = { runAt: Math.round(runAt) };
      return { ...columns, orderId: String(orderId), triggeredAt: time, dueAt: time, ...looked };
    }
    case 'scheduled':
      return scheduledColumns(placement.at);
    default: {
      const { reason, at } = placement;
      const time = isoTime(at);
      const triggeredAt = status === 'maybe_placed' ? time : null;
      const end = endColumns({ finishedAt: time });
      return { ...columns, lastError: reason, dueAt: time, triggeredAt, ...end };
    }
  }
}

/** The columns that tell of a call that was placed, before it is. */
export const NOT_CALLED_YET: IDataObject = Object.fromEntries(
  [
    ...['orderId', 'outcome', 'outcomeKey', 'summary', 'cost', 'durationSec'],
    ...['triggeredAt', 'finishedAt', 'nextAttemptAt'],
  ].map((name) => [name, null]),
);

/** The row of a call that was placed, was not, may have been, or is to be. */
export function placementRow(call: NewCall, account: string, placement: Placement): IDataObject {
  return { ...callColumns(call, account), ...placementColumns(placement) };
}

/** What every end of an attempt says beside what became of it: nobody works on the row any more. */
export function endColumns(columns: IDataObject): IDataObject {
  return { nextAttemptAt: null, ...columns, ...AT_REST, runAt: null };
}

/** The columns that an outcome fills. */
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

/** The columns of a call that is given up. */
export function givenUpColumns(message: string, now: number): IDataObject {
  return {
    status: 'given_up' satisfies OwnStatus,
    finishedAt: isoTime(now),
    lastError: message,
  };
}

const ADDED_BY_N8N = new Set(['id', 'createdAt', 'updatedAt']);

/** What a row holds, also in columns that a person has added, without what n8n adds to it. */
export function contentOf(row: Row): IDataObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !ADDED_BY_N8N.has(name)));
}
