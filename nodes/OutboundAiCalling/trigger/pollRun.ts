import pLimit from 'p-limit';
import type { IDataObject } from 'n8n-workflow';
import type { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { pause } from '../service/pause';
import { SHORTEST_INTERVAL_MS } from './schedule';
import { judge } from './lookResult';
import type { Ending, WatchedCall, Watchlist } from './watch/watch';
import { eventItem, type FinalVerdict } from './outcomeItem';
import type { TriggerSettings } from './settings';

export interface PatrolOptions {
  service: Pick<CallingService, 'readOutcome'>;
  watchlist: Watchlist;
  settings: TriggerSettings;
  /** No look begins after it, in milliseconds since 1970. */
  lookUntil: number;
  /** Publishing takes one round, not a wait. */
  oneRound: boolean;
  /** Starts an execution; resolves to whether n8n has taken the items. */
  handOver(items: IDataObject[]): Promise<boolean>;
  /** Whether a newer poll of the same trigger has taken over. */
  isSuperseded(): boolean;
}

/** How a poll went. */
export interface PatrolReport {
  looks: number;
  failed: number;
  /** What the last failed look failed with. */
  lastError: string | undefined;
  /** Set when no look can succeed before a person does something. */
  hopeless: CallingServiceError | undefined;
  /** An answer that was not the calling service's. */
  oddAnswer: CallingServiceError | undefined;
}

/** So many calls are taken from the watchlist at once. */
const BATCH = 100;
/** Outcomes found within this time go into one execution. */
const GATHER_MS = 150;
/** A round does not wait longer for the looks of the round before. */
const LONGEST_WAIT_FOR_BATCH_MS = SHORTEST_INTERVAL_MS;
/** So many notes about calls are written at once. */
const WRITES_AT_ONCE = 10;

interface Ended {
  call: WatchedCall;
  verdict: FinalVerdict;
}

/** One poll: looks at what is due, hands over what has ended, and leaves the rest to the next. */
export class Patrol {
  private readonly report: PatrolReport = {
    looks: 0,
    failed: 0,
    lastError: undefined,
    hopeless: undefined,
    oddAnswer: undefined,
  };
  private readonly underWay = new Set<Promise<void>>();
  private readonly writes = pLimit(WRITES_AT_ONCE);
  private found: Ended[] = [];
  /** What went wrong while something was noted; told when all else is done. */
  private noteFailure: unknown;

  constructor(private readonly options: PatrolOptions) {}

  /** @throws what the watchlist throws */
  async run(): Promise<PatrolReport> {
    try {
      await this.lookInRounds();
    } finally {
      while (this.underWay.size > 0) await Promise.all(this.underWay);
      await this.options.watchlist.close();
    }
    if (this.noteFailure !== undefined) throw this.noteFailure;
    return this.report;
  }

  private async lookInRounds(): Promise<void> {
    const { watchlist, settings, oneRound, lookUntil } = this.options;
    for (;;) {
      const startedAt = Date.now();
      if (this.isOver(startedAt)) return;
      const calls = await watchlist.take(startedAt, BATCH);
      const looks = calls.map((call) => this.follow(this.look(call, startedAt)));
      await Promise.race([Promise.all(looks), pause(LONGEST_WAIT_FOR_BATCH_MS)]);
      if (oneRound) return;
      if (calls.length === BATCH) continue;
      if (!settings.fastChecks) return;
      const isExpecting = this.underWay.size > 0 || (watchlist.nextDueAt() ?? Infinity) < lookUntil;
      if (!isExpecting || this.isOver(Date.now())) return;
      const nextRound = Math.min(startedAt + SHORTEST_INTERVAL_MS, lookUntil);
      await pause(Math.max(0, nextRound - Date.now()));
    }
  }

  private isOver(now: number): boolean {
    const { lookUntil, isSuperseded } = this.options;
    return now >= lookUntil || this.report.hopeless !== undefined || isSuperseded();
  }

  /** Remembers work that the poll has to see through. */
  private follow(work: Promise<void>): Promise<void> {
    const followed = work
      .catch((failure: unknown) => {
        this.noteFailure ??= failure;
      })
      .finally(() => this.underWay.delete(followed));
    this.underWay.add(followed);
    return followed;
  }

  private async look(call: WatchedCall, lookedAt: number): Promise<void> {
    const { service, watchlist, settings } = this.options;
    if (this.isOver(Date.now())) return watchlist.putBack(call);
    const result = await service
      .readOutcome(call.orderId)
      .catch((failure: unknown) =>
        failure instanceof CallingServiceError ? failure : Promise.reject(failure),
      );
    const { giveUpAfterMs } = settings;
    const verdict = judge(call, result, { lookedAt, giveUpAfterMs });
    switch (verdict.kind) {
      case 'ended':
      case 'givenUp':
        this.report.looks++;
        return await this.end({ call, verdict });
      case 'failed':
        this.report.failed++;
        this.report.lastError = verdict.failure.message;
        if (verdict.failure.kind === 'notTheService') this.report.oddAnswer = verdict.failure;
        // Not in this poll again: its time belongs to calls that can be looked at.
        return watchlist.putBack({
          ...verdict.call,
          nextLookAt: Math.max(verdict.call.nextLookAt, this.options.lookUntil + 1),
        });
      case 'open':
        this.report.looks++;
        return watchlist.putBack(verdict.call);
      case 'hopeless':
        this.report.hopeless = verdict.failure;
        return watchlist.putBack(call);
      case 'notLooked':
        return watchlist.putBack(call);
    }
  }

  private async end(ended: Ended): Promise<void> {
    const item = eventItem(ended.call, ended.verdict, this.options.settings);
    if (item === undefined) return await this.settle(ended);
    this.found.push(ended);
    // The first one waits a moment for others and hands over for them too.
    if (this.found.length > 1) return;
    await pause(GATHER_MS);
    await this.handOver(this.found.splice(0));
  }

  private async handOver(ended: Ended[]): Promise<void> {
    const { watchlist, settings, handOver } = this.options;
    const items = ended
      .map(({ call, verdict }) => eventItem(call, verdict, settings))
      .filter((item) => item !== undefined);
    watchlist.leaving(ended.map(({ call }) => call));
    if (await handOver(items)) {
      await Promise.all(ended.map(async (one) => await this.settle(one)));
      return;
    }
    const nextLookAt = this.options.lookUntil + 1;
    for (const { call } of ended) watchlist.putBack({ ...call, nextLookAt });
    this.report.failed += ended.length;
    this.report.lastError = 'n8n did not start the execution';
  }

  private async settle({ call, verdict }: Ended): Promise<void> {
    const ending: Ending =
      verdict.kind === 'ended' ? { outcome: verdict.reading.result } : { givenUp: verdict.givenUp };
    const looks = call.looks + 1;
    await this.writes(async () => await this.options.watchlist.settle({ ...call, looks }, ending));
  }
}
