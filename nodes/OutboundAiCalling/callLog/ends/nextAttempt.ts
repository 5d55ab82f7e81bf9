import type { IDataObject } from 'n8n-workflow';
import { MINUTE_MS } from '../../clocks';
import { isRecord } from '../../http/json';
import { namesOutcome } from '../../service/outcomeList';
import type { Row } from '../../dataTables/dataTables';
import { outcomeOf } from '../callState';
import { contentOf, NOT_CALLED_YET, scheduledColumns } from '../table/rowColumns';
import { keptIn, type RetryPlan } from '../placing/loggedRequest';
import { numberIn, textIn, timeIn } from '../table/cells';

/** The attempt at a call that follows one that has ended. */
export interface NextAttempt {
  attempt: number;
  /** Milliseconds since 1970. */
  dueAt: number;
}

/** An attempt at a call, and how it ended. */
export interface EndedAttempt {
  attempt: number;
  retry: RetryPlan | undefined;
  /** As `keyOfEnd` in `service/outcome.ts` gives it; `given_up` when the outcome never came. */
  endKey: string;
  /** Milliseconds since 1970. */
  endedAt: number;
}

/** Ten years: nobody means a later attempt. */
const MOST_MINUTES = 10 * 365 * 24 * 60;

/** Further attempts than this are not made, whatever a row says. */
export const MOST_ATTEMPTS = 10;

/** The plan that a row keeps; undefined when it has none, or a person has edited it into nonsense. */
export function retryIn(row: Row): RetryPlan | undefined {
  const retry = keptIn(row)?.retry;
  if (!isRecord(retry)) return undefined;
  const { outcomes, afterMinutes } = retry;
  if (!Array.isArray(outcomes) || !Array.isArray(afterMinutes)) return undefined;
  const minutes = afterMinutes.map(Number);
  if (minutes.some((delay) => !(delay > 0 && delay <= MOST_MINUTES))) return undefined;
  return { outcomes: outcomes.map(String), afterMinutes: minutes.slice(0, MOST_ATTEMPTS - 1) };
}

/** The number of a row's attempt; undefined when a person has edited it into none. */
export function attemptIn(row: Row): number | undefined {
  const attempt = numberIn(row.attempt);
  return attempt !== null && Number.isInteger(attempt) && attempt > 0 ? attempt : undefined;
}

/** Whether a further attempt may follow, should this one end with one of the plan's outcomes. */
export function mayBeFollowed(row: Row): boolean {
  return (attemptIn(row) ?? 1) <= (retryIn(row)?.afterMinutes.length ?? 0);
}

/** The attempt that follows; undefined when this was the last. */
export function nextAttemptAfter(ended: EndedAttempt): NextAttempt | undefined {
  const { attempt, retry, endKey, endedAt } = ended;
  const minutes = retry?.afterMinutes[attempt - 1];
  if (minutes === undefined || !namesOutcome(retry?.outcomes ?? [], endKey)) return undefined;
  return { attempt: attempt + 1, dueAt: Math.round(endedAt + minutes * MINUTE_MS) };
}

/** As {@link nextAttemptAfter}, of a row that tells its end. */
export function nextAttemptOf(row: Row): NextAttempt | undefined {
  const endedAt = timeIn(row.finishedAt);
  const attempt = attemptIn(row);
  // Without an id of its call nobody could tell whether the attempt is there already.
  const isOfCall = textIn(row.callId) !== undefined;
  if (endedAt === undefined || attempt === undefined || !isOfCall) return undefined;
  return nextAttemptAfter({ attempt, retry: retryIn(row), endKey: outcomeOf(row).key, endedAt });
}

/** The same call without what became of an attempt. */
export function anew(row: Row, attempt: number): IDataObject {
  return { ...contentOf(row), ...NOT_CALLED_YET, attempt };
}

/** The row of the attempt that follows the one of a row. */
export function nextAttemptRow(row: Row, { attempt, dueAt }: NextAttempt): IDataObject {
  return { ...anew(row, attempt), ...scheduledColumns(dueAt) };
}
