import type { IDataObject } from 'n8n-workflow';
import type { CallRequest, PlacedCall } from '../../service/callingService';

/** The item of a call that the service has taken. */
export function placedItem(
  { customerPhone, orderNumber }: CallRequest,
  { orderId, scriptId, callStatus, message }: PlacedCall,
): IDataObject {
  return {
    orderId,
    scriptId,
    callStatus,
    customerPhone,
    ...(orderNumber === undefined ? {} : { orderNumber }),
    message,
  };
}
