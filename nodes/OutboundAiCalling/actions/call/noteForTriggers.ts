import { originOf, placedCalls, type PlacedNote } from '../../placedCalls';
import type { CallRequest } from '../../service/callingService';
import type { OperationExecution } from '../execution';

/** What became of a request, and what follows its call. */
interface Taken extends Pick<PlacedNote, 'orderId' | 'placedAt' | 'attempt' | 'retry'> {
  /** Triggers that watch this instance do not fire for test calls. */
  isTestCall: boolean;
}

/** Has triggers of this process know of a call that watch what the instance places. */
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
    ...(customerName === undefined ? {} : { customerName }),
    ...(orderNumber === undefined ? {} : { orderNumber }),
  });
}
