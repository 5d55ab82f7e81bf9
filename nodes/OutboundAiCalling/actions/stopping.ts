import { NOBODY_CALLED } from '../nodeError';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { pause } from '../http/pause';
import { CallingServiceError } from '../service/failure';
import type { OperationExecution } from './execution';

/** The item was not begun, because another had failed. */
export class NotBegun extends CallingServiceError {
  constructor() {
    super('cancelled', `${NOBODY_CALLED}: the execution did not come to this call`, {
      advice: 'Another item failed before: nothing was sent for this one.',
      mayHaveBeenProcessed: false,
    });
  }
}

/** @throws NotBegun just before a request leaves, when another item has failed by then */
export async function unlessStopped(execution: Pick<OperationExecution, 'stop'>): Promise<void> {
  // Let a failure that is being handled right now stop this request too.
  await pause(0);
  throwIfStopped(execution);
}

/** As {@link unlessStopped}, but synchronous: nothing comes between this check and the request. */
export function throwIfStopped({ stop }: Pick<OperationExecution, 'stop'>): void {
  if (stop.signal.aborted) throw new NotBegun();
}

/** Whether a failure only says that its item was stopped. */
export function isCancelled(failure: unknown): boolean {
  if (!(failure instanceof CallingServiceError)) return false;
  return failure.kind === 'cancelled' && !failure.mayHaveBeenProcessed;
}

/** Writes to n8n's own log: n8n throws away the output of a cancelled execution. */
export function tellCancelled(
  context: IExecuteFunctions,
  sentences: string,
  data: IDataObject,
): void {
  if (sentences === '') return;
  context.logger.warn(`"${context.getNode().name}" was cancelled. ${sentences}`, data);
}
