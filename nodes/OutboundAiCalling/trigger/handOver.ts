import type { IDataObject, INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import { pause } from '../http/pause';
import { errorMessage } from '../nodeError';

/**
 * n8n reports when an execution has ended or could not be stored, but not when it was stored. Items
 * that n8n does not refuse within this time count as taken. Otherwise a kill during a long
 * execution would hand them over again. A later refusal is still handled.
 */
const REFUSED_WITHIN_MS = 20_000;

/** Whether the error shows that n8n had started the execution. */
function isOfExecution(error: unknown): boolean {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  return /cancell?ed/i.test(name) || /No active execution/.test(message);
}

/**
 * Starts an execution with the items.
 *
 * @param refusedLate is called when n8n refuses the items after this has resolved
 * @returns whether the items count as taken; when not, they must be handed over again
 */
export async function handOver(
  context: IPollFunctions,
  items: IDataObject[],
  refusedLate: () => Promise<void>,
): Promise<boolean> {
  const done = context.helpers.createDeferredPromise<IRun | undefined>();
  const data: INodeExecutionData[] = items.map((json) => ({ json }));
  // n8n resolves to undefined when it did not store the execution, e.g. after it lost its lease.
  const isTaken = done.promise.then((run) => run !== undefined, isOfExecution);
  context.__emit([data], undefined, done);
  const within = await Promise.race([isTaken, pause(REFUSED_WITHIN_MS).then(() => undefined)]);
  if (within !== undefined) return within;
  void isTaken
    .then(async (taken) => {
      if (!taken) await refusedLate();
    })
    .catch((error: unknown) => tellUnwritten(context, error));
  return true;
}

export function tellUnwritten({ logger }: IPollFunctions, error: unknown): void {
  logger.error(
    `The trigger could not write down which outcomes it has handed over: ${errorMessage(error)}. It may hand them over again.`,
  );
}
