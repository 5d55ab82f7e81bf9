import {
  NodeConnectionTypes,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
} from 'n8n-workflow';
import { testCredential } from './methods/credentialTest';
import { searchDataTables } from './methods/searchDataTables';
import { fields } from './trigger/fields';
import { poll } from './trigger/poll';

export class OutboundAiCallingTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Outbound AI Calling Trigger',
    name: 'outboundAiCallingTrigger',
    icon: {
      light: 'file:../../icons/outboundAiCalling.svg',
      dark: 'file:../../icons/outboundAiCalling.dark.svg',
    },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Start a workflow when a call has ended and its outcome can be read',
    defaults: { name: 'Outbound AI Calling Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'outboundAiCallingApi', required: true, testedBy: 'testCredential' }],
    properties: fields,
  };

  methods = {
    credentialTest: { testCredential },
    listSearch: { searchDataTables },
  };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return await poll(this);
  }
}
