import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Credential, WorkflowFile } from '../../scripts/n8n';
import { CALLING_NODE, callingNode, workflowOf } from './workflows';

export const TOOL = 'Telephone';

/** The customer from the data, and the topic from the agent. */
const ASKED: INodeParameters = {
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  additionalFields: {
    orderNumber: '={{ $json.order }}',
    orderNotes: "={{ $fromAI('topic', 'What to talk about', 'string') }}",
  },
};

/** A workflow with an AI agent of a version that has the node as its tool, and gets these orders. */
export function agentWorkflow(
  { calling, model }: { calling: Credential; model: Credential },
  orders: IDataObject[],
  typeVersion: number,
): WorkflowFile {
  const agent = {
    name: 'Agent',
    type: '@n8n/n8n-nodes-langchain.agent',
    typeVersion,
    position: [0, 0] as [number, number],
    parameters: { promptType: 'define', text: 'Call.', options: { enableStreaming: false } },
  };
  const file = workflowOf('Agent with data', orders, agent);
  const tool = {
    ...callingNode(TOOL, 'call.trigger', calling, ASKED),
    type: `${CALLING_NODE}Tool`,
  };
  const chat = {
    name: 'Model',
    type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    typeVersion: 1.2,
    position: [0, 300] as [number, number],
    parameters: { model: { __rl: true, mode: 'id', value: 'gpt-5-mini' }, options: {} },
    credentials: { openAiApi: model },
  };
  file.nodes.push(tool, chat);
  file.connections.Model = {
    ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]],
  };
  file.connections[TOOL] = { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] };
  file.settings = { executionOrder: 'v1' };
  return file;
}
