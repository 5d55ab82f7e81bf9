import { NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';
import type { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { judge } from './lookResult';
import type { WatchedCall, Watchlist } from './watch/watch';
import { eventItem } from './outcomeItem';
import type { TriggerSettings } from './settings';

/** So many calls are asked for, so that a person does not wait long. */
const MOST_LOOKS = 25;
const SIDE_BY_SIDE = 5;

/** What to do when there is nothing to show, by what is watched. */
const ADVICE: Record<TriggerSettings['watch'], string> = {
  instance:
    'Place a call with the Outbound AI Calling node, in this n8n and with this credential, wait until it has ended, then fetch again. Calls from before the last restart of n8n are not known; in queue mode none are.',
  callLog:
    'Place a call with the Outbound AI Calling node with "Call Log" set to this table, wait until it has ended, then fetch again.',
  orderIds: 'Enter the order ID of a call that has ended under "Order IDs".',
};

/**
 * One real call for the editor, as production would fire it. Nothing is noted: the same call still
 * fires in production.
 *
 * @throws NodeOperationError that says what to do when no such call is there
 */
export async function findExample(
  node: INode,
  service: Pick<CallingService, 'readOutcome'>,
  watchlist: Watchlist,
  settings: TriggerSettings,
): Promise<IDataObject> {
  const calls = await watchlist.examples(MOST_LOOKS);
  for (let start = 0; start < calls.length; start += SIDE_BY_SIDE) {
    const some = calls.slice(start, start + SIDE_BY_SIDE);
    const items = await Promise.all(some.map(async (call) => await look(call, service, settings)));
    const item = items.find((found) => found !== undefined);
    if (item !== undefined) return item;
  }
  const what = settings.events.includes('outcomeAvailable') ? 'has ended' : 'was given up';
  const message =
    calls.length === 0
      ? 'There is no call to show yet'
      : `None of the ${calls.length} newest calls ${what} as the trigger wants it`;
  throw new NodeOperationError(node, message, { description: ADVICE[settings.watch] });
}

async function look(
  call: WatchedCall,
  service: Pick<CallingService, 'readOutcome'>,
  settings: TriggerSettings,
): Promise<IDataObject | undefined> {
  const result = await service.readOutcome(call.orderId).catch((failure: unknown) => {
    const isAboutCall = failure instanceof CallingServiceError && failure.kind === 'orderNotFound';
    return isAboutCall ? failure : Promise.reject(failure);
  });
  const { giveUpAfterMs } = settings;
  const verdict = judge(call, result, { lookedAt: Date.now(), giveUpAfterMs });
  const isFinal = verdict.kind === 'ended' || verdict.kind === 'givenUp';
  return isFinal ? eventItem(call, verdict, settings) : undefined;
}
