import type { CallLog } from '../../callLog/callLog';
import { respell } from '../../callLog/mending';
import { attemptIn, attemptsOf, callStateOf, goesOn, isDecided } from '../../callLog/states';
import { numberOf } from '../../http/json';
import { isAbandoned } from '../../callLog/ends/ends';
import { holds, type Condition, type Row } from '../../dataTables/dataTables';
import type { Objection } from '../../rules/rule';
import { isTool, type OperationExecution } from '../execution';
import type { ExecutionMemory } from '../memory/executionMemory';
import type { AskedCall, JudgedCall } from './askedCall';
import { beginningOf, inAllTries, subjectIn, hashedSubjectOf } from './callIds';

/** Why no other try may call the person of a row; undefined when it says that nobody was called. */
function objectionOf(row: Row): Objection | undefined {
  const state = callStateOf(row);
  if (state === 'cancelled') return { reason: 'cancelled' };
  return state === 'notPlaced'
    ? undefined
    : { reason: 'earlierTry', orderId: numberOf(row.orderId) ?? undefined };
}

const CANCELLED: Objection = { reason: 'cancelled' };
const DELETED: Objection = { reason: 'cancelled', words: 'its row was deleted from the call log' };
/** Others end the calls of an execution that does nothing for minutes, e.g. on a computer that sleeps. */
const STOOD_STILL: Objection = {
  reason: 'cancelled',
  words: 'n8n stood still so long that the call counts as one of an execution that has died',
};

/**
 * Why a row no longer waits: it was cancelled, ended by others, or another try has its call. Undefined when the log
 * does not tell: it cannot be read, or n8n has changed the row and its answer was lost.
 */
export async function whyNoLongerScheduled({ row }: JudgedCall): Promise<Objection | undefined> {
  if (row === undefined) return undefined;
  const rows = await row.rows.log
    .allRowsOfAll([holds('callId', 'like', `${inAllTries(row.callId)}%`)])
    .catch(() => undefined);
  if (rows === undefined) return undefined;
  const attempts = [...attemptsOf(rows).values()];
  const own = attempts.find(({ callId }) => callId === row.callId);
  if (own !== undefined && isAbandoned(own)) return STOOD_STILL;
  if (own !== undefined) return goesOn(own) ? undefined : CANCELLED;
  const ofOtherTries = attempts.filter((other) => attemptIn(other) === 1).map(objectionOf);
  return ofOtherTries.find((objection) => objection?.reason === 'earlierTry') ?? DELETED;
}

/** A condition for the rows of all calls that the tries of an execution have written. */
export function ofTries(memory: ExecutionMemory): Condition {
  return holds('callId', 'like', `${beginningOf(memory)}%`);
}

interface CallsOfTry {
  batch: string;
  /** The ids of all calls of this try, also of those that an earlier one has written. */
  callIds: Array<string | undefined>;
  /** The calls that no try before this one has surely begun. */
  calls: AskedCall[];
  /** Calls that other tries are placing now. This try places those that they do not place, unless cancelled. */
  underWay?: AskedCall[];
}

/**
 * When tries overlap, only the try that wrote its rows last calls. It deletes the rows of the others whose turn has
 * not come. It notes an objection to a call that a later try will place, that another try has placed or may have
 * placed, or that was cancelled after another try wrote it. Call this after the rows of this try are written: of two
 * tries, at least one sees the rows of the other.
 *
 * @throws DataTableError when the log cannot tell: nobody may be called
 */
export async function yieldToOtherTries(
  { context, memory }: OperationExecution,
  log: CallLog,
  { batch, callIds, calls, underWay = [] }: CallsOfTry,
): Promise<void> {
  // An agent's other requests are no earlier tries: their calls may still be placed.
  if (isTool(context) || !memory.isRetry) return;
  const read = async () => await log.allRowsOfAll([ofTries(memory)]);
  let rows = await read();
  const isOwn = (row: Row) => row.batch === batch;
  const own = rows.filter(isOwn).map(({ id }) => id);
  // A later try may have deleted the rows of this one: then no other gives way to this one.
  const first = own.length === 0 ? 0 : Math.min(...own);
  const deleted = new Set<string>();
  for (;;) {
    const waiting = rows.filter((row) => callStateOf(row) === 'ahead' && row.id < first);
    const batches = new Set(waiting.map((row) => String(row.batch)));
    for (const one of deleted) batches.delete(one);
    if (batches.size === 0) break;
    // Rows that say `cancelled` stay.
    await respell(log, rows.filter(isDecided));
    for (const other of batches) {
      await log.deleteBatch(other);
      deleted.add(other);
    }
    // A row that was deleted can neither be placed nor cancelled any more; another one may have been. Those of a third
    // try may have come meanwhile: it gives way to this one.
    rows = await read();
  }
  const others = [...attemptsOf(rows).values()].flatMap((counts) => {
    const callId = String(counts.callId);
    if (callIds.includes(callId) || attemptIn(counts) !== 1) return [];
    const objection = objectionOf(counts);
    return objection === undefined ? [] : [{ subject: subjectIn(callId), objection }];
  });
  // Another try may have deleted the row of an id that the memory of this one has.
  const begun = new Set(rows.filter((row) => !isOwn(row)).map(({ callId }) => callId));
  const objectTo = (call: AskedCall, isMeant: (objection: Objection) => boolean) => {
    const subject = hashedSubjectOf(call);
    const index = others.findIndex((one) => one.subject === subject && isMeant(one.objection));
    if (index !== -1) call.objection = others.splice(index, 1)[0]?.objection;
  };
  for (const call of calls) if (!begun.has(call.callId)) objectTo(call, () => true);
  for (const call of underWay) objectTo(call, ({ reason }) => reason === 'cancelled');
}
