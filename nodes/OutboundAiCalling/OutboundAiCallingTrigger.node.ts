import {
  NodeConnectionTypes,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
} from 'n8n-workflow';
import { testCredential } from './methods/credentialTest';
import { searchDataTables } from './methods/searchDataTables';
import { eventsInWords, fields } from './trigger/fields';
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
    subtitle: eventsInWords,
    description:
      "Start a workflow when an AI agent's phone call to a customer has ended, with the outcome of the call",
    eventTriggerDescription: 'Waiting for a call to end',
    builderHint: {
      searchHint:
        'Starts a workflow when a phone call that the node outboundAiCalling has placed has ended. It calls nobody. Branch on outcomeKey, e.g. order_confirmed, with a Switch. In queue mode, and where no outcome may be lost, set watch to callLog and name the same data table in both nodes.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-outbound-ai-calling.outboundAiCalling',
          relationHint: 'Places the calls whose outcomes this trigger waits for',
        },
      ],
    },
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
