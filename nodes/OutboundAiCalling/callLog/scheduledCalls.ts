import type { IDataObject } from 'n8n-workflow';
import { holds, LARGEST_PAGE, type Condition, type Row } from '../dataTables/dataTables';
import type { CallRequest } from '../service/callingService';
import { notEnded, type CallLog } from './callLog';
import {
  firstCheckAt,
  MarkedTooLongAgo,
  NoLongerScheduled,
  untold,
  type CallRow,
  type Marks,
} from './callRow';
import { Gathering } from './gathering';
import { readKeptCall, type KeptCall } from './keptRequest';
import { patiently } from './patiently';
import { cancelledColumns, WAS_CANCELLED } from './cancelledRow';
import { isoTime, textIn, timeIn } from './cells';
import { drawnId } from './drawnId';
import { writeDecided } from './ends';
import type { KeptSettings } from './loggedRequest';
import {
  contentOf,
  NOT_CALLED_YET,
  notPlacedColumns,
  placementColumns,
  placingColumns,
  scheduledColumns,
  UNLOCKED,
  type Placement,
} from './rowColumns';
import {
  attemptCounts,
  attemptsOf,
  callKey,
  callStateOf,
  isDecided,
  type OwnStatus,
} from './states';

/** So long after its mark a call's request may leave, e.g. when the service asks to be left alone. */
const SEND_WITHIN_MS = 2 * 60_000;
/** So long it may take to write down what became of the last request. */
const WRITING_TAKES_MS = 60_000;
/** Rows about to be placed by one execution are marked together when they come within this time. */
const GATHER_MARKS_MS = 30;
/** No call is scheduled for so much later by anybody who means it. */
export const LATEST_MS = 10 * 365 * 24 * 3_600_000;
/** A row that is held for less long is left to others. */
const WORTH_MARKING_MS = 10_000;

const SCHEDULED = 'scheduled' satisfies OwnStatus;
const PLACING = 'placing' satisfies OwnStatus;
/** Scheduled calls, less those of a list that is still being written. */
const WAITING = [...notEnded(SCHEDULED), holds('batch', 'eq', '')];

const NOT_ANNOUNCED =
  'Nobody was called: the attempt before ended otherwise, and no other follows it';
const NOT_MARKED = 'Nobody was called: n8n did not say that the row was marked';

/** Rows that were locked together. */
interface Take {
  lockedBy: string;
  heldUntil: number;
  calls: ScheduledCall[];
}

/** What an execution has done with a row; one that settles still says `placing`. */
type Stage = 'taken' | 'placing' | 'settling' | 'settled';

/** A scheduled call that an execution has taken to place it. */
export class ScheduledCall implements CallRow {
  readonly callId: string;
  readonly attempt: number;
  readonly request: CallRequest;
  /** How it was set, for whoever places it. */
  readonly kept: KeptSettings;
  /** Since when its row says that it is about to be placed. */
  markedAt: number | undefined;
  problem: string | undefined;
  stage: Stage = 'taken';
  private wasAsked = false;
  /** When its execution counts as dead, once the row says `placing`. */
  deadAt = 0;

  constructor(
    private readonly calls: ScheduledCalls,
    readonly take: Take,
    /** As it was when it was read or changed last. */
    public row: Row,
    { attempt, request, kept }: KeptCall,
  ) {
    this.callId = textIn(row.callId) ?? '';
    this.attempt = attempt;
    this.request = request;
    this.kept = kept;
  }

  get marks(): Marks {
    return this.calls;
  }

  get isMarked(): boolean {
    return this.markedAt !== undefined;
  }

  /** Names the attempt at the call. */
  get key(): string {
    return callKey(this.row);
  }

  /** @throws NoLongerScheduled, MarkedTooLongAgo, or DataTableError when the row cannot say so */
  async placing(): Promise<void> {
    if (this.stage === 'taken') await this.calls.markOne(this);
    // Before another try of the request: the call may have been cancelled since.
    else if (this.wasAsked && this.stage === 'placing') await this.calls.checkMark(this);
    this.wasAsked = true;
    if (this.markedAt === undefined || this.stage !== 'placing') throw new NoLongerScheduled();
    if (Date.now() > this.markedAt + SEND_WITHIN_MS) throw new MarkedTooLongAgo();
  }

  async placed(orderId: number, placedAt: number, waitMs = 0): Promise<void> {
    const runAt = firstCheckAt(placedAt, waitMs);
    await this.settle({ status: 'in_progress', orderId, placedAt, runAt });
  }

  async notPlaced(why: unknown, maybe: boolean): Promise<void> {
    const reason = why instanceof Error ? why.message : String(why);
    if (this.stage === 'taken') {
      await this.calls.refuse([{ call: this, reason }]).catch((error: unknown) => this.tell(error));
      return;
    }
    const status = maybe ? 'maybe_placed' : 'not_placed';
    await this.settle({ status, reason, at: Date.now() });
  }

  private async settle(placement: Placement): Promise<void> {
    await this.calls.recordPlacement(this, placement).catch((error: unknown) => this.tell(error));
  }

  private tell(error: unknown): void {
    this.problem ??= untold(error);
  }
}

/**
 * The scheduled calls of a log, as one execution places them. A row that was taken stays `scheduled`,
 * so that it can still be cancelled, and is due again by itself when the execution was killed. It may be
 * placed from the moment at which it says `placing`: whoever has brought that about, by a change that
 * holds for a row that is still scheduled and held, alone places the call.
 *
 * Every method throws {@link DataTableError} only, unless it says otherwise.
 */
export class ScheduledCalls implements Marks {
  /** Taken beyond what was asked for, because they were due at the same time. */
  private spare: ScheduledCall[] = [];
  private takes: Take[] = [];
  private putBacks = 0;
  private readonly marks = new Gathering<ScheduledCall>(
    async (calls) => void (await this.markPlacing(calls)),
    undefined,
    GATHER_MARKS_MS,
  );
  private readonly placements = new Gathering<{ call: ScheduledCall; placement: Placement }>(
    async (some) => await this.insertPlacements(some),
  );

  /** @param requestMs how long one request to the service may take */
  constructor(
    private readonly log: CallLog,
    private readonly requestMs: number,
  ) {}

  /**
   * Takes calls that are due, longest due first: nobody else takes them before `heldUntil`. Rows that a
   * person has edited into nonsense end, and say why.
   *
   * @returns fewer than `limit` only when no more are due
   */
  async take(now: number, limit: number, heldUntil: number): Promise<ScheduledCall[]> {
    const calls: ScheduledCall[] = [];
    for (;;) {
      const held = this.spare.filter(({ take }) => take.heldUntil > now + WORTH_MARKING_MS);
      calls.push(...held.splice(0, limit - calls.length));
      this.spare = held;
      if (calls.length >= limit) return calls;
      const taken = await this.takeRows(now, limit - calls.length, heldUntil);
      if (taken === undefined) return calls;
      this.spare.push(...taken);
    }
  }

  /**
   * Has rows say that their calls are about to be placed.
   *
   * @returns those that may be placed: the others were cancelled, or somebody else has taken them
   */
  async markPlacing(calls: ScheduledCall[], now = Date.now()): Promise<ScheduledCall[]> {
    const deadAt = now + SEND_WITHIN_MS + this.requestMs + WRITING_TAKES_MS;
    const taken = calls.filter(({ stage }) => stage === 'taken');
    for (const { take, run } of runsOf(taken)) {
      const columns = { ...NOT_CALLED_YET, ...placingColumns(now, deadAt) };
      const marked = await this.change(take, run, columns).catch((error: unknown) => {
        // Their rows may say so all the same; nothing is sent for them.
        for (const call of run) Object.assign(call, { stage: 'placing', deadAt });
        throw error;
      });
      // The answer to an earlier try of the same change may have been lost.
      const found = marked.size < run.length ? await this.placingIn(deadAt) : [];
      const placing = new Set([...marked.keys(), ...found.map(({ id }) => id)]);
      for (const row of found) if (row.lockedBy === take.lockedBy) marked.set(row.id, row);
      for (const call of run) {
        // What was cancelled since is put back at the end, and ends as cancelled.
        call.stage = placing.has(call.row.id) ? 'placing' : 'settled';
        call.deadAt = deadAt;
        const row = marked.get(call.row.id);
        if (row === undefined) continue;
        if (asksTheSame(row, call.row)) call.markedAt = now;
        else await this.giveBackEdited(call, row);
        call.row = row;
      }
    }
    return calls.filter(({ stage, markedAt }) => stage === 'placing' && markedAt !== undefined);
  }

  /** Ends a marked call that was cancelled since. */
  async checkMark(call: ScheduledCall): Promise<void> {
    const unchanged = { lockedUntil: call.deadAt };
    if ((await this.change(call.take, [call], unchanged)).size > 0) return;
    await this.endCancelled(call);
    call.stage = 'settled';
  }

  /** What was read of the row is no longer what a person wants: it is due again, and read again. */
  private async giveBackEdited(call: ScheduledCall, row: Row): Promise<void> {
    const dueAt = timeIn(row.dueAt);
    const isMoved = dueAt !== undefined && dueAt !== timeIn(call.row.dueAt);
    const scheduled = { status: SCHEDULED, triggeredAt: null, ...UNLOCKED };
    await this.change(call.take, [call], { ...scheduled, ...(isMoved ? { runAt: dueAt } : {}) });
    call.stage = 'settled';
  }

  /** As {@link markPlacing}, together with others that are marked at about the same time. */
  async markOne(call: ScheduledCall): Promise<void> {
    await this.marks.add(call);
  }

  async mark(keys: string[]): Promise<void> {
    await this.markPlacing(this.withKeys(keys));
  }

  async unmark(keys: string[]): Promise<void> {
    const marked = this.withKeys(keys).filter(({ stage }) => stage === 'placing');
    for (const { take, run } of runsOf(marked)) {
      const held = { status: SCHEDULED, triggeredAt: null, lockedUntil: take.heldUntil };
      const back = await this.change(take, run, held);
      for (const call of run) {
        call.markedAt = undefined;
        // What was cancelled since is put back at the end, and ends as cancelled.
        if (back.has(call.row.id)) call.stage = 'taken';
      }
    }
  }

  private withKeys(keys: string[]): ScheduledCall[] {
    const wanted = new Set(keys);
    return this.takes.flatMap(({ calls }) => calls.filter(({ key }) => wanted.has(key)));
  }

  /**
   * Surely nothing was sent, and it may be later: the calls are scheduled again.
   *
   * @param puts when each is due again, in milliseconds since 1970, and why it was not placed
   */
  async putBack(puts: Array<{ call: ScheduledCall; at: number; reason: string }>): Promise<void> {
    await this.settleInPlace(
      puts,
      ({ at, reason }) => scheduledColumns(at + (this.putBacks++ % 1_000), reason),
      async (take, run, columns) => await this.putBackRun(take, run, columns),
    );
  }

  /** Surely nothing was sent, and nothing will be: the rows say why. */
  async refuse(refused: Array<{ call: ScheduledCall; reason: string }>): Promise<void> {
    await this.settleInPlace(refused, ({ reason }) => ({
      ...notPlacedColumns(reason),
      triggeredAt: null,
    }));
    if (refused.length === 0) return;
    const rows = await this.log.rowsOfCalls(refused.map(({ call }) => call.row)).catch(() => []);
    await writeDecided(this.log, rows.filter(isDecided)).catch(() => {});
  }

  /** Writes what became of a call that says `placing`, together with what becomes of others meanwhile. */
  async recordPlacement(call: ScheduledCall, placement: Placement): Promise<void> {
    call.stage = 'settling';
    await this.placements.add({ call, placement });
    call.stage = 'settled';
  }

  /** The calls that were taken and not placed are due again at once. */
  async release(): Promise<void> {
    this.spare = [];
    for (const take of this.takes) {
      await this.putBack(
        take.calls
          .filter(({ stage, markedAt }) => stage === 'placing' && markedAt === undefined)
          .map((call) => ({ call, at: Date.now(), reason: NOT_MARKED })),
      );
      const left = take.calls.filter(({ stage }) => stage === 'taken');
      if (left.length === 0) continue;
      await this.free(holds('lockedBy', 'eq', take.lockedBy));
      for (const call of left) call.stage = 'settled';
    }
  }

  /** When the next call is due; undefined when none is scheduled. Held ones: when they are free. */
  async nextDueAt(): Promise<number | undefined> {
    const filter = this.log.where(...WAITING, holds('runAt', 'neq', null));
    const page = { sortBy: 'runAt:asc', limit: 1 };
    const [row] = await this.log.tables.rows(this.log.tableId, filter, page);
    if (row === undefined) return undefined;
    return Math.max(Number(row.runAt), Number(row.lockedUntil));
  }

  /** How many calls of the account are being placed or go on; at most `limit` are counted. */
  async countOpen(limit: number): Promise<number> {
    const open = new Set<string>();
    for (const status of [PLACING, 'in_progress'] satisfies OwnStatus[]) {
      await this.log.eachPageById(notEnded(status), (rows) => {
        for (const row of rows) open.add(callKey(row));
        return open.size < limit;
      });
    }
    return Math.min(limit, open.size);
  }

  /**
   * Rows whose time a person has emptied or written wrong are due when they say in `dueAt`, or now; rows
   * that are held are due now. For whoever alone places calls: the others that held rows are dead, or
   * find them taken.
   */
  async mendTimes(now: number): Promise<void> {
    await this.log.mendLocks(now);
    await this.free(holds('lockedUntil', 'gt', now), holds('batch', 'eq', ''));
    const wrong = [holds('runAt', 'eq', null), holds('runAt', 'gt', now + LATEST_MS)];
    for (const condition of wrong) {
      for (const [dueAt, ids] of byDueAt(await this.scheduledRows(condition), now)) {
        // Times only: the row may have been cancelled, or be placed, since it was read.
        await this.log.note(ids, { runAt: dueAt, dueAt: isoTime(dueAt) });
      }
    }
  }

  private async scheduledRows(...conditions: Condition[]): Promise<Row[]> {
    const filter = this.log.where(holds('status', 'eq', SCHEDULED), ...conditions);
    const page = { sortBy: 'id:asc', limit: LARGEST_PAGE };
    return await this.log.tables.rows(this.log.tableId, filter, page);
  }

  /** Unlocks scheduled rows. */
  private async free(...conditions: Condition[]): Promise<void> {
    const { log } = this;
    const locked = log.where(...conditions, holds('status', 'eq', SCHEDULED));
    await log.tables.update(log.tableId, locked, UNLOCKED);
  }

  /** @returns undefined when none is due */
  private async takeRows(
    now: number,
    limit: number,
    heldUntil: number,
  ): Promise<ScheduledCall[] | undefined> {
    const { tables, tableId } = this.log;
    const free = [...WAITING, holds('lockedUntil', 'lte', now)];
    const due = await tables.rows(tableId, this.log.where(...free, holds('runAt', 'lte', now)), {
      sortBy: 'runAt:asc',
      limit: Math.min(limit, LARGEST_PAGE),
    });
    const last = due.at(-1);
    if (last === undefined) return undefined;
    const take: Take = { lockedBy: drawnId(), heldUntil, calls: [] };
    const rows = await this.log.lock(
      [...free, holds('runAt', 'lte', Number(last.runAt))],
      { lockedUntil: heldUntil, expected: due.length },
      take.lockedBy,
    );
    const order = new Map(due.map(({ id }, index) => [id, index]));
    const place = ({ id }: Row) => order.get(id) ?? order.size;
    rows.sort(
      (a, b) =>
        place(a) - place(b) || (timeIn(a.dueAt) ?? 0) - (timeIn(b.dueAt) ?? 0) || a.id - b.id,
    );
    await this.fill(take, await this.onlyRows(rows));
    const isLeft = ({ calls }: Take) => calls.some(({ stage }) => stage !== 'settled');
    this.takes = [...this.takes.filter(isLeft), take];
    return take.calls;
  }

  /** Rows that were marked together, also those that were cancelled since. */
  private async placingIn(deadAt: number): Promise<Row[]> {
    const { log } = this;
    return await log.allRows(holds('status', 'eq', PLACING), holds('lockedUntil', 'eq', deadAt));
  }

  /**
   * Deletes of taken rows those whose attempt has another row that tells more, or came first: a request
   * that wrote rows may have been repeated, or died before it deleted what it had replaced.
   */
  private async onlyRows(taken: Row[]): Promise<Row[]> {
    const attempts = attemptsOf([...(await this.log.rowsOfCalls(taken)), ...taken]);
    const superfluous: number[] = [];
    const decided: Row[] = [];
    const counting: Row[] = [];
    for (const row of taken) {
      const { counts = row, superseded = [] } = attempts.get(callKey(row)) ?? {};
      if (counts.id !== row.id) {
        superfluous.push(row.id);
        if (isDecided(counts)) decided.push(counts);
        continue;
      }
      const ahead = superseded.filter((other) => callStateOf(other) === 'ahead');
      superfluous.push(...ahead.map(({ id }) => id));
      if (attemptCounts(row, attempts)) counting.push(row);
      else await this.end(row, NOT_ANNOUNCED);
    }
    await this.log.deleteRows(superfluous);
    await writeDecided(this.log, decided).catch(() => {});
    return counting;
  }

  /** Nobody is called because of a row that was locked. */
  private async end(row: Row, reason: string): Promise<void> {
    const ours = [
      holds('id', 'eq', row.id),
      holds('status', 'eq', SCHEDULED),
      holds('lockedBy', 'eq', textIn(row.lockedBy) ?? ''),
    ];
    await this.decide(ours, notPlacedColumns(reason));
  }

  private async fill(take: Take, rows: Row[]): Promise<void> {
    for (const row of rows) {
      const kept = readKeptCall(row);
      if ('nonsense' in kept) {
        const reason = `Nobody was called: the row cannot be read: ${kept.nonsense}`;
        await this.end(row, reason);
        continue;
      }
      const call = new ScheduledCall(this, take, row, kept);
      take.calls.push(call);
    }
  }

  /** Rows that change in one step; each change holds only for rows that are still as they were taken. */
  private async settleInPlace<S extends { call: ScheduledCall }>(
    some: S[],
    columnsOf: (one: S) => IDataObject,
    write: (take: Take, run: ScheduledCall[], columns: IDataObject) => Promise<unknown> = async (
      ...change
    ) => await this.change(...change),
  ): Promise<void> {
    const groups = new Map<string, S[]>();
    for (const one of some) {
      const key = `${one.call.stage} ${JSON.stringify({ ...one, call: undefined })}`;
      groups.set(key, [...(groups.get(key) ?? []), one]);
    }
    for (const group of groups.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const columns = columnsOf(first);
      for (const { take, run } of runsOf(group.map(({ call }) => call))) {
        const isMarked = run[0]?.stage === 'placing';
        const change = async () => await write(take, run, columns);
        // What still says `placing` would count as placed, as far as anybody knows.
        await (isMarked ? patiently(change) : change());
        for (const call of run) call.stage = 'settled';
      }
    }
  }

  /** A call that was cancelled while it was to be placed does not come back. */
  private async putBackRun(take: Take, run: ScheduledCall[], columns: IDataObject): Promise<void> {
    const back = await this.change(take, run, columns);
    if (run[0]?.stage !== 'placing' || back.size === run.length) return;
    for (const call of run) if (!back.has(call.row.id)) await this.endCancelled(call);
  }

  /** The row says `placing`, and is locked by whoever cancelled the call. */
  private async endCancelled({ row, deadAt, take }: ScheduledCall): Promise<void> {
    const placing = [holds('id', 'eq', row.id), holds('status', 'eq', PLACING)];
    const others = [holds('lockedUntil', 'eq', deadAt), holds('lockedBy', 'neq', take.lockedBy)];
    await this.decide([...placing, ...others], {
      ...cancelledColumns(WAS_CANCELLED),
      triggeredAt: null,
    });
  }

  /** Rows say how their attempts ended; whoever comes next writes the ends when this cannot. */
  private async decide(conditions: Condition[], columns: IDataObject): Promise<void> {
    const { log } = this;
    const rows = await log.tables.updateAndReturn(log.tableId, log.where(...conditions), columns);
    await writeDecided(log, rows).catch(() => {});
  }

  /** @returns the rows that were changed, by id */
  private async change(
    take: Take,
    run: ScheduledCall[],
    columns: IDataObject,
  ): Promise<Map<number, Row>> {
    const ids = run.map(({ row }) => row.id);
    const changed = await this.log.tables.updateAndReturn(
      this.log.tableId,
      this.log.where(
        holds('lockedBy', 'eq', take.lockedBy),
        holds('status', 'eq', run[0]?.stage === 'placing' ? PLACING : SCHEDULED),
        holds('id', 'gte', Math.min(...ids)),
        holds('id', 'lte', Math.max(...ids)),
      ),
      columns,
    );
    return new Map(changed.map((row) => [row.id, row]));
  }

  private async insertPlacements(
    some: Array<{ call: ScheduledCall; placement: Placement }>,
  ): Promise<void> {
    const rows = some.map(({ call, placement }) => ({
      ...contentOf(call.row),
      ...NOT_CALLED_YET,
      ...placementColumns(placement),
    }));
    await this.log.recordPlacements(rows);
    // A row that stays although it is replaced harms nobody: a later look deletes it.
    await this.log.deleteRows(some.map(({ call }) => call.row.id)).catch(() => {});
  }
}

/** Whether two readings of a row ask for the same call at the same time. */
function asksTheSame(one: Row, other: Row): boolean {
  const asked = (row: Row) => JSON.stringify([readKeptCall(row), timeIn(row.dueAt)]);
  return asked(one) === asked(other);
}

/**
 * Calls that can change in one step: rows of one take between whose ids lies no other of its rows that
 * says the same of its stage.
 */
function runsOf(calls: ScheduledCall[]): Array<{ take: Take; run: ScheduledCall[] }> {
  const wanted = new Set(calls);
  const runs: Array<{ take: Take; run: ScheduledCall[] }> = [];
  for (const take of new Set(calls.map((call) => call.take))) {
    for (const stage of ['taken', 'placing'] satisfies Stage[]) {
      let run: ScheduledCall[] = [];
      const inOrder = take.calls
        .filter((call) => (call.stage === 'settling' ? 'placing' : call.stage) === stage)
        .sort((a, b) => a.row.id - b.row.id);
      for (const call of inOrder) {
        if (!wanted.has(call) || call.stage !== stage) {
          run = [];
          continue;
        }
        if (run.length === 0) runs.push({ take, run });
        run.push(call);
      }
    }
  }
  return runs;
}

/** Ids of rows by the time at which they are due. */
function byDueAt(rows: Row[], now: number): Map<number, number[]> {
  const times = new Map<number, number[]>();
  for (const row of rows) {
    const dueAt = timeIn(row.dueAt) ?? now;
    const time = dueAt <= now || dueAt > now + LATEST_MS ? now : dueAt;
    times.set(time, [...(times.get(time) ?? []), row.id]);
  }
  return times;
}
