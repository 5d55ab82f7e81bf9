import type { CallRequest, PlacedCall } from '../../service/callingService';
import { dryRunItem } from '../../rules/skipped';
import type { Objection } from '../../rules/rule';
import type { CallDryRun, PlacedCallOutput } from './callOutput';

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

export function dryRunOf(
  { customerPhone, orderNumber, scriptId }: CallRequest,
  objection: Objection | undefined,
): CallDryRun {
  const order = orderNumber === undefined ? {} : { orderNumber };
  return dryRunItem(true, objection, { customerPhone, ...order, scriptId });
}
