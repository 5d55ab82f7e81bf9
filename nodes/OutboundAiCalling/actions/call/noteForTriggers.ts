import { originOf, placedCalls } from '../../placedCalls';
import type { CallRequest } from '../../service/callingService';
import type { OperationExecution } from '../execution';

/** Has triggers of this process know of a call that watch what the instance places. */
export function noteForTriggers(
  { scriptId, customerPhone, customerName, orderNumber }: CallRequest,
  { orderId, placedAt }: { orderId: number; placedAt: number },
  { credentialId, account }: Pick<OperationExecution, 'credentialId' | 'account'>,
): void {
  placedCalls.note(originOf(credentialId, account), {
    orderId,
    scriptId,
    customerPhone,
    ...(customerName === undefined ? {} : { customerName }),
    ...(orderNumber === undefined ? {} : { orderNumber }),
    placedAt,
  });
}
