import { MINUTE_MS } from '../../clocks';
import { AGENT_ASKS_AGAIN_WITHIN_MS, drawnId } from '../../callLog/table/rowColumns';
import type { ExecutionMemory } from '../memory/executionMemory';
import { hashOf } from '../memory/request';
import { identityOf, type AskedCall } from './askedCall';

const EXECUTION_LENGTH = 12;
const SUBJECT_LENGTH = 8;

/** The beginning of the ids of all calls that the tries of an execution write. */
export function beginningOf({ id }: ExecutionMemory): string {
  return `${id.slice(0, EXECUTION_LENGTH)}-`;
}

/** Names the person and the order within the execution, whichever operation is to call. */
export function hashedSubjectOf(call: AskedCall): string {
  return hashOf(identityOf('call', call).subject).slice(0, SUBJECT_LENGTH);
}

/** Names execution, person and order, and what tells it apart: later tries find the call by it. */
export function newCallId(memory: ExecutionMemory, call: AskedCall): string {
  return `${beginningOf(memory)}${hashedSubjectOf(call)}-${drawnId()}`;
}

/** The subject that an id names, of a call that a try of this execution has written. */
export function subjectIn(callId: string): string {
  return callId.slice(EXECUTION_LENGTH + 1, EXECUTION_LENGTH + 1 + SUBJECT_LENGTH);
}

/** What the ids of a call begin with in all tries of its execution. */
export function inAllTries(callId: string): string {
  return callId.slice(0, callId.lastIndexOf('-') + 1);
}

/** An id is shared until this long before others end the row of the earlier request. */
const SHARED_UNTIL_BEFORE_MS = 2 * MINUTE_MS;

/**
 * The id of a call that an agent asks for. A further request for a call that was not placed goes on with the id of the
 * earlier one, so that the call has one end, and is not placed when it was cancelled since.
 */
export function callIdOfAgent(
  memory: ExecutionMemory,
  call: AskedCall,
): { callId: string; isShared: boolean } {
  const ids = (memory.notes.callIds ??= {});
  const subject = hashedSubjectOf(call);
  const now = Date.now();
  const { callId: earlier, until = 0 } = ids[subject] ?? {};
  if (earlier !== undefined && now < until) return { callId: earlier, isShared: true };
  const callId = newCallId(memory, call);
  ids[subject] = { callId, until: sharedUntil(now) };
  return { callId, isShared: false };
}

function sharedUntil(now: number): number {
  return now + AGENT_ASKS_AGAIN_WITHIN_MS - SHARED_UNTIL_BEFORE_MS;
}

/** Notes whether a further request of an agent may go on with the id of this call, which was not placed. */
export function noteCallOfAgent(
  { notes }: ExecutionMemory,
  { row, ...call }: AskedCall,
  isLeftOpen: boolean,
): void {
  const { callIds: ids = {} } = notes;
  const subject = hashedSubjectOf(call);
  const noted = ids[subject];
  if (noted === undefined || noted.callId !== row?.callId) return;
  if (isLeftOpen) noted.until = sharedUntil(Date.now());
  else delete ids[subject];
}
