import { DAY_MS } from '../clocks';
import { defined } from '../http/json';
import { readIdentifier } from '../service/identifier';
import {
  labelIn,
  labelOfEnd,
  mayHaveTalked,
  measureOf,
  outcomeKey,
  type Outcome,
} from '../service/outcome';
import { namesOutcome } from '../service/outcomeList';
import type { Row } from '../dataTables/dataTables';
import { textIn, timeIn } from './table/cells';
import { callStateOf, callStatusIn, hasEnded, isOwnStatus } from './states';

/** A trigger that has not polled for 40 days no longer counts, and an open call no longer goes on. */
export const COUNTS_FOR_MS = 40 * DAY_MS;

/**
 * When a call was placed, or when its row was written if it was not placed; in milliseconds since
 * 1970. Cells that a person has emptied or filled with nonsense are skipped. Undefined when no cell
 * is left.
 *
 * @param latest later times are skipped too
 */
export function calledAt(row: Row, latest = Infinity): number | undefined {
  const cells = [row.triggeredAt, row.finishedAt, row.dueAt, row.createdAt];
  return cells.map(timeIn).find((time) => time !== undefined && time <= latest);
}

export function isUnderWay(row: Row): boolean {
  const state = callStateOf(row);
  return state === 'placing' || state === 'open';
}

/** Whether the end of the call is still to come: it waits, or goes on and is not 40 days old. */
export function isStillToCome(row: Row, now: number): boolean {
  const state = callStateOf(row);
  if (state === 'scheduled' || state === 'ahead') return !hasEnded(row);
  const mayGoOn = isUnderWay(row) || state === 'unknown';
  return mayGoOn && (calledAt(row) ?? now) > now - COUNTS_FOR_MS;
}

/** The outcome of a row, as key and label. A row without an outcome uses its status. */
export function outcomeOf(row: Row): { key: string; label: string } {
  const callStatus = statusOfEndIn(row);
  // `given_up` is `Given up`.
  const inWords = (callStatus.charAt(0).toUpperCase() + callStatus.slice(1)).replaceAll('_', ' ');
  const label = labelOfEnd({ callOutcome: labelIn(row.outcome), callStatus: inWords });
  return { key: outcomeKey(label), label };
}

/** The key of a row's outcome: of its label, which a person may have corrected or emptied. */
function outcomeKeyIn(row: Row): string | null {
  const label = labelIn(row.outcome);
  return label === null ? null : outcomeKey(label);
}

/** The service's word for how a call has ended; as of an answer without one where a person has emptied the cell. */
function statusOfEndIn({ status }: Row): string {
  return callStatusIn(textIn(status) ?? 'completed');
}

/** Keys of outcomes without a conversation, in alphabetical order. */
export const NOT_REACHED = ['busy', 'failed', 'insufficient_talk', 'no_answer', 'voicemail'];

/** Whether the call ended with a conversation, by its status and by its outcome. */
export function isReached(row: Row, notReached: ReadonlySet<string>): boolean {
  if (callStateOf(row) !== 'ended') return false;
  // Where a person has written one of our words over the status, only the outcome tells.
  if (!isOwnStatus(String(row.status)) && !mayHaveTalked(statusOfEndIn(row))) return false;
  return outcomeKeyIn(row) !== null && !namesOutcome(notReached, outcomeOf(row).label);
}

/** The outcome of a row. It has no transcript, because rows do not store it. */
export function outcomeIn(row: Row): Outcome | undefined {
  const orderId = readIdentifier(row.orderId);
  if (orderId === undefined) return undefined;
  return {
    orderId,
    ...defined({ orderNumber: textIn(row.orderNumber) }),
    callStatus: statusOfEndIn(row),
    callOutcome: labelIn(row.outcome),
    outcomeKey: outcomeKeyIn(row),
    callDurationSec: measureOf(row.durationSec),
    totalCallCost: measureOf(row.cost),
    summary: textIn(row.summary) ?? null,
    transcript: [],
    transcriptText: '',
  };
}
