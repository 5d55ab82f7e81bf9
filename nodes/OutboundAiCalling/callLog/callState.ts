import { keyOfEnd } from '../service/outcome';
import type { Row } from '../dataTables/dataTables';
import { callStatusIn, hasEnded, textIn, timeIn, UNTRIED, type OwnStatus } from './row';

/** What a row says of its call, for people who count calls or throw rows away. */
export type CallState =
  /** To be placed later. */
  | 'scheduled'
  /** Nobody was called, and nobody will be because of this row. */
  | 'notPlaced'
  /** The request is about to leave. */
  | 'placing'
  /** Nobody knows whether the service took it. */
  | 'maybePlaced'
  /** The service has taken it; it goes on. */
  | 'open'
  /** Its outcome never came. */
  | 'givenUp'
  /** The service has told how it ended. */
  | 'ended';

const STATES = new Map<string, CallState>([
  ['scheduled', 'scheduled'],
  ['placing', 'placing'],
  ['not_placed', 'notPlaced'],
  ['cancelled', 'notPlaced'],
  ['maybe_placed', 'maybePlaced'],
  ['given_up', 'givenUp'],
  ['in_progress', 'open'],
] satisfies Array<[OwnStatus, CallState]>);

/** How long an execution may take to come to a call whose row it has written ahead. */
const TURN_MAY_COME_MS = 24 * 3_600_000;

/** The state of a row's call; a status that is not ours is one with which the service ended it. */
export function callStateOf(row: Row): CallState {
  const status = textIn(row.status)?.trim() ?? '';
  const state = status === '' ? 'notPlaced' : (STATES.get(status) ?? 'ended');
  return state === 'open' && hasEnded(row) ? 'ended' : state;
}

/**
 * When a call was placed, or its row written when it was not: milliseconds since 1970. Cells that a
 * person has emptied or filled with nonsense are passed over; undefined when none is left.
 */
export function calledAt(row: Row): number | undefined {
  return (
    timeIn(row.triggeredAt) ?? timeIn(row.finishedAt) ?? timeIn(row.dueAt) ?? timeIn(row.createdAt)
  );
}

/** Whether the row says that its call goes on: it is being placed, or the service has taken it. */
export function isOpen(row: Row): boolean {
  const state = callStateOf(row);
  return state === 'placing' || state === 'open';
}

/**
 * Whether something is still to happen to the call: it is scheduled, open, or its turn may come.
 *
 * @param giveUpAfterMs how long the outcome of an open call is waited for
 */
export function isStillToCome(row: Row, now: number, giveUpAfterMs: number): boolean {
  if (callStateOf(row) === 'scheduled') return true;
  const isYoungerThan = (age: number) => (calledAt(row) ?? now) > now - age;
  if (isOpen(row)) return isYoungerThan(giveUpAfterMs);
  return row.lastError === UNTRIED && isYoungerThan(TURN_MAY_COME_MS);
}

/** A status as a label: `given_up` is `Given up`. */
function inWords(status: string): string {
  return (status.charAt(0).toUpperCase() + status.slice(1)).replaceAll('_', ' ');
}

/** The outcome of a row, as key and label; a row without one is told by its status. */
export function outcomeOf(row: Row): { key: string; label: string } {
  const callOutcome = textIn(row.outcome) ?? null;
  const outcomeKey = textIn(row.outcomeKey) ?? null;
  const callStatus = callStatusIn(textIn(row.status) ?? '');
  const label = callOutcome ?? outcomeKey ?? inWords(callStatus);
  const key = keyOfEnd({ callOutcome, outcomeKey, callStatus });
  return { key, label: label.trim() === '' ? 'Unknown' : label };
}

/** Keys of outcomes with which nobody was spoken to, in alphabetical order. */
export const NOT_REACHED = ['busy', 'failed', 'insufficient_talk', 'no_answer', 'voicemail'];

/**
 * Whether the call ended with a conversation: the service says `completed` and gives an outcome that
 * is none of those with which nobody was spoken to.
 *
 * @param notReached keys of such outcomes
 */
export function isReached(row: Row, notReached: ReadonlySet<string>): boolean {
  if (callStateOf(row) !== 'ended') return false;
  if (textIn(row.status)?.trim().toLowerCase() !== 'completed') return false;
  const hasOutcome = textIn(row.outcome) !== undefined || textIn(row.outcomeKey) !== undefined;
  return hasOutcome && !notReached.has(outcomeOf(row).key);
}
