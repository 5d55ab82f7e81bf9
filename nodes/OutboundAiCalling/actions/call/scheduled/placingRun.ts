import { errorMessage, NOBODY_CALLED } from '../../../nodeError';
import type { CallLog } from '../../../callLog/callLog';
import type { Lock } from '../../../callLog/lock';
import type { DueRow, DueRows } from '../../../callLog/placing/dueRows';
import type { PlacingRows } from '../../../callLog/placing/placingRows';
import type { RowToPlace } from '../../../callLog/placing/rowToPlace';
import { RuleClosed, RuleObjection, RuleUndecided, type RuleExecution } from '../../../rules/rule';
import { sentBody, type CallRequest, type PlacedCall } from '../../../service/callingService';
import { CallingServiceError, mayHaveBeenProcessed } from '../../../service/failure';
import { lookAtOpenCalls } from '../../../trigger/lookAtOpenCalls';
import type { OutcomeReader } from '../../../trigger/outcomeReader';
import { LARGEST_PAGE } from '../../../dataTables/dataTables';
import { inStretches } from '../../../collections';
import { defined } from '../../../http/json';
import { pause } from '../../../http/pause';
import { NotBegun } from '../../stopping';
import type { OperationExecution } from '../../execution';
import { askBeforeRequest, giveBack, ruleExecution } from '../askingRules';
import { placedItem, type PlaceScheduledOutput } from '../callOutput';
import { noteForTriggers } from '../noteForTriggers';
import { notePause } from './askedPause';
import {
  concernsAll,
  consequenceOf,
  failureInRows,
  pauseAskedFor,
  refusalOfScript,
  whyHeldUp,
} from './consequence';
import { isTheirTurn, readDueCall, type DueCall } from './dueCall';
import { PlacingReport } from './placingReport';
import { reasonToWait } from './reasonToWait';
import { noteAccepted, noteRefused, refusalsIn } from './refusedCalls';

export interface PlacingRunOptions {
  log: CallLog;
  lock: Lock;
  due: DueRows;
  rows: PlacingRows;
  looks: { reader: OutcomeReader; giveUpAfterMs: number };
  /** When to stop filling channels, in milliseconds since 1970; now or earlier for one round. */
  fillUntil: number;
  /** At most this many calls of the account are open at a time. */
  maxInProgress: number;
  /** The time from placing a call to the first look at it, in milliseconds. */
  firstCheckAfterMs: number;
}

/** How often to count free channels while calls wait for one. */
const ASK_FOR_CHANNELS_MS = 2_000;
/** How often to look for due calls while none waits. */
const ASK_FOR_CALLS_MS = 5_000;
/** Channels that become free within this time are filled together. */
const GATHER_MS = 200;
/** In a single round, no look at an open call begins later than this. */
const ROUND_MS = 10_000;
/** How many calls to read next when none of those just read may be placed now. */
const MANY = LARGEST_PAGE;

/** Places the due calls of a log, the longest due first, each as soon as a channel is free. */
export class PlacingRun {
  private readonly report = new PlacingReport();
  private readonly underWay = new Set<Promise<void>>();
  /** Calls that are marked, and whose results are not written yet. */
  private readonly sending = new Set<Promise<void>>();
  private readonly isOneRound: boolean;
  private isStopped = false;
  /** At least this many calls are read at once. */
  private least = 0;
  private isAnyDue = true;
  /** Whether the service has accepted a call in this run, or the last calls before. */
  private isTrusted = false;
  private hasChanged = false;
  /** By script ID: why the service calls nobody by it. */
  private readonly refusedScripts = new Map<number, CallingServiceError>();
  private wake: () => void = () => {};
  /** The rules of all calls share it. */
  private readonly rules: RuleExecution;

  constructor(
    private readonly execution: OperationExecution,
    private readonly options: PlacingRunOptions,
  ) {
    this.rules = ruleExecution(execution, options.log);
    this.isOneRound = options.fillUntil <= Date.now();
  }

  /** Never throws: the report has the failures. */
  async run(): Promise<PlacingReport> {
    const { due, rows } = this.options;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.execution.cancelled]);
    try {
      if (this.isOneRound) {
        await this.look(signal);
        await this.fill();
      } else {
        void this.follow(this.look(signal));
        await this.fillOn(signal);
      }
    } catch (failure) {
      this.fail(failure);
    }
    over.abort();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    // A row that still said `placing` would count as a call that may have been placed.
    await rows.putBackUnsent().catch(() => {});
    this.report.unreadable.push(...due.ended);
    return this.report;
  }

  /** Looks at open calls, once or until `signal` is aborted. A call that has ended leaves a channel free. */
  private async look(signal: AbortSignal): Promise<void> {
    const { log, looks, fillUntil } = this.options;
    const oneRound = this.isOneRound;
    do {
      const forMs = oneRound ? ROUND_MS : fillUntil - Date.now();
      const options = { ...looks, forMs, signal, oneRound };
      const { blocked } = await lookAtOpenCalls(log, () => this.tellChange(), options);
      if (blocked !== undefined) throw blocked;
    } while (!oneRound && !signal.aborted && Date.now() < fillUntil);
  }

  private async fillOn(signal: AbortSignal): Promise<void> {
    const { fillUntil } = this.options;
    while (!this.isOver()) {
      this.hasChanged = false;
      const isIdle = await this.fill();
      // Only the looks are still under way.
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
    const { cancelled } = this.execution;
    return this.isStopped || cancelled.aborted || Date.now() >= this.options.fillUntil;
  }

  private tellChange(): void {
    this.hasChanged = true;
    this.wake();
  }

  /** Adds work that the run awaits before it ends. */
  private follow(work: Promise<void>): Promise<void> {
    const followed = work
      .catch((failure: unknown) => this.fail(failure))
      .finally(() => {
        this.underWay.delete(followed);
        this.tellChange();
      });
    this.underWay.add(followed);
    return followed;
  }

  /** Records a failure that concerns all calls; the run begins no more calls. */
  private fail(failure: unknown): void {
    this.report.failures.push(failure);
    this.isStopped = true;
  }

  private mayBegin(): boolean {
    return !this.isStopped && !this.execution.cancelled.aborted && this.options.lock.isHeld;
  }

  /** Fills the free channels while calls are due. Returns whether none is due and none is open. */
  private async fill(): Promise<boolean> {
    const { due, maxInProgress } = this.options;
    const { concurrency } = this.execution;
    for (;;) {
      // Rows are read and marked for several calls at once.
      if (this.sending.size > concurrency) {
        await Promise.race(this.sending);
        if (this.isOneRound || !this.isOver()) continue;
        return false;
      }
      const { count: open, people } = await due.underWay(maxInProgress);
      const channels = maxInProgress - open;
      Object.assign(this.report, { isFull: channels === 0, isAnyOpen: open > 0 });
      if (channels === 0 || !this.mayBegin()) return false;
      // A row that is marked long before its turn cannot be edited, and is in doubt when n8n dies.
      const free = Math.min(channels, 2 * concurrency - this.sending.size);
      const asked = Math.max(free, this.least);
      const read = await due.read(Date.now(), asked, people);
      const calls = await this.callsOf(read);
      const turns = calls.filter(isTheirTurn(people));
      const allowed = await this.allowedOf(turns);
      this.least = read.length > 0 && allowed.length === 0 ? MANY : 0;
      this.isAnyDue = read.length > 0;
      if (allowed.length > 0 && !(await this.trustsService())) {
        await Promise.all(await this.begin(allowed.slice(0, 1)));
        continue;
      }
      // The others are read again when channels are free.
      const begun = (await this.begin(allowed.slice(0, free))).length;
      if (begun === channels || !this.mayBegin()) return false;
      const doAllWait = calls.length > 0 && turns.length === 0 && calls.length === read.length;
      if (doAllWait && (read.length < asked || asked >= MANY)) return false;
      // Read again: some of the calls were held back, and other due calls may be allowed.
      if (read.length === 0) return open + begun === 0;
    }
  }

  /** Reads the calls of rows that are due. A row that cannot be read ends. */
  private async callsOf(read: DueRow[]): Promise<DueCall[]> {
    const due: DueCall[] = [];
    const readings = read.map(async (one) => {
      const call = readDueCall(one);
      if ('rules' in call) return void due.push(call);
      this.report.unreadable.push(call.nonsense);
      const reason = `${NOBODY_CALLED}: ${call.nonsense}`;
      await one.row.writeNotPlaced({ kind: 'never', reason });
    });
    await Promise.all(readings);
    this.failUnwritten(read.map(({ row }) => row));
    return due;
  }

  /** Asks the rules, sends nothing, and returns the calls that may be placed now. */
  private async allowedOf(due: DueCall[]): Promise<DueCall[]> {
    return await this.unlessRefused(due, async ({ request, rules }) => {
      this.throwIfRefused(request);
      await rules.open(this.rules).catch((failure: unknown) => {
        throw new RuleClosed(failure);
      });
      await rules.ask();
    });
  }

  /** Settles the calls for which `ask` fails, and returns the others. */
  private async unlessRefused(
    due: DueCall[],
    ask: (call: DueCall) => Promise<void>,
  ): Promise<DueCall[]> {
    const asked = await Promise.allSettled(due.map(ask));
    const failed = due.flatMap((call, index) => {
      const answer = asked[index];
      if (answer?.status !== 'rejected') return [];
      const why: unknown = answer.reason;
      return { call, failure: mayHaveBeenProcessed(why) ? new RuleUndecided(why) : why };
    });
    await this.settleUnplaced(failed);
    return due.filter((_, index) => asked[index]?.status === 'fulfilled');
  }

  /** Whether calls may begin side by side. After doubts or refusals, the next one goes alone: all may be lost. */
  private async trustsService(): Promise<boolean> {
    if (this.isTrusted) return true;
    const { log, maxInProgress } = this.options;
    const timezone = this.execution.context.getTimezone();
    const found = await reasonToWait(log, maxInProgress, timezone);
    this.isTrusted = found === undefined;
    if (found?.isTooSoon === true) this.fail(found.why);
    return this.isTrusted;
  }

  /** @returns the calls that were begun; each is settled when its promise is */
  private async begin(some: DueCall[]): Promise<Array<Promise<void>>> {
    if (some.length === 0 || !this.mayBegin()) return [];
    const begun: Array<Promise<void>> = [];
    // A call without caps is in the log before the next one with caps is counted.
    for (const alike of inStretches(some, ({ rules }) => rules.doCount)) {
      const admitted = await this.unlessRefused(alike, async ({ rules }) => await rules.admit());
      await this.options.rows.mark(admitted.map(({ row }) => row));
      for (const call of admitted.filter(({ row }) => row.isMarked)) {
        const placing = this.follow(this.place(call)).finally(() => this.sending.delete(placing));
        this.sending.add(placing);
        begun.push(placing);
      }
    }
    return begun;
  }

  /** Places a call. It sends nothing once others may count the row as given up. */
  private async place(call: DueCall): Promise<void> {
    const { service, memory } = this.execution;
    const throwIfStopped = () => {
      if (!this.mayBegin()) throw new NotBegun();
      this.throwIfRefused(call.request);
    };
    let tries = 0;
    const beforeEachTry = async () => {
      if (tries++ > 0) await this.throwIfTheyRing(call);
      await askBeforeRequest(call, throwIfStopped);
    };
    const { callId, attempt } = call.row;
    const effect = call.isTestCall ? 'testCall' : 'call';
    const read = await memory
      .fresh({ subject: ['scheduled', callId, attempt], content: '', effect })
      .once(async () => await service.triggerCall(call.request, beforeEachTry))
      .catch((failure: unknown) => ({ failure }));
    if ('failure' in read) await this.settleUnplaced([{ call, failure: read.failure }]);
    else {
      this.isTrusted = true;
      noteAccepted(this.options.log);
      this.report.forget(call.row.key);
      this.report.placed.push({ ...(await this.notePlaced(call, read.result)) });
    }
  }

  /** While the service had this call wait, others may have called the person: then it waits as before. */
  private async throwIfTheyRing(call: DueCall): Promise<void> {
    const { people } = await this.options.due.underWay(Infinity, call.row.key);
    if (!isTheirTurn(people)(call)) throw new NotBegun();
  }

  /** Notifies triggers of an accepted call, writes it into its row, and returns its item. */
  private async notePlaced(
    { row, request, stored, isTestCall }: DueCall,
    placed: PlacedCall,
  ): Promise<PlaceScheduledOutput> {
    const { orderId } = placed;
    const placedAt = Date.now();
    const { callId, attempt } = row;
    const details = { orderId, callId, placedAt, isTestCall, attempt, retry: stored.retry };
    noteForTriggers(request, details, this.execution);
    const lookAt = placedAt + this.options.firstCheckAfterMs;
    await row.writePlaced(orderId, placedAt, lookAt, request.customerPhone);
    const test = isTestCall ? { testCall: true as const } : {};
    const log = defined({ callLogError: row.problem });
    return { ...test, ...placedItem(request, placed), callId, attempt, ...log };
  }

  private async settleUnplaced(some: Array<{ call: DueCall; failure: unknown }>): Promise<void> {
    const written: Array<Promise<void>> = [];
    for (const { call, failure } of some) {
      const { row, timezone, rules } = call;
      this.report.forget(row.key);
      const why = whyHeldUp(failure);
      if (why !== undefined) this.report.heldUpBy.set(row.key, why);
      if (failure instanceof RuleObjection) {
        this.report.objectionsTo.set(row.key, failure.objection);
      }
      if (concernsAll(failure)) {
        this.fail(failure);
        notePause(this.options.log, pauseAskedFor(failure), errorMessage(failure));
      }
      this.noteScript(call, refusalOfScript(failure));
      const consequence = consequenceOf(failure, timezone, Date.now());
      // Claims live in this execution only. A call that may have been placed keeps them.
      if (consequence.kind !== 'maybe') await giveBack(rules, this.execution.context);
      if (consequence.kind === 'maybe') written.push(row.writeMaybePlaced(failure));
      else written.push(row.writeNotPlaced(consequence));
      if (consequence.kind === 'never' && failure instanceof CallingServiceError) {
        this.report.refused.push(failure.message);
        this.noteRefused(failure);
      }
    }
    await Promise.all(written);
    this.failUnwritten(some.map(({ call }) => call.row));
  }

  private noteRefused({ message }: CallingServiceError): void {
    const { log } = this.options;
    noteRefused(log, message);
    const found = refusalsIn(log, this.execution.context.getTimezone());
    if (found !== undefined && !this.isStopped) this.fail(found.why);
  }

  /** Records a failure that concerns the calls of one script, once. */
  private noteScript({ request: { scriptId } }: DueCall, failure?: CallingServiceError): void {
    if (failure === undefined || this.refusedScripts.has(scriptId)) return;
    this.refusedScripts.set(scriptId, failure);
    this.report.failures.push(failureInRows(failure, scriptId));
  }

  /** @throws what the service has said of the script of a call, when that concerns this call too */
  private throwIfRefused(request: CallRequest): void {
    const refused = this.refusedScripts.get(request.scriptId);
    if (refused === undefined) return;
    const { missingVariables } = refused;
    const sent = sentBody(request);
    const isAlike =
      missingVariables.length === 0 || missingVariables.some((name) => !Object.hasOwn(sent, name));
    if (isAlike) throw refused;
  }

  /** Stops the run when a row cannot be changed: it would be read again and again. */
  private failUnwritten(rows: RowToPlace[]): void {
    for (const { failure } of rows) if (failure !== undefined) this.fail(failure);
  }
}
