import type { CallLog } from '../../callLog/callLog';
import { attemptIn } from '../../callLog/ends/nextAttempt';
import { attemptsOf, callStateOf } from '../../callLog/states';
import { numberOf } from '../../http/json';
import { drawnId } from '../../callLog/table/drawnId';
import type { Row } from '../../dataTables/dataTables';
import type { Objection } from '../../rules/rule';
import type { ReadItem } from '../eachItem';
import { isTool, type OperationExecution } from '../execution';
import type { ExecutionMemory } from '../memory/executionMemory';
import { hashOf } from '../memory/request';
import { identityOf, type AskedCall } from './askedCall';

const EXECUTION_LENGTH = 12;
const SUBJECT_LENGTH = 8;

type Execution = Pick<ExecutionMemory, 'id'>;

/** The beginning of the ids of all calls that the tries of an execution write. */
function beginningOf({ id }: Execution): string {
  return `${id.slice(0, EXECUTION_LENGTH)}-`;
}

/** Names the person and the order within the execution, whichever operation is to call. */
function subjectOf(call: AskedCall): string {
  return hashOf(identityOf('call', call).subject).slice(0, SUBJECT_LENGTH);
}

/**
 * Draws the id of a call that a try writes into the log: the execution, the person and order, and what
 * tells it from all others. A later try finds the call by it, whatever became of the try.
 */
export function newCallId(execution: Execution, call: AskedCall): string {
  return `${beginningOf(execution)}${subjectOf(call)}-${drawnId()}`;
}

/** Why another try may not call a person whom a try of the execution has written into the log. */
function objectionOf(row: Row): Objection | undefined {
  const orderId = numberOf(row.orderId);
  if (orderId !== null) return { reason: 'earlierTry', orderId };
  return callStateOf(row) === 'cancelled' ? { reason: 'cancelled' } : undefined;
}

/**
 * Deletes the rows of earlier tries whose turn has not come. Notes an objection to every call that was
 * cancelled since an earlier try has written it, or that another try has placed in another process.
 *
 * @throws DataTableError when the log cannot tell: nobody may be called
 */
export async function endEarlierTries(
  { context, memory }: OperationExecution,
  log: CallLog,
  items: Array<ReadItem<AskedCall & { objection?: Objection }>>,
): Promise<void> {
  // An agent's other requests are no earlier tries: their calls may still be placed.
  if (isTool(context) || !memory.isRetry) return;
  const { logBatches = [] } = memory.notes;
  for (const batch of logBatches) await log.deleteBatch(batch);
  logBatches.length = 0;
  const beginning = beginningOf(memory);
  // Asked last: no row is left that Cancel could still find.
  const rows = await log.callsBeginning(beginning);
  const known = new Set(items.map(({ remembered }) => remembered.note.callId));
  const others = [...attemptsOf(rows).values()].flatMap(({ counts, superseded }) => {
    const callId = String(counts.callId);
    // Cancel may have come to another row of the attempt.
    const objections = [counts, ...superseded].map(objectionOf);
    const objection = known.has(callId) ? undefined : objections.find(Boolean);
    const subject = callId.slice(beginning.length, beginning.length + SUBJECT_LENGTH);
    return objection === undefined || attemptIn(counts) !== 1 ? [] : [{ subject, objection }];
  });
  for (const { request, remembered } of items) {
    const subject = remembered.isEarlier ? undefined : subjectOf(request);
    const index = others.findIndex((other) => other.subject === subject);
    if (index !== -1) request.objection = others.splice(index, 1)[0]?.objection;
  }
}
