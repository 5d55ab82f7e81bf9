import type { IDataObject } from 'n8n-workflow';
import { runsOf, sharedN8n, type Execution, type SharedN8n } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { startChatModel, type ChatModel, type ChatReply, type ChatRequest } from './chatModel';
import { CALLING_NODE, callingNode, saveCredential, workflowOf } from './workflows';

const TOOL = 'Telephone';
const CUSTOMER = '+12025550101';
const SOMEBODY = '+12025550199';

let n8n: SharedN8n;
let service: CallingService;
let model: ChatModel;
let reply: (request: ChatRequest) => ChatReply;

beforeAll(async () => {
  service = await startCallingService();
  model = await startChatModel((request) => reply(request));
  n8n = await sharedN8n();
});
afterAll(async () => await Promise.all([service.close(), model.close()]));

/** Runs an agent whose tool has the customer in the data, and the topic from the agent. */
async function runAgent(): Promise<Execution> {
  const { client } = n8n;
  const calling = await saveCredential(client, service);
  const access = { apiKey: 'none', url: model.url };
  const { id, name } = await client.createCredential('Model of data', 'openAiApi', access);
  const agent = {
    name: 'Agent',
    type: '@n8n/n8n-nodes-langchain.agent',
    typeVersion: 3.1,
    position: [0, 0] as [number, number],
    parameters: { promptType: 'define', text: 'Call.', options: { enableStreaming: false } },
  };
  const file = workflowOf('Agent with data', [{ phone: CUSTOMER, order: 'A-1' }], agent);
  const asked = {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: {
      orderNumber: '={{ $json.order }}',
      orderNotes: "={{ $fromAI('topic', 'What to talk about', 'string') }}",
    },
  };
  const tool = {
    ...callingNode(TOOL, 'call.trigger', calling, asked),
    type: `${CALLING_NODE}Tool`,
  };
  const chat = {
    name: 'Model',
    type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    typeVersion: 1.3,
    position: [0, 300] as [number, number],
    parameters: {
      model: { __rl: true, mode: 'id', value: 'gpt-5-mini' },
      responsesApiEnabled: false,
      options: {},
    },
    credentials: { openAiApi: { id, name } },
  };
  file.nodes.push(tool, chat);
  file.connections.Model = {
    ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]],
  };
  file.connections[TOOL] = { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] };
  file.settings = { executionOrder: 'v1' };
  return await client.runManually(await client.createWorkflow(file));
}

it('rings the customer of the data, and nobody whom the agent names in their place', async () => {
  const wanted: IDataObject[] = [{ topic: 'cup', phone: SOMEBODY }, { topic: 'cup' }];
  reply = ({ messages }) => {
    const args = wanted[messages.filter(({ role }) => role === 'tool').length];
    return args === undefined ? { text: 'Done.' } : { calls: [{ tool: TOOL, args }] };
  };
  const execution = await runAgent();
  expect(service.seen.calls.map(({ phone }) => phone)).toEqual([CUSTOMER]);
  const told = model.requests
    .at(-1)
    ?.messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
  expect(told?.[0]).toContain('takes \\"phone\\" from the data');
  expect(told?.[1]).toContain(CUSTOMER);
  expect(runsOf(execution, TOOL)).toHaveLength(2);
});
