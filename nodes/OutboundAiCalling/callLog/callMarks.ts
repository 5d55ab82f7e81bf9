import type { Row } from '../dataTables/dataTables';
import type { Mark } from './callRow';
import { timeIn } from './cells';
import { isOfTestCall } from './loggedRequest';
import { toldBy, type ToldCall } from './readCalls';
import { callKey } from './states';

/**
 * Calls that are about to be placed, as executions show them to each other by marks in the log. They go
 * in the order of their marks.
 */

/** Clocks of the machines that n8n runs on differ less. */
const CLOCKS_DIFFER_MS = 1_000;

/** A call that is about to be placed. */
export interface MarkedCall extends ToldCall {
  placedAt: number;
  /** Tells it apart from other calls. */
  key: string;
  /** The execution that has marked it, or the part of its calls that it marks together. */
  by: string;
}

/** @returns undefined for a row that marks no customer's call */
export function markedCall(row: Row): MarkedCall | undefined {
  const placedAt = timeIn(row.triggeredAt);
  if (placedAt === undefined || isOfTestCall(row)) return undefined;
  return { ...toldBy(row), placedAt, key: callKey(row), by: String(row.lockedBy ?? '') };
}

/** How the calls of others are counted that are about to be placed. */
export type MarksCounted =
  /** Not at all. */
  | 'none'
  /** Those that were marked before one's own: their executions need not know of it. */
  | 'earlier'
  /** Also those whose executions may not have seen one's own mark when they looked. */
  | 'unaware'
  | 'all';

/** Whether a call that another execution has marked takes a place before one's own. */
export function isCounted(other: MarkedCall, mark: Mark | undefined, marks: MarksCounted): boolean {
  if (marks === 'none') return false;
  if (marks === 'all' || mark === undefined) return true;
  const isEarlier = other.placedAt < mark.at || (other.placedAt === mark.at && other.by < mark.by);
  return isEarlier || (marks === 'unaware' && other.placedAt <= mark.seenFrom + CLOCKS_DIFFER_MS);
}

/** Whether a call was marked by a mark. */
export function isOf({ placedAt, by }: MarkedCall, mark: Mark): boolean {
  return placedAt === mark.at && by === mark.by;
}
