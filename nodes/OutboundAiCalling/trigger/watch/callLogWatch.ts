import pLimit from 'p-limit';
import { MINUTE_MS } from '../../clocks';
import type { CallLog } from '../../callLog/callLog';
import { outcomeIn } from '../../callLog/rowFacts';
import { textIn, timeIn, VISIBLE_WITHIN_MS } from '../../callLog/table/cells';
import { bodyLike, readingAsInRow } from '../../service/readingAsInRow';
import type { Cursors } from '../../callLog/ends/cursors';
import { isOfTestCall, MOST_ATTEMPTS } from '../../callLog/placing/loggedRequest';
import {
  attemptOf,
  attemptsOf,
  callKey,
  callStateOf,
  endCounts,
  hasEnded,
  hasOrderId,
  keyIn,
  type Attempts,
} from '../../callLog/states';
import { holds, LARGEST_PAGE, type Condition, type Row } from '../../dataTables/dataTables';
import { placedCalls } from '../../placedCalls';
import type { FinishedReading } from '../../service/callingService';
import { CallingServiceError } from '../../service/failure';
import { readIdentifier } from '../../service/identifier';
import type { Outcome } from '../../service/outcome';
import { isBlocking } from '../lookResult';
import type { ReadOutcome } from '../outcomeReader';
import type { PollRunOptions } from '../pollRun';
import { handOversOf, type HandOvers, type NamedEnd, type Pass } from './handOvers';
import {
  detailsIn,
  readLog,
  LoggedOpenCalls,
  openCallIn,
  type LogReading,
} from './loggedOpenCalls';
import {
  END_REASONS,
  type CallEnd,
  type EndedCall,
  type EndedCallDetails,
  type OpenCall,
  type Watch,
} from './watch';

/** An end of the log, ready to be handed over. */
interface LoggedEnd extends EndedCall, NamedEnd {}

interface TakenRow {
  row: Row;
  /** When it has no outcome: the row of the attempt that had the last one. */
  lastOutcome?: Row | undefined;
}

interface CallLogWatchOptions extends Pick<PollRunOptions, 'reader' | 'lookUntil'> {
  trigger: string;
}

/** An unreadable transcript is tried again for this long. Then the end is handed over without it. */
const READ_AGAIN_FOR_MS = 15 * MINUTE_MS;

/**
 * The calls of a call log. The first trigger that polls locks a call, looks at it, and writes its
 * end into the log. Each trigger hands over the ends after its own cursor, in the order of row ids.
 */
export class CallLogWatch extends LoggedOpenCalls implements Watch {
  private pass: Pass | undefined;
  /** Ends are not read again before then, unless this poll writes one or the log has new rows. */
  private readAgainAt = 0;
  /** Whether this poll has written an end since it last began to read ends. */
  private hasWritten = false;
  /** Outcomes that this poll has read and written, by attempt. They need no second request. */
  private readonly readings = new Map<string, FinishedReading>();
  /** Why a transcript of the page was refused, if a person may have to do something about it. */
  private refusal: CallingServiceError | undefined;
  private readonly turns = pLimit(1);
  private readonly readOutcome: ReadOutcome;

  private constructor(
    log: CallLog,
    private readonly handOvers: HandOvers,
    options: CallLogWatchOptions,
    read: LogReading,
  ) {
    super(log, options.lookUntil, read);
    this.readOutcome = options.reader.lane();
    this.onEnd = (key, end) => {
      this.hasWritten = true;
      if ('outcome' in end) this.readings.set(key, end.outcome);
    };
  }

  static async open(
    log: CallLog,
    cursors: Cursors,
    options: CallLogWatchOptions,
  ): Promise<CallLogWatch> {
    const handOvers = await handOversOf(`${log.key} ${options.trigger}`, cursors);
    return new CallLogWatch(log, handOvers, options, await readLog(log));
  }

  override nextDueAt(): number {
    return Math.min(super.nextDueAt(), this.readAgainAt);
  }

  override async rest(until: number, signal: AbortSignal): Promise<boolean> {
    const mayHaveEnds = await super.rest(until, signal);
    if (mayHaveEnds) this.readAgainAt = 0;
    return mayHaveEnds;
  }

  /** Takes one page of ends, so that a trigger that was away for long hands over at once. */
  async nextEnds(): Promise<EndedCall[]> {
    // Readings run one after the other. While one waits for its turn, another caller gets no rows: the waiting one
    // takes them.
    if (this.turns.pendingCount > 0) return [];
    const taken = await this.turns(async () => await this.readOn(Date.now()));
    if (taken.length === 0) return [];
    const now = Date.now();
    this.refusal = undefined;
    const ends = taken.map(async (one) => await this.endIn(one, now));
    const read = await Promise.all(ends).catch((error: unknown) => {
      for (const { row } of taken) this.handOvers.postpone(row.id);
      throw error;
    });
    taken.forEach(({ row }, index) => {
      if (read[index] === undefined) this.handOvers.postpone(row.id);
    });
    const readable = read.filter((end) => end !== undefined);
    // The owner must hear of it; one refused transcript holds back no other outcome.
    if (readable.length === 0 && this.refusal !== undefined) throw this.refusal;
    return readable;
  }

  async handedOver(ended: EndedCall[]): Promise<void> {
    // The person may have this trigger watch the instance from now on.
    for (const { call } of ended) {
      const { orderId } = call;
      if (orderId !== undefined) placedCalls.noteEnd(this.log.account, { ...call, orderId });
    }
    await this.handOvers.done(ended as LoggedEnd[]);
  }

  async notHandedOver(ended: EndedCall[]): Promise<void> {
    await this.handOvers.undone(ended as LoggedEnd[]);
  }

  private async readOn(now: number): Promise<TakenRow[]> {
    if (this.pass === undefined) {
      if (!this.hasWritten && now < this.readAgainAt) return [];
      this.hasWritten = false;
    }
    await this.handOvers.heedReusedIds(this.log, now);
    for (;;) {
      const pass = (this.pass ??= this.handOvers.beginPass(now));
      const page = await this.log.endsAfter(pass.from);
      if (await this.handOvers.heedReusedIds(this.log, now, page)) {
        this.pass = undefined;
        continue;
      }
      this.handOvers.see(page);
      const fresh = page.filter(({ id }) => this.handOvers.isNew(id));
      const taken = await this.takeCounting(fresh, pass);
      pass.from = page.at(-1)?.id ?? pass.from;
      const isLast = page.length < LARGEST_PAGE;
      if (isLast) {
        const readAt = Date.now();
        this.handOvers.endPass(pass, readAt);
        this.pass = undefined;
        // Rows of other processes may become visible after rows with higher ids.
        this.readAgainAt = page.length > 0 ? readAt + VISIBLE_WITHIN_MS : Infinity;
      }
      if (taken.length > 0 || isLast) return taken;
    }
  }

  /** Takes the ends that count and finishes the others. A test call says nothing about its order. */
  private async takeCounting(rows: Row[], pass: Pass): Promise<TakenRow[]> {
    if (rows.length === 0) return [];
    const attempts = attemptsOf([...rows, ...(await this.log.rowsOfCalls(rows))]);
    // Another poll may have taken some meanwhile.
    const untaken = rows.filter(({ id }) => this.handOvers.isNew(id));
    return untaken.flatMap((row) => {
      // An end taken before stays the one for its attempt, even if a copy with a lower id appears later.
      const wasTaken = hasEnded(row) && this.handOvers.isPending(row.id);
      const counts = wasTaken || endCounts(row, attempts);
      const isTaken = !isOfTestCall(row) && counts && this.handOvers.take(nameOf(row));
      if (isTaken) return { row, lastOutcome: lastOutcomeBefore(row, attempts) };
      const other = attempts.get(callKey(row))?.id ?? row.id;
      const isSuperseded = other !== row.id && this.handOvers.isPending(other);
      if (isSuperseded) pass.superseded.add(row.id);
      else this.handOvers.finish(row.id);
      return [];
    });
  }

  /** @returns undefined when it cannot be handed over now */
  private async endIn({ row, lastOutcome }: TakenRow, now: number): Promise<LoggedEnd | undefined> {
    const named = { ...nameOf(row), call: endedCallIn(row, now) };
    const end = await this.howItEnded(row, now, row.id);
    if (end === undefined || lastOutcome === undefined) return end && { ...named, end };
    const before = await this.howItEnded(lastOutcome, now, row.id);
    const call = { ...endedCallIn(lastOutcome, now), nextAttemptAt: null };
    return before && { ...named, end, lastOutcome: { call, end: before } };
  }

  /** The row decides how its attempt ended; `takenId`, the row that is handed over, waits for a transcript. */
  private async howItEnded(row: Row, now: number, takenId: number): Promise<CallEnd | undefined> {
    const outcome = outcomeOfEnd(row);
    if (outcome !== undefined) {
      const reading = await this.readingOf(row, outcome, now, takenId);
      return reading && { outcome: reading };
    }
    const state = callStateOf(row);
    const endReason = END_REASONS.find((reason) => reason === state) ?? 'givenUp';
    // A person who writes a status by hand seldom writes a reason.
    const byHand = `The status of its row is "${String(row.status)}"; lastError gives no reason`;
    return { unavailable: { endReason, message: textIn(row.lastError) ?? byHand } };
  }

  /**
   * Asks the service again for the transcript, which the log does not store. When the service no
   * longer gives it, the outcome is handed over without it.
   *
   * @returns undefined when there is nothing to hand over now
   */
  private async readingOf(
    row: Row,
    outcome: Outcome,
    now: number,
    takenId: number,
  ): Promise<FinishedReading | undefined> {
    const read = this.readings.get(callKey(row));
    this.readings.delete(callKey(row));
    const given = read ?? (await this.readOutcome(outcome.orderId));
    const isFailure = given instanceof CallingServiceError;
    if (isFailure && isBlocking(given)) this.refusal = given;
    const ended = !isFailure && (given?.finished === true ? given : given?.soFar);
    if (ended) return readingAsInRow(ended, outcome);
    const isGone = isFailure && given.kind === 'orderNotFound';
    const isHopedFor = !isGone && this.handOvers.unreadableFor(takenId, now) < READ_AGAIN_FOR_MS;
    const isOver = isFailure && given.kind === 'cancelled';
    if (isHopedFor || isOver) return undefined;
    return { finished: true, result: outcome, body: bodyLike(outcome) };
  }
}

/**
 * Names what is handed over once. A call that may have been placed can have two ends: first the one
 * that says so, later its outcome. An attempt that a person has scheduled again has two order ids.
 */
function nameOf(row: Row): NamedEnd {
  const { id, orderId } = row;
  const without = outcomeOfEnd(row) === undefined ? ' without outcome' : '';
  return { id, key: `${callKey(row)} ${orderId}${without}`, mayComeAgain: !hasOrderId(row) };
}

function outcomeOfEnd(row: Row): Outcome | undefined {
  return callStateOf(row) === 'ended' ? outcomeIn(row) : undefined;
}

/** For the end of an attempt without an outcome: the newest attempt before it that has one. */
function lastOutcomeBefore(row: Row, attempts: Attempts): Row | undefined {
  if (outcomeOfEnd(row) !== undefined) return undefined;
  const first = Math.min(attemptOf(row), MOST_ATTEMPTS + 1) - 1;
  for (let attempt = first; attempt > 0; attempt--) {
    const before = attempts.get(keyIn(row, attempt));
    if (before !== undefined && hasEnded(before) && outcomeOfEnd(before)) return before;
  }
  return undefined;
}

/** Calls of the log for a sample in the editor, ended ones first. No row is locked, and nothing is handed over. */
export async function samplesIn(log: CallLog, limit: number): Promise<OpenCall[]> {
  const now = Date.now();
  const newestBy = async (time: string, ...more: Condition[]) =>
    await log.rows([holds('orderId', 'neq', null), ...more], { sortBy: `${time}:desc`, limit });
  const ended = await newestBy('finishedAt', holds('finishedAt', 'neq', null));
  // Where nobody has looked yet, their rows do not say that they have ended.
  const isEnough = ended.length >= limit;
  const open = isEnough ? [] : await newestBy('triggeredAt', holds('finishedAt', 'eq', null));
  return [...ended, ...open].slice(0, limit).flatMap((row) => openCallIn(row, now) ?? []);
}

function endedCallIn(row: Row, now: number): EndedCallDetails {
  const { placedAt, ...details } = detailsIn(row, now);
  return {
    ...details,
    placedAt: textIn(row.triggeredAt) === undefined ? undefined : placedAt,
    orderId: readIdentifier(row.orderId),
    endedAt: timeIn(row.finishedAt),
  };
}
