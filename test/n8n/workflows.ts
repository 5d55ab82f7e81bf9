import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { isRecord } from '../../nodes/OutboundAiCalling/http/json';
import type { CallingService } from '../service';
import type { Credential, N8nClient, WorkflowFile, WorkflowNode } from '../../scripts/n8n';

/** The action node, as workflows name its type. */
export const CALLING_NODE = 'n8n-nodes-outbound-ai-calling.outboundAiCalling';
export const CALLING_CREDENTIAL = 'outboundAiCallingApi';

/** What the first node of every workflow here is called; it gives out the items. */
export const START = 'By hand';

/** Saves a credential for an emulated service; `fields` win over what fits that service. */
export async function saveCredential(
  client: N8nClient,
  { baseUrl }: Pick<CallingService, 'baseUrl'>,
  fields: IDataObject = {},
): Promise<Credential> {
  return await client.createCredential('Calling service', CALLING_CREDENTIAL, {
    baseUrl,
    apiKey: 'test-key',
    ...fields,
  });
}

/** The action node with an operation such as `call.trigger` and that operation's parameters. */
export function callingNode(
  name: string,
  operation: string,
  credential: Pick<Credential, 'id' | 'name'>,
  parameters: INodeParameters = {},
  settings: Partial<INode> = {},
): WorkflowNode {
  const [resource = '', action = ''] = operation.split('.');
  return {
    name,
    type: CALLING_NODE,
    typeVersion: 1,
    position: [0, 0],
    parameters: { resource, operation: action, ...parameters },
    credentials: { [CALLING_CREDENTIAL]: { id: credential.id, name: credential.name } },
    ...settings,
  };
}

/** A workflow to be executed by hand: it gives out the items, then runs one node after the other. */
export function workflowOf(
  name: string,
  items: IDataObject[],
  ...steps: WorkflowNode[]
): WorkflowFile {
  const start: WorkflowNode = {
    name: START,
    type: 'n8n-nodes-base.manualTrigger',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  };
  const nodes = [start, ...steps].map((node, index): WorkflowNode => ({
    ...node,
    position: [index * 220, 0],
  }));
  const connections: IConnections = {};
  nodes.slice(1).forEach((node, index) => {
    const before = nodes[index]?.name ?? START;
    connections[before] = { main: [[{ node: node.name, type: 'main', index: 0 }]] };
  });
  return { name, nodes, connections, pinData: { [START]: items.map((json) => ({ json })) } };
}

/** Has the nodes of a workflow call by hand as they do in production. */
export function callsByHand({ nodes }: Pick<WorkflowFile, 'nodes'>): void {
  for (const { parameters } of nodes) {
    if (isRecord(parameters.rules)) delete (parameters.rules as IDataObject).manualExecutions;
  }
}
