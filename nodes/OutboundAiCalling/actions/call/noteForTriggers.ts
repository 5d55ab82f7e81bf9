import { originOf, placedCalls, type PlacedNote } from '../../placedCalls';
import type { CallRequest } from '../../service/callingService';
import type { OperationExecution } from '../execution';

interface Taken extends Pick<PlacedNote, 'orderId' | 'callId' | 'placedAt' | 'attempt' | 'retry'> {
  /** Triggers that watch this instance do not fire for test calls. */
  isTestCall: boolean;
}

/** Notifies triggers of this process that watch the calls of this n8n instance. */
export function noteForTriggers(
  { scriptId, customerPhone, customerName, orderNumber }: CallRequest,
  { isTestCall, ...taken }: Taken,
  { credentialId, account }: Pick<OperationExecution, 'credentialId' | 'account'>,
): void {
  if (isTestCall) return;
  placedCalls.note(originOf(credentialId, account), {
    ...taken,
    scriptId,
    customerPhone,
    customerName,
    orderNumber,
  });
}
