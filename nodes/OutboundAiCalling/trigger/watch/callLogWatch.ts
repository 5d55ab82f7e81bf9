import type { IDataObject } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import { LARGEST_PAGE, type Row } from '../../dataTables/dataTables';
import type { Places } from '../../callLog/places';
import { callKey } from '../../callLog/states';
import { isOfTestCall } from '../../callLog/loggedRequest';
import { outcomeIn } from '../../callLog/callState';
import { textIn } from '../../callLog/cells';
import type { CallingService } from '../../service/callingService';
import { CallingServiceError } from '../../service/failure';
import type { Outcome } from '../../service/outcome';
import { readGivenUp } from '../givingUp';
import { isHopeless } from '../lookResult';
import { SHORTEST_INTERVAL_MS } from '../schedule';
import { handOversOf, type HandOvers } from './handOvers';
import {
  invalidEnd,
  LoggedOpenCalls,
  openCallOf,
  type LoggedCall,
  type LoggedEnd,
} from './loggedOpenCalls';
import type { EndedCall, OpenCall, TriggerKey, Watch } from './watch';

/** An end whose outcome cannot be read is tried again so long; then the row itself must do. */
const READ_AGAIN_FOR_MS = 15 * 60_000;
/** Within a poll, rows of other processes become visible so late at most. */
const VISIBLE_WITHIN_MS = 15_000;

/**
 * The calls of a call log. Whoever polls first looks at a call and writes its end into the log; each
 * trigger hands over the ends that come after its own place in the log.
 */
export class CallLogWatch implements Watch {
  /** From where the ends of others are read on. */
  private readFrom: number | undefined;
  /** All ends are read; not before then again. */
  private readAgainAt = 0;
  private isReading = false;

  private constructor(
    private readonly log: CallLog,
    private readonly handOvers: HandOvers,
    private readonly service: Pick<CallingService, 'readOutcome'>,
    private readonly openCalls: LoggedOpenCalls,
    /** Ends that this poll has written. */
    private readonly found: LoggedEnd[],
  ) {
    handOvers.readUntil(handOvers.from);
  }

  /** @param lookUntil when the poll's last look begins */
  static async open(
    log: CallLog,
    places: Places,
    {
      trigger,
      service,
      lookUntil,
    }: {
      trigger: TriggerKey;
      service: Pick<CallingService, 'readOutcome'>;
      lookUntil: number;
    },
  ): Promise<CallLogWatch> {
    const handOvers = await handOversOf(`${log.tableId} ${log.account} ${trigger}`, places);
    const found: LoggedEnd[] = [];
    const openCalls = await LoggedOpenCalls.open(log, lookUntil, (ends) => found.push(...ends));
    return new CallLogWatch(log, handOvers, service, openCalls, found);
  }

  async takeDue(now: number, limit: number): Promise<OpenCall[]> {
    return await this.openCalls.takeDue(now, limit);
  }

  putBack(call: OpenCall): void {
    this.openCalls.putBack(call);
  }

  async recordEnds(ended: EndedCall[]): Promise<void> {
    await this.openCalls.recordEnds(ended);
  }

  async takeEnds(): Promise<EndedCall[]> {
    const found = this.found.splice(0);
    const others = await this.endsOfOthers(new Set(found.map(({ key }) => key)));
    // What has left the window meanwhile was handed over.
    const unsure = others?.ends.filter(({ writtenAt }) => writtenAt >= this.handOvers.from) ?? [];
    const taken = this.handOvers.take([...found, ...unsure]);
    // Not before they are taken: the place must not move past them.
    if (others !== undefined) this.handOvers.readUntil(others.readUntil);
    return await this.knowingAttempts(await this.withoutTestCalls(taken));
  }

  /** Ends of test calls count as handed over: nothing that happens to real orders follows from them. */
  private async withoutTestCalls(taken: LoggedEnd[]): Promise<LoggedEnd[]> {
    const isTest = ({ call }: LoggedEnd) => isOfTestCall((call as LoggedCall).row);
    const tests = taken.filter(isTest);
    if (tests.length > 0) await this.handOvers.done(tests);
    return taken.filter((end) => !isTest(end));
  }

  /** What follows an end may have been cancelled since it was written. */
  private async knowingAttempts(taken: LoggedEnd[]): Promise<LoggedEnd[]> {
    const rows = taken.map(({ call }) => (call as LoggedCall).row);
    const last = await this.log.notFollowed(rows).catch(async (error: unknown) => {
      await this.handOvers.undone(taken);
      throw error;
    });
    return taken.map((end) =>
      last.has(end.key) ? { ...end, call: { ...end.call, retry: undefined } } : end,
    );
  }

  handingOver(): void {}

  async handedOver(ended: EndedCall[]): Promise<void> {
    await this.handOvers.done(ended as LoggedEnd[]);
  }

  async notHandedOver(ended: EndedCall[]): Promise<void> {
    await this.handOvers.undone(ended as LoggedEnd[]);
  }

  nextDueAt(): number | undefined {
    return this.openCalls.nextDueAt();
  }

  async close(): Promise<void> {
    await this.openCalls.close();
  }

  /**
   * Ends in the log that this trigger has not handed over, whoever wrote them: a page of them, so that
   * a trigger that was away for long begins to hand over at once.
   *
   * @returns undefined when it is not the time to read
   */
  private async endsOfOthers(
    known: Set<string>,
  ): Promise<{ ends: LoggedEnd[]; readUntil: number } | undefined> {
    const now = Date.now();
    if (this.isReading || now < this.readAgainAt) return undefined;
    this.isReading = true;
    try {
      for (;;) {
        const from = this.readFrom ?? this.handOvers.from;
        const page = await this.log.endsFrom(from);
        const last = Number(page.at(-1)?.runAt ?? from);
        const isLastPage = page.length < LARGEST_PAGE || last <= from;
        const rows = new Map(page.map((row) => [callKey(row), row]));
        const unseen = [...rows].filter(
          ([key, row]) =>
            !known.has(key) && this.handOvers.isNew({ key, writtenAt: Number(row.runAt) }),
        );
        const ends = await Promise.all(unseen.map(async ([, row]) => await this.endIn(row, now)));
        this.readFrom = isLastPage ? Math.max(now, last) - VISIBLE_WITHIN_MS : last;
        if (isLastPage) this.readAgainAt = now + SHORTEST_INTERVAL_MS;
        const readable = ends.filter((end) => end !== undefined);
        if (readable.length > 0 || isLastPage) {
          return { ends: readable, readUntil: isLastPage ? Infinity : last };
        }
      }
    } finally {
      this.isReading = false;
    }
  }

  /**
   * The end that a row tells. The transcript is not kept in the log, so the service is asked again;
   * when it no longer gives the outcome, what the row tells is handed over.
   *
   * @returns undefined when there is nothing to hand over now
   */
  private async endIn(row: Row, now: number): Promise<LoggedEnd | undefined> {
    const key = callKey(row);
    const writtenAt = Number(row.runAt);
    const isGivenUp = row.status === 'given_up';
    const call = openCallOf(row, now);
    if (call === undefined) {
      const ended = invalidEnd(row, now);
      const end = isGivenUp ? readGivenUp(textIn(row.lastError) ?? '') : ended.end;
      return { ...ended, end, key, writtenAt };
    }
    const logged = { call: { ...call, row }, key, writtenAt };
    if (isGivenUp) return { ...logged, end: readGivenUp(textIn(row.lastError) ?? '') };
    const reading = await this.service.readOutcome(call.orderId).catch((failure: unknown) => {
      if (!(failure instanceof CallingServiceError) || isHopeless(failure)) throw failure;
      return failure;
    });
    if ('finished' in reading && reading.finished) return { ...logged, end: { outcome: reading } };
    const isGone = 'kind' in reading && reading.kind === 'orderNotFound';
    const result = outcomeIn(row);
    const isHopedFor = !isGone && this.handOvers.postpone(logged, now) < READ_AGAIN_FOR_MS;
    const isOver = 'kind' in reading && reading.kind === 'cancelled';
    if (isHopedFor || isOver || result === undefined) return undefined;
    return { ...logged, end: { outcome: { finished: true, result, body: bodyOf(result) } } };
  }
}

/** Calls of the log for the editor, which takes no row and hands over nothing. */
export async function samplesIn(log: CallLog, limit: number): Promise<OpenCall[]> {
  const now = Date.now();
  return (await log.newestPlaced(limit)).flatMap((row) => openCallOf(row, now) ?? []);
}

/** As the service would give it, without a transcript. */
function bodyOf({ orderId, orderNumber, callStatus, callOutcome, ...more }: Outcome): IDataObject {
  const { callDurationSec, totalCallCost, summary } = more;
  const told = { orderId, orderNumber, callStatus, callDurationSec, callOutcome, totalCallCost };
  return { success: true, ...told, summary, transcript: [] };
}
