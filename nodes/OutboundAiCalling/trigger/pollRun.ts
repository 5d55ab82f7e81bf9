import pLimit, { type LimitFunction } from 'p-limit';
import type { IDataObject } from 'n8n-workflow';
import type { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { pause } from '../http/pause';
import { resultOfLook } from './lookResult';
import { SHORTEST_INTERVAL_MS } from './schedule';
import type { EndedCall, EndSource, OpenCall, OpenCallSource } from './watch/watch';

/** How the ends of calls are handed over to n8n. */
export interface HandingOver {
  source: EndSource;
  /** The item that an end is handed over as; undefined when nobody wants it. */
  itemOf(ended: EndedCall): IDataObject | undefined;
  /**
   * Starts an execution; resolves to whether n8n has taken the items. `refusedLate` is asked for
   * when it turns out later that n8n has not.
   */
  handOver(items: IDataObject[], refusedLate: () => Promise<void>): Promise<boolean>;
  /** Is told what could not be written down after the poll. */
  failedLate(failure: unknown): void;
}

export interface PollRunOptions {
  service: Pick<CallingService, 'readOutcome'>;
  /** The calls that are looked at. */
  calls: OpenCallSource;
  /** How their ends are handed over; undefined where nobody is given them. */
  ends?: HandingOver;
  /** Whether it keeps looking while calls are young. */
  fastChecks: boolean;
  /** How long calls are waited for; longer than the settings say when others wait longer. */
  giveUpAfterMs: number;
  /** No look begins after it, in milliseconds since 1970. */
  lookUntil: number;
  /** Is aborted then; unlike the clock it cannot be set back. */
  signal: AbortSignal;
  /** So many looks are under way at most; the others see first what these have met. */
  looksAtOnce: number;
  /** Publishing takes one round, not a wait. */
  oneRound: boolean;
  /** Whether a newer poll of the same trigger has taken over. */
  isSuperseded(): boolean;
}

/** How a poll went. */
export interface PollReport {
  looks: number;
  failed: number;
  /** What the last failed look failed with. */
  lastError: string | undefined;
  /** So many ends n8n has refused; they are handed over again. */
  refusedHandOvers: number;
  /** Set when no look can succeed before a person does something. */
  hopeless: CallingServiceError | undefined;
  /** An answer that was not the calling service's. */
  foreignAnswer: CallingServiceError | undefined;
}

/** So many calls are taken from the watch at once. */
const BATCH = 100;
/** Ends found within this time are written, and handed over, together. */
const GATHER_MS = 150;
/** The poll waits at most this long until n8n says whether it has taken what was handed over. */
const WAIT_FOR_N8N_MS = 5_000;
/** At its end it waits no longer than this: the next poll is near. */
const WAIT_AT_END_MS = 2_000;
/** What the poll before looked at last is due soon after the first round. */
const FIRST_REST_MS = 500;
/** A round does not wait longer for the looks of the round before. */
const LONGEST_WAIT_FOR_BATCH_MS = SHORTEST_INTERVAL_MS;

/** One poll: looks at what is due, hands over what has ended, and leaves the rest to the next. */
export class PollRun {
  private readonly report: PollReport = {
    looks: 0,
    failed: 0,
    lastError: undefined,
    refusedHandOvers: 0,
    hopeless: undefined,
    foreignAnswer: undefined,
  };
  private readonly underWay = new Set<Promise<void>>();
  private readonly limit: LimitFunction;
  /** Ends that are not written yet. */
  private readonly found: EndedCall[] = [];
  private isWriting = false;
  /** The service asked to be left alone until then. */
  private quietUntil = 0;
  /** What went wrong while something was written down; told when all else is done. */
  private writeFailure: unknown;

  constructor(private readonly options: PollRunOptions) {
    this.limit = pLimit(options.looksAtOnce);
  }

  /** @throws what the watch throws */
  async run(): Promise<PollReport> {
    try {
      await this.lookInRounds();
    } finally {
      while (this.underWay.size > 0) await Promise.all(this.underWay);
      await this.options.calls.close();
    }
    if (this.writeFailure !== undefined) throw this.writeFailure;
    return this.report;
  }

  private async lookInRounds(): Promise<void> {
    const { calls: source, fastChecks, oneRound } = this.options;
    for (let restMs = FIRST_REST_MS; ; restMs = SHORTEST_INTERVAL_MS) {
      const startedAt = Date.now();
      if (this.isOver(startedAt)) return;
      void this.follow(this.handOverEnds());
      const calls = this.quietUntil > startedAt ? [] : await source.takeDue(startedAt, BATCH);
      const looks = calls.map((call) =>
        this.follow(this.limit(async () => await this.look(call, startedAt))),
      );
      await Promise.race([Promise.all(looks), pause(LONGEST_WAIT_FOR_BATCH_MS)]);
      if (oneRound) return;
      if (calls.length >= BATCH) continue;
      if (!fastChecks || !(await this.rest(startedAt, restMs))) return;
    }
  }

  /** Waits for the next round; resolves to whether there is one. */
  private async rest(startedAt: number, restMs: number): Promise<boolean> {
    const { calls: source, lookUntil, signal } = this.options;
    const nextDueAt = Math.max(source.nextDueAt() ?? Infinity, this.quietUntil);
    const isExpecting = this.underWay.size > 0 || nextDueAt < lookUntil;
    if (this.isOver(Date.now()) || (source.rest === undefined && !isExpecting)) return false;
    const due = this.underWay.size > 0 ? startedAt : nextDueAt;
    const until = Math.min(Math.max(startedAt + restMs, due), lookUntil);
    if (source.rest === undefined) await pause(until - Date.now(), signal);
    else await source.rest(until, signal);
    return true;
  }

  private isOver(now: number): boolean {
    const { lookUntil, signal, isSuperseded } = this.options;
    return (
      now >= lookUntil || signal.aborted || this.report.hopeless !== undefined || isSuperseded()
    );
  }

  /** Remembers work that the poll has to see through. */
  private follow(work: Promise<void>): Promise<void> {
    const followed = work
      .catch((failure: unknown) => {
        this.writeFailure ??= failure;
      })
      .finally(() => this.underWay.delete(followed));
    this.underWay.add(followed);
    return followed;
  }

  private async look(call: OpenCall, lookedAt: number): Promise<void> {
    const { service, calls, giveUpAfterMs, lookUntil } = this.options;
    if (this.isOver(Date.now()) || this.quietUntil > Date.now()) return calls.putBack(call);
    const given = await service
      .readOutcome(call.orderId)
      .catch((failure: unknown) =>
        failure instanceof CallingServiceError ? failure : Promise.reject(failure),
      );
    const result = resultOfLook(call, given, { lookedAt, giveUpAfterMs });
    switch (result.kind) {
      case 'ended':
        this.report.looks++;
        return this.end({ call: { ...call, checks: call.checks + 1 }, end: result.end });
      case 'failed': {
        const { failure } = result;
        this.report.failed++;
        this.report.lastError = failure.message;
        if (failure.kind === 'notTheService') this.report.foreignAnswer = failure;
        if (failure.kind === 'rateLimited') this.keepQuiet(failure);
        // Not in this poll again: its time belongs to calls that can be looked at.
        const nextCheckAt = Math.max(result.call.nextCheckAt, lookUntil + 1);
        return calls.putBack({ ...result.call, nextCheckAt });
      }
      case 'open':
        this.report.looks++;
        return calls.putBack(result.call);
      case 'hopeless':
        this.report.hopeless = result.failure;
        return calls.putBack(call);
      case 'notLooked':
        return calls.putBack(call);
    }
  }

  /** A service that receives too many requests from one call's look does so from any. */
  private keepQuiet({ retryAfterSeconds = SHORTEST_INTERVAL_MS / 1000 }: CallingServiceError) {
    this.quietUntil = Math.max(this.quietUntil, Date.now() + retryAfterSeconds * 1000);
  }

  private end(ended: EndedCall): void {
    this.found.push(ended);
    if (!this.isWriting) void this.follow(this.writeEnds());
  }

  /** One write at a time, for what is found meanwhile too: the slower n8n is, the fewer they are. */
  private async writeEnds(): Promise<void> {
    this.isWriting = true;
    while (this.found.length > 0) {
      await pause(GATHER_MS);
      await this.options.calls.recordEnds(this.found.splice(0)).catch((failure: unknown) => {
        this.writeFailure ??= failure;
      });
      void this.follow(this.handOverEnds());
    }
    this.isWriting = false;
  }

  /** Hands over what this trigger has not handed over yet, whoever has found it. */
  private async handOverEnds(): Promise<void> {
    const { ends } = this.options;
    if (ends === undefined) return;
    do {
      const taken = await ends.source.takeEnds();
      if (taken.length === 0) return;
      await this.handOverSome(taken, ends);
    } while (!this.isOver(Date.now()));
  }

  private async handOverSome(ends: EndedCall[], over: HandingOver): Promise<void> {
    const { itemOf, source } = over;
    const isWanted = (ended: EndedCall) => itemOf(ended) !== undefined;
    const wanted = ends.filter(isWanted);
    const unwanted = ends.filter((ended) => !isWanted(ended));
    if (wanted.length > 0) await this.handOverWanted(wanted, over);
    // Not before: when it fails, the others would be taken and never handed over.
    if (unwanted.length > 0) await source.handedOver(unwanted);
  }

  private async handOverWanted(
    wanted: EndedCall[],
    { source, itemOf, handOver, failedLate }: HandingOver,
  ): Promise<void> {
    source.handingOver(wanted);
    const refused = async () => await source.notHandedOver(wanted);
    const fired = wanted.map(itemOf);
    const items = fired.filter((item) => item !== undefined);
    const settled = handOver(items, refused).then(async (isTaken) => {
      if (isTaken) return await source.handedOver(wanted);
      this.report.refusedHandOvers += wanted.length;
      await refused();
    });
    // n8n may take longer than the poll lasts; what it says then still counts.
    settled.catch(failedLate);
    const left = this.options.lookUntil + WAIT_AT_END_MS - Date.now();
    await Promise.race([settled, pause(Math.min(WAIT_FOR_N8N_MS, Math.max(0, left)))]);
  }
}
