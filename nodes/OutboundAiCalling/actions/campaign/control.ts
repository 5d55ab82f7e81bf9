import type { INodeProperties } from 'n8n-workflow';
import type { CampaignAction } from '../../service/campaign';
import { eachItem } from '../eachItem';
import { options, requestTimeoutSeconds, simplify } from '../../fields';
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

/** The operation that sends one control action to each campaign; `notice` stands above its fields. */
export function controlOperation(
  action: CampaignAction,
  option: Operation['option'],
  notice: INodeProperties[] = [],
): Operation {
  return {
    option,
    fields: [...notice, campaignId, simplify, options(requestTimeoutSeconds)],
    execute: eachItem({
      read: (parameters) => parameters.identifier('campaignId', 'Campaign ID'),
      perform: async (id, { service, present }) =>
        present(await service.controlCampaign(id, action)),
    }),
  };
}
