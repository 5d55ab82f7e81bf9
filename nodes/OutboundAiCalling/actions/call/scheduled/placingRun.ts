import type { IDataObject } from 'n8n-workflow';
import { Gathering } from '../../../callLog/gathering';
import type { ScheduledCall, ScheduledCalls } from '../../../callLog/scheduledCalls';
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
  calls: ScheduledCalls;
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

/** Rows that a killed execution has taken are due again so long after its time at most. */
const HELD_AFTER_MS = 60_000;
/** How often it is asked which channels others have freed, while calls wait for one. */
const ASK_FOR_CHANNELS_MS = 2_000;
/** How often it is asked what has become due, while nothing waits. */
const ASK_FOR_CALLS_MS = 5_000;
/** Channels that become free within this time are filled together. */
const GATHER_MS = 200;
/** What rules have said longer ago is asked anew: lists may have been changed. */
const ASKED_ANEW_MS = 60_000;
/** When none of the calls that were taken may be placed now, so many are taken at once. */
const MANY = 250;

interface PutBack {
  call: ScheduledCall;
  at: number;
  reason: string;
}

/**
 * Places the scheduled calls of a log that are due, the longest due first, and fills every channel as
 * soon as it is free.
 */
export class PlacingRun {
  private readonly report = new PlacingReport();
  private readonly underWay = new Set<Promise<void>>();
  /** Taken, and allowed when they were asked: their channels are not free yet. */
  private ready: Array<{ call: DueCall; askedAt: number }> = [];
  private isStopped = false;
  /** So many calls are taken at once at least. */
  private least = 0;
  private isAnyDue = true;
  private hasChanged = false;
  private wake: () => void = () => {};
  private readonly putBacks: Gathering<PutBack>;

  constructor(private readonly options: PlacingRunOptions) {
    const { calls } = options;
    this.putBacks = new Gathering(async (some) => await calls.putBack(some));
  }

  /** Never throws: what went wrong is in the report. */
  async run(): Promise<PlacingReport> {
    const { looking, fillUntil, cancelled, calls } = this.options;
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
    // What stays taken is due again by itself, only later.
    await calls.release().catch(() => {});
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
    const { calls, maxInProgress } = this.options;
    for (;;) {
      const open = await calls.countOpen(maxInProgress);
      const free = maxInProgress - open;
      this.report.isFull = free === 0;
      if (free === 0 || !this.mayBegin()) return false;
      const lacking = free - this.ready.length;
      const taken = lacking > 0 ? await this.takeMore(lacking) : 0;
      const begun = await this.begin(this.ready.splice(0, free));
      this.isAnyDue = lacking <= 0 || taken > 0;
      if (begun === free || !this.mayBegin()) return false;
      // Otherwise some of those that were taken may not be placed now, and others may.
      if (lacking > 0 && taken === 0) return open + begun === 0;
    }
  }

  /** Takes calls that are due and finds out which of them may be placed now. */
  private async takeMore(wanted: number): Promise<number> {
    const { calls, fillUntil } = this.options;
    const now = Date.now();
    const heldUntil = Math.max(now, fillUntil) + HELD_AFTER_MS;
    const taken = await calls.take(now, Math.max(wanted, this.least), heldUntil);
    const due: DueCall[] = [];
    const nonsense: Array<{ call: ScheduledCall; reason: string }> = [];
    for (const call of taken) {
      const reading = readDueCall(call);
      if ('rules' in reading) due.push(reading);
      else nonsense.push({ call, reason: `Nobody was called: ${reading.nonsense}` });
    }
    await calls.refuse(nonsense);
    const allowed = await this.allowedOf(due);
    this.ready.push(...allowed.map((call) => ({ call, askedAt: now })));
    this.least = taken.length > 0 && allowed.length === 0 ? MANY : 0;
    return taken.length;
  }

  /** Asks the rules before anything is sent: those that may be called now. */
  private async allowedOf(due: DueCall[]): Promise<DueCall[]> {
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
  private async begin(ready: PlacingRun['ready']): Promise<number> {
    const isOld = ({ askedAt }: { askedAt: number }) => Date.now() - askedAt > ASKED_ANEW_MS;
    const asked = ready.filter((one) => !isOld(one)).map(({ call }) => call);
    const anew = await this.allowedOf(ready.filter(isOld).map(({ call }) => call));
    const some = [...anew, ...asked];
    if (some.length === 0 || !this.mayBegin()) return 0;
    const admitted = await this.unlessRefused(some, async ({ rules }) => await rules.admit());
    const rows = await this.options.calls.markPlacing(admitted.map(({ row }) => row));
    const isOurs = new Set(rows);
    const ours = admitted.filter(({ row }) => isOurs.has(row));
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
    else this.report.placed.push(await placed(call, read));
  }

  private async settleUnplaced(some: Array<{ call: DueCall; failure: unknown }>): Promise<void> {
    const { calls } = this.options;
    const later: PutBack[] = [];
    const never: Array<{ call: ScheduledCall; reason: string }> = [];
    const maybe: Array<{ row: ScheduledCall; failure: unknown }> = [];
    for (const { call, failure } of some) {
      if (failure instanceof RuleObjection) this.report.objections.push(failure.objection);
      if (failure instanceof RuleClosed) this.report.closed.push(failure);
      if (concernsAll(failure)) this.fail(failure);
      const { row, timezone, rules } = call;
      const consequence = consequenceOf(failure, timezone, Date.now());
      if (consequence.kind === 'maybe') maybe.push({ row, failure });
      // What was claimed lives in this execution only.
      else await rules.giveBack();
      if (consequence.kind === 'later') {
        const { at, reason } = consequence;
        later.push({ call: row, at, reason });
      }
      if (consequence.kind !== 'never') continue;
      never.push({ call: row, reason: consequence.reason });
      if (failure instanceof CallingServiceError) this.report.refused.push(failure.message);
    }
    await Promise.all([
      Promise.all(later.map(async (one) => await this.putBacks.add(one))),
      calls.refuse(never),
      ...maybe.map(async ({ row, failure }) => await row.notPlaced(failure, true)),
    ]);
  }
}
