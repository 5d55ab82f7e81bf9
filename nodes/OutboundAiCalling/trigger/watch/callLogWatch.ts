import type { IDataObject } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import { LARGEST_PAGE, type Row } from '../../callLog/dataTables';
import type { Places } from '../../callLog/places';
import {
  callKey,
  givenUpColumns,
  isOfTestCall,
  numberIn,
  outcomeColumns,
  outcomeIn,
  textIn,
  timeIn,
} from '../../callLog/row';
import type { CallingService } from '../../service/callingService';
import { CallingServiceError } from '../../service/failure';
import { readIdentifier } from '../../service/identifier';
import type { Outcome } from '../../service/outcome';
import { givenUp, readGivenUp } from '../givingUp';
import { isHopeless } from '../lookResult';
import { SHORTEST_INTERVAL_MS } from '../schedule';
import { handOversOf, type HandOvers } from './handOvers';
import type { EndedCall, OpenCall, TriggerKey, Watch } from './watch';

/** A call and the row that tells of it. */
interface LoggedCall extends OpenCall {
  row: Row;
}

/** An end that the log knows, with the time at which it was written. */
interface LoggedEnd extends EndedCall {
  key: string;
  writtenAt: number;
}

/** What a look writes into the row of a call that goes on. */
type LookColumns = IDataObject & { nextCheckAt: number };

/** A row that a poll has taken is left alone by others so long after the poll's end. */
const HELD_AFTER_POLL_MS = 30_000;
/** What is written later than this before the row is free again might be written by two. */
const MARGIN_MS = 10_000;
/** Looks at old calls are written down with times rounded to this, so that few updates do. */
const ROUNDING_MS = 5_000;
/** An end whose outcome cannot be read is tried again so long; then the row itself must do. */
const READ_AGAIN_FOR_MS = 15 * 60_000;
/** Within a poll, rows of other processes become visible so late at most. */
const VISIBLE_WITHIN_MS = 15_000;

/** How often the service called an order unknown has no column of its own. */
const unknownByCall = new Map<string, NonNullable<OpenCall['unknown']>>();

/**
 * The calls of a call log. Whoever polls first looks at a call and writes its end into the log; each
 * trigger hands over the ends that come after its own place in the log.
 */
export class CallLogWatch implements Watch {
  /** Taken and put back: looked at again in this poll. */
  private readonly waiting = new Map<string, LoggedCall>();
  /** Put back for later polls, not written down yet. */
  private readonly later: LoggedCall[] = [];
  /** Ends that this poll has written. */
  private found: LoggedEnd[] = [];
  /** When the first row that was not due yet will be. */
  private nextRowDueAt = Infinity;
  /** From where the ends of others are read on. */
  private readFrom: number | undefined;
  /** All ends are read; not before then again. */
  private readAgainAt = 0;
  private isReading = false;
  private readonly heldUntil: number;
  private readonly unknownPrefix: string;

  private constructor(
    private readonly log: CallLog,
    private readonly handOvers: HandOvers,
    private readonly service: Pick<CallingService, 'readOutcome'>,
    private readonly lookUntil: number,
  ) {
    this.heldUntil = lookUntil + HELD_AFTER_POLL_MS;
    this.unknownPrefix = `${log.tableId} ${log.account} `;
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
    const now = Date.now();
    await log.closeAbandoned(now);
    await log.mendTimes(now);
    return new CallLogWatch(log, handOvers, service, lookUntil);
  }

  async takeDue(now: number, limit: number): Promise<OpenCall[]> {
    await this.writeLater();
    const again = [...this.waiting.entries()]
      .filter(([, { nextCheckAt }]) => nextCheckAt <= now)
      .sort(([, a], [, b]) => a.nextCheckAt - b.nextCheckAt)
      .slice(0, limit);
    for (const [key] of again) this.waiting.delete(key);
    const calls = again.map(([, call]) => call);
    if (calls.length === limit) return calls;
    return [...calls, ...(await this.takeRows(now, limit - calls.length))];
  }

  putBack(call: OpenCall): void {
    const logged = call as LoggedCall;
    const key = callKey(logged.row);
    const unknownKey = this.unknownPrefix + key;
    if (logged.unknown === undefined) unknownByCall.delete(unknownKey);
    else unknownByCall.set(unknownKey, logged.unknown);
    if (logged.nextCheckAt <= this.lookUntil) this.waiting.set(key, logged);
    else this.later.push(logged);
  }

  async recordEnds(ended: EndedCall[]): Promise<void> {
    const now = Date.now();
    // Rows that are soon free for others are left to whoever takes them next.
    if (now > this.heldUntil - MARGIN_MS) return;
    const calls = ended as Array<EndedCall & { call: { row: Row } }>;
    const rows = await this.log.recordEnds(
      calls.map(({ call, end }) => ({
        row: call.row,
        columns: {
          ...('outcome' in end
            ? outcomeColumns(end.outcome.result, now)
            : givenUpColumns(end.givenUp.message, now)),
          checks: call.checks,
        },
      })),
    );
    calls.forEach(({ call, end }, index) => {
      const row = rows[index] ?? call.row;
      unknownByCall.delete(this.unknownPrefix + callKey(row));
      this.found.push({ call, end, key: callKey(row), writtenAt: Number(row.nextCheckAt) });
    });
  }

  async takeEnds(): Promise<EndedCall[]> {
    const found = this.found.splice(0);
    const others = await this.endsOfOthers(new Set(found.map(({ key }) => key)));
    // What has left the window meanwhile was handed over.
    const unsure = others?.ends.filter(({ writtenAt }) => writtenAt >= this.handOvers.from) ?? [];
    const taken = this.handOvers.take([...found, ...unsure]);
    // Not before they are taken: the place must not move past them.
    if (others !== undefined) this.handOvers.readUntil(others.readUntil);
    return await this.withoutTestCalls(taken);
  }

  /** Ends of test calls count as handed over: nothing that happens to real orders follows from them. */
  private async withoutTestCalls(taken: LoggedEnd[]): Promise<LoggedEnd[]> {
    const isTest = ({ call }: LoggedEnd) => isOfTestCall((call as LoggedCall).row);
    const tests = taken.filter(isTest);
    if (tests.length > 0) await this.handOvers.done(tests);
    return taken.filter((end) => !isTest(end));
  }

  handingOver(): void {}

  async handedOver(ended: EndedCall[]): Promise<void> {
    await this.handOvers.done(ended as LoggedEnd[]);
  }

  async notHandedOver(ended: EndedCall[]): Promise<void> {
    await this.handOvers.undone(ended as LoggedEnd[]);
  }

  nextDueAt(): number | undefined {
    const times = [...this.waiting.values()].map(({ nextCheckAt }) => nextCheckAt);
    const next = Math.min(this.nextRowDueAt, ...times);
    return next === Infinity ? undefined : next;
  }

  async close(): Promise<void> {
    this.later.push(...this.waiting.values());
    this.waiting.clear();
    await this.writeLater();
  }

  private async takeRows(now: number, limit: number): Promise<LoggedCall[]> {
    const rows = await this.log.takeDue(now, limit, this.heldUntil);
    const next = rows.length < limit ? await this.log.nextDueAt() : now;
    this.nextRowDueAt = next ?? Infinity;
    const invalid: Row[] = [];
    const calls = rows.flatMap((row) => {
      const call = openCallOf(row, now);
      if (call === undefined) invalid.push(row);
      const unknown = unknownByCall.get(this.unknownPrefix + callKey(row));
      return call === undefined
        ? []
        : [{ ...call, row, nextCheckAt: now, ...(unknown && { unknown }) }];
    });
    if (invalid.length > 0) await this.recordEnds(invalid.map((row) => invalidEnd(row, now)));
    return calls;
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
        const last = Number(page.at(-1)?.nextCheckAt ?? from);
        const isLastPage = page.length < LARGEST_PAGE || last <= from;
        const rows = new Map(page.map((row) => [callKey(row), row]));
        const unseen = [...rows].filter(
          ([key, row]) =>
            !known.has(key) && this.handOvers.isNew({ key, writtenAt: Number(row.nextCheckAt) }),
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
    const writtenAt = Number(row.nextCheckAt);
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

  /** Writes down what was put back for later, rows with the same in one update. */
  private async writeLater(): Promise<void> {
    const groups = new Map<string, { columns: LookColumns; rowIds: number[] }>();
    for (const { row, checks, nextCheckAt, lastError = null } of this.later.splice(0)) {
      const rounded = Math.ceil(nextCheckAt / ROUNDING_MS) * ROUNDING_MS;
      const columns = { checks, nextCheckAt: rounded, lastError };
      const key = JSON.stringify(columns);
      const group = groups.get(key) ?? { columns, rowIds: new Array<number>() };
      group.rowIds.push(row.id);
      groups.set(key, group);
    }
    for (const { columns, rowIds } of groups.values()) await this.log.noteOpen(rowIds, columns);
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

/** The call of a row, which a person may have edited; undefined when it names no order. */
function openCallOf(row: Row, now: number): OpenCall | undefined {
  const orderId = readIdentifier(row.orderId);
  return orderId === undefined ? undefined : { ...detailsIn(row, now), orderId };
}

/** The end of a call whose row a person has edited into nonsense: it says so, and the others go on. */
function invalidEnd(row: Row, now: number): EndedCall & { call: { row: Row } } {
  const details = `orderId is not an order id: ${textIn(row.orderId) ?? '(empty)'}`;
  const callId = textIn(row.callId) ?? `row ${row.id}`;
  return {
    call: { ...detailsIn(row, now), callId, row },
    end: givenUp('invalidRow', details),
  };
}

/** What a row says of its call beside the order. */
function detailsIn(row: Row, now: number): Omit<OpenCall, 'orderId'> {
  const customerPhone = textIn(row.customerPhone);
  const customerName = textIn(row.customerName);
  const orderNumber = textIn(row.orderNumber);
  const scriptId = readIdentifier(row.scriptId);
  return {
    ...(customerPhone === undefined ? {} : { customerPhone }),
    ...(customerName === undefined ? {} : { customerName }),
    ...(orderNumber === undefined ? {} : { orderNumber }),
    ...(scriptId === undefined ? {} : { scriptId }),
    placedAt: timeIn(row.triggeredAt) ?? now,
    checks: Math.max(0, numberIn(row.checks) ?? 0),
    nextCheckAt: numberIn(row.nextCheckAt) ?? now,
  };
}
