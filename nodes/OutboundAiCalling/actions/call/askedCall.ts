import { readDuplicates } from '../../rules/duplicates';
import { readManualExecution, readSimulatedOutcome } from '../../rules/manualExecutions';
import type { Objection, RuledCall } from '../../rules/rule';
import type { CallRequest } from '../../service/callingService';
import type { ReadItem } from '../eachItem';
import type { OperationExecution } from '../execution';
import type { RequestIdentity } from '../memory/request';
import type { ItemParameters } from '../itemParameters';
import { readPhone } from '../phoneNumbers';
import { readCallRequest } from './callRequest';

/** A call as the parameters of an item ask for it, and as it is to be placed. */
export interface AskedCall extends Omit<RuledCall, 'row'> {
  /** The call as it was asked for: a test call rings another phone. */
  asked: CallRequest;
  isTestCall: boolean;
  /** Nothing is sent, claimed, written or remembered. */
  isDryRun: boolean;
  /** How the call ends, in a dry run that goes on as if it had been placed. */
  simulatedOutcome?: string;
}

/** Spaces around an order number, and its capitals, make no other order. */
function orderOf({ orderNumber = '' }: CallRequest): string {
  return orderNumber.trim().toLowerCase();
}

/** Reads whom to call and what about; mistakes are noted in `parameters`. */
export function readAskedCall(parameters: ItemParameters): AskedCall {
  const asked = readCallRequest(parameters);
  const execution = readManualExecution(parameters);
  const isTestCall = execution === 'testPhone';
  const request = isTestCall
    ? {
        ...asked,
        customerPhone: readPhone(
          parameters,
          'rules.testPhone',
          'Test Phone',
          'Add the rule "Test Phone" with your own number.',
        ),
      }
    : asked;
  const usualKey = JSON.stringify([orderOf(request), request.customerPhone]);
  return {
    asked,
    request,
    isTestCall,
    isDryRun: execution === 'dryRun' || execution === 'simulate',
    ...(execution === 'simulate'
      ? { simulatedOutcome: readSimulatedOutcome(parameters, parameters.itemIndex) }
      : {}),
    ...(isTestCall ? {} : { duplicates: readDuplicates(parameters, usualKey) }),
  };
}

/** What an operation does about a call. */
type Deed = 'call' | 'schedule';

/**
 * What makes two calls of an execution the same: its retries must not set off twice what is about the
 * same person and order, whatever else was changed.
 */
export function identityOf(
  deed: Deed,
  { asked, isTestCall, request, duplicates }: AskedCall,
): RequestIdentity {
  const subject = [deed, asked.customerPhone, orderOf(asked)];
  return {
    // A retry with changed parameters calls the customer whom a test call was about.
    subject: isTestCall ? [...subject, 'test call'] : subject,
    content: request,
    // Whoever gives keys has said which calls are the same.
    isSingle: duplicates?.isUsual !== false,
    ...(deed === 'call' ? { effect: 'call' } : {}),
  };
}

/**
 * Notes an objection with every call of a dry run that is about the same person and order as one before: a real
 * execution calls them once.
 */
function objectToRepeated(items: Array<AskedCall & { objection?: Objection }>): void {
  const seen = new Set<string>();
  for (const one of items.filter(({ isDryRun }) => isDryRun)) {
    const { subject, isSingle } = identityOf('call', one);
    const name = JSON.stringify(subject);
    if (isSingle && seen.has(name)) one.objection ??= { reason: 'duplicate' };
    seen.add(name);
  }
}

/**
 * Notes an objection with every call that an earlier try of the execution has placed or scheduled, or
 * may have, when the node had the other operation: it would ring a second time.
 */
export function objectToDoneOtherwise(
  { memory }: Pick<OperationExecution, 'memory'>,
  deed: Deed,
  items: Array<ReadItem<AskedCall & { objection?: Objection }>>,
): void {
  const other = deed === 'call' ? 'schedule' : 'call';
  const fresh = items.filter(({ remembered }) => !remembered.isEarlier);
  const done = memory.recall(fresh.map(({ request }) => identityOf(other, request)));
  fresh.forEach(({ request }, index) => {
    const earlier = done[index];
    const { item } = earlier?.note ?? {};
    const wasSkipped = item !== undefined && 'skipped' in item;
    if (earlier?.isEarlier !== true || wasSkipped) return;
    request.objection = { reason: 'earlierTry', orderId: earlier.orderId };
  });
  objectToRepeated(items.map(({ request }) => request));
}
