import type { IDataObject, INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import { pause } from '../http/pause';

/**
 * n8n does not say when it has stored an execution, only when it has ended, or that it could not be
 * stored. What was not refused by then counts as taken, so that a kill during a long execution does
 * not hand over the same again; a refusal that comes later is heard all the same.
 */
const REFUSED_WITHIN_MS = 20_000;

/** The execution existed, and ended otherwise than well. */
function isOfExecution(error: unknown): boolean {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  return /cancell?ed/i.test(name) || /No active execution/.test(message);
}

/**
 * Starts an execution with the items.
 *
 * @param refusedLate what is to be done when n8n refuses after this has resolved
 * @returns whether n8n has started it; when not, the items have to be handed over again
 */
export async function handOver(
  context: IPollFunctions,
  items: IDataObject[],
  refusedLate: () => Promise<void>,
): Promise<boolean> {
  const done = context.helpers.createDeferredPromise<IRun | undefined>();
  const data: INodeExecutionData[] = items.map((json) => ({ json }));
  // n8n ends with nothing where it did not store the execution, e.g. because its lease was lost.
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

/** Says in n8n's log what could not be written down after a poll. */
export function tellUnwritten({ logger }: IPollFunctions, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  logger.error(
    `What became of outcomes that were handed over could not be written down: ${why}. They may be handed over again.`,
  );
}
