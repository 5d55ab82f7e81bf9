import type { IDataObject } from 'n8n-workflow';
import type { CallRequest } from '../service/callingService';
import { readIdentifier } from '../service/identifier';
import type { Outcome } from '../service/outcome';
import { isRecord } from '../service/record';
import type { Row } from './dataTables';

/**
 * What a row says about its call; an ended call has the status that the service gave it, such as
 * `completed` or `failed`. `placing`: the request is about to leave. `maybe_placed`: nobody knows
 * whether the service took it.
 */
export type LogStatus =
  'placing' | 'in_progress' | 'not_placed' | 'maybe_placed' | 'given_up' | (string & {});

/** What a row keeps of a request. */
export interface LoggedRequest extends CallRequest {
  /** The builder's own phone is rung, in place of a customer's. */
  testCall?: true;
}

/** A call that an execution is to place. */
export interface NewCall {
  /** Ours, made before the call: rows with the same are rows of the same call. */
  callId: string;
  request: LoggedRequest;
}

/** What a row says until its call's turn has come. */
export const UNTRIED = 'Nobody was called: the execution did not come to this call';

/** A row that is still `placing` after this long belongs to an execution that was killed. */
const PLACING_ENDS_AFTER_MS = 3_600_000;

/** ISO 8601, UTC. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** The name that a row shows: of a test call, whom it was about. */
function nameIn(customerName?: string, testCall?: boolean): string | null {
  if (testCall !== true) return customerName ?? null;
  return customerName === undefined ? 'Test call' : `Test call (${customerName})`;
}

/** The columns that stay the same as long as a call lives. */
function callColumns({ callId, request }: NewCall, account: string): IDataObject {
  const { customerPhone, customerName, orderNumber, scriptId, ...rest } = request;
  return {
    orderNumber: orderNumber ?? null,
    customerName: nameIn(customerName, rest.testCall),
    customerPhone,
    attempt: 1,
    scriptId,
    callId,
    account,
    request: JSON.stringify({ scriptId, ...rest }),
  };
}

/** The row of a call whose turn has not come; it has no `checks` until it is replaced. */
export function untriedRow(call: NewCall, account: string, now: number): IDataObject {
  return {
    ...callColumns(call, account),
    status: 'not_placed' satisfies LogStatus,
    lastError: UNTRIED,
    dueAt: isoTime(now),
  };
}

/** What changes when the request is about to leave. */
export function placingColumns(now: number): IDataObject {
  return {
    status: 'placing' satisfies LogStatus,
    lastError: null,
    triggeredAt: isoTime(now),
    nextCheckAt: now + PLACING_ENDS_AFTER_MS,
  };
}

/** What became of a call when it was to be placed. */
export type Placement =
  | { status: 'in_progress'; orderId: number; placedAt: number; nextCheckAt: number }
  | { status: 'not_placed' | 'maybe_placed'; reason: string; at: number };

/** The row of a call that was placed, was not, or may have been. */
export function placementRow(call: NewCall, account: string, placement: Placement): IDataObject {
  const { status } = placement;
  const columns = { ...callColumns(call, account), status, checks: 0 };
  if (status === 'in_progress') {
    const { orderId, placedAt, nextCheckAt } = placement;
    const time = isoTime(placedAt);
    return { ...columns, orderId: String(orderId), triggeredAt: time, dueAt: time, nextCheckAt };
  }
  const { reason, at } = placement;
  const time = isoTime(at);
  const mayRing = status === 'maybe_placed' ? { triggeredAt: time } : {};
  return { ...columns, lastError: reason, dueAt: time, ...mayRing };
}

/** The columns that an outcome fills. */
export function outcomeColumns(outcome: Outcome, now: number): IDataObject {
  return {
    status: outcome.callStatus,
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
    status: 'given_up' satisfies LogStatus,
    finishedAt: isoTime(now),
    lastError: message,
  };
}

/** Text of a cell; undefined when it is empty. */
export function textIn(value: unknown): string | undefined {
  return value === null || value === undefined || value === '' ? undefined : String(value);
}

/** Number of a cell; null when it holds none. */
export function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Milliseconds since 1970 of a date's cell; undefined when it holds none. */
export function timeIn(value: unknown): number | undefined {
  const time = Date.parse(String(value ?? ''));
  return Number.isNaN(time) ? undefined : time;
}

/** What makes two rows rows of one attempt at one call. */
export function callKey({ id, callId, attempt }: Row): string {
  return `${textIn(callId) ?? `row ${id}`}#${numberIn(attempt) ?? 1}`;
}

/** What the ids of all calls begin with that were written into the log together. */
export function prefixOf(callId: string): string {
  return callId.slice(0, callId.indexOf('-') + 1);
}

/** Whether the row is of a call to a test phone, which tells nothing about its order. */
export function isOfTestCall({ request }: Row): boolean {
  try {
    const kept: unknown = JSON.parse(textIn(request) ?? 'null');
    return isRecord(kept) && kept.testCall === true;
  } catch {
    return false; // edited by a person
  }
}

/** Whether the end of the call is written in the row. */
export function hasEnded({ finishedAt }: Row): boolean {
  return timeIn(finishedAt) !== undefined;
}

/** The outcome as far as a row tells it: without the transcript, which is not kept. */
export function outcomeIn(row: Row): Outcome | undefined {
  const orderId = readIdentifier(row.orderId);
  if (orderId === undefined) return undefined;
  const orderNumber = textIn(row.orderNumber);
  return {
    orderId,
    ...(orderNumber === undefined ? {} : { orderNumber }),
    callStatus: String(row.status),
    callOutcome: textIn(row.outcome) ?? null,
    outcomeKey: textIn(row.outcomeKey) ?? null,
    callDurationSec: numberIn(row.durationSec),
    totalCallCost: numberIn(row.cost),
    summary: textIn(row.summary) ?? null,
    transcript: [],
    transcriptText: '',
  };
}
