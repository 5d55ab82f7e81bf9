import type { INodeProperties } from 'n8n-workflow';
import { options, requestTimeoutSeconds, simplify } from '../../fields';
import type { CampaignAction } from '../../service/campaign';
import { eachItem, unlessStopped } from '../eachItem';
import { isTool, type OperationExecution } from '../execution';
import type { RequestIdentity } from '../executionMemory';
import type { Operation } from '../operation';

const campaignId: INodeProperties = {
  displayName: 'Campaign ID',
  name: 'campaignId',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. 317',
  description: 'The campaignId in the output of Create',
};

/** Actions after which people are called. */
const CALLING = new Set<CampaignAction>(['start', 'resume']);

/** A control request is the same when it does the same to the same campaign. */
export function controlIdentity(id: number, action: CampaignAction): RequestIdentity {
  const effect = CALLING.has(action) ? { effect: 'dialling' as const } : {};
  return { subject: ['control', id, action], content: '', ...effect };
}

/** Sends one control action, unless an item has failed by the time its turn comes. */
export async function control(
  execution: Pick<OperationExecution, 'service' | 'stop'>,
  id: number,
  action: CampaignAction,
) {
  const beforeEachTry = async () => await unlessStopped(execution);
  return await execution.service.controlCampaign(id, action, { beforeEachTry });
}

/**
 * The operation that sends one control action to each campaign; `notice` stands above its fields. What
 * was done, or may have been, is not done again by a retry of the execution.
 */
export function controlOperation(
  action: CampaignAction,
  option: Operation['option'],
  notice: INodeProperties[] = [],
): Operation {
  return {
    option,
    fields: [...notice, campaignId, simplify, options(requestTimeoutSeconds)],
    execute: eachItem<number>({
      calls: CALLING.has(action),
      read: (parameters) => parameters.identifier('campaignId', 'Campaign ID'),
      identity: (id) => controlIdentity(id, action),
      async perform(id, item) {
        const read = await item.remembered.once(async () => await control(item, id, action));
        if (CALLING.has(action)) item.noteStarted(id);
        // An agent that pauses, resumes and pauses again means it; a campaign starts once.
        if (isTool(item.context) && action !== 'start') item.remembered.forget();
        return item.present(read);
      },
    }),
  };
}
