import type { CallLog } from '../../callLog/callLog';
import { endAbandoned, recordEnds } from '../../callLog/ends/ends';
import { calledAt } from '../../callLog/rowFacts';
import { isInOrder, isToResume, mendLookTimes, resume } from '../../callLog/mending';
import type { Row } from '../../dataTables/dataTables';
import { retryIn } from '../../callLog/placing/loggedRequest';
import { unwrittenRows } from '../../callLog/placing/placements';
import { attemptIn, callKey, callStateOf, hasEnded, UNENDED } from '../../callLog/states';
import { givenUpColumns, outcomeColumns } from '../../callLog/table/rowColumns';
import { isoTimeIn, numberIn, textIn } from '../../callLog/table/cells';
import { defined } from '../../http/json';
import { pause } from '../../http/pause';
import { readIdentifier } from '../../service/identifier';
import { groupBy } from '../../collections';
import { intervalAt, SHORTEST_INTERVAL_MS } from '../lookTimes';
import { givenUp, type CallEnd, type EndedCall, type OpenCall, type OpenCallSource } from './watch';

interface LoggedCall extends OpenCall {
  row: Row;
}

/** A row that was locked for looks stays locked for this long after `lookUntil`. */
const HELD_AFTER_LOOKS_MS = 30_000;
/** No end is written this shortly before the lock expires: another process could write one too. */
const MARGIN_MS = 10_000;
/** The next look at an old call is rounded up to this, so that one update serves several rows. */
const ROUNDING_MS = 5_000;
/** With fewer unended rows than this, one reading shows whether any row needs mending. */
const FEW = 25;
/** How often to read the newest rows while nothing happens. A first look may be this late. */
const QUIET_INTERVAL_MS = 10_000;
/** Looks wait this long for rows to be mended: with a slow n8n no time would be left for them. */
const TIDIED_FIRST_MS = 5_000;
/** How many of the newest rows to compare: those of several processes become visible out of order. */
const NEWEST = 10;

/** What the last looks at a call had in common: the log has no column for it. */
type Looks = Pick<OpenCall, 'unknown' | 'failing' | 'unclearSince' | 'unlabelled'>;
const lastLooks = new Map<string, Looks>();

export class LoggedOpenCalls implements OpenCallSource {
  /** Is called for each end that was written, with the `callKey` of its attempt. */
  onEnd: (key: string, end: CallEnd) => void = () => {};
  /** Calls that were put back and are due again by `lookUntil`. */
  private readonly waiting = new Map<string, LoggedCall>();
  /** Rows that are locked for these looks, by id. */
  private readonly held = new Map<number, Row>();
  /** Calls that were put back and are due after `lookUntil`; not written into their rows yet. */
  private readonly later: LoggedCall[] = [];
  private newestDueAt = Date.now() + SHORTEST_INTERVAL_MS;
  private readonly heldUntil: number;

  /** @param lookUntil when the last look begins */
  constructor(
    protected readonly log: CallLog,
    private readonly lookUntil: number,
    private readonly read: LogReading,
  ) {
    this.heldUntil = lookUntil + HELD_AFTER_LOOKS_MS;
  }

  async lockDue(now: number, limit: number): Promise<OpenCall[]> {
    await this.writeLater();
    const calls = [...this.waiting.values()]
      .filter(({ nextCheckAt }) => nextCheckAt <= now)
      .sort((a, b) => a.nextCheckAt - b.nextCheckAt)
      .slice(0, limit);
    for (const { row } of calls) this.waiting.delete(callKey(row));
    if (calls.length === limit || now < this.read.nextRowDueAt) return calls;
    return [...calls, ...(await this.lockRows(now, limit - calls.length))];
  }

  putBack(call: OpenCall): void {
    const logged = call as LoggedCall;
    const { row, unknown, failing, unclearSince, unlabelled } = logged;
    const looks = defined({ unknown, failing, unclearSince, unlabelled });
    const name = this.log.nameOf(row);
    if (Object.keys(looks).length === 0) lastLooks.delete(name);
    else lastLooks.set(name, looks);
    if (logged.nextCheckAt <= this.lookUntil) this.waiting.set(callKey(row), logged);
    else this.later.push(logged);
  }

  async recordEnds(ended: EndedCall[]): Promise<void> {
    const now = Date.now();
    // The locks expire soon. The next poll that locks these rows records their ends.
    if (now > this.heldUntil - MARGIN_MS) return;
    const calls = ended as Array<EndedCall & { call: { row: Row } }>;
    const rows = calls.map(({ call, end }) => {
      const columns =
        'outcome' in end
          ? outcomeColumns(end.outcome.result, now)
          : givenUpColumns(end.unavailable.message, now);
      return { row: call.row, columns: { ...columns, lookCount: call.checks } };
    });
    const { written, failure } = await recordEnds(this.log, rows, [...this.held.values()]);
    const ids = new Set(written.map(({ end }) => end.id));
    for (const { call, end } of calls.filter(({ call: { row } }) => ids.has(row.id))) {
      this.held.delete(call.row.id);
      lastLooks.delete(this.log.nameOf(call.row));
      this.onEnd(callKey(call.row), end);
    }
    if (failure !== undefined) throw failure;
  }

  nextDueAt(): number {
    const times = [...this.waiting.values()].map(({ nextCheckAt }) => nextCheckAt);
    return Math.min(this.read.nextRowDueAt, ...times);
  }

  /** Rests, and reads the newest rows now and then. Returns whether there may be new ends. */
  async rest(until: number, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      await pause(Math.min(this.newestDueAt, until) - Date.now(), signal);
      const now = Date.now();
      if (signal.aborted || now < this.newestDueAt || now >= this.lookUntil) return false;
      const { read } = this;
      const seen = new Set(read.newest.map(idOf));
      read.newest = await this.log.newestRows(NEWEST);
      const added = read.newest.filter((row) => !seen.has(idOf(row)));
      const open = added.filter(isOpen);
      const isBusy = added.length > 0 || read.newest.some((row) => this.isLockedByOthers(row, now));
      this.newestDueAt = now + (isBusy ? SHORTEST_INTERVAL_MS : QUIET_INTERVAL_MS);
      const dueAt = open.map(({ runAt }) => numberIn(runAt) ?? 0);
      const isMore = added.length === NEWEST;
      if (isMore) dueAt.push(-Infinity);
      read.nextRowDueAt = Math.min(read.nextRowDueAt, ...dueAt);
      if (isMore || added.some(hasEnded)) return true;
      if (dueAt.length > 0 || read.nextRowDueAt <= now || Date.now() >= until) return false;
    }
  }

  /**
   * Writes the calls that were put back into their rows.
   *
   * @throws DataTableError also when abandoned rows could not be ended; all else is done by then
   */
  async close(): Promise<void> {
    this.later.push(...this.waiting.values());
    this.waiting.clear();
    await this.writeLater();
    await this.read.tidying;
  }

  /** Whether another poll has locked a young call, whose end may come at any time. */
  private isLockedByOthers(row: Row, now: number): boolean {
    if (!isOpen(row) || this.held.has(row.id) || Number(row.lockedUntil) <= now) return false;
    return intervalAt(now - (calledAt(row, now) ?? now)) < QUIET_INTERVAL_MS;
  }

  private async lockRows(now: number, limit: number): Promise<LoggedCall[]> {
    const rows = await this.log.lockDue(now, limit, this.heldUntil);
    const next = rows.length < limit ? await this.log.nextDueAt(now) : now;
    this.read.nextRowDueAt = next ?? Infinity;
    const calls: LoggedCall[] = [];
    const invalid: EndedCall[] = [];
    for (const row of rows) {
      this.held.set(row.id, row);
      const call = openCallIn(row, now);
      if (call === undefined) invalid.push(invalidEnd(row, now));
      else calls.push({ ...call, ...lastLooks.get(this.log.nameOf(row)), row, nextCheckAt: now });
    }
    if (invalid.length > 0) await this.recordEnds(invalid);
    return calls;
  }

  /** Writes calls that were put back for later. Rows with the same values share one update. */
  private async writeLater(): Promise<void> {
    const now = Date.now();
    const columnsOf = ({ checks, nextCheckAt, lastError }: LoggedCall) => {
      // Young calls of one round share one time already.
      const isSoon = nextCheckAt <= now + SHORTEST_INTERVAL_MS;
      const rounded = Math.ceil(nextCheckAt / ROUNDING_MS) * ROUNDING_MS;
      const runAt = isSoon ? nextCheckAt : rounded;
      return { lookCount: checks, runAt, lastError: lastError ?? null };
    };
    const alike = groupBy(this.later.splice(0), (call) => JSON.stringify(columnsOf(call)));
    for (const [columns, calls] of alike) {
      const rows = calls.map(({ row }) => row);
      const same = JSON.parse(columns) as ReturnType<typeof columnsOf>;
      await this.log.noteOpen(rows, same, [...this.held.values()]);
      for (const { id } of rows) this.held.delete(id);
    }
  }
}

export interface LogReading {
  /** The newest rows of the log, as they were read last. */
  newest: Row[];
  /** When the next free row is due. Rows are read then, or earlier when the log has new ones. */
  nextRowDueAt: number;
  tidying: Promise<void>;
}

/** Reads a log before the first look, and mends its rows if need be. */
export async function readLog(log: CallLog): Promise<LogReading> {
  const now = Date.now();
  // Read the newest rows first. A row inserted meanwhile is in `unended`, or new at the next reading.
  const newest = await log.newestRows(NEWEST);
  const page = { sortBy: 'id:asc', limit: FEW };
  const unended = await log.rows([UNENDED], page);
  const isOrderly =
    unended.length < FEW &&
    unended.every((row) => isInOrder(row, now)) &&
    unwrittenRows(log).length === 0;
  // When this fails, e.g. because n8n's tables are full, looks and hand-overs go on. `close` throws it.
  const tidying = isOrderly ? Promise.resolve() : tidy(log, unended, now);
  await Promise.race([tidying.catch(() => {}), pause(TIDIED_FIRST_MS)]);
  const free = unended.filter((row) => isOpen(row) && Number(row.lockedUntil) <= now);
  const nextRowDueAt = isOrderly ? Math.min(...free.map(({ runAt }) => Number(runAt))) : -Infinity;
  const reading = { newest, nextRowDueAt, tidying };
  // What was mended after the first round of looks is due now.
  if (!isOrderly) void tidying.catch(() => {}).then(() => (reading.nextRowDueAt = -Infinity));
  return reading;
}

/** @param unended the first unended rows */
async function tidy(log: CallLog, unended: Row[], now: number): Promise<void> {
  try {
    if (unended.length === FEW || unended.some(isToResume)) await resume(log, now);
    await endAbandoned(log, now);
  } finally {
    await mendLookTimes(log, now);
  }
}

function isOpen(row: Row): boolean {
  return callStateOf(row) === 'open';
}

/** The id alone is not enough: SQLite reuses the id of a deleted newest row. */
function idOf({ id, createdAt }: Row): string {
  return `${id} ${String(createdAt)}`;
}

/** The call of a row; undefined when the row names no order, e.g. because a person edited it. */
export function openCallIn(row: Row, now: number): OpenCall | undefined {
  const orderId = readIdentifier(row.orderId);
  return orderId === undefined ? undefined : { ...detailsIn(row, now), orderId };
}

/** Ends a call whose row has no readable order id, so that the other calls go on. */
function invalidEnd(row: Row, now: number): EndedCall & { call: { row: Row } } {
  const found = textIn(row.orderId) ?? '(empty)';
  return {
    call: { ...detailsIn(row, now), row },
    end: givenUp(`The row cannot be read: orderId is not an order id: ${found}`),
  };
}

/** What a row says of its call, except the order id. */
export function detailsIn(row: Row, now: number): Omit<OpenCall, 'orderId'> {
  return {
    callId: textIn(row.callId) ?? `row ${row.id}`,
    customerPhone: textIn(row.customerPhone),
    customerName: textIn(row.customerName),
    orderNumber: textIn(row.orderNumber),
    attempt: attemptIn(row),
    retry: retryIn(row),
    ...(hasEnded(row) ? { nextAttemptAt: isoTimeIn(row.nextAttemptAt) } : {}),
    placedAt: calledAt(row, now) ?? now,
    checks: Math.max(0, numberIn(row.lookCount) ?? 0),
    nextCheckAt: numberIn(row.runAt) ?? now,
  };
}
