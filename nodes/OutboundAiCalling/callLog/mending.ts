import type { IDataObject } from 'n8n-workflow';
import pLimit from 'p-limit';
import { HOUR_MS } from '../clocks';
import {
  equals,
  holds,
  where,
  type Condition,
  type Filter,
  type Row,
} from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import { PAGE_BY_ID } from '../dataTables/rowPages';
import { preventNext } from './ends/nextAttempt';
import {
  callStateOf,
  hasEnded,
  hasOutcomeByHand,
  IN_PROGRESS,
  ownStatusIn,
  PLACING,
  SCHEDULED,
  SCHEDULED_AND_ENDED,
  says,
  saysCancelled,
  UNENDED,
  type OwnStatus,
} from './states';
import { numberIn } from './table/cells';
import { CANCELLED_BY_OUTCOME, drawnId, UNLOCKED } from './table/rowColumns';

/** No look is due later than this, unless a clock was set back or a person wrote the time. */
const LATEST_LOOK_MS = 2 * HOUR_MS;
/** A person may have edited hundreds of rows at once. */
const MENDED_AT_ONCE = 10;

/** Whether an unended row needs no repair: no program died on it, and no person edited it. */
export function isInOrder(row: Row, now: number): boolean {
  const isSane = (time: unknown) => (numberIn(time) ?? Infinity) <= now + LATEST_LOOK_MS;
  if (!isSane(row.lockedUntil) || row.batch === null) return false;
  const isLocked = Number(row.lockedUntil) > now;
  switch (row.status as OwnStatus) {
    case 'in_progress':
      return isSane(row.runAt);
    case 'scheduled':
      return !isToResume(row) && (isLocked || row.batch === '');
    case 'placing':
      return isLocked;
    default:
      return false;
  }
}

/** Why a call is not placed that goes on, although its row says `scheduled`. */
export const STILL_UNDER_WAY =
  'The status scheduled was written while the call went on: nobody is called before its outcome is known';

function stillUnderWay(status: string): string {
  if (status === SCHEDULED) return STILL_UNDER_WAY;
  return `The status ${status} was written while the call went on: its outcome is still to come`;
}

/** Whether a row says that its call waits, was cancelled or was not placed, while the call is being placed or goes on. */
export function isToResume(row: Row): boolean {
  const state = callStateOf(row);
  if (state === 'placing') return ownStatusIn(row) !== PLACING;
  return state === 'open' && row.status !== IN_PROGRESS;
}

/** What a row says again whose call goes on, or is being placed: then the mark of a cancelled call is taken away. */
function resumed(row: Row, now: number): IDataObject {
  const lastError = stillUnderWay(String(row.status));
  if (callStateOf(row) === 'open') return { status: IN_PROGRESS, runAt: now, lastError };
  return { status: PLACING, lastError, ...(saysCancelled(row) && { lockedBy: drawnId() }) };
}

/**
 * Makes the rows say `in_progress` or `placing` again of which {@link isToResume} holds. Otherwise their calls would
 * be placed again or count as not placed, and nobody would ask for their outcomes. No attempt follows those that
 * a person has cancelled.
 */
export async function resume(log: CallLog, now: number, ...about: Condition[]): Promise<void> {
  const isUnderWay = ['triggeredAt', 'runAt'].map((name) => holds(name, 'neq', null));
  const unended = [...about, UNENDED, ...isUnderWay];
  const rows = await log.allRows(...unended, says(IN_PROGRESS, 'neq'));
  const wrong = rows.filter(isToResume);
  await preventNext(log, wrong.filter(saysCancelled));
  // Row by row: others may have been cancelled meanwhile, and nothing prevents their next attempts yet.
  const limit = pLimit(MENDED_AT_ONCE);
  await limit.map(wrong, async (row) => {
    const { id, status } = row;
    await log.update([...unended, ...equals({ id, status })], resumed(row, now));
  });
}

/**
 * Writes our words into unended rows of which a person has spelled the status otherwise, or has cancelled the call by
 * an outcome. Returns all rows as they are then.
 */
export async function respell(log: CallLog, rows: Row[]): Promise<Row[]> {
  const respelled = await pLimit(MENDED_AT_ONCE).map(rows, async (row) => {
    const { id, status } = row;
    const own = ownStatusIn(row);
    if (own === undefined || own === status) return [row];
    const columns = hasOutcomeByHand(row) ? CANCELLED_BY_OUTCOME : { status: own };
    return await log.updateAndReturn([...equals({ id, status }), UNENDED], columns);
  });
  return respelled.flat();
}

/** Cancels calls that wait, and into whose rows a person has written how they ended, and when. Their ends follow. */
export async function cancelEndedByHand(log: CallLog): Promise<void> {
  const rows = await log.rows([...SCHEDULED_AND_ENDED, holds('outcome', 'neq', null)], PAGE_BY_ID);
  const ended = rows.filter((row) => hasOutcomeByHand(row) && !hasEnded(row));
  await pLimit(MENDED_AT_ONCE).map(ended, async ({ id, status }) => {
    await log.update(equals({ id, status }), { ...CANCELLED_BY_OUTCOME, finishedAt: null });
  });
}

/** Conditions for rows whose `runAt` a person has emptied, or that are due later than anybody means. */
export function mistimed(now: number, latestMs: number): Condition[] {
  return [holds('runAt', 'eq', null), holds('runAt', 'gt', now + latestMs)];
}

/** Makes open calls due whose next look is empty or too far away, by a person or a clock that was set back. */
export async function mendLookTimes(log: CallLog, now: number): Promise<void> {
  for (const wrong of mistimed(now, LATEST_LOOK_MS)) {
    await log.update([says(IN_PROGRESS), wrong], { runAt: now });
  }
}

/** Unlocks rows, of all accounts, whose lock a person has written: they were copied or edited. */
export async function mendLocks({ tables, tableId }: CallLog, now: number): Promise<void> {
  const wrong: Array<[Condition, IDataObject]> = [
    [holds('lockedUntil', 'eq', null), UNLOCKED],
    [holds('lockedUntil', 'gt', now + LATEST_LOOK_MS), UNLOCKED],
    [holds('batch', 'eq', null), { batch: '' }],
  ];
  const any: Filter = { type: 'or', filters: wrong.map(([condition]) => condition) };
  const [row] = await tables.rows(tableId, any, { sortBy: 'id:asc', limit: 1 });
  if (row === undefined) return;
  for (const [condition, columns] of wrong) {
    await tables.update(tableId, where(condition), columns);
  }
}
