import type { IDataObject } from 'n8n-workflow';
import type { DueRow, DueRows } from '../../../callLog/placing/dueRows';
import type { PlacingRows } from '../../../callLog/placing/placingRows';
import type { RowToPlace } from '../../../callLog/placing/rowToPlace';
import { RuleClosed, RuleObjection, RuleUndecided, type RuleExecution } from '../../../rules/rule';
import type { CallingService, PlacedCall, Read } from '../../../service/callingService';
import { CallingServiceError, mayHaveBeenProcessed } from '../../../service/failure';
import { pause } from '../../../http/pause';
import { NotBegun } from '../../eachItem';
import type { ExecutionMemory } from '../../memory/executionMemory';
import { concernsAll, consequenceOf } from './consequence';
import { readDueCall, type DueCall } from './dueCall';
import { PlacingReport } from './placingReport';

/** Sees to it that calls that have ended no longer take a channel. */
export interface Looking {
  /** Looks once at every call that is due for it. */
  once(): Promise<void>;
  /** Looks on until `signal` is aborted; `found` is told when calls have ended. */
  on(signal: AbortSignal, found: () => void): Promise<void>;
}

export interface PlacingRunOptions {
  due: DueRows;
  rows: PlacingRows;
  service: Pick<CallingService, 'triggerCall'>;
  looking: Looking;
  /** What the rules of all calls work with. */
  rules: RuleExecution;
  /** What the tries of the execution remember, which tells whom they have called. */
  memory: ExecutionMemory;
  /** So many calls of the account go on at once. */
  maxInProgress: number;
  /** Channels are filled until then, in milliseconds since 1970; before now for one round. */
  fillUntil: number;
  /** Whether nobody else places calls of this log meanwhile. */
  isAlone(): boolean;
  /** Aborted when a person cancels the execution. */
  cancelled: AbortSignal;
  /** Has everybody know of a call that the service has taken; gives its item. */
  placed(call: DueCall, read: Read<PlacedCall>): Promise<IDataObject>;
}

/** How often it is asked which channels others have freed, while calls wait for one. */
const ASK_FOR_CHANNELS_MS = 2_000;
/** How often it is asked what has become due, while nothing waits. */
const ASK_FOR_CALLS_MS = 5_000;
/** Channels that become free within this time are filled together. */
const GATHER_MS = 200;
/** When none of the calls that were read may be placed now, so many are read at once. */
const MANY = 250;

/**
 * Places the scheduled calls of a log that are due, the longest due first, and fills every channel as
 * soon as it is free.
 */
export class PlacingRun {
  private readonly report = new PlacingReport();
  private readonly underWay = new Set<Promise<void>>();
  private isStopped = false;
  /** So many calls are read at once at least. */
  private least = 0;
  private isAnyDue = true;
  private hasChanged = false;
  private wake: () => void = () => {};

  constructor(private readonly options: PlacingRunOptions) {}

  /** Never throws: what went wrong is in the report. */
  async run(): Promise<PlacingReport> {
    const { looking, fillUntil, cancelled, rows } = this.options;
    const isOneRound = fillUntil <= Date.now();
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, cancelled]);
    try {
      if (isOneRound) {
        await looking.once();
        await this.fill();
      } else {
        this.follow(looking.on(signal, () => this.tellChange()));
        await this.fillOn(signal);
      }
    } catch (failure) {
      this.fail(failure);
    }
    over.abort();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    // Otherwise they may have been placed, as far as anybody knows.
    await rows.release().catch(() => {});
    return this.report;
  }

  private async fillOn(signal: AbortSignal): Promise<void> {
    const { fillUntil } = this.options;
    while (!this.isOver()) {
      this.hasChanged = false;
      const isIdle = await this.fill();
      // Only the looking is still under way.
      if (isIdle && this.underWay.size <= 1) return;
      const left = fillUntil - Date.now();
      if (!this.hasChanged) {
        const change = new Promise<void>((resolve) => (this.wake = resolve));
        const usual = this.isAnyDue ? ASK_FOR_CHANNELS_MS : ASK_FOR_CALLS_MS;
        await Promise.race([change, pause(Math.max(0, Math.min(usual, left)), signal)]);
      }
      await pause(Math.max(0, Math.min(GATHER_MS, left)), signal);
    }
  }

  private isOver(): boolean {
    const { fillUntil, cancelled } = this.options;
    return this.isStopped || cancelled.aborted || Date.now() >= fillUntil;
  }

  private tellChange(): void {
    this.hasChanged = true;
    this.wake();
  }

  /** Remembers work that the run has to see through. */
  private follow(work: Promise<void>): void {
    const followed = work
      .catch((failure: unknown) => this.fail(failure))
      .finally(() => {
        this.underWay.delete(followed);
        this.tellChange();
      });
    this.underWay.add(followed);
  }

  /** Begins nothing more after what concerns all calls. */
  private fail(failure: unknown): void {
    this.report.failures.push(failure);
    this.isStopped = true;
  }

  private mayBegin(): boolean {
    return !this.isStopped && !this.options.cancelled.aborted && this.options.isAlone();
  }

  /**
   * Begins calls on all channels that are free.
   *
   * @returns whether nothing is due, and no call goes on
   */
  private async fill(): Promise<boolean> {
    const { due, maxInProgress } = this.options;
    for (;;) {
      const open = await due.countOpen(maxInProgress);
      const free = maxInProgress - open;
      this.report.isFull = free === 0;
      if (free === 0 || !this.mayBegin()) return false;
      const read = await due.read(Date.now(), Math.max(free, this.least));
      const allowed = await this.allowedOf(read);
      this.least = read.length > 0 && allowed.length === 0 ? MANY : 0;
      this.isAnyDue = read.length > 0;
      // The others are read again when channels are free.
      const begun = await this.begin(allowed.slice(0, free));
      if (begun === free || !this.mayBegin()) return false;
      // Otherwise some of those that were read may not be placed now, and others may.
      if (read.length === 0) return open + begun === 0;
    }
  }

  /** Asks the rules before anything is sent: those that may be called now. */
  private async allowedOf(read: DueRow[]): Promise<DueCall[]> {
    const readings = read.map((one) => ({ row: one.row, call: readDueCall(one) }));
    const due: DueCall[] = [];
    const nonsense: Array<Promise<void>> = [];
    for (const { row, call } of readings) {
      if ('rules' in call) due.push(call);
      else nonsense.push(row.notPlaced(`Nobody was called: ${call.nonsense}`, false));
    }
    await Promise.all(nonsense);
    this.failUnwritten(readings.map(({ row }) => row));
    return await this.unlessRefused(due, async ({ rules }) => {
      await rules.open(this.options.rules).catch((failure: unknown) => {
        throw new RuleClosed(failure);
      });
      await rules.ask();
    });
  }

  /** Settles the calls that rules keep from being placed, and gives the others. */
  private async unlessRefused(
    due: DueCall[],
    ask: (call: DueCall) => Promise<void>,
  ): Promise<DueCall[]> {
    const failures = await Promise.all(
      due.map(
        async (call) =>
          await ask(call).then(
            () => [],
            (failure: unknown) => [
              mayHaveBeenProcessed(failure) ? new RuleUndecided(failure) : failure,
            ],
          ),
      ),
    );
    await this.settleUnplaced(
      due.flatMap((call, index) => (failures[index] ?? []).map((failure) => ({ call, failure }))),
    );
    return due.filter((_, index) => failures[index]?.length === 0);
  }

  /** @returns how many were begun */
  private async begin(some: DueCall[]): Promise<number> {
    if (some.length === 0 || !this.mayBegin()) return 0;
    const admitted = await this.unlessRefused(some, async ({ rules }) => await rules.admit());
    await this.options.rows.mark(admitted.map(({ row }) => row));
    const ours = admitted.filter(({ row }) => row.markedAt !== undefined);
    for (const call of ours) this.follow(this.place(call));
    return ours.length;
  }

  /** Nothing leaves for a row of which others may say by now that it was given up. */
  private async place(call: DueCall): Promise<void> {
    const { service, placed, memory } = this.options;
    const unlessStopped = () => {
      if (!this.mayBegin()) throw new NotBegun();
    };
    const beforeEachTry = async () => {
      // A failure that is just being worked through stops this request as well.
      await pause(0);
      unlessStopped();
      await call.rules.ask();
      await call.row.placing();
      unlessStopped();
    };
    const { callId, attempt } = call.row;
    const read = await memory
      .fresh({ subject: ['scheduled', callId, attempt], content: '', effect: 'call' })
      .once(async () => await service.triggerCall(call.request, { beforeEachTry }))
      .catch((failure: unknown) => ({ failure }));
    if ('failure' in read) await this.settleUnplaced([{ call, failure: read.failure }]);
    else {
      this.report.objectionsTo.delete(call.row.key);
      this.report.placed.push(await placed(call, read));
    }
  }

  private async settleUnplaced(some: Array<{ call: DueCall; failure: unknown }>): Promise<void> {
    const written: Array<Promise<void>> = [];
    for (const { call, failure } of some) {
      if (failure instanceof RuleClosed) this.report.closed.push(failure);
      const { row, timezone, rules } = call;
      if (failure instanceof RuleObjection) {
        this.report.objectionsTo.set(row.key, failure.objection);
      }
      if (concernsAll(failure)) this.fail(failure);
      const consequence = consequenceOf(failure, timezone, Date.now());
      // What was claimed lives in this execution only.
      if (consequence.kind !== 'maybe') await rules.giveBack();
      if (consequence.kind === 'maybe') written.push(row.notPlaced(failure, true));
      else if (consequence.kind === 'later') written.push(row.unplaced(consequence));
      else written.push(row.notPlaced(consequence.reason, false));
      if (consequence.kind === 'never' && failure instanceof CallingServiceError) {
        this.report.refused.push(failure.message);
      }
    }
    await Promise.all(written);
    this.failUnwritten(some.map(({ call }) => call.row));
  }

  /** A row that cannot be changed would be read again and again. */
  private failUnwritten(rows: RowToPlace[]): void {
    for (const { failure } of rows) if (failure !== undefined) this.fail(failure);
  }
}
