import { MINUTE_MS } from '../../clocks';
import { isManualExecution } from '../../rules/manualExecutions';
import { NothingSent } from '../../service/failure';
import type { ReadItem } from '../itemWork';
import { isTool, type OperationExecution } from '../execution';
import { identityOf, type AskedCall } from './askedCall';

/** After a person stops an execution, its calls are refused once within this time. */
const REMEMBERED_FOR_MS = 10 * MINUTE_MS;
const MOST_NAMED = 5;

/** Calls of stopped executions that this process has placed, or may have; `told` says in words who was called. */
const stoppedCalls = new Map<string, { told: string; stoppedAt: number }>();

/** Thrown because a person who stops an execution may believe that this takes its calls back. */
class StoppedBefore extends NothingSent {
  override readonly name = 'StoppedBefore';
  readonly advice =
    'Stopping does not take a call back: its outcome can be read with Call > Get Outcome and that ID. To call all the same, execute this once more.';
}

function nameOf({ context, account }: OperationExecution, call: AskedCall): string {
  const place = [context.getWorkflow().id, context.getNode().id, account];
  return JSON.stringify([...place, identityOf('call', call).subject]);
}

/** Remembers a call that was placed, or may have been, if its execution is stopped. */
export function noteForStop(
  execution: OperationExecution,
  call: AskedCall,
  orderId?: number,
): void {
  const { customerPhone, orderNumber } = call.request;
  const order = orderNumber === undefined ? '' : ` about order ${orderNumber}`;
  const was = orderId === undefined ? 'may have been called' : 'was called';
  const id = orderId === undefined ? '' : ` (call ID at the service: ${orderId})`;
  const note = () => {
    const told = `${customerPhone} ${was}${order}${id}`;
    stoppedCalls.set(nameOf(execution, call), { told, stoppedAt: Date.now() });
  };
  const { cancelled } = execution;
  if (cancelled.aborted) note();
  else cancelled.addEventListener('abort', note, { once: true });
}

/**
 * Refuses calls to people whom a stopped execution has called, so that a second press does not call
 * them again by mistake. It refuses them once, in all tries of the next manual execution.
 *
 * @throws StoppedBefore, which names the calls
 */
export function refuseAfterStop(
  execution: OperationExecution,
  calls: Array<ReadItem<AskedCall>>,
): void {
  const { context, memory } = execution;
  if (!isManualExecution(context) || isTool(context)) return;
  const now = Date.now();
  for (const [name, { stoppedAt }] of stoppedCalls) {
    if (stoppedAt < now - REMEMBERED_FOR_MS) stoppedCalls.delete(name);
  }
  const names = calls
    .filter(({ request }) => !request.isTestCall)
    .map(({ request }) => nameOf(execution, request));
  const found = names.flatMap((name) => stoppedCalls.get(name)?.told ?? []);
  for (const name of names) stoppedCalls.delete(name);
  if (found.length > 0) {
    const more = found.length > MOST_NAMED ? `, and ${found.length - MOST_NAMED} more` : '';
    memory.notes.stoppedBefore = found.slice(0, MOST_NAMED).join(', ') + more;
  }
  const { stoppedBefore } = memory.notes;
  if (stoppedBefore === undefined) return;
  throw new StoppedBefore(`The execution that was stopped had placed calls: ${stoppedBefore}`);
}
