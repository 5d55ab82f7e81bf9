import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { CallRequest } from '../service/callingService';
import { readIdentifier } from '../service/identifier';
import type { Outcome } from '../service/outcome';
import { isRecord } from '../http/json';
import type { Row } from '../dataTables/dataTables';

/**
 * What a row says about a call that the service has not ended. `scheduled`: to be placed later.
 * `placing`: the request is about to leave. `maybe_placed`: nobody knows whether the service took it.
 */
const OWN_STATUSES = [
  'scheduled',
  'placing',
  'in_progress',
  'not_placed',
  'maybe_placed',
  'given_up',
  'cancelled',
] as const;
export type OwnStatus = (typeof OWN_STATUSES)[number];

/** Stands before a status with which the service ended a call when the word is one of ours. */
const ENDED = 'ended_';

/** What a row says about a call that the service has ended: its word, such as `completed`. */
function statusOfEnd(callStatus: string): string {
  const isOurs = OWN_STATUSES.some((status) => status === callStatus);
  return isOurs || callStatus.startsWith(ENDED) ? `${ENDED}${callStatus}` : callStatus;
}

/** The service's word in a row's status. */
export function callStatusIn(status: string): string {
  return status.startsWith(ENDED) ? status.slice(ENDED.length) : status;
}

/** When a call is placed again: after which outcomes, and how long after each attempt has ended. */
export interface RetryPlan {
  /** Keys of outcomes. */
  outcomes: string[];
  /** Minutes from the end of the first attempt to the second, and so on. */
  afterMinutes: number[];
}

/** What a row keeps beside the request, so that the call can be placed later as it was set. */
export interface KeptSettings {
  /** The builder's own phone is rung, in place of a customer's. */
  testCall?: true;
  /** The phone of that customer. */
  inPlaceOf?: string;
  retry?: RetryPlan;
  /** The rules as the person has set them; they are asked when the call is placed. */
  rules?: IDataObject;
  /** Whatever else is needed then, such as a time zone. */
  settings?: IDataObject;
}

/** What a row keeps of a request. */
export interface LoggedRequest extends CallRequest, KeptSettings {}

/** The first attempt at a call, to be placed now or later. */
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
    status: 'not_placed' satisfies OwnStatus,
    lastError: UNTRIED,
    dueAt: isoTime(now),
  };
}

/**
 * What changes when the request is about to leave.
 *
 * @param deadAt when the row belongs to an execution that was killed if it still says so
 */
export function placingColumns(now: number, deadAt = now + PLACING_ENDS_AFTER_MS): IDataObject {
  return {
    status: 'placing' satisfies OwnStatus,
    lastError: null,
    triggeredAt: isoTime(now),
    nextCheckAt: deadAt,
  };
}

/**
 * What a row says of a call that is to be placed at a time.
 *
 * @param reason why it was not placed before, when it was to be
 */
export function scheduledColumns(at: number, reason: string | null = null): IDataObject {
  return {
    status: 'scheduled' satisfies OwnStatus,
    dueAt: isoTime(at),
    nextCheckAt: at,
    checks: 0,
    lastError: reason,
    triggeredAt: null,
  };
}

/** What became of a call when it was to be placed, or scheduled. */
export type Placement =
  | { status: 'in_progress'; orderId: number; placedAt: number; nextCheckAt: number }
  | { status: 'not_placed' | 'maybe_placed'; reason: string; at: number }
  | { status: 'scheduled'; at: number };

/** What a row says of what became of its call. */
export function placementColumns(placement: Placement): IDataObject {
  const { status } = placement;
  const columns = { status, checks: 0, lastError: null };
  switch (placement.status) {
    case 'in_progress': {
      const { orderId, placedAt, nextCheckAt } = placement;
      const time = isoTime(placedAt);
      return { ...columns, orderId: String(orderId), triggeredAt: time, dueAt: time, nextCheckAt };
    }
    case 'scheduled':
      return scheduledColumns(placement.at);
    default: {
      const { reason, at } = placement;
      const time = isoTime(at);
      const triggeredAt = status === 'maybe_placed' ? time : null;
      return { ...columns, lastError: reason, dueAt: time, triggeredAt, nextCheckAt: null };
    }
  }
}

/** The columns that tell of a call that was placed, before it is. */
export const NOT_CALLED_YET: IDataObject = Object.fromEntries(
  [
    ...['orderId', 'outcome', 'outcomeKey', 'summary', 'cost', 'durationSec'],
    ...['triggeredAt', 'finishedAt'],
  ].map((name) => [name, null]),
);

/** The row of a call that was placed, was not, may have been, or is to be. */
export function placementRow(call: NewCall, account: string, placement: Placement): IDataObject {
  return { ...callColumns(call, account), ...placementColumns(placement) };
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

/** The part of a millisecond by which a time says that somebody holds the row until then. */
const HELD = 0.5;

/** A time of a row that says that somebody holds it until then. */
export function heldTime(until: number): number {
  return Math.floor(until) + HELD;
}

/** Whether a time of a row says that somebody holds it, or held it, until then. */
export function saysHeld(time: number): boolean {
  return time % 1 === HELD;
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

/** Names one attempt at one call. */
export function attemptKey(callId: string, attempt: number): string {
  return `${callId}#${attempt}`;
}

/** What makes two rows rows of one attempt at one call. */
export function callKey({ id, callId, attempt }: Row): string {
  return attemptKey(textIn(callId) ?? `row ${id}`, numberIn(attempt) ?? 1);
}

/** What the ids of calls begin with that are written into the log together: drawn each time. */
export function newIdPrefix(): string {
  return `${randomUUID().replaceAll('-', '').slice(0, 12)}-`;
}

/** What the ids of all calls begin with that were written into the log together. */
export function prefixOf(callId: string): string {
  return callId.slice(0, callId.indexOf('-') + 1);
}

/** What a row keeps of its request; undefined when a person has edited it into something else. */
export function keptIn({ request }: Row): IDataObject | undefined {
  try {
    const kept: unknown = JSON.parse(textIn(request) ?? 'null');
    return isRecord(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the row is of a call to a test phone, which tells nothing about its order. */
export function isOfTestCall(row: Row): boolean {
  return keptIn(row)?.testCall === true;
}

/** The customer whom the row of a test call is about, as a phone in E.164. */
export function testedCustomer(row: Row): string | undefined {
  return isOfTestCall(row) ? textIn(keptIn(row)?.inPlaceOf) : undefined;
}

const ADDED_BY_N8N = new Set(['id', 'createdAt', 'updatedAt']);

/** What a row holds, also in columns that a person has added, without what n8n adds to it. */
export function contentOf(row: Row): IDataObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !ADDED_BY_N8N.has(name)));
}

/** Whether the end of the call is written in the row. */
export function hasEnded({ finishedAt }: Row): boolean {
  return timeIn(finishedAt) !== undefined;
}

/** Whether the row was written before its call's turn came. */
export function isWrittenAhead({ status, checks }: Row): boolean {
  return status === ('not_placed' satisfies OwnStatus) && numberIn(checks) === null;
}

const NOT_TOLD = new Set<string>(['scheduled', 'placing', 'cancelled'] satisfies OwnStatus[]);

/** Whether the row says what became of its attempt when it was placed, or was to be. */
export function tellsOfPlacing(row: Row): boolean {
  return !NOT_TOLD.has(String(row.status)) && !isWrittenAhead(row);
}

/** The outcome as far as a row tells it: without the transcript, which is not kept. */
export function outcomeIn(row: Row): Outcome | undefined {
  const orderId = readIdentifier(row.orderId);
  if (orderId === undefined) return undefined;
  const orderNumber = textIn(row.orderNumber);
  return {
    orderId,
    ...(orderNumber === undefined ? {} : { orderNumber }),
    callStatus: callStatusIn(String(row.status)),
    callOutcome: textIn(row.outcome) ?? null,
    outcomeKey: textIn(row.outcomeKey) ?? null,
    callDurationSec: numberIn(row.durationSec),
    totalCallCost: numberIn(row.cost),
    summary: textIn(row.summary) ?? null,
    transcript: [],
    transcriptText: '',
  };
}
