import type { Row } from '../dataTables/dataTables';
import { hasEnded as isEndOfService } from '../service/outcome';
import { numberIn, textIn, timeIn } from './table/cells';

/**
 * The words in `status` that are ours; any other is the service's, with which it ended the call.
 * `scheduled`: to be placed later. `placing`: the request is about to leave. `maybe_placed`: nobody
 * knows whether the service took it.
 */
export const OWN_STATUSES = [
  'scheduled',
  'placing',
  'in_progress',
  'not_placed',
  'maybe_placed',
  'given_up',
  'cancelled',
] as const;
export type OwnStatus = (typeof OWN_STATUSES)[number];

const SCHEDULED = 'scheduled' satisfies OwnStatus;

/** Stands before a status with which the service ended a call when the word is one of ours. */
const ENDED = 'ended_';

/** The status of a call that the service has ended: its word, such as `completed`. */
export function statusOfEnd(callStatus: string): string {
  const isOurs = OWN_STATUSES.some((status) => status === callStatus);
  return isOurs || callStatus.startsWith(ENDED) ? `${ENDED}${callStatus}` : callStatus;
}

/** The service's word in a row's status. */
export function callStatusIn(status: string): string {
  return status.startsWith(ENDED) ? status.slice(ENDED.length) : status;
}

/** The state of a call as its row tells it. */
export type CallState =
  /** To be placed later. */
  | 'scheduled'
  /** Written ahead with a list, or by an execution that has not come to the call: nobody was called. */
  | 'ahead'
  /** Nobody was called, and nobody will be because of this row. */
  | 'notPlaced'
  /** As `notPlaced`: a person or a workflow wanted it so. */
  | 'cancelled'
  /** The request is about to leave. */
  | 'placing'
  /** Nobody knows whether the service took it. */
  | 'maybePlaced'
  /** The service has taken it; it goes on. */
  | 'open'
  /** Its outcome never came. */
  | 'givenUp'
  /** The service has told how it ended. */
  | 'ended'
  /** The status means nothing: a person may have mistyped any of the others. */
  | 'unknown';

const STATES = new Map<string, CallState>([
  ['scheduled', 'scheduled'],
  ['placing', 'placing'],
  ['not_placed', 'notPlaced'],
  ['cancelled', 'cancelled'],
  ['maybe_placed', 'maybePlaced'],
  ['given_up', 'givenUp'],
  ['in_progress', 'open'],
] satisfies Array<[OwnStatus, CallState]>);

/**
 * The state of a row's call. A status is read as the filters of n8n read it, to the letter: one that is not
 * ours ends the call only with a time in `finishedAt`, or when it would end the call in an answer of the service.
 */
export function callStateOf(row: Row): CallState {
  const status = textIn(row.status) ?? '';
  const state = STATES.get(status) ?? (isEnd(row) ? 'ended' : 'unknown');
  const waits = state === 'scheduled' || state === 'notPlaced';
  if (waits && textIn(row.batch) !== undefined) return 'ahead';
  return state === 'open' && hasEnded(row) ? 'ended' : state;
}

function isEnd(row: Row): boolean {
  const { status, orderId, outcome, summary, durationSec, cost } = row;
  if (textIn(status) === undefined) return false;
  if (hasEnded(row)) return true;
  const body = { callStatus: status, callOutcome: outcome, summary };
  const isPlaced = textIn(orderId) !== undefined;
  return isPlaced && isEndOfService({ ...body, callDurationSec: durationSec, totalCallCost: cost });
}

/**
 * Whether the end of the attempt is written in the row. A row that says `scheduled` is no end, whatever a
 * person has written beside.
 */
export function hasEnded({ status, finishedAt }: Row): boolean {
  return timeIn(finishedAt) !== undefined && status !== SCHEDULED;
}

const GOES_ON = new Set<CallState>(['scheduled', 'ahead', 'placing', 'open', 'unknown']);

/** Whether the row says how its attempt ended, and is not written as an end yet. */
export function isDecided(row: Row): boolean {
  return !GOES_ON.has(callStateOf(row)) && !hasEnded(row);
}

/** States in which nobody was called, as far as the row tells. */
const NOT_CALLED = new Set<CallState>(['scheduled', 'ahead', 'notPlaced', 'cancelled']);

/** Whether the row says that nobody was called. */
export function isNotCalled(row: Row): boolean {
  const state = callStateOf(row);
  return NOT_CALLED.has(state) || (state === 'unknown' && textIn(row.orderId) === undefined);
}

/**
 * The higher, the more a row counts among the rows of its attempt, before and after it is written as an
 * end; see {@link supersedes}. A call that rang counts before a copy that says that nobody is called, or
 * that nobody knows: its order id is looked at, whenever the doubt was written.
 */
const WEIGHTS: Record<CallState, [number, number]> = {
  ahead: [0, 0],
  scheduled: [1, 1],
  placing: [2, 2],
  maybePlaced: [3, 6],
  notPlaced: [4, 5],
  cancelled: [4, 5],
  open: [7, 7],
  givenUp: [8, 9],
  ended: [8, 9],
  unknown: [8, 9],
};

function weightOf(row: Row): number {
  return WEIGHTS[callStateOf(row)][hasEnded(row) ? 1 : 0];
}

/**
 * Which of two rows of one attempt counts: the end of a call that was placed before everything else, then
 * a call that goes on, then one that nobody is to place; what is written before what is only decided. Of two
 * that tell as much, the one that the database has numbered first.
 *
 * @returns whether `a` makes `b` superfluous
 */
export function supersedes(a: Row, b: Row): boolean {
  if (a.id === b.id) return false;
  const difference = weightOf(a) - weightOf(b);
  return difference > 0 || (difference === 0 && a.id < b.id);
}

/** Names one attempt at one call. */
export function attemptKey(callId: string, attempt: number): string {
  return `${callId}#${attempt}`;
}

/** What makes two rows rows of one attempt at one call. */
export function callKey({ id, callId, attempt }: Row): string {
  return attemptKey(textIn(callId) ?? `row ${id}`, numberIn(attempt) ?? 1);
}

/** The rows of one attempt. */
export interface Attempt {
  /** The row that says where the attempt stands. */
  counts: Row;
  /** Its other rows: copies, and what a process wrote that was too late or died. */
  superseded: Row[];
}

/**
 * Whether a written end is the one that counts of its attempt, and the attempt counts: one that did not
 * ring, and that the end of the attempt before does not announce, was made by a process that came too late.
 */
export function endCounts(row: Row, attempts: ReadonlyMap<string, Attempt>): boolean {
  const { counts } = attempts.get(callKey(row)) ?? {};
  return hasEnded(row) && counts?.id === row.id && attemptCounts(row, attempts);
}

/** Whether the attempt of a row rang, or was to be made, as far as the rows of its call tell. */
export function attemptCounts(row: Row, attempts: ReadonlyMap<string, Attempt>): boolean {
  const callId = textIn(row.callId);
  const attempt = numberIn(row.attempt) ?? 1;
  if (callId === undefined || attempt <= 1 || textIn(row.orderId) !== undefined) return true;
  const before = attempts.get(attemptKey(callId, attempt - 1))?.counts;
  if (before === undefined || !hasEnded(before)) return true;
  return timeIn(before.nextAttemptAt) !== undefined;
}

/** The attempts that rows tell of, by {@link callKey}. */
export function attemptsOf(rows: Row[]): Map<string, Attempt> {
  const attempts = new Map<string, Attempt>();
  for (const row of new Map(rows.map((one) => [one.id, one])).values()) {
    const key = callKey(row);
    const attempt = attempts.get(key);
    if (attempt === undefined) attempts.set(key, { counts: row, superseded: [] });
    else if (supersedes(row, attempt.counts)) {
      attempt.superseded.push(attempt.counts);
      attempt.counts = row;
    } else attempt.superseded.push(row);
  }
  return attempts;
}
