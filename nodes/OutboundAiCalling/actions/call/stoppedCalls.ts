import type { OperationExecution } from '../execution';
import type { ReadItem } from '../itemWork';
import { beginInRetry, endInRetry, noteForStop, refuseAfterStop } from '../stoppedExecutions';
import { identityOf, type AskedCall } from './askedCall';

const subjectOf = (call: AskedCall) => identityOf('call', call).subject;

/** A call as a refusal names it. `unplaced` are the words for one without an order id. */
export function calledInWords(
  phone: string,
  { orderNumber, orderId }: { orderNumber?: string; orderId?: number | string },
  unplaced = 'may have been called',
): string {
  const order = orderNumber === undefined ? '' : ` about order ${orderNumber}`;
  const was = orderId === undefined ? unplaced : 'was called';
  const id = orderId === undefined ? '' : ` (call ID at the service: ${orderId})`;
  return `${phone} ${was}${order}${id}`;
}

/** Remembers a call that was placed, or may have been, if its execution is stopped. */
export function noteCallForStop(
  execution: OperationExecution,
  call: AskedCall,
  orderId?: number,
): void {
  const { customerPhone, orderNumber } = call.request;
  const words = calledInWords(customerPhone, { orderNumber, orderId });
  noteForStop(execution, subjectOf(call), words);
}

/**
 * Keeps two retries of a stopped execution from placing a call at the same time; {@link endCallInRetry} ends it.
 *
 * @throws RuleObjection
 */
export function beginCallInRetry(execution: OperationExecution, call: AskedCall): void {
  const { customerPhone, orderNumber } = call.request;
  const words = calledInWords(customerPhone, { orderNumber }, 'is being called');
  beginInRetry(execution, subjectOf(call), words);
}

export function endCallInRetry(execution: OperationExecution, call: AskedCall): void {
  endInRetry(execution, subjectOf(call));
}

/**
 * Refuses once to call people whom a stopped execution has called.
 *
 * @throws NothingSent, which names the calls
 */
export function refuseCallsAfterStop(
  execution: OperationExecution,
  calls: Array<ReadItem<AskedCall>>,
): void {
  const real = calls.filter(({ request }) => !request.isTestCall);
  const subjects = real.map(({ request }) => subjectOf(request));
  const advice =
    'Stopping does not take a call back: its outcome can be read with Call > Get Outcome and that ID. To call all the same, execute this once more.';
  refuseAfterStop(execution, subjects, 'placed calls', advice);
}
