import { NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';
import type { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { resultOfLook } from './lookResult';
import type { TriggerSettings } from './settings';
import type { EndedCall, OpenCall } from './watch/watch';

/** What production fires, and how. */
export interface SampleSettings extends TriggerSettings {
  /** The item that an end is handed over as; undefined when nobody wants it. */
  itemOf(ended: EndedCall): IDataObject | undefined;
}

/** So many calls are asked for, so that a person does not wait long. */
export const MOST_SAMPLES = 25;
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
 * @param calls that could serve, the likeliest to have ended first
 * @throws NodeOperationError that says what to do when none of them does
 */
export async function findSample(
  node: INode,
  service: Pick<CallingService, 'readOutcome'>,
  calls: OpenCall[],
  settings: SampleSettings,
): Promise<IDataObject> {
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
  call: OpenCall,
  service: Pick<CallingService, 'readOutcome'>,
  settings: SampleSettings,
): Promise<IDataObject | undefined> {
  const given = await service.readOutcome(call.orderId).catch((failure: unknown) => {
    const isAboutCall = failure instanceof CallingServiceError && failure.kind === 'orderNotFound';
    return isAboutCall ? failure : Promise.reject(failure);
  });
  const { giveUpAfterMs } = settings;
  const result = resultOfLook(call, given, { lookedAt: Date.now(), giveUpAfterMs });
  return result.kind === 'ended' ? settings.itemOf({ call, end: result.end }) : undefined;
}
