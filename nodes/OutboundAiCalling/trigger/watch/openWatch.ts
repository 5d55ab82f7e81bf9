import { NodeOperationError, type IPollFunctions } from 'n8n-workflow';
import { CallLog } from '../../callLog/callLog';
import { Cursors } from '../../callLog/ends/cursors';
import type { TableLocator } from '../../dataTables/findTable';
import { withoutKeys } from '../../withoutKeys';
import type { PollRunOptions } from '../pollRun';
import type { AccountSettings } from '../settings';
import { CallLogWatch, samplesIn } from './callLogWatch';
import { InstanceWatch, samplePlaced } from './instanceWatch';
import { OrderIdsWatch, readOrderIds, sampleOrders } from './orderIdsWatch';
import type { OpenCall, Watch } from './watch';

/** A key that stays the same through all polls and publications of a trigger. */
export function keyOf(context: IPollFunctions): string {
  const { id, name } = context.getNode();
  return `${context.getWorkflow().id}:${id || name}`;
}

/** By all of these a poll is known as one of a trigger, or of another node that it has replaced. */
export function namesOf(context: IPollFunctions): string[] {
  return [keyOf(context), `${context.getWorkflow().id} ${context.getNode().name}`];
}

/** The order ids in the panel. Throws NodeOperationError when one is invalid, or when there is none. */
function orderIdsOf(context: IPollFunctions): number[] {
  const { orderIds, nonsense } = readOrderIds(context.getNodeParameter('orderIds', ''));
  if (orderIds.length > 0 && nonsense.length === 0) return orderIds;
  const shown = nonsense.slice(0, 5).map((part) => `"${part}"`);
  const more = nonsense.length > shown.length ? ` and ${nonsense.length - shown.length} more` : '';
  const message =
    nonsense.length > 0 ? `Not a call ID: ${shown.join(', ')}${more}` : 'There are no call IDs';
  throw new NodeOperationError(context.getNode(), message, {
    description:
      'Under "Call IDs at the Service", enter the whole numbers that the Outbound AI Calling node gives as orderId, separated by commas, spaces or new lines.',
  });
}

function locatorIn(context: IPollFunctions): TableLocator {
  return context.getNodeParameter('callLogTable', {}) as TableLocator;
}

/** Creates a missing table only when a person publishes: later, it may have been renamed. */
async function openLog(context: IPollFunctions, account: string, isByPerson: boolean) {
  const locator = locatorIn(context);
  if (!isByPerson) return await CallLog.openExisting(context, locator, account);
  const log = await CallLog.open(context, locator, account);
  const name = withoutKeys(context, log.name);
  if (log.isNew) context.logger.warn(`A new data table "${name}" was made for the call log.`);
  return log;
}

interface PollOfWatch extends Pick<PollRunOptions, 'reader' | 'lookUntil'> {
  isPublishing: boolean;
}

/**
 * Opens the watch that the person chose.
 *
 * @returns `giveUpAfterMs` exceeds the trigger's own setting when another trigger of the log waits longer
 */
export async function openWatch(
  context: IPollFunctions,
  settings: AccountSettings,
  poll: PollOfWatch,
): Promise<{ watch: Watch; giveUpAfterMs: number }> {
  const trigger = keyOf(context);
  const { giveUpAfterMs, account } = settings;
  const staticData = context.getWorkflowStaticData('node');
  switch (settings.watch) {
    case 'instance': {
      const ofWorkflow = context.getWorkflowStaticData('global');
      const watch = new InstanceWatch({ ...settings, trigger, staticData, ofWorkflow });
      const forgotten = watch.newlyForgotten();
      if (forgotten > 0) {
        context.logger.warn(
          `The outcomes of ${forgotten} calls will not come: too many calls, or too long between two polls. Watch a call log instead.`,
        );
      }
      return { watch, giveUpAfterMs };
    }
    case 'orderIds': {
      const orderIds = orderIdsOf(context);
      const watch = new OrderIdsWatch({ trigger, account, orderIds, staticData });
      return { watch, giveUpAfterMs };
    }
    case 'callLog': {
      // Then the table is the one that the person means, who has just published the workflow.
      const isByPerson =
        poll.isPublishing && !['init', 'leadershipChange'].includes(context.getActivationMode());
      const log = await openLog(context, account, isByPerson);
      const ownCursor = `${log.tableId} ${log.account} ${trigger}`;
      const { cursor } = staticData;
      // A workflow that was imported under another id brings along where another trigger stood.
      const isOwn = typeof cursor === 'string' && cursor.endsWith(` ${trigger}`);
      const wasElsewhere = !isByPerson && isOwn && !cursor.startsWith(`${log.tableId} `);
      const cursors = await Cursors.open(log, {
        workflow: context.getWorkflow().name ?? '',
        trigger,
        giveUpAfterMs,
        wasHere: cursor === ownCursor,
        ...(wasElsewhere ? { cameFromAnotherAt: Number(staticData.polledAt ?? Infinity) } : {}),
        warn: (message) => context.logger.warn(withoutKeys(context, message)),
      });
      const watch = await CallLogWatch.open(log, cursors, { trigger, ...poll });
      // n8n saves it with the next execution that the trigger starts.
      Object.assign(staticData, { cursor: ownCursor, polledAt: Date.now() });
      return { watch, giveUpAfterMs: cursors.giveUpAfterMs() };
    }
  }
}

/** At most this many calls are looked at for a sample, so that a person does not wait long. */
const MOST_SAMPLES = 25;

/** Candidates for a sample in the editor, those most likely to have ended first. */
export async function samplesFor(
  context: IPollFunctions,
  { watch, account }: AccountSettings,
): Promise<OpenCall[]> {
  switch (watch) {
    case 'instance':
      return samplePlaced(account, MOST_SAMPLES);
    case 'orderIds':
      return sampleOrders(orderIdsOf(context), MOST_SAMPLES);
    case 'callLog': {
      const log = await CallLog.find(context, locatorIn(context), account);
      return log === undefined ? [] : await samplesIn(log, MOST_SAMPLES);
    }
  }
}
