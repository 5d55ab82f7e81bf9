import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallLog } from '../callLog/callLog';
import { saysCancelled } from '../callLog/states';
import { callsLike, type CallsLike, type ComparedCall } from '../callLog/reading/callsLike';
import type { Row } from '../dataTables/dataTables';
import { tellHint } from '../hints';
import { pause } from '../http/pause';
import type { RuledCall, RuleExecution } from './rule';

/** How long to wait at first before asking again about a call that another execution is about to place. */
const AGAIN_AFTER_MS = 500;
/** Each further pause is longer by this part of the time that has passed. */
const GROWTH = 0.2;
/** How long to wait in all. The own mark, made some calls ahead, must not expire meanwhile. */
const PATIENCE_MS = 100_000;
/** At most this many orders are looked up when only a hint depends on it: n8n compares each with all rows. */
const MOST_FOR_HINT = 20;

const UNDECIDED = 'another execution may be about to place or schedule the same call';

function compared({ request, duplicates, callId, row }: RuledCall): ComparedCall {
  const { key = '', isUsual = true } = duplicates ?? {};
  const { orderNumber, customerPhone } = request;
  const ownId = row?.callId ?? callId;
  return { callId: ownId, key, isUsualKey: isUsual, orderNumber, customerPhone };
}

interface Look {
  /** When it was asked, by `performance.now()`: nobody can set that clock. */
  askedAt: number;
  answer: () => Promise<CallsLike>;
}

/**
 * Asks the call log for other calls like those of an execution. It asks once for all calls before
 * any is placed. It asks again when their rows are marked as about to be placed or scheduled.
 *
 * When several executions mark the same call at the same moment, at most one goes on. An execution
 * that sees another's row with a lower id gives way. An execution that sees only higher ids waits
 * until those calls are decided: the others may not have seen its own row.
 */
export class LoggedDuplicates {
  private readonly calls: RuledCall[] = [];
  /** Calls that wait for a contender: they are asked about again, all in one request. */
  private readonly waiting = new Set<RuledCall>();
  /** The log's answers about each call, before its row was marked and after. */
  private readonly looks = {
    before: new Map<RuledCall, Look>(),
    marked: new Map<RuledCall, Look>(),
  };

  private constructor(private readonly log: CallLog) {}

  static of({ log, shared }: RuleExecution, call: RuledCall): LoggedDuplicates | undefined {
    if (log === undefined) return undefined;
    const logged = shared('loggedDuplicates', () => new LoggedDuplicates(log));
    logged.calls.push(call);
    return logged;
  }

  /** Whether another call in the log makes this one a duplicate, by `claims`. Throws if undecided. */
  async has(call: RuledCall, claims: (like: CallsLike) => boolean): Promise<boolean> {
    try {
      return await this.decide(call, claims);
    } finally {
      this.waiting.delete(call);
    }
  }

  /** What the log has last said about calls like one. */
  async lastSaid(call: RuledCall): Promise<CallsLike | undefined> {
    const look = this.looks.marked.get(call) ?? this.looks.before.get(call);
    return await look?.answer();
  }

  private async decide(call: RuledCall, claims: (like: CallsLike) => boolean): Promise<boolean> {
    const isMarked = call.row?.isMarked === true;
    const since = performance.now();
    for (let notBefore = 0; ;) {
      const like = await this.look(call, isMarked, notBefore);
      const { ownId, contenders } = like;
      if (claims(like)) return true;
      if (like.isStuck) throw new Error(UNDECIDED);
      // Its row contends once it is marked, and this is asked again.
      if (call.row !== undefined && !isMarked) return false;
      if (ownId === undefined && !isMarked) return contenders.length > 0;
      if (ownId !== undefined && contenders.length === 0) return false;
      if (ownId !== undefined && contenders.some((id) => id < ownId)) return true;
      notBefore = performance.now();
      const waited = notBefore - since;
      if (waited >= PATIENCE_MS) throw new Error(UNDECIDED);
      this.waiting.add(call);
      await pause(AGAIN_AFTER_MS + waited * GROWTH);
    }
  }

  /** @param notBefore an older answer names contenders that may be decided by now */
  private async look(call: RuledCall, isMarked: boolean, notBefore: number): Promise<CallsLike> {
    const looks = isMarked ? this.looks.marked : this.looks.before;
    const isOld = (one: RuledCall) => (looks.get(one)?.askedAt ?? 0) < notBefore;
    if (!looks.has(call) || isOld(call)) {
      const isDue = ({ row }: RuledCall) => !isMarked || row?.isMarked === true;
      const isNeeded = (one: RuledCall) => !looks.has(one) || (this.waiting.has(one) && isOld(one));
      const asked = this.calls.filter((one) => isNeeded(one) && isDue(one));
      this.ask(asked, looks);
    }
    return (await looks.get(call)?.answer()) as CallsLike;
  }

  private ask(calls: RuledCall[], looks: Map<RuledCall, Look>): void {
    const own = this.calls.flatMap((one) => compared(one).callId ?? []);
    const found = callsLike(this.log, calls.map(compared), new Set(own));
    const askedAt = performance.now();
    calls.forEach((call, index) => {
      const look: Look = { askedAt, answer: async () => (await found)[index] as CallsLike };
      looks.set(call, look);
      // A later call asks again.
      found.catch(() => looks.get(call) === look && looks.delete(call));
    });
  }
}

/**
 * The rows of calls like these of which somebody was called, or may have been, or that were cancelled. Where the log
 * prevents duplicates, these may be called only when they were cancelled.
 *
 * @throws DataTableError
 */
export async function callsInLog(log: CallLog, calls: RuledCall[]): Promise<Row[]> {
  const found = await callsLike(log, calls.map(compared));
  return found.flatMap(({ rows }, index) =>
    calls[index]?.duplicates?.isPrevented === true ? rows.filter(saysCancelled) : rows,
  );
}

/** Hints how many of these calls the log has already, where duplicates are not prevented. */
export async function hintAtLoggedCalls(
  context: Pick<IExecuteFunctions, 'addExecutionHints'>,
  log: CallLog,
  calls: RuledCall[],
): Promise<void> {
  const asked = calls.filter(({ duplicates }) => duplicates?.isPrevented === false);
  const some = asked.slice(0, MOST_FOR_HINT);
  // A failure here does not stop calls: only a hint depends on it.
  const found = await callsLike(log, some.map(compared)).catch(() => []);
  const logged = found.filter(({ isClaimed, contenders }) => isClaimed || contenders.length > 0);
  if (logged.length === 0) return;
  const orders = `${asked.length > some.length ? 'the first' : 'these'} ${some.length} orders`;
  const are = logged.length === 1 ? 'is' : 'are';
  const of = some.length === 1 ? 'This order' : `${logged.length} of ${orders}`;
  tellHint(context, `${of} ${are} in this log already: add "Prevent Duplicates"`, 'warning');
}
