import { randomInt } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import pLimit from 'p-limit';
import { MINUTE_MS } from '../../clocks';
import { holds, type Row } from '../../dataTables/dataTables';
import { defined } from '../../http/json';
import { errorMessage, NOBODY_CALLED } from '../../nodeError';
import { Stopwatch } from '../../stopwatch';
import type { CallLog } from '../callLog';
import { timeIn } from '../table/cells';
import { writeDecided } from '../ends/ends';
import { Gathering } from '../../gathering';
import { asksTheSame, wasEdited } from './editedRows';
import { writePlacements } from './placements';
import { aheadLock, drawnId, NOT_CALLED_YET, placingColumns } from '../table/rowColumns';
import { cancellationOf, UncalledRows } from './uncalledRows';
import { batchOf, positionColumn, positionOf, runsOf, whereAre } from './runs';
import type { RowToPlace, NotPlaced } from './rowToPlace';
import { attemptsOf, callKey, hasOrderId, hasOutcomeByHand, PLACING, says } from '../states';

/** A request may leave this long after the mark of its call: the service may ask for a pause. */
const SEND_WITHIN_MS = 2 * MINUTE_MS;
/** Writing the result of the last request may take this long. */
const WRITING_TAKES_MS = MINUTE_MS;
/** Marks of the same moment end within this time of one another. */
const MARKS_DIFFER_MS = 10_000;
/** Results that come within this time are written together. */
const GATHER_MS = 250;
/** How often the lock of rows written ahead is renewed while other rows are placed. */
const RENEWED_EVERY_MS = 20 * MINUTE_MS;
/** Older marks are renewed before a request, so a cancelled call rings at most this much later. */
const MARKS_RENEWED_EVERY_MS = 2_000;

const NOT_MARKED = `${NOBODY_CALLED}: n8n did not confirm that the rows were marked`;

/**
 * The rows of calls that one execution places. They say `scheduled`, so that a person can cancel
 * and edit them. Then one conditional change makes them say `placing`. The execution whose change
 * marked a row places its call, with what the row then says. One request changes rows that are next to
 * each other.
 */
export class PlacingRows {
  /** Whether rows may have copies, or rows of earlier requests. A person may have cancelled those. */
  mayBeTwice = false;
  private calls: RowToPlace[] = [];
  private sinceAheadRenewed = new Stopwatch();
  private sinceMarksRenewed = new Stopwatch();
  private renewing: Promise<void> | undefined;
  private readonly groups = new Map<number, Promise<void>>();
  /** Rows are changed one change after the other: each sees what the one before has made of them. */
  private readonly turns = pLimit(1);
  /** Writes results of calls whose rows say `placing`, together. */
  readonly placements: Gathering<RowToPlace>;
  /** Writes that calls were surely not placed, together. */
  readonly notPlaced: Gathering<RowToPlace>;
  readonly uncalled: UncalledRows;

  /**
   * @param requestMs how long one request to the service may take
   * @param together how many calls of a list are marked together
   */
  constructor(
    readonly log: CallLog,
    private readonly requestMs: number,
    private readonly together = 1,
  ) {
    this.uncalled = new UncalledRows(log);
    const isAll = () =>
      this.calls.every(({ isWriting, state }) => isWriting || state === 'settled');
    const held = () => this.calls.map(({ row }) => row);
    this.placements = new Gathering(
      async (some) => await writePlacements(log, some, held()),
      GATHER_MS,
      isAll,
    );
    this.notPlaced = new Gathering(
      async (some) => await this.turns(async () => await this.uncalled.settle(some, this.calls)),
      GATHER_MS,
      isAll,
    );
  }

  /** Replaces the rows that wait for this execution. Rows already marked stay. */
  replaceWaiting(calls: RowToPlace[]): void {
    const begun = this.calls.filter(({ state }) => state === 'placing');
    this.calls = [...begun, ...calls];
  }

  /** Marks a call together with the other calls of its group. */
  async markInTurn(call: RowToPlace): Promise<void> {
    const { together, groups } = this;
    if (together > 1) {
      const group = Math.floor(this.calls.indexOf(call) / together);
      const calls = this.calls.slice(group * together, (group + 1) * together);
      if (!groups.has(group)) {
        groups.set(group, this.mark(calls.filter(({ waitsForAnother }) => !waitsForAnother)));
      }
      await groups.get(group);
    }
    // The mark of the call was taken back, or the call has waited for another one.
    if (call.state === 'waiting') await this.mark([call]);
  }

  /** Marks rows of calls about to be placed. If one no longer waits, {@link RowToPlace.mark} throws. */
  async mark(calls: RowToPlace[]): Promise<void> {
    await this.turns(async () => {
      const waiting = calls.filter(({ state, isWriting }) => state === 'waiting' && !isWriting);
      await this.renewAhead();
      for (const run of runsOf(waiting, this.calls)) await this.markRun(run);
    });
  }

  /** Renews the lock of rows written ahead, so that they keep waiting for their turn, or for the next try. */
  async renewAhead(): Promise<void> {
    const batch = batchOf(this.calls);
    if (batch === '' || this.sinceAheadRenewed.passedMs < RENEWED_EVERY_MS) return;
    this.sinceAheadRenewed = new Stopwatch();
    const { lockedUntil } = aheadLock(batch, batch);
    await this.log.update([holds('batch', 'eq', batch), says('cancelled', 'neq')], { lockedUntil });
  }

  private async markRun(run: RowToPlace[]): Promise<void> {
    const { sinceMark, lockedUntil } = this.newMark();
    const lock = { lockedBy: drawnId(), lockedUntil };
    // A person may have written an outcome into any other row meanwhile.
    const emptied = run.every(({ row }) => hasOrderId(row)) ? NOT_CALLED_YET : {};
    const change = { ...emptied, ...placingColumns(Date.now()), ...lock, batch: '' };
    const { found, changed } = await this.changeToPlacing(run, change).catch((error: unknown) => {
      // The rows may say `placing` all the same. Nothing is sent for them.
      for (const call of run) Object.assign(call, { ...lock, state: PLACING, refusal: error });
      throw error;
    });
    const batch = batchOf(run);
    const column = positionColumn(batch);
    const rows = new Map<number, Row>();
    const copies: Row[] = [];
    const wanted = new Set(run.map(positionOf));
    const isOwn = ({ lockedBy }: Row) => lockedBy === lock.lockedBy;
    const inOrder = found.sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || a.id - b.id);
    for (const row of inOrder) {
      const position = Number(row[column]);
      if (wanted.delete(position)) rows.set(position, row);
      else if (isOwn(row) && batch !== '') copies.push(row);
    }
    const edited: RowToPlace[] = [];
    const lost: RowToPlace[] = [];
    for (const call of run) {
      const position = positionOf(call);
      const row = rows.get(position);
      Object.assign(call, { ...lock, state: row === undefined ? 'settled' : PLACING });
      if (row === undefined) {
        const before = changed.find((one) => Number(one[column]) === position);
        if (before !== undefined) lost.push(Object.assign(call, { row: before }));
        continue;
      }
      const isEdited = !asksTheSame(row, call.row);
      call.row = row;
      // A call that was cancelled since has no mark: it ends as cancelled when it is settled.
      if (!isOwn(row)) continue;
      if (isEdited) edited.push(call);
      else call.sinceMark = sinceMark;
    }
    // If this fails, the row is changed when the call is settled: nothing is sent without a mark.
    for (const call of edited) await this.giveBackEdited(call).catch(() => {});
    for (const call of lost) await this.uncalled.endCancelled(call).catch(() => {});
    if (copies.length > 0) await this.log.deleteRows(copies);
  }

  private async changeToPlacing(
    run: RowToPlace[],
    change: IDataObject & { lockedUntil: number },
  ): Promise<{ found: Row[]; changed: Row[] }> {
    const marked = await this.change(run, change);
    // The change may have been made by an earlier try whose answer was lost. A person may have
    // cancelled a call since.
    const ofChange = [says('placing'), holds('lockedUntil', 'eq', change.lockedUntil)];
    const found = marked.length < run.length ? await this.log.allRows(...ofChange) : marked;
    // Somebody has written over the others since: they have no mark, and are settled.
    const ids = new Set(found.map(({ id }) => id));
    const changed = marked.filter(({ id }) => !ids.has(id));
    return { found: await this.withoutCancelled(found), changed };
  }

  /** Ends marked rows that have an outcome, or whose copies were cancelled. Returns the other rows. */
  private async withoutCancelled(marked: Row[]): Promise<Row[]> {
    const rows = this.mayBeTwice ? await this.log.rowsOfCalls(marked) : marked;
    const attempts = attemptsOf(rows);
    // A person may have written it into one of two copies.
    const withOutcome = new Set([...marked, ...rows].filter(hasOutcomeByHand).map(callKey));
    const isStillPlacing = (row: Row) =>
      !withOutcome.has(callKey(row)) && attempts.get(callKey(row))?.status === PLACING;
    const cancelled = marked.filter((row) => !isStillPlacing(row));
    const ended = cancelled.map((row) => ({ ...row, ...cancellationOf(row) }));
    for (const row of cancelled) await this.log.noteRow(row, cancellationOf(row));
    await writeDecided(this.log, ended).catch(() => {});
    return marked.filter(isStillPlacing);
  }

  /**
   * A mark from now on. A row that still says `placing` after `lockedUntil` belongs to a dead execution. The end is
   * drawn: a row that says it was marked by this change, also when somebody has cancelled it since. Executions that
   * begin at the same minute would have marks that end at the same time.
   */
  private newMark() {
    const lastsMs = SEND_WITHIN_MS + this.requestMs + WRITING_TAKES_MS + randomInt(MARKS_DIFFER_MS);
    return { sinceMark: new Stopwatch(), lockedUntil: Date.now() + lastsMs };
  }

  /** Renews the lock of a marked call, to outlast its request. One that was sent before took time. */
  async renew(call: RowToPlace, isAnotherTry: boolean): Promise<void> {
    const isOld = () => (call.sinceMark?.passedMs ?? 0) > SEND_WITHIN_MS;
    let isDue = call.isMarked && (isAnotherTry || isOld());
    // The process may stand still while it waits for the answer.
    for (; isDue && call.state === 'placing'; isDue = isOld()) {
      await this.turns(async () => {
        if (call.state === 'placing') await this.endUnmarked(await this.renewRun([call]));
      });
    }
  }

  /** Renews the locks of all marked calls: some wait for their turn, and others would count them as dead. */
  async renewMarks(): Promise<void> {
    if (this.sinceMarksRenewed.passedMs < MARKS_RENEWED_EVERY_MS) return await this.renewing;
    this.sinceMarksRenewed = new Stopwatch();
    const renewing = this.turns(async () => {
      await this.renewAhead();
      const marked = this.calls.filter(
        ({ state, isMarked, isWriting }) => state === 'placing' && isMarked && !isWriting,
      );
      for (const run of runsOf(marked, this.calls)) {
        const unmarked = await this.renewRun(run);
        // Those that were asked may ring: what becomes of their requests is written then.
        await this.endUnmarked(unmarked.filter(({ wasAsked }) => !wasAsked));
      }
    });
    this.renewing = renewing.catch(() => {});
    await renewing;
  }

  /** Renews the locks of marked calls. Returns those that are no longer marked: they were cancelled. */
  private async renewRun(run: RowToPlace[]): Promise<RowToPlace[]> {
    const mark = this.newMark();
    const { lockedUntil } = mark;
    const rows = new Map((await this.change(run, { lockedUntil })).map((row) => [row.id, row]));
    return run.filter((call) => {
      const row = rows.get(call.row.id);
      if (row === undefined) return true;
      Object.assign(call, mark);
      if (!hasOutcomeByHand(row)) return false;
      call.row = row;
      return true;
    });
  }

  /** Ends calls that were cancelled while they were marked. From here on nothing is sent for them. */
  private async endUnmarked(calls: RowToPlace[]): Promise<void> {
    for (const call of calls) call.sinceMark = undefined;
    for (const call of calls) {
      await this.uncalled.endCancelled(call);
      call.state = 'settled';
    }
  }

  async unmark(calls: RowToPlace[]): Promise<void> {
    await this.turns(async () => {
      const marked = calls.filter(({ state }) => state === 'placing');
      for (const run of runsOf(marked, this.calls)) {
        const back = await this.uncalled.putBack(run);
        const ids = new Set(back.map(({ id }) => id));
        for (const call of run) {
          call.sinceMark = undefined;
          // A call that was cancelled meanwhile stays marked. It ends as cancelled when the rows are
          // put back.
          if (ids.has(call.row.id)) call.state = 'waiting';
        }
      }
    });
  }

  /** Makes rows due again at once that are marked, or may be, and for which nothing was sent. */
  async putBackUnsent(): Promise<void> {
    const unsent = this.calls.filter(({ state, isWriting }) => state === 'placing' && !isWriting);
    const how: NotPlaced = { kind: 'later', at: Date.now(), reason: NOT_MARKED };
    for (const call of unsent) call.how = how;
    await this.turns(async () => await this.uncalled.settle(unsent, this.calls));
  }

  /** A person has changed the row since it was read: it is due again, and read again. */
  private async giveBackEdited(call: RowToPlace): Promise<void> {
    call.refusal = wasEdited();
    if (call.isWrittenAhead) {
      call.how = { kind: 'never', reason: errorMessage(call.refusal) };
      return await this.uncalled.settle([call], this.calls);
    }
    await this.uncalled.putBack([call], defined({ runAt: timeIn(call.row.dueAt) }));
    call.state = 'settled';
  }

  private async change(run: RowToPlace[], columns: IDataObject): Promise<Row[]> {
    return await this.log.updateAndReturn(whereAre(run), columns);
  }
}
