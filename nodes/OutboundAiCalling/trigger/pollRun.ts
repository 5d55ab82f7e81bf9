import type { IDataObject } from 'n8n-workflow';
import { CallingServiceError } from '../service/failure';
import { labelOfEnd } from '../service/outcome';
import { pause } from '../http/pause';
import { Gathering } from '../gathering';
import { isBlocking, resultOfLook } from './lookResult';
import type { OutcomeReader, ReadOutcome } from './outcomeReader';
import { SHORTEST_INTERVAL_MS } from './lookTimes';
import type { EndedCall, EndSource, OpenCall, OpenCallSource } from './watch/watch';

export interface HandingOver {
  source: EndSource;
  /** The item for an end; undefined when the person does not want this end. */
  itemOf(ended: EndedCall): IDataObject | undefined;
  /** As `handOver` in `handOver.ts`. */
  handOver(items: IDataObject[], refusedLate: () => Promise<void>): Promise<boolean>;
  /** Reports that the result of a hand-over could not be stored, also after the poll. */
  failedLate(failure: unknown): void;
}

export interface PollRunOptions {
  reader: OutcomeReader;
  calls: OpenCallSource;
  /** How the ends of the calls are handed over; undefined when the run only records them. */
  ends?: HandingOver;
  /** Whether the poll looks again after its first round. */
  fastChecks: boolean;
  /** How long to wait for an outcome; longer than the trigger's own setting when another one waits longer. */
  giveUpAfterMs: number;
  /** No look begins after this time, in milliseconds since 1970. */
  lookUntil: number;
  /** Ends the looks when it is aborted. Unlike the clock, it cannot be set back. */
  signal: AbortSignal;
  /** Whether to return after one round of looks, as publishing does. */
  oneRound: boolean;
  /** Whether a newer poll of the same trigger has taken over. */
  isSuperseded(): boolean;
}

export class PollReport {
  looks = 0;
  failed = 0;
  lastError: string | undefined;
  /** How many ends n8n has refused; they are handed over again. */
  refusedHandOvers = 0;
  /** The outcomes that came, also of those that the person does not want. */
  readonly outcomes = new Set<string>();
  /** Set when no look can succeed before a person does something. */
  blocked: CallingServiceError | undefined;
  /** The last answer that did not come from the calling service. */
  foreignAnswer: CallingServiceError | undefined;
}

/** At most this many calls are taken from the watch at once. */
const BATCH = 100;
/** Ends found within this time are written, and handed over, together. */
const GATHER_MS = 150;
/** The poll waits at most this long for n8n to take or refuse a hand-over. */
const WAIT_FOR_N8N_MS = 5_000;
/** The poll waits for n8n at most this long after `lookUntil`, because the next poll is near. */
const WAIT_AT_END_MS = 2_000;
/** The first rest is short: calls that the previous poll looked at last are due soon. */
const FIRST_REST_MS = 500;
/** A round waits at most this long for its looks. Then the next one begins. */
const LONGEST_WAIT_FOR_BATCH_MS = SHORTEST_INTERVAL_MS;

/** One poll. It looks at due calls, hands over the ends, and puts the other calls back. */
export class PollRun {
  private readonly report = new PollReport();
  private readonly underWay = new Set<Promise<void>>();
  /** Writes ends, one write at a time. A slow n8n gets fewer writes. */
  private readonly writing = new Gathering<EndedCall>(
    async (ends) =>
      await this.options.calls.recordEnds(ends).finally(() => {
        void this.follow(this.handOverEnds());
      }),
    GATHER_MS,
  );
  /** The first failure to write; it is thrown after all work is done. */
  private writeFailure: unknown;

  private readonly readOutcome: ReadOutcome;

  constructor(private readonly options: PollRunOptions) {
    this.readOutcome = options.reader.lane();
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
    const { calls: source, reader, fastChecks, oneRound } = this.options;
    for (let restMs = FIRST_REST_MS; ; restMs = SHORTEST_INTERVAL_MS) {
      const startedAt = Date.now();
      if (this.isOver(startedAt)) return;
      void this.follow(this.handOverEnds());
      const calls = reader.quietUntil > startedAt ? [] : await source.lockDue(startedAt, BATCH);
      const looks = calls.map((call) => this.follow(this.look(call, startedAt)));
      await Promise.race([Promise.all(looks), pause(LONGEST_WAIT_FOR_BATCH_MS)]);
      if (oneRound) return;
      if (calls.length >= BATCH) continue;
      if (!fastChecks || !(await this.rest(startedAt, restMs))) return;
    }
  }

  /** Waits for the next round, and returns whether there is one. */
  private async rest(startedAt: number, restMs: number): Promise<boolean> {
    const { calls: source, reader, lookUntil, signal } = this.options;
    const nextDueAt = Math.max(source.nextDueAt(), reader.quietUntil);
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
      now >= lookUntil || signal.aborted || this.report.blocked !== undefined || isSuperseded()
    );
  }

  /** Registers work that must be done before the poll ends. */
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
    const { calls, giveUpAfterMs, lookUntil } = this.options;
    const given = await this.readOutcome(call.orderId, () => !this.isOver(Date.now()));
    if (given === undefined) return calls.putBack(call);
    if (given instanceof CallingServiceError && isBlocking(given) && this.report.looks === 0) {
      this.report.blocked = given;
      return calls.putBack(call);
    }
    const result = resultOfLook(call, given, { lookedAt, giveUpAfterMs });
    switch (result.kind) {
      case 'ended':
        this.noteLook();
        void this.follow(
          this.writing.add({ call: { ...call, checks: call.checks + 1 }, end: result.end }),
        );
        return;
      case 'failed': {
        const { failure } = result;
        this.report.failed++;
        this.report.lastError = failure.message;
        if (failure.kind === 'notTheService') this.report.foreignAnswer = failure;
        // Do not look again in this poll: its time is for calls that can be looked at.
        const nextCheckAt = Math.max(result.call.nextCheckAt, lookUntil + 1);
        return calls.putBack({ ...result.call, nextCheckAt });
      }
      case 'open':
        this.noteLook();
        return calls.putBack(result.call);
      case 'notLooked':
        return calls.putBack(call);
    }
  }

  /** Notes a look that has succeeded: what has refused another one concerns its call alone. */
  private noteLook(): void {
    this.report.looks++;
    this.report.blocked = undefined;
  }

  /** Hands over all ends that this trigger has not handed over yet, also those that others recorded. */
  private async handOverEnds(): Promise<void> {
    const { ends } = this.options;
    if (ends === undefined) return;
    do {
      const taken = await ends.source.nextEnds();
      if (taken.length === 0) return;
      await this.handOverSome(taken, ends);
    } while (!this.isOver(Date.now()));
  }

  private async handOverSome(ends: EndedCall[], over: HandingOver): Promise<void> {
    const items = new Map<EndedCall, IDataObject>();
    for (const ended of ends) {
      const { end } = ended;
      if ('outcome' in end) this.report.outcomes.add(labelOfEnd(end.outcome.result));
      const item = over.itemOf(ended);
      if (item !== undefined) items.set(ended, item);
    }
    if (items.size > 0) await this.handOverWanted([...items.keys()], [...items.values()], over);
    const unwanted = ends.filter((ended) => !items.has(ended));
    // Do this last: if it failed first, the wanted ends would stay taken and never be handed over.
    if (unwanted.length > 0) await over.source.handedOver(unwanted);
  }

  private async handOverWanted(
    wanted: EndedCall[],
    items: IDataObject[],
    { source, handOver, failedLate }: HandingOver,
  ): Promise<void> {
    source.handingOver?.(wanted);
    const refused = async () => await source.notHandedOver(wanted);
    const settled = handOver(items, refused).then(async (isTaken) => {
      if (isTaken) return await source.handedOver(wanted);
      this.report.refusedHandOvers += wanted.length;
      await refused();
    });
    // n8n may answer after the poll. Its answer is recorded even then.
    settled.catch(failedLate);
    const left = this.options.lookUntil + WAIT_AT_END_MS - Date.now();
    await Promise.race([settled, pause(Math.min(WAIT_FOR_N8N_MS, Math.max(0, left)))]);
  }
}
