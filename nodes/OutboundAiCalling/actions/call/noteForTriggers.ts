import { originOf, placedCalls, type PlacedNote } from '../../placedCalls';
import type { CallRequest } from '../../service/callingService';
import type { OperationExecution } from '../execution';

type Taken = Pick<PlacedNote, 'orderId' | 'callId' | 'placedAt' | 'attempt' | 'retry'>;

/** Notifies triggers of this process that watch the calls of this n8n instance; not of test calls. */
export function noteForTriggers(
  { scriptId, customerPhone, customerName, orderNumber }: CallRequest,
  { isTestCall, ...taken }: Taken & { isTestCall: boolean },
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
