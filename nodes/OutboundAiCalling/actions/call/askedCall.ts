import { readManualExecution } from '../../rules/manualExecutions';
import type { RuledCall } from '../../rules/rule';
import type { CallRequest } from '../../service/callingService';
import type { RequestIdentity } from '../executionMemory';
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
}

/** Spaces around an order number make no other order. */
function orderOf({ orderNumber = '' }: CallRequest): string {
  return orderNumber.trim();
}

/** Reads whom to call and what about; mistakes are noted in `parameters`. */
export function readAskedCall(parameters: ItemParameters): AskedCall {
  const asked = readCallRequest(parameters);
  const execution = readManualExecution(parameters);
  const isTestCall = execution === 'testPhone';
  const request = isTestCall
    ? { ...asked, customerPhone: readPhone(parameters, 'rules.testPhone', 'Test Phone') }
    : asked;
  const usualKey = JSON.stringify([orderOf(request), request.customerPhone]);
  return { asked, request, usualKey, isTestCall, isDryRun: execution === 'dryRun' };
}

/**
 * What makes two calls of an execution the same: its retries must not set off twice what is about the
 * same person and order, whatever else was changed.
 */
export function identityOf({ asked, isTestCall, request }: AskedCall): RequestIdentity {
  const subject = [asked.customerPhone, orderOf(asked)];
  return {
    // A retry with changed parameters calls the customer whom a test call was about.
    subject: isTestCall ? [...subject, 'test call'] : subject,
    content: request,
  };
}
