import type { IExecuteFunctions } from 'n8n-workflow';
import { NOBODY_CALLED, NOBODY_CALLED_YET, peopleCalled, type Called } from '../nodeError';
import { mayHaveBeenProcessed } from '../service/failure';
import { isTool, memoryOf } from './execution';
import { isSubWorkflow } from './memory/family';
import type { ExecutionMemory } from './memory/executionMemory';
import type { SetOff } from './memory/setOff';

/** An error's text names at most this many ids; its context has all of them. */
const IDS_TOLD = 20;

/** A sentence that ends with ids; empty without any. */
export function idsSentence(start: string, ids: Array<number | string>): string {
  if (ids.length === 0) return '';
  const more = ids.length > IDS_TOLD ? ` and ${ids.length - IDS_TOLD} more` : '';
  return `${start} ${ids.slice(0, IDS_TOLD).join(', ')}${more}.`;
}

/** Who was called, or may have been, in words; undefined when nobody was, nor the test phone rung. */
function calledWords(
  { customers, testCalls, dialling, maybeDialling }: SetOff,
  when: string,
): Called | undefined {
  const { orderIds } = customers;
  if (orderIds.length === 0 && dialling.length > 0) {
    const campaigns =
      dialling.length === 1 ? '1 campaign was' : `${dialling.length} campaigns were`;
    const more = maybeDialling === 0 ? '' : `, and ${maybeDialling} more may have been`;
    const ids = idsSentence('campaign IDs', dialling);
    return `${campaigns} started ${when}${more}: ${ids.slice(0, -1)}`;
  }
  if (orderIds.length === 0 && maybeDialling > 0) return `Somebody may have been called ${when}`;
  const called = peopleCalled(customers, testCalls, ` ${when}`);
  if (called === NOBODY_CALLED) return undefined;
  const ids = idsSentence('call IDs at the service', orderIds);
  return ids === '' ? called : `${called}: ${ids.slice(0, -1)}`;
}

function reachesNoCustomer({ customers, dialling, maybeDialling }: SetOff): boolean {
  const calls = customers.orderIds.length + customers.maybePlaced;
  return calls + dialling.length + maybeDialling === 0;
}

/** As {@link calledWords}, of this node's own tries: whom one has called is not known when its memory is lost. */
function calledBefore({ isLost, notes, setOff }: ExecutionMemory, by: string): Called | undefined {
  const isUnknown = isLost || notes.loggedBefore !== undefined;
  return isUnknown ? `Somebody may have been called ${by}` : calledWords(setOff, by);
}

/** For an execution that has called nobody: calls that it may have scheduled may still ring. */
function scheduledEarlier(context: IExecuteFunctions): Called {
  return memoryOf(context).notes.mayBeScheduled === true ? NOBODY_CALLED_YET : NOBODY_CALLED;
}

/** Whether an agent hears the error, and may ask again: it speaks of one request. A tool may stop the workflow instead. */
function speaksToAgent(context: IExecuteFunctions): boolean {
  return isTool(context) && context.getNode().onError !== 'stopWorkflow';
}

/**
 * Adds what other nodes, other rounds of a loop and sub-workflows have done: executing everything again would call
 * these people twice. An item with its own error speaks of itself alone.
 */
function withOthers(context: IExecuteFunctions, called: Called): Called {
  if (context.continueOnFail()) return called;
  const others = memoryOf(context).setOffElsewhere;
  const when = isSubWorkflow(context)
    ? 'earlier, by this workflow or the one that started it'
    : 'earlier in this execution';
  const words = calledWords(others, when);
  if (words !== undefined) return called === NOBODY_CALLED ? words : `${words}. ${called}`;
  return called === NOBODY_CALLED && others.scheduled > 0 ? NOBODY_CALLED_YET : called;
}

/**
 * How the error of a try begins that failed before its items: earlier tries may have called
 * somebody. With an AI agent, nobody knows which of its requests is tried again.
 *
 * @param called how the error begins by the calls of this try
 */
export function calledEarlier(context: IExecuteFunctions, called: Called): Called {
  if (called !== NOBODY_CALLED || !speaksToAgent(context)) return calledByAnyTry(context, called);
  const byAgent = 'by an earlier request of the agent';
  const { setOff, isLost } = memoryOf(context);
  if (isLost || !reachesNoCustomer(setOff)) return `Somebody may have been called ${byAgent}`;
  return calledWords(setOff, byAgent) ?? scheduledEarlier(context);
}

/**
 * As {@link calledEarlier}, for errors about the items of this try alone. An agent's mistake, or
 * the end of its request, has nothing to do with its other requests.
 */
export function calledByAnyTry(context: IExecuteFunctions, called = NOBODY_CALLED): Called {
  const own = called === NOBODY_CALLED ? scheduledEarlier(context) : called;
  if (speaksToAgent(context)) return own;
  // Each request of an agent is a try: those before it may have called others.
  const by = isTool(context) ? 'for the agent' : 'by an earlier try';
  const isOfTries = isTool(context) || called === NOBODY_CALLED;
  const byTries = isOfTries ? calledBefore(memoryOf(context), by) : undefined;
  return withOthers(context, byTries ?? own);
}

const GO_ON =
  'Every retry of this execution fails so: it does not repeat what may have been done. Look whether it was. To go on with the other items, choose "Continue" under "On Error" in the settings of this node, and retry with the currently saved workflow.';

/** Advice when what is left has failed in doubt before. An agent has no settings to change. */
export function adviceToGoOn(context: IExecuteFunctions, failures: unknown[]): string | undefined {
  return !isTool(context) && failures.every(mayHaveBeenProcessed) ? GO_ON : undefined;
}

export function orderIdsOf(context: IExecuteFunctions): number[] {
  const { setOff, setOffElsewhere } = memoryOf(context);
  return isTool(context) ? setOff.orderIds : [...setOffElsewhere.orderIds, ...setOff.orderIds];
}
