import { holds, type Condition, type Row } from '../dataTables/dataTables';
import { finalLabelIn, showsEnd } from '../service/outcome';
import { numberIn, textIn, timeIn } from './table/cells';

/**
 * The words in `status` that are ours. Any other word comes from the service, which ended the call
 * with it. `scheduled`: to be placed later. `placing`: the request is about to leave.
 * `maybe_placed`: nobody knows whether the service has accepted the call.
 */
const OWN = {
  scheduled: 'scheduled',
  placing: 'placing',
  in_progress: 'open',
  not_placed: 'notPlaced',
  maybe_placed: 'maybePlaced',
  given_up: 'givenUp',
  cancelled: 'cancelled',
} satisfies Record<string, CallState>;
export type OwnStatus = keyof typeof OWN;
const OWN_STATUSES = Object.keys(OWN) as OwnStatus[];

export const SCHEDULED = 'scheduled' satisfies OwnStatus;
export const PLACING = 'placing' satisfies OwnStatus;
export const IN_PROGRESS = 'in_progress' satisfies OwnStatus;
export const NOT_PLACED = 'not_placed' satisfies OwnStatus;
export const GIVEN_UP = 'given_up' satisfies OwnStatus;

export function isOwnStatus(status: string): boolean {
  return OWN_STATUSES.some((own) => own === status);
}

/** A condition for rows with this status, or with any other. */
export function says(status: OwnStatus, condition: 'eq' | 'neq' = 'eq'): Condition {
  return holds('status', condition, status);
}

export const UNENDED = holds('finishedAt', 'eq', null);

/** Conditions for rows whose end nobody has written, and whose status is none of our words to the letter. */
export const IN_OTHER_WORDS: Condition[] = [
  UNENDED,
  ...OWN_STATUSES.map((status) => says(status, 'neq')),
];

export function notEnded(status: OwnStatus): Condition[] {
  return [says(status), UNENDED];
}

/** Prefix of a status with which the service ended a call, when the word is one of ours. */
const ENDED = 'ended_';

/** The status to store for a call that the service has ended: its word, such as `completed`. */
export function statusOfEnd(callStatus: string): string {
  return isOwnStatus(callStatus) || callStatus.startsWith(ENDED)
    ? `${ENDED}${callStatus}`
    : callStatus;
}

export function callStatusIn(status: string): string {
  return status.startsWith(ENDED) ? status.slice(ENDED.length) : status;
}

/**
 * Our word in the status of a row; undefined when it has none. In a row that waits, or whose call goes on, a person may
 * have written it with capitals, with spaces or with one l. Who writes an outcome into the row of a call that nobody
 * has placed has cancelled the call. n8n's filters find words to the letter: see `respell`.
 */
export function ownStatusIn(row: Row): OwnStatus | undefined {
  const status = writtenStatusIn(row);
  const isUnplaced = status === SCHEDULED || status === NOT_PLACED;
  return isUnplaced && hasOutcomeByHand(row) ? 'cancelled' : status;
}

/** Whether the service has accepted the call of a row, or a call before, after which a person has scheduled it again. */
export function hasOrderId({ orderId }: Row): boolean {
  return textIn(orderId) !== undefined;
}

/** Whether a person has written an outcome into the row of a call that has no order id yet. */
export function hasOutcomeByHand(row: Row): boolean {
  return !hasOrderId(row) && finalLabelIn(row.outcome) !== null;
}

function writtenStatusIn(row: Row): OwnStatus | undefined {
  const written = textIn(row.status) ?? '';
  const own = OWN_STATUSES.find((one) => one === written);
  if (own !== undefined) return isOverAnEnd(row, own) ? undefined : own;
  const meant = OWN_STATUSES.find((one) => one === inOurSpelling(written));
  return meant !== undefined && mayBeByHand(row, meant) ? meant : undefined;
}

function inOurSpelling(written: string): string {
  const spelled = written
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return spelled.replace(/^canceled$/, 'cancelled');
}

/** Whether a call was placed and has ended, and the word over its status denies that it was made. */
function isOverAnEnd(row: Row, own: OwnStatus): boolean {
  const isMade = hasOrderId(row) && timeIn(row.finishedAt) !== undefined;
  return isMade && own !== SCHEDULED && MEANINGS[OWN[own]].called !== 'yes';
}

/**
 * Whether a person may have spelled our word otherwise. The service ends no call as `scheduled`, nor one without an
 * order id.
 */
function mayBeByHand(row: Row, meant: OwnStatus): boolean {
  if (!hasOrderId(row) || meant === SCHEDULED) return true;
  return ringsDespiteStatus(row);
}

/**
 * The state of a row's call. A status that is not ours ends the call in two cases only: `finishedAt` has a time, or
 * the status would end the call in an answer of the service.
 */
export function callStateOf(row: Row): CallState {
  const own = ownStatusIn(row);
  const state = own === undefined ? (isEnd(row) ? 'ended' : 'unknown') : OWN[own];
  const { called } = MEANINGS[state];
  if (called !== 'yes' && ringsDespiteStatus(row)) return 'open';
  // The nodes give up no call without an order id.
  const isBeforeAnswer = called === 'no' || (state === 'givenUp' && !hasOrderId(row));
  if (isBeforeAnswer && isMarked(row)) return 'placing';
  const waits = state === 'scheduled' || state === 'notPlaced';
  if (waits && textIn(row.batch) !== undefined) return 'ahead';
  return state === 'open' && hasEnded(row) ? 'ended' : state;
}

/** Whether a row says that its call was cancelled, also while it goes on. */
export function saysCancelled(row: Row): boolean {
  return ownStatusIn(row) === 'cancelled';
}

/**
 * Whether nobody has written the end of a call that was begun, whatever a person has written into its status since.
 * The nodes schedule rows without `triggeredAt`, and end rows without `runAt`.
 */
function hasBegun({ triggeredAt, runAt, finishedAt }: Row): boolean {
  const isOpen = numberIn(runAt) !== null && timeIn(finishedAt) === undefined;
  return isOpen && timeIn(triggeredAt) !== undefined;
}

/** Whether the service has the call of a row, and it goes on. */
function ringsDespiteStatus(row: Row): boolean {
  return hasOrderId(row) && hasBegun(row);
}

/** Whether an execution has marked the row: the request of its call is under way, or about to leave. */
function isMarked(row: Row): boolean {
  return hasBegun(row) && textIn(row.lockedBy) !== undefined;
}

function isEnd(row: Row): boolean {
  const { status, outcome, summary, durationSec, cost } = row;
  const isPlaced = hasOrderId(row);
  if (textIn(status) === undefined) return isPlaced && hasEnded(row);
  if (hasEnded(row)) return true;
  const body = { callStatus: status, callOutcome: outcome, summary };
  return isPlaced && showsEnd({ ...body, callDurationSec: durationSec, totalCallCost: cost });
}

/** Whether `finishedAt` has the end of the attempt. A row that says `scheduled` has none. */
export function hasEnded({ status, finishedAt }: Row): boolean {
  return timeIn(finishedAt) !== undefined && inOurSpelling(String(status)) !== SCHEDULED;
}

/** Conditions for rows that say `scheduled`, in whatever spelling, and when they ended. Others are among them. */
export const SCHEDULED_AND_ENDED = [
  holds('status', 'ilike', `%${SCHEDULED}%`),
  holds('finishedAt', 'neq', null),
];

interface StateMeaning {
  /** Whether the attempt may still go on; otherwise the row says how it ended. */
  goesOn: boolean;
  /** Whether somebody was called. `maybe`: another row may still say so. `unread`: only the other cells tell. */
  called: 'no' | 'maybe' | 'yes' | 'unread';
  /**
   * How much the row counts among the rows of its attempt, before and after it is written as an end; higher
   * wins, see {@link supersedes}. A call that rang wins over a copy that says that nobody is called, or that
   * nobody knows, at whatever time that copy was written. Otherwise nobody would ask for the outcome of its
   * order id.
   */
  weights: [number, number];
}

/** What the state of a call, as its row says, means for its attempt. */
const MEANINGS = {
  // Written ahead with a list, or by an execution that has not reached the call.
  ahead: { goesOn: true, called: 'no', weights: [0, 0] },
  scheduled: { goesOn: true, called: 'no', weights: [1, 1] },
  placing: { goesOn: true, called: 'maybe', weights: [2, 2] },
  maybePlaced: { goesOn: false, called: 'maybe', weights: [3, 6] },
  // Nobody was called, and nobody will be called because of this row.
  notPlaced: { goesOn: false, called: 'no', weights: [4, 5] },
  // As `notPlaced`, because a person or a workflow cancelled the call.
  cancelled: { goesOn: false, called: 'no', weights: [4, 5] },
  // The service has accepted the call, and the call goes on.
  open: { goesOn: true, called: 'yes', weights: [7, 7] },
  // The outcome never came. This and the next two weigh the same.
  givenUp: { goesOn: false, called: 'yes', weights: [8, 9] },
  // The service has reported how the call ended.
  ended: { goesOn: false, called: 'yes', weights: [8, 9] },
  // The status means nothing: a person may have mistyped it.
  unknown: { goesOn: true, called: 'unread', weights: [8, 9] },
} satisfies Record<string, StateMeaning>;
export type CallState = keyof typeof MEANINGS;

function meaningOfState(row: Row): StateMeaning {
  return MEANINGS[callStateOf(row)];
}

/** Our words for attempts that go on. */
export const GOING_ON = OWN_STATUSES.filter((status) => MEANINGS[OWN[status]].goesOn);
/** Those of them whose request is about to leave, or has left. */
export const UNDER_WAY = GOING_ON.filter((status) => MEANINGS[OWN[status]].called !== 'no');

export function goesOn(row: Row): boolean {
  return meaningOfState(row).goesOn;
}

/** Whether the row says how its attempt ended, and lacks only `finishedAt`: nobody has written the end yet. */
export function isDecided(row: Row): boolean {
  return !goesOn(row) && !hasEnded(row);
}

/** Whether the attempt rang and is over. The rules of its call, and another attempt, may follow. */
export function wasMade(row: Row): boolean {
  return !goesOn(row) && meaningOfState(row).called === 'yes';
}

/** Whether the attempt has ended without a call: nobody was called, and nobody will be. */
export function endedUnplaced(row: Row): boolean {
  const { goesOn: isToCome, called } = meaningOfState(row);
  return called === 'no' && !isToCome && hasEnded(row);
}

/** Whether nobody knows if somebody was called: another row may still say so. */
export function isInDoubt(row: Row): boolean {
  return meaningOfState(row).called === 'maybe';
}

/** Whether nothing in the row shows a call. Of a status without a meaning, {@link mayHaveBeenCalled} holds too. */
export function showsNoCall(row: Row): boolean {
  const { called } = meaningOfState(row);
  return called === 'no' || (called === 'unread' && !hasOrderId(row));
}

/** Whether somebody may have been called. For safety, so does every row whose status means nothing. */
export function mayHaveBeenCalled(row: Row): boolean {
  return meaningOfState(row).called !== 'no';
}

/** What of a row chooses between it and the other rows of its attempt. */
export interface Standing {
  id: number;
  weight: number;
}

export function standingOf(row: Row): Standing {
  return { id: row.id, weight: meaningOfState(row).weights[hasEnded(row) ? 1 : 0] };
}

export function outweighs(a: Standing, b: Standing): boolean {
  return a.weight > b.weight || (a.weight === b.weight && a.id < b.id);
}

/**
 * Whether row `a` makes row `b` of the same attempt superfluous. The end of a placed call wins over
 * all others, then a call that goes on, then a call that nobody is to place. A written end wins
 * over one that is only decided. Between equals, the lower id wins.
 */
export function supersedes(a: Row, b: Row): boolean {
  return outweighs(standingOf(a), standingOf(b));
}

/** The number of a row's attempt; undefined when a person's edit cannot be read. */
export function attemptIn(row: Row): number | undefined {
  const attempt = numberIn(row.attempt) ?? 0;
  return Number.isInteger(attempt) && attempt > 0 ? attempt : undefined;
}

/** The number of a row's attempt, which is the first when a person's edit cannot be read. */
export function attemptOf(row: Row): number {
  return attemptIn(row) ?? 1;
}

/** The key of another attempt at the call of a row. */
export function keyIn({ id, callId }: Row, attempt: number): string {
  return `${textIn(callId) ?? `row ${id}`}#${attempt}`;
}

/** Rows with the same key are of one attempt at one call. A row whose attempt a person has made 1.5 is alone. */
export function callKey(row: Row): string {
  return keyIn(row, numberIn(row.attempt) ?? 1);
}

/** Of a key by {@link callKey}: that of the attempt before. */
export function keyOfBefore(key: string): string {
  const end = key.lastIndexOf('#') + 1;
  return `${key.slice(0, end)}${Number(key.slice(end)) - 1}`;
}

export function keyOfNext(row: Row): string {
  return keyIn(row, attemptOf(row) + 1);
}

/** By {@link callKey}: the row that says where an attempt stands. */
export type Attempts = ReadonlyMap<string, Row>;

export function attemptBefore(row: Row, attempts: Attempts): Row | undefined {
  const attempt = attemptOf(row);
  return attempt === 1 ? undefined : attempts.get(keyIn(row, attempt - 1));
}

/** Whether no other row supersedes this one. */
export function counts(row: Row, attempts: Attempts): boolean {
  return attempts.get(callKey(row))?.id === row.id;
}

export function endCounts(row: Row, attempts: Attempts): boolean {
  return hasEnded(row) && counts(row, attempts) && attemptCounts(row, attempts);
}

/** The attempt that follows that of a row: of those after it the first that goes on, else the next one. */
export function attemptAfter(row: Row, attempts: Attempts): Row | undefined {
  const next = attempts.get(keyOfNext(row));
  if (next === undefined || goesOn(next)) return next;
  const later = attemptAfter(next, attempts);
  return later !== undefined && goesOn(later) ? later : next;
}

/**
 * Whether an attempt counts: it rang, or was to be made. A late process may write an attempt that
 * never rang and that the previous end did not plan, and a process that stood still may find that the
 * previous attempt goes on, after the end of the next one was written. These do not count. A person may have
 * scheduled any attempt before again: its new end says whether others follow.
 */
export function attemptCounts(row: Row, attempts: Attempts): boolean {
  if (hasOrderId(row)) return true;
  const before = attemptBefore(row, attempts);
  if (before !== undefined && !hasEnded(before)) return !goesOn(before) || !hasEnded(row);
  return isPlanned(row, attempts);
}

/** Whether each attempt before has ended and says that another follows, as far as their rows are there. */
function isPlanned(row: Row, attempts: Attempts): boolean {
  const before = attemptBefore(row, attempts);
  if (before === undefined) return true;
  if (hasEnded(before) && timeIn(before.nextAttemptAt) === undefined) return false;
  return isPlanned(before, attempts);
}

/** The row that counts of each attempt. Of two readings of one row, the last in `rows` counts. */
export function attemptsOf(rows: Row[]): Attempts {
  const attempts = new Map<string, Row>();
  for (const row of new Map(rows.map((one) => [one.id, one])).values()) {
    const other = attempts.get(callKey(row));
    if (other === undefined || supersedes(row, other)) attempts.set(callKey(row), row);
  }
  return attempts;
}
