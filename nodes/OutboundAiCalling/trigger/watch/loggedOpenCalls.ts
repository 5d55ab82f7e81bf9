import type { IDataObject } from 'n8n-workflow';
import { isInOrder, type CallLog } from '../../callLog/callLog';
import { endAbandoned, recordEnds } from '../../callLog/ends/ends';
import { calledAt } from '../../callLog/callState';
import type { Row } from '../../dataTables/dataTables';
import { attemptIn, retryIn } from '../../callLog/ends/nextAttempt';
import { callKey, callStateOf, hasEnded } from '../../callLog/states';
import { givenUpColumns, outcomeColumns } from '../../callLog/table/rowColumns';
import { isoTime, numberIn, textIn, timeIn } from '../../callLog/table/cells';
import { pause } from '../../http/pause';
import { readIdentifier } from '../../service/identifier';
import { givenUp } from '../givingUp';
import { intervalAt, SHORTEST_INTERVAL_MS } from '../schedule';
import type { CallEnd, EndedCall, OpenCall } from './watch';

/** A call and the row that tells of it. */
export interface LoggedCall extends OpenCall {
  row: Row;
}

/** An end that was written into the log: of which attempt, and how it was found. */
export interface WrittenEnd {
  key: string;
  end: CallEnd;
}

/** What a look writes into the row of a call that goes on. */
type LookColumns = IDataObject & { runAt: number };

/** A row that was taken for looks is left alone by others so long after the last of them. */
const HELD_AFTER_LOOKS_MS = 30_000;
/** What is written later than this before the row is free again might be written by two. */
const MARGIN_MS = 10_000;
/** Looks at old calls are written down with times rounded to this, so that few updates do. */
const ROUNDING_MS = 5_000;

/** How often the service called an order unknown has no column of its own. */
const unknownByCall = new Map<string, NonNullable<OpenCall['unknown']>>();

/** The open calls of a call log, as one poll or execution looks at them: whoever comes first. */
export class LoggedOpenCalls {
  /** Taken and put back: looked at again before the looks are over. */
  private readonly waiting = new Map<string, LoggedCall>();
  /** Locked, and not unlocked yet. */
  private readonly held = new Map<number, Row>();
  /** Put back for later, not written down yet. */
  private readonly later: LoggedCall[] = [];
  /** When the newest rows are looked at again. */
  private newestDueAt = Date.now() + SHORTEST_INTERVAL_MS;
  private readonly heldUntil: number;
  private readonly unknownPrefix: string;

  private constructor(
    private readonly log: CallLog,
    private readonly lookUntil: number,
    private readonly written: (ends: WrittenEnd[]) => void,
    /** The newest rows of the log, as they were looked at last. */
    private newest: Row[],
    /** When the first row that was not due yet will be; rows are asked for then, or when there are new ones. */
    private nextRowDueAt: number,
    private readonly tidying: Promise<void>,
  ) {
    this.heldUntil = lookUntil + HELD_AFTER_LOOKS_MS;
    this.unknownPrefix = `${log.tableId} ${log.account} `;
  }

  /**
   * @param lookUntil when the last look begins
   * @param written is told the ends that were written into the log
   */
  static async open(
    log: CallLog,
    lookUntil: number,
    written: (ends: WrittenEnd[]) => void,
  ): Promise<LoggedOpenCalls> {
    const now = Date.now();
    // Before the others: a row that comes meanwhile is among these, or new when the newest are read again.
    const newest = await log.newestRows(NEWEST);
    const unended = await log.unendedRows(FEW);
    const isOrderly = unended.length < FEW && unended.every((row) => isInOrder(row, now));
    // Calls are looked at and ends handed over although n8n has no room for the ends of others.
    const tidying = isOrderly ? Promise.resolve() : endAbandoned(log, now);
    await tidying.catch(() => {});
    if (!isOrderly) await log.mendTimes(now);
    const free = unended.filter((row) => isOpen(row) && Number(row.lockedUntil) <= now);
    const dueAt = isOrderly ? Math.min(...free.map(({ runAt }) => Number(runAt))) : -Infinity;
    return new LoggedOpenCalls(log, lookUntil, written, newest, dueAt, tidying);
  }

  /** As {@link Watch.takeDue} says. */
  async takeDue(now: number, limit: number): Promise<OpenCall[]> {
    await this.writeLater();
    const again = [...this.waiting.entries()]
      .filter(([, { nextCheckAt }]) => nextCheckAt <= now)
      .sort(([, a], [, b]) => a.nextCheckAt - b.nextCheckAt)
      .slice(0, limit);
    for (const [key] of again) this.waiting.delete(key);
    const calls = again.map(([, call]) => call);
    if (calls.length === limit || now < this.nextRowDueAt) return calls;
    return [...calls, ...(await this.takeRows(now, limit - calls.length))];
  }

  /** Waits on: the call has not ended, or could not be looked at. */
  putBack(call: OpenCall): void {
    const logged = call as LoggedCall;
    const key = callKey(logged.row);
    const unknownKey = this.unknownPrefix + key;
    if (logged.unknown === undefined) unknownByCall.delete(unknownKey);
    else unknownByCall.set(unknownKey, logged.unknown);
    if (logged.nextCheckAt <= this.lookUntil) this.waiting.set(key, logged);
    else this.later.push(logged);
  }

  /** Writes the ends of calls into their rows. */
  async recordEnds(ended: EndedCall[]): Promise<void> {
    const now = Date.now();
    // Rows that are soon free for others are left to whoever takes them next.
    if (now > this.heldUntil - MARGIN_MS) return;
    const calls = ended as Array<EndedCall & { call: { row: Row } }>;
    await recordEnds(
      this.log,
      calls.map(({ call, end }) => ({
        row: call.row,
        columns: {
          ...('outcome' in end
            ? outcomeColumns(end.outcome.result, now)
            : givenUpColumns(end.unavailable.message, now)),
          lookCount: call.checks,
        },
      })),
    );
    for (const { call } of calls) this.held.delete(call.row.id);
    const written = calls.map(({ call, end }) => ({ key: callKey(call.row), end }));
    for (const { key } of written) unknownByCall.delete(this.unknownPrefix + key);
    this.written(written);
  }

  /** When the next look is due, as far as it is known without asking. */
  nextDueAt(): number | undefined {
    const times = [...this.waiting.values()].map(({ nextCheckAt }) => nextCheckAt);
    const next = Math.min(this.nextRowDueAt, ...times);
    return next === Infinity ? undefined : next;
  }

  /**
   * Looks now and then which rows the log has got: each says by itself when it is to be looked at.
   *
   * @returns whether ends are among them
   */
  async rest(until: number, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      await pause(Math.min(this.newestDueAt, until) - Date.now(), signal);
      const now = Date.now();
      if (signal.aborted || now < this.newestDueAt || now >= this.lookUntil) return false;
      const known = new Set(this.newest.map(nameOf));
      this.newest = await this.log.newestRows(NEWEST);
      const added = this.newest.filter((row) => !known.has(nameOf(row)));
      const open = added.filter(isOpen);
      const isBusy = added.length > 0 || this.newest.some((row) => this.isLockedByOthers(row, now));
      this.newestDueAt = now + (isBusy ? SHORTEST_INTERVAL_MS : QUIET_INTERVAL_MS);
      const dueAt = open.map(({ runAt }) => numberIn(runAt) ?? 0);
      const isMore = added.length === NEWEST;
      if (isMore) dueAt.push(-Infinity);
      this.nextRowDueAt = Math.min(this.nextRowDueAt, ...dueAt);
      if (isMore || added.some(hasEnded)) return true;
      if (dueAt.length > 0 || Date.now() >= until) return false;
    }
  }

  /**
   * Writes down what is put back.
   *
   * @throws DataTableError also when what others left could not be ended, as all else is done
   */
  async close(): Promise<void> {
    this.later.push(...this.waiting.values());
    this.waiting.clear();
    await this.writeLater();
    await this.tidying;
  }

  /** Whether others look at a young call, whose end may come any time. */
  private isLockedByOthers(row: Row, now: number): boolean {
    if (!isOpen(row) || this.held.has(row.id) || Number(row.lockedUntil) <= now) return false;
    return intervalAt(now - (calledAt(row, now) ?? now)) < QUIET_INTERVAL_MS;
  }

  private async takeRows(now: number, limit: number): Promise<LoggedCall[]> {
    const rows = await this.log.takeDue(now, limit, this.heldUntil);
    const next = rows.length < limit ? await this.log.nextDueAt(now) : now;
    this.nextRowDueAt = next ?? Infinity;
    for (const row of rows) this.held.set(row.id, row);
    const invalid: Row[] = [];
    const calls = rows.flatMap((row) => {
      const call = openCallOf(row, now);
      if (call === undefined) invalid.push(row);
      const unknown = unknownByCall.get(this.unknownPrefix + callKey(row));
      return call === undefined
        ? []
        : [{ ...call, row, nextCheckAt: now, ...(unknown && { unknown }) }];
    });
    if (invalid.length > 0) await this.recordEnds(invalid.map((row) => invalidEnd(row, now)));
    return calls;
  }

  /** Writes down what was put back for later, rows with the same in one update. */
  private async writeLater(): Promise<void> {
    const now = Date.now();
    const groups = new Map<string, { columns: LookColumns; rows: Row[] }>();
    for (const { row, checks, nextCheckAt, lastError = null } of this.later.splice(0)) {
      // Young calls of one round have one time already.
      const isSoon = nextCheckAt <= now + SHORTEST_INTERVAL_MS;
      const rounded = Math.ceil(nextCheckAt / ROUNDING_MS) * ROUNDING_MS;
      const columns = { lookCount: checks, runAt: isSoon ? nextCheckAt : rounded, lastError };
      const key = JSON.stringify([row.lockedBy, columns]);
      const group = groups.get(key) ?? { columns, rows: new Array<Row>() };
      group.rows.push(row);
      groups.set(key, group);
    }
    for (const { columns, rows } of groups.values()) {
      const held = [...this.held.values()].filter(({ lockedBy }) => lockedBy === rows[0]?.lockedBy);
      await this.log.noteOpen(rows, columns, held);
      for (const { id } of rows) this.held.delete(id);
    }
  }
}

function isOpen(row: Row): boolean {
  return callStateOf(row) === 'open';
}

/** With fewer rows that have not ended, one reading of them shows whether anything has to be mended. */
const FEW = 25;
/** How often a log is looked at in which nothing happens: a call that is placed meanwhile is looked at later. */
const QUIET_INTERVAL_MS = 10_000;
/** So many rows are compared: those of several processes become visible out of order. */
const NEWEST = 10;

/** SQLite gives the id of a deleted newest row again. */
function nameOf({ id, createdAt }: Row): string {
  return `${id} ${String(createdAt)}`;
}

/** The call of a row, which a person may have edited; undefined when it names no order. */
export function openCallOf(row: Row, now: number): OpenCall | undefined {
  const orderId = readIdentifier(row.orderId);
  return orderId === undefined ? undefined : { ...detailsIn(row, now), orderId };
}

/** The end of a call whose row a person has edited into nonsense: it says so, and the others go on. */
function invalidEnd(row: Row, now: number): EndedCall & { call: { row: Row } } {
  const found = textIn(row.orderId) ?? '(empty)';
  return {
    call: { ...detailsIn(row, now), row },
    end: givenUp(`The row cannot be read: orderId is not an order id: ${found}`),
  };
}

/** What a row says of its call beside the order. */
export function detailsIn(row: Row, now: number): Omit<OpenCall, 'orderId'> {
  const customerPhone = textIn(row.customerPhone);
  const customerName = textIn(row.customerName);
  const orderNumber = textIn(row.orderNumber);
  const scriptId = readIdentifier(row.scriptId);
  return {
    ...(customerPhone === undefined ? {} : { customerPhone }),
    ...(customerName === undefined ? {} : { customerName }),
    ...(orderNumber === undefined ? {} : { orderNumber }),
    ...(scriptId === undefined ? {} : { scriptId }),
    attempt: attemptIn(row),
    retry: retryIn(row),
    nextAttemptAt: timeOf(row.nextAttemptAt),
    placedAt: calledAt(row, now) ?? now,
    checks: Math.max(0, numberIn(row.lookCount) ?? 0),
    nextCheckAt: numberIn(row.runAt) ?? now,
  };
}

function timeOf(cell: unknown): string | null {
  const time = timeIn(cell);
  return time === undefined ? null : isoTime(time);
}
