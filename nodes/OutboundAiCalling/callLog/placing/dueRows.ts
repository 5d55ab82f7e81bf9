import type { IDataObject } from 'n8n-workflow';
import { DAY_MS, MINUTE_MS } from '../../clocks';
import { holds, LARGEST_PAGE, type Condition, type Row } from '../../dataTables/dataTables';
import { PAGE_BY_ID } from '../../dataTables/rowPages';
import { NOBODY_CALLED } from '../../nodeError';
import { inParts } from '../../collections';
import { namedIn } from '../../contacts/numbersIn';
import { e164sOf } from '../../contacts/person';
import type { CallLog } from '../callLog';
import { isUnderWay } from '../rowFacts';
import {
  STILL_UNDER_WAY,
  cancelEndedByHand,
  isToResume,
  mendLocks,
  mistimed,
  resume,
} from '../mending';
import { isoTime, numberIn, textIn, timeIn, writtenAt } from '../table/cells';
import { writeDecided } from '../ends/ends';
import {
  dialledIn,
  isOfTestCall,
  readStoredCall,
  retryIn,
  ruledOutColumns,
  storedIn,
  type StoredCall,
} from './loggedRequest';
import type { PlacingRows } from './placingRows';
import {
  CANCELLED_BY_OUTCOME,
  HAS_OUTCOME,
  notPlacedColumns,
  uncalledColumns,
} from '../table/rowColumns';
import { RowToPlace } from './rowToPlace';
import {
  attemptCounts,
  attemptOf,
  attemptsOf,
  callKey,
  counts,
  goesOn,
  hasOrderId,
  hasOutcomeByHand,
  IN_PROGRESS,
  isDecided,
  keyIn,
  NOT_PLACED,
  notEnded,
  IN_OTHER_WORDS,
  ownStatusIn,
  says,
  SCHEDULED,
  type Attempts,
  UNENDED,
} from '../states';
import { isRuledOut } from '../ends/nextAttempt';
import { settleSuperseded, whyCopyEnds } from '../ends/superseded';

/** Nobody schedules a call later than this on purpose. */
export const LATEST_MS = 10 * 365 * DAY_MS;
/** At most this many rows at once are searched for times that a person has written. */
const TIMES_AT_ONCE = 25;
/** At most this many successive readings may find no call to place. */
const MOST_READINGS = 20;

const UNREAD = 'the row cannot be read';
const TOO_LATE = `${UNREAD}: its time is more than ten years from now`;
const TOO_EARLY = `${UNREAD}: its time lies more than a day before the row was written`;
const NOT_ANNOUNCED = 'the attempt before ended in another way, and no attempt follows it';
const CORRECTED = 'the outcome of an attempt before was corrected, and none follows it';
/** Its end was written when the call ended, and has fired: it counts as it did. */
const NOT_BY_SCHEDULE_CALL =
  'Schedule Call did not write this row, and it holds no rules. The call counts as it did';
/** Two calls about one order would ring side by side. */
const NOT_YET = 'another attempt at this call has not ended';

/** Whether an attempt before has not ended, or one after it rings: a person has scheduled one of them again. */
function waitsForOtherAttempt(row: Row, attempts: Attempts): boolean {
  const own = attemptOf(row);
  const isHeldBack = (step: 1 | -1) => {
    for (let attempt = own + step; attempt > 0; attempt += step) {
      const other = attempts.get(keyIn(row, attempt));
      if (other === undefined) return false;
      if (goesOn(other) && (step === -1 || other.status !== SCHEDULED)) return true;
    }
    return false;
  };
  return isHeldBack(-1) || isHeldBack(1);
}

/** Whether a person has scheduled a call again that had ended without an outcome: an end empties `runAt`, and says why. */
function isAgain({ runAt, lastError }: Row): boolean {
  return numberIn(runAt) === null && textIn(lastError) !== undefined;
}

/**
 * Whether a call was due long before there was a row for it, as when a program has exchanged day and month in an
 * imported table: Schedule Call refuses such a time too. A next attempt is due after the end of the one before, which
 * may be noticed late. An end is a new row: its time may be old.
 */
function isTooEarly(row: Row): boolean {
  const dueAt = timeIn(row.dueAt) ?? Infinity;
  const isFirst = attemptOf(row) === 1 && !hasOrderId(row) && !isAgain(row);
  return isFirst && dueAt < writtenAt(row) - DAY_MS;
}

/** When an attempt is due again that waits for the one before: by its plan, as after the end of that one. */
function dueAgainAt(row: Row, now: number): number {
  const minutes = retryIn(row)?.afterMinutes[attemptOf(row) - 2] ?? 1;
  return Math.round(now + minutes * MINUTE_MS);
}

/** A reading leaves out at most this many numbers to which calls go on: an address has limited room. */
const LEFT_OUT = 40;

export interface DueRow extends Omit<StoredCall, 'attempt'> {
  row: RowToPlace;
}

/** Some of the rows that are due: what would become of each. */
export interface DueNow {
  calls: DueRow[];
  /** Why rows would end. */
  ended: string[];
  /** Why rows would wait. */
  waiting: string[];
}

/** The scheduled calls of a log that are due. Nobody locks their rows: the process that marks a row places its call. */
export class DueRows {
  /** Why rows were ended when they were read or mended, one reason for each: nobody can be called by them. */
  readonly ended: string[] = [];

  constructor(
    private readonly log: CallLog,
    private readonly rows: PlacingRows,
  ) {}

  /**
   * Reads calls that are due, the longest overdue first. A row that cannot be read ends, and says why.
   *
   * @param people as {@link underWay} gives them: their rows may be left out, if these have the number so spelled
   */
  async read(now: number, limit: number, people: Iterable<string> = []): Promise<DueRow[]> {
    const others = [...people]
      .flatMap(e164sOf)
      .slice(0, LEFT_OUT)
      .map((e164) => holds('customerPhone', 'neq', e164));
    const isDue = waiting(holds('runAt', 'lte', now), ...others);
    const page = { sortBy: 'runAt:asc', limit: Math.min(limit, LARGEST_PAGE) };
    await this.move(await this.broughtForward(now), now);
    for (let readings = 0; readings < MOST_READINGS; readings++) {
      const rows = await this.log.rows(isDue, page);
      const due = await this.settleAndTake(rows, now);
      this.rows.replaceWaiting(due.map(({ row }) => row));
      if (due.length > 0 || rows.length === 0) return due;
    }
    return [];
  }

  /**
   * Reads calls that are due, as {@link read} does, some after the other. Changes nothing.
   *
   * @returns the longest overdue first, and for each other row the reason why it would end or wait
   */
  async *peek(now: number): AsyncGenerator<DueNow> {
    const rows = [...(await this.broughtForward(now)), ...(await this.incomplete())];
    await this.log.eachPage(waiting(holds('runAt', 'lte', now)), (some) => void rows.push(...some));
    const due = ({ dueAt, runAt }: Row) => timeIn(dueAt) ?? numberIn(runAt) ?? now;
    const inOrder = rows.sort((a, b) => due(a) - due(b) || a.id - b.id);
    for (const some of inParts(inOrder, LARGEST_PAGE)) {
      const judged = await this.judge(some, now);
      const { calls, toResume, heldBack, superseded, attempts } = judged;
      const ended = judged.ended.map(({ reason }) => reason);
      ended.push(...superseded.flatMap((row) => whyCopyEnds(row, attempts) ?? []));
      const waits = [...toResume.map(() => STILL_UNDER_WAY), ...heldBack.map(() => NOT_YET)];
      yield { calls, ended, waiting: waits };
    }
  }

  /** Rows that a person has typed, as they are once they are completed, which is before calls are placed. */
  private async incomplete(): Promise<Row[]> {
    const withoutBatch = [...notEnded(SCHEDULED), holds('batch', 'eq', null)];
    const lists = [waiting(holds('runAt', 'eq', null)), withoutBatch, IN_OTHER_WORDS];
    const found = await Promise.all(
      lists.map(async (some) => await this.log.rows(some, PAGE_BY_ID)),
    );
    const typed = found.flat().filter((row) => ownStatusIn(row) === SCHEDULED);
    return typed.map((row) => ({ ...row, status: SCHEDULED }));
  }

  /** When the next call is due; undefined when none is scheduled. */
  async nextDueAt(): Promise<number | undefined> {
    const first = async (column: 'dueAt' | 'runAt', ...conditions: Condition[]) => {
      const page = { sortBy: `${column}:asc`, limit: 1 };
      return await this.log.rows(waiting(holds(column, 'neq', null), ...conditions), page);
    };
    // A person may have moved a call: the time that the row shows counts.
    const shown = await first('dueAt');
    const rows = [...shown, ...(await first('runAt', holds('dueAt', 'eq', null)))];
    const times = rows.map(({ dueAt, runAt }) => timeIn(dueAt) ?? Number(runAt));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /**
   * Finds the calls of the account that are being placed or go on.
   *
   * @param except the key of a call that is left out
   * @returns their number, up to `limit`, and the people whom they ring, as `namedIn` names them; below the
   *   limit all of these. A test call rings nobody else.
   */
  async underWay(limit: number, except?: string): Promise<{ count: number; people: Set<string> }> {
    const open = new Map<string, Row>();
    // A person may have written another status over that of a call that goes on, or have emptied its time.
    const begun = [holds('triggeredAt', 'neq', null)];
    const untimed = [holds('triggeredAt', 'eq', null), says(IN_PROGRESS)];
    for (const some of [begun, untimed]) {
      await this.log.eachPageById([UNENDED, ...some], (rows) => {
        const others = rows.filter((row) => isUnderWay(row) && callKey(row) !== except);
        for (const row of others) open.set(callKey(row), row);
        return open.size < limit;
      });
    }
    const ofCustomers = [...open.values()].filter((row) => !isOfTestCall(row));
    const people = new Set(ofCustomers.flatMap((row) => namedIn(dialledIn(row))));
    return { count: Math.min(limit, open.size), people };
  }

  /**
   * Mends rows whose `runAt` a person has emptied or mistyped. They become due as {@link move}
   * says. A row whose time is more than ten years away ends: nobody is called at a
   * time that nobody means.
   */
  async mendTimes(now: number): Promise<void> {
    await mendLocks(this.log, now);
    await cancelEndedByHand(this.log);
    for (const wrong of mistimed(now, LATEST_MS)) {
      const rows = await this.log.rows(waiting(wrong), PAGE_BY_ID);
      const isMeant = ({ dueAt, runAt }: Row) =>
        (timeIn(dueAt) ?? Number(runAt)) <= now + LATEST_MS;
      // Their calls are over or were never placed: without this time they do not count as open.
      await this.move(rows.filter(isMeant), now, { triggeredAt: null });
      for (const row of rows) if (!isMeant(row)) await this.end(row, TOO_LATE);
    }
  }

  /** Finds calls that a person has moved forward: `dueAt` has come, and `runAt` has not. */
  private async broughtForward(now: number): Promise<Row[]> {
    const notDue = waiting(holds('runAt', 'gt', now), holds('dueAt', 'neq', null));
    const rows = await this.log.rows(notDue, { sortBy: 'dueAt:asc', limit: TIMES_AT_ONCE });
    return rows.filter(({ dueAt }) => (timeIn(dueAt) ?? Infinity) <= now);
  }

  /**
   * Makes rows due at their `dueAt`, or now if that is empty or was before they ended. Changes only that: others may
   * have changed them since.
   */
  private async move(rows: Row[], now: number, columns: IDataObject = {}): Promise<void> {
    for (const row of rows) {
      const dueAt = timeIn(row.dueAt);
      const isNow = dueAt === undefined || (isAgain(row) && dueAt < now);
      const times = isNow ? { runAt: now, dueAt: isoTime(now) } : { runAt: dueAt };
      await this.log.noteRow(row, { ...columns, ...times });
    }
  }

  private async settleAndTake(page: Row[], now: number): Promise<DueRow[]> {
    const judged = await this.judge(page, now);
    const { calls, moved, heldBack, toResume, ended, decided, superseded, attempts } = judged;
    await this.move(moved, now);
    for (const row of heldBack) {
      const runAt = dueAgainAt(row, now);
      const lastError = `${NOBODY_CALLED} yet: ${NOT_YET}`;
      const columns = { runAt, dueAt: isoTime(runAt), lastError };
      await this.log.update(waiting(holds('id', 'eq', row.id)), columns);
    }
    if (toResume.length > 0) await resume(this.log, now);
    this.ended.push(...(await settleSuperseded(this.log, superseded, attempts)));
    await writeDecided(this.log, decided).catch(() => {});
    for (const { row, reason } of ended) await this.end(row, reason);
    return calls;
  }

  /** Decides what to do with rows that say that they are due. Changes nothing. */
  private async judge(page: Row[], now: number) {
    const isMoved = (row: Row) => !isToResume(row) && (timeIn(row.dueAt) ?? now) > now;
    const moved = page.filter(isMoved);
    const rows = page.filter((one) => !moved.includes(one));
    const ofCalls = await this.log.rowsOfCalls(rows);
    const attempts = attemptsOf([...ofCalls, ...rows]);
    const due = new Set(rows.map(callKey));
    // Copies go even when they were not read here: a person could cancel one while the call rings.
    const superseded = ofCalls.filter(
      (row) => row.status === SCHEDULED && due.has(callKey(row)) && !counts(row, attempts),
    );
    const ofOthers = rows.flatMap((row) => attempts.get(callKey(row)) ?? []);
    const decided = ofOthers.filter((row) => isDecided(row) && !rows.includes(row));
    const counting = rows.filter((row) => counts(row, attempts));
    const toResume = counting.filter(isToResume);
    const toPlace = counting.filter((row) => !isToResume(row));
    const heldBack = toPlace.filter((row) => waitsForOtherAttempt(row, attempts));
    const calls: DueRow[] = [];
    const ended: Array<{ row: Row; reason: string }> = [];
    for (const row of toPlace.filter((one) => !heldBack.includes(one))) {
      const call = this.callIn(row, attempts);
      if ('row' in call) calls.push(call);
      else ended.push({ row, reason: call.reason });
    }
    return { calls, moved, heldBack, toResume, ended, decided, superseded, attempts };
  }

  private callIn(row: Row, attempts: Attempts): DueRow | { reason: string } {
    if (hasOutcomeByHand(row)) return { reason: HAS_OUTCOME };
    if (!attemptCounts(row, attempts)) return { reason: NOT_ANNOUNCED };
    if (isRuledOut(row, attempts)) return { reason: CORRECTED };
    if (isTooEarly(row)) return { reason: TOO_EARLY };
    if (hasOrderId(row) && storedIn(row)?.rules === undefined) {
      return { reason: NOT_BY_SCHEDULE_CALL };
    }
    const isTimeUnread = textIn(row.dueAt) !== undefined && timeIn(row.dueAt) === undefined;
    const stored = isTimeUnread ? { nonsense: 'dueAt is no date and time' } : readStoredCall(row);
    if ('nonsense' in stored) return { reason: `${UNREAD}: ${stored.nonsense}` };
    const { attempt, ...call } = stored;
    return { row: new RowToPlace(this.rows, '', row, attempt), ...call };
  }

  private async end(row: Row, reason: string): Promise<void> {
    const itself = waiting(holds('id', 'eq', row.id));
    const rows = await this.log.updateAndReturn(itself, columnsOfEnd(row, reason));
    this.ended.push(...rows.map(() => reason));
    await writeDecided(this.log, rows).catch(() => {});
  }
}

function columnsOfEnd(row: Row, reason: string): IDataObject {
  if (hasOutcomeByHand(row)) return CANCELLED_BY_OUTCOME;
  if (reason === CORRECTED) {
    return { ...uncalledColumns('cancelled', `Cancelled: ${CORRECTED}`), ...ruledOutColumns(row) };
  }
  const why = `${NOBODY_CALLED}: ${reason}`;
  return reason === NOT_BY_SCHEDULE_CALL ? uncalledColumns(NOT_PLACED, why) : notPlacedColumns(why);
}

/** Conditions for rows that wait, except those of a list that is still being written. */
function waiting(...conditions: Condition[]): Condition[] {
  return [...notEnded(SCHEDULED), holds('batch', 'eq', ''), ...conditions];
}
