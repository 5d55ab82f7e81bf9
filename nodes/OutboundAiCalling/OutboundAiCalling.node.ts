import {
  NodeConnectionTypes,
  NodeOperationError,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
} from 'n8n-workflow';
import { withAdviceToRetry } from './actions/adviceToRetry';
import { call } from './actions/call/call.resource';
import { outputs, partedByCalled } from './actions/call/notCalledOutput';
import { callLog } from './actions/callLog/callLog.resource';
import { campaign } from './actions/campaign/campaign.resource';
import { panelOf, resourceList, subtitleOf } from './actions/operation';
import { refuseOutsideWorkflow } from './actions/outsideWorkflow';
import { withOwnInput } from './actions/toolCallInput';
import { NOBODY_CALLED } from './nodeError';
import { testCredential } from './methods/credentialTest';
import { getScriptVariables } from './methods/getScriptVariables';
import { getTimezones } from './methods/getTimezones';
import { searchDataTables } from './methods/searchDataTables';
import { errorWithoutKeys, learnKeys } from './withoutKeys';

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
    subtitle: subtitleOf(resources),
    description:
      'Telephone real people with an AI voice agent that follows a script, e.g. to confirm an order, and read how the calls ended',
    builderHint: {
      searchHint:
        'Places phone calls to real people, at once and at a cost. "call: trigger" calls and goes on; a workflow with outboundAiCallingTrigger acts when the call has ended. "call: triggerAndWait" waits for the outcome in the same workflow. orderId is the number of a call at the calling service. The order number of the shop goes into additionalFields.orderNumber. Set rules.preventDuplicates so that nobody is called twice for one order, and rules.callingHours so that nobody is called at night. To try a workflow set rules.manualExecutions to dryRun, or to simulate with rules.simulatedOutcomes.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-outbound-ai-calling.outboundAiCallingTrigger',
          relationHint: 'Starts a workflow when a call that this node placed has ended',
        },
      ],
    },
    defaults: { name: 'Outbound AI Calling' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs,
    credentials: [{ name: 'outboundAiCallingApi', required: true, testedBy: 'testCredential' }],
    properties: [resourceList(resources), ...resources.flatMap(panelOf)],
  };

  methods = {
    credentialTest: { testCredential },
    listSearch: { searchDataTables },
    loadOptions: { getTimezones },
    resourceMapping: { getScriptVariables },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    refuseOutsideWorkflow(this);
    const resource = this.getNodeParameter('resource', 0);
    const operation = this.getNodeParameter('operation', 0) as string;
    const chosen = resources
      .find(({ option }) => option.value === resource)
      ?.operations.find(({ option }) => option.value === operation);
    if (chosen === undefined) {
      const message = `${NOBODY_CALLED}. The node has no such operation`;
      const description = 'Choose a resource and an operation from the lists of the node.';
      throw new NodeOperationError(this.getNode(), message, { description });
    }
    const operate = async (context: IExecuteFunctions) => {
      await learnKeys(context);
      return await chosen.execute(context).catch((error: unknown) => {
        throw errorWithoutKeys(context, error);
      });
    };
    const output = await withAdviceToRetry(this, async () => await withOwnInput(this, operate));
    return partedByCalled(this, operation, output);
  }
}
