import type { IDataObject } from 'n8n-workflow';
import { MINUTE_MS } from '../../clocks';
import { finalLabelIn } from '../../service/outcome';
import { namesOutcome } from '../../service/outcomeList';
import { equals, type Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { outcomeOf } from '../rowFacts';
import { contentOf, NOT_CALLED_YET, scheduledColumns, uncalledColumns } from '../table/rowColumns';
import {
  attemptBefore,
  attemptIn,
  attemptOf,
  callKey,
  hasEnded,
  hasOrderId,
  keyOfNext,
  notEnded,
  type Attempts,
} from '../states';
import type { RetryPlan } from '../../placedCalls';
import { retryIn, undialledRequest, wasRuledOut } from '../placing/loggedRequest';
import { isoTime, textIn, timeIn } from '../table/cells';

/** Whether another attempt follows if this one ends with an outcome of the retry plan. */
export function mayBeFollowed(row: Row): boolean {
  return attemptOf(row) <= (retryIn(row)?.afterMinutes.length ?? 0);
}

/**
 * When the attempt after an ended one is due: ISO 8601 in UTC; null when it was the last. `recordEnds` in
 * `ends.ts` asks when it writes the end.
 *
 * @param label as `labelOfEnd` in `service/outcome.ts` gives it; `given_up` when the outcome never came
 * @param endedAt milliseconds since 1970
 */
export function nextAttemptTime(
  retry: RetryPlan | undefined,
  attempt: number,
  label: string,
  endedAt: number,
): string | null {
  const minutes = retry?.afterMinutes[attempt - 1];
  if (minutes === undefined || !namesOutcome(retry?.outcomes ?? [], label)) return null;
  return isoTime(Math.round(endedAt + minutes * MINUTE_MS));
}

/** As {@link nextAttemptTime}, for the row of an attempt that has ended. */
export function nextAttemptOf(row: Row): string | null {
  const endedAt = timeIn(row.finishedAt);
  const attempt = attemptIn(row);
  // Without a call id, nothing shows whether that attempt already exists.
  const isOfCall = textIn(row.callId) !== undefined;
  if (endedAt === undefined || attempt === undefined || !isOfCall) return null;
  return nextAttemptTime(retryIn(row), attempt, outcomeOf(row).label, endedAt);
}

/**
 * Whether a person has corrected the outcome of an attempt before that of a row to one after which no other follows. A
 * person may have scheduled an attempt all the same: that row's, or one after the corrected outcome.
 */
export function isRuledOut(row: Row, attempts: Attempts): boolean {
  if (hasOrderId(row) || wasRuledOut(row)) return false;
  let before = attemptBefore(row, attempts);
  while (before !== undefined && !isCorrected(before)) {
    before = wasRuledOut(before) ? undefined : attemptBefore(before, attempts);
  }
  return before !== undefined;
}

function isCorrected(row: Row): boolean {
  const plan = retryIn(row);
  if (plan === undefined || finalLabelIn(row.outcome) === null) return false;
  return hasEnded(row) && !namesOutcome(plan.outcomes, outcomeOf(row).label);
}

/** The row of the attempt that follows that of a row. `dueAt` is milliseconds since 1970. */
export function nextAttemptRow(row: Row, dueAt: number): IDataObject {
  const attempt = attemptOf(row) + 1;
  const content = { ...contentOf(row), request: undialledRequest(row) };
  return { ...content, ...NOT_CALLED_YET, attempt, ...scheduledColumns(dueAt) };
}

const NO_FURTHER = uncalledColumns(
  'cancelled',
  'Cancelled while the attempt before went on: nobody is called again',
);

/** Cancels the attempts that follow these, and that wait. */
export async function cancelNext(log: CallLog, before: Row[]): Promise<void> {
  for (const row of before) {
    const next = equals({ callId: row.callId ?? '', attempt: attemptOf(row) + 1 });
    await log.update([...next, ...notEnded('scheduled')], { ...NOT_CALLED_YET, ...NO_FURTHER });
  }
}

/**
 * Prevents the next attempts of calls that go on, by a row in the place of each.
 *
 * @returns one row for each attempt that another would have followed
 */
export async function preventNext(log: CallLog, open: Row[]): Promise<Row[]> {
  const isFollowed = (row: Row) => textIn(row.callId) !== undefined && mayBeFollowed(row);
  const followed = [...new Map(open.filter(isFollowed).map((row) => [callKey(row), row])).values()];
  const there = new Set((await log.rowsOfCalls(followed)).map(callKey));
  const stopped = followed.filter((row) => !there.has(keyOfNext(row)));
  const now = Date.now();
  await log.insertRows(stopped.map((row) => ({ ...nextAttemptRow(row, now), ...NO_FURTHER })));
  return stopped;
}
