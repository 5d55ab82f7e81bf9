import { placedCalls, type PlacedNote } from '../../placedCalls';
import type { CallRequest } from '../../service/callingService';
import type { OperationExecution } from '../execution';

type PlacedDetails = Pick<PlacedNote, 'orderId' | 'callId' | 'placedAt' | 'attempt' | 'retry'>;

/** Notifies triggers of this process that watch the calls of this n8n instance; not of test calls. */
export function noteForTriggers(
  { customerPhone, customerName, orderNumber }: CallRequest,
  { isTestCall, ...details }: PlacedDetails & { isTestCall: boolean },
  { account }: Pick<OperationExecution, 'account'>,
): void {
  if (isTestCall) return;
  const call = { ...details, customerPhone, customerName, orderNumber };
  placedCalls.note(account, call);
}
