import type { IDataObject } from 'n8n-workflow';
import { holds, type Row } from '../dataTables/dataTables';
import type { Outcome } from '../service/outcome';
import type { CallLog } from './callLog';
import { firstCheckAt, MarkedTooLongAgo, untold, type CallRow, type Marks } from './callRow';
import { isoTime, timeIn } from './cells';
import { endAbandoned, recordEnds } from './ends';
import { Gathering } from './gathering';
import { drawnId } from './drawnId';
import {
  outcomeColumns,
  placementRow,
  PLACING_ENDS_AFTER_MS,
  untriedRow,
  type Placement,
} from './rowColumns';
import type { LoggedRequest, NewCall } from './loggedRequest';
import { attemptKey, attemptsOf, hasEnded } from './states';

/** So many rows change together at most, so that a crash leaves few in doubt. */
const LARGEST_BATCH = 100;
const SMALLEST_BATCH = 10;
/** So long a request may take that leaves now, and until it is written what became of it. */
const RENEWED_BEFORE_MS = 15 * 60_000;
/** What executions that died have left in a log is looked for so often at most. */
const LOOK_FOR_ABANDONED_MS = 10 * 60_000;

/** When this process last looked for it, by log and account. */
const lookedForAbandoned = new Map<string, number>();

/**
 * Has the rows say that their calls may have been placed whose execution died meanwhile: a log need not
 * have a trigger that does so. What hinders it hinders nobody from calling: the next one tries again.
 */
async function closeAbandoned(log: CallLog, now = Date.now()): Promise<void> {
  const key = `${log.tableId} ${log.account}`;
  const last = lookedForAbandoned.get(key);
  if (last !== undefined && Math.abs(now - last) < LOOK_FOR_ABANDONED_MS) return;
  lookedForAbandoned.set(key, now);
  await endAbandoned(log, now).catch(() => lookedForAbandoned.delete(key));
}

/** While the end of a call is written, nobody else takes it. */
const WRITING_TAKES_MS = 60_000;

/** A call, and what became of it. */
interface Settled {
  call: NewCall;
  placement: Placement | 'untried' | 'withdrawn';
}

/** The rows of an execution's calls in its call log. */
export class LoggedCalls implements Marks {
  /** Names its calls together, in the rows written ahead too. */
  readonly id = drawnId();
  /** In the rows of calls that the execution did not begin: a later try of it replaces them. */
  readonly untriedId = drawnId();
  readonly calls: LoggedCall[];
  private readonly batches: Batch[] = [];
  private readonly placements = new Gathering<Settled>(
    async (some) => await this.insert(some),
    () => this.unsettled === 0,
  );
  private hasFailed = false;
  private unsettled: number;

  private constructor(
    readonly log: CallLog,
    requests: LoggedRequest[],
    batchSize: number,
  ) {
    this.unsettled = requests.length;
    this.calls = requests.map((request, index) => {
      const number = Math.floor(index / batchSize);
      const batch = (this.batches[number] ??= new Batch(log, drawnId()));
      batch.size++;
      return new LoggedCall(this, { callId: `${this.id}-${index}`, request }, batch);
    });
  }

  /**
   * Writes a row for every call before any of them is placed. The rows say that nobody was called
   * until {@link LoggedCall.placing} is asked for.
   *
   * @param concurrency how many calls are placed at once
   * @throws DataTableError when they cannot be written
   */
  static async writeAhead(
    log: CallLog,
    requests: LoggedRequest[],
    concurrency: number,
  ): Promise<LoggedCalls> {
    // Twice what is under way at once, so that the next batch is ready when its turn comes.
    const batchSize = Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, 2 * concurrency));
    const rows = new LoggedCalls(log, requests, batchSize);
    if (requests.length === 0) return rows;
    await Promise.all([
      log.checkRights(),
      log.insertRows(rows.aheadRows(Date.now())),
      closeAbandoned(log),
    ]);
    return rows;
  }

  private aheadRows(now: number): IDataObject[] {
    const { account } = this.log;
    return this.calls.map(({ call, batch }) =>
      untriedRow(call, account, { now, batch: this.id, lockedBy: batch?.lockedBy ?? '' }),
    );
  }

  /** The row of a call that an earlier try of this execution has placed. */
  earlier(call: NewCall): LoggedCall {
    return new LoggedCall(this, call, undefined);
  }

  async mark(keys: string[]): Promise<void> {
    const some = this.withKeys(keys).filter(({ batch }) => batch?.isMarked === false);
    const [batch] = some.flatMap((call) => call.batch ?? []);
    if (batch === undefined) return;
    const isWhole = some.length === batch.size && some.every((call) => call.batch === batch);
    await (isWhole ? batch : await this.newBatchOf(some)).mark();
    for (const call of some) call.isMarkedAlone = true;
  }

  async unmark(keys: string[]): Promise<void> {
    const some = this.withKeys(keys);
    for (const batch of new Set(some.flatMap((call) => call.batch ?? []))) await batch.unmark();
    for (const call of some) call.isMarkedAlone = false;
  }

  private withKeys(keys: string[]): LoggedCall[] {
    const wanted = new Set(keys);
    return this.calls.filter(({ key }) => wanted.has(key));
  }

  /** The rows of these calls change together from now on. */
  private async newBatchOf(calls: LoggedCall[]): Promise<Batch> {
    const batch = new Batch(this.log, drawnId());
    this.batches.push(batch);
    const callIds = calls.map(({ callId }) => callId);
    await this.log.lockAhead(callIds, batch.lockedBy);
    for (const call of calls) call.moveTo(batch);
    return batch;
  }

  /** @throws DataTableError when the row cannot say that its call is about to be placed */
  async begin(batch: Batch): Promise<void> {
    // The next batch is ready when its turn comes.
    if (batch.begun * 2 > batch.size) {
      void this.batches[this.batches.indexOf(batch) + 1]?.mark().catch(() => {});
    }
    await batch.mark();
  }

  /** Writes what became of a call, together with what becomes of others meanwhile. */
  async write(
    call: NewCall,
    placement: Settled['placement'],
    batch: Batch | undefined,
  ): Promise<void> {
    if (batch !== undefined) this.unsettled--;
    await this.placements.add({ call, placement });
    // A row that stays although it is replaced harms nobody: a later poll deletes it.
    if (batch !== undefined) await this.deleteReplaced(batch).catch(() => {});
  }

  private async insert(some: Settled[]): Promise<void> {
    const { account } = this.log;
    const untried = { now: Date.now(), batch: this.untriedId, lockedBy: '' };
    const rows: IDataObject[] = [];
    for (const { call, placement } of some) {
      if (placement === 'untried') rows.push(untriedRow(call, account, untried));
      else if (placement !== 'withdrawn') rows.push(placementRow(call, account, placement));
    }
    await this.log.recordPlacements(rows).catch((error: unknown) => {
      this.hasFailed = true;
      throw error;
    });
  }

  /** Rows of which every call of the batch has a later one go; the last ones go all at once. */
  private async deleteReplaced(batch: Batch): Promise<void> {
    batch.written++;
    if (this.unsettled > 0 || this.hasFailed) {
      if (batch.written === batch.size) await batch.delete();
    } else if (this.batches.every(({ written, size }) => written === size)) {
      await this.log.deleteWrittenAhead({ batch: this.id });
    }
  }
}

/** Calls whose rows change together. */
class Batch {
  size = 0;
  /** So many of its calls are about to be placed, or further. */
  begun = 0;
  /** Of so many the log tells what became of them. */
  written = 0;
  isMarked = false;
  private marking: Promise<void> | undefined;
  private lockedUntil = 0;
  private renewing: Promise<void> | undefined;
  /** The ids of its calls whose rows it has locked still; undefined before that was asked. */
  private locked: Set<string> | undefined;

  constructor(
    private readonly log: CallLog,
    /** Locks their rows. */
    readonly lockedBy: string,
  ) {}

  async mark(): Promise<void> {
    this.marking ??= this.writeMark();
    await this.marking;
  }

  private async writeMark(): Promise<void> {
    const now = Date.now();
    await this.log.markPlacing(this.lockedBy, now);
    this.lockedUntil = now + PLACING_ENDS_AFTER_MS;
    this.isMarked = true;
  }

  /**
   * Has the lock last long enough for a request that is about to leave.
   *
   * @throws MarkedTooLongAgo when others have said meanwhile that its call may have been placed
   */
  async renew(callId: string): Promise<void> {
    if (Date.now() > this.lockedUntil - RENEWED_BEFORE_MS) {
      this.renewing ??= this.writeRenewal().finally(() => (this.renewing = undefined));
      await this.renewing;
    }
    if (this.locked?.has(callId) === false) throw new MarkedTooLongAgo();
  }

  private async writeRenewal(): Promise<void> {
    const lockedUntil = Date.now() + PLACING_ENDS_AFTER_MS;
    this.locked = await this.log.renewPlacing(this.lockedBy, lockedUntil);
    this.lockedUntil = lockedUntil;
  }

  async unmark(): Promise<void> {
    await this.log.unmarkPlacing(this.lockedBy);
    this.isMarked = false;
    this.marking = undefined;
  }

  async delete(): Promise<void> {
    await this.log.deleteWrittenAhead({ lockedBy: this.lockedBy });
  }
}

/** The row of one call of the execution that has written it. */
export class LoggedCall implements CallRow {
  readonly attempt = 1;
  problem: string | undefined;
  /** Marked by {@link LoggedCalls.mark}: no other call is marked with it. */
  isMarkedAlone = false;
  private hasBegun = false;

  constructor(
    private readonly rows: LoggedCalls,
    readonly call: NewCall,
    public batch: Batch | undefined,
  ) {}

  /** Its row changes together with those of other calls from now on. */
  moveTo(batch: Batch): void {
    if (this.batch !== undefined) this.batch.size--;
    this.batch = batch;
    batch.size++;
  }

  async placing(): Promise<void> {
    const { batch } = this;
    if (batch === undefined) return;
    // Asked again before each try of the request.
    if (!this.hasBegun) batch.begun++;
    this.hasBegun = true;
    if (!this.isMarkedAlone) await this.rows.begin(batch);
    await batch.renew(this.callId);
  }

  get callId(): string {
    return this.call.callId;
  }

  get key(): string {
    return attemptKey(this.callId, this.attempt);
  }

  get marks(): Marks {
    return this.rows;
  }

  get isMarked(): boolean {
    return this.batch?.isMarked === true;
  }

  async placed(orderId: number, placedAt: number, waitMs = 0): Promise<void> {
    const runAt = firstCheckAt(placedAt, waitMs);
    await this.settle({ status: 'in_progress', orderId, placedAt, runAt });
  }

  async notPlaced(why: unknown, maybe: boolean): Promise<void> {
    const reason = why instanceof Error ? why.message : String(why);
    const status = maybe ? 'maybe_placed' : 'not_placed';
    await this.settle({ status, reason, at: Date.now() });
  }

  /** Nothing was begun for the call, because another had failed: a later try of the execution may. */
  async notTried(): Promise<void> {
    await this.settle('untried');
  }

  /** The call is one that another row tells of: this row goes. */
  async withdraw(): Promise<void> {
    await this.settle('withdrawn');
  }

  /** Writes what became of the call; every call is settled once. */
  private async settle(placement: Settled['placement']): Promise<void> {
    await this.rows
      .write(this.call, placement, this.batch)
      .catch((error: unknown) => this.tell(error));
  }

  /**
   * Writes how the call ended, unless somebody else has.
   *
   * @returns when the call is placed again, as its end says: ISO 8601, null when it is not; undefined
   * when no end could be written or read
   */
  async ended(outcome: Outcome, now = Date.now()): Promise<string | null | undefined> {
    const end = await this.writeEnd(outcome, now).catch((error: unknown) => this.tell(error));
    if (end === undefined) return undefined;
    const next = timeIn(end.nextAttemptAt);
    return next === undefined ? null : isoTime(next);
  }

  private async writeEnd(outcome: Outcome, now: number): Promise<Row | undefined> {
    const { log } = this.rows;
    const row = await log.takeOpen(this, { now, lockedUntil: now + WRITING_TAKES_MS });
    if (row === 'gone') throw new Error('its row was deleted while the call went on');
    if (row !== 'leave') {
      const [end] = await recordEnds(log, [{ row, columns: outcomeColumns(outcome, now) }]);
      return end;
    }
    const { callId } = this;
    const attempts = attemptsOf(await log.allRows(holds('callId', 'eq', callId)));
    const counts = attempts.get(attemptKey(callId, this.attempt))?.counts;
    return counts !== undefined && hasEnded(counts) ? counts : undefined;
  }

  private tell(error: unknown): undefined {
    this.problem ??= untold(error);
  }
}
