import type { INode, INodeParameters } from 'n8n-workflow';
import type {
  Credential,
  Execution,
  N8nClient,
  SavedWorkflow,
  WorkflowFile,
} from '../../scripts/n8n';
import { callingNode } from './workflows';

/**
 * A workflow to be published: phones come in by a webhook, and its node "Call" places a call for
 * each.
 *
 * @param path of the webhook, and the name of the workflow
 */
export function phoneWorkflow(
  path: string,
  calling: Credential,
  parameters: INodeParameters = {},
  settings: Partial<INode> = {},
): WorkflowFile {
  const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
  return {
    name: path,
    nodes: [
      {
        name: 'Phones',
        type: 'n8n-nodes-base.webhook',
        typeVersion: 2.1,
        position: [0, 0],
        parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
        webhookId: path,
      },
      {
        name: 'Each',
        type: 'n8n-nodes-base.splitOut',
        typeVersion: 1,
        position: [200, 0],
        parameters: {
          fieldToSplitOut: 'body.phones',
          options: { destinationFieldName: 'phone' },
        },
      },
      callingNode(
        'Call',
        'call.trigger',
        calling,
        { scriptId: 7, customerPhone: '={{ $json.phone }}', ...parameters },
        { position: [400, 0], ...settings },
      ),
    ],
    connections: { Phones: link('Each'), Each: link('Call') },
  };
}

/**
 * Posts phones to a workflow of that kind and waits for the end of the execution that calls them.
 *
 * @param number of that execution among those of the workflow, from 1
 */
export async function callPhones(
  client: N8nClient,
  workflow: SavedWorkflow,
  phones: string[],
  number = 1,
): Promise<Execution> {
  await client.postToWebhook(workflow.name, { phones });
  const all = await client.waitForExecutions(workflow.id, number);
  const newest = all.sort((one, other) => Number(other.id) - Number(one.id))[0];
  if (newest === undefined) throw new Error('The workflow did not run');
  return newest;
}
