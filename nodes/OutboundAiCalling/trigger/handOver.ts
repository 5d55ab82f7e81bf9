import type { IDataObject, INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import { pause } from '../service/pause';

/** An execution that n8n has not refused by then is stored and under way. */
const REFUSED_WITHIN_MS = 5_000;

/** The execution existed, and ended otherwise than well. */
function isOfExecution(error: unknown): boolean {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  return /cancell?ed/i.test(name) || /No active execution/.test(message);
}

/**
 * Starts an execution with the items, while the poll goes on.
 *
 * @returns whether n8n has started it; when not, the items have to be handed over again
 */
export async function handOver(context: IPollFunctions, items: IDataObject[]): Promise<boolean> {
  const done = context.helpers.createDeferredPromise<IRun | undefined>();
  const data: INodeExecutionData[] = items.map((json) => ({ json }));
  context.__emit([data], undefined, done);
  return await Promise.race([
    // n8n ends with nothing where it did not store the execution, e.g. because its lease was lost.
    done.promise.then((run) => run !== undefined, isOfExecution),
    pause(REFUSED_WITHIN_MS).then(() => true),
  ]);
}
