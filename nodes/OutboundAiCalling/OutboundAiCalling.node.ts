import {
  NodeConnectionTypes,
  NodeOperationError,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
} from 'n8n-workflow';
import { call } from './actions/call/call.resource';
import { outputs, partedByCalled } from './actions/call/notCalledOutput';
import { callLog } from './actions/callLog/callLog.resource';
import { campaign } from './actions/campaign/campaign.resource';
import { panelOf } from './actions/operation';
import { asAsked } from './actions/toolCall';
import { testCredential } from './methods/credentialTest';
import { getScriptVariables } from './methods/getScriptVariables';
import { getTimezones } from './methods/getTimezones';
import { searchDataTables } from './methods/searchDataTables';

const resources = [call, callLog, campaign];

export class OutboundAiCalling implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Outbound AI Calling',
    name: 'outboundAiCalling',
    icon: {
      light: 'file:../../icons/outboundAiCalling.svg',
      dark: 'file:../../icons/outboundAiCalling.dark.svg',
    },
    group: ['output'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Let an AI agent telephone customers by script, and read how the calls ended',
    defaults: { name: 'Outbound AI Calling' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs,
    credentials: [{ name: 'outboundAiCallingApi', required: true, testedBy: 'testCredential' }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: resources.map(({ option }) => option),
        default: 'call',
      },
      ...resources.flatMap(panelOf),
    ],
  };

  methods = {
    credentialTest: { testCredential },
    listSearch: { searchDataTables },
    loadOptions: { getTimezones },
    resourceMapping: { getScriptVariables },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const resource = this.getNodeParameter('resource', 0);
    const operation = this.getNodeParameter('operation', 0);
    const chosen = resources
      .find(({ option }) => option.value === resource)
      ?.operations.find(({ option }) => option.value === operation);
    if (chosen === undefined) {
      throw new NodeOperationError(this.getNode(), 'This operation is not known', {
        description: 'Choose a resource and an operation from the lists of the node.',
      });
    }
    const items = await asAsked(this, chosen.execute);
    return chosen.hasNotCalledOutput ? partedByCalled(this, items) : [items];
  }
}
