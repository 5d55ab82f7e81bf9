import type { CallRequest, PlacedCall } from '../../service/callingService';
import type { PlacedCallOutput } from './callOutput';

/** The item of a call that the service has taken. */
export function placedItem(
  { customerPhone, orderNumber }: CallRequest,
  { orderId, scriptId, callStatus, message }: PlacedCall,
): PlacedCallOutput {
  return {
    orderId,
    scriptId,
    callStatus,
    customerPhone,
    ...(orderNumber === undefined ? {} : { orderNumber }),
    message,
  };
}
