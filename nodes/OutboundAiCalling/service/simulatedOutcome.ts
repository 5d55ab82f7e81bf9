import { defined } from '../http/json';
import type { FinishedReading } from './callingService';
import { readOutcome } from './outcome';

/** Makes an outcome as the service would give it, for trying out a workflow without a call. */
export function simulatedOutcome(
  label: string,
  { orderId, orderNumber }: { orderId: number; orderNumber?: string },
): FinishedReading {
  const body = {
    success: true,
    orderId,
    ...defined({ orderNumber }),
    callStatus: 'completed',
    callDurationSec: 42,
    callOutcome: label,
    totalCallCost: 0.12,
    summary: 'Simulated: nobody was called.',
    transcript: [
      { speaker: 'agent', text: 'Hello, this is a simulated call.', timestamp: 0 },
      { speaker: 'customer', text: 'Hello.', timestamp: 4 },
    ],
  };
  return { finished: true, result: readOutcome(body, orderId), body };
}
