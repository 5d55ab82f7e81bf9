import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import type { INodeParameters } from 'n8n-workflow';
import { SCOPES } from '../../nodes/OutboundAiCalling/dataTables/n8nApi';
import { sharedN8n, type Credential, type SharedN8n } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { logTable } from './triggerWorkflows';
import { until } from './until';
import { CALLING_NODE, callingNode, saveCredential } from './workflows';

const PHONE = '+12025550168';
const TOOL = 'Call_a_person';

interface Asked {
  messages: Array<{ role: string; content: string }>;
  tools?: unknown[];
}

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let model: FastifyInstance;
let ollama: Credential;
/** What the tool has told the model, newest last. */
const told: string[] = [];

/** Serves a model that has the person called whenever it is asked ("Generate a chat message" of Ollama's API). */
async function startModel(): Promise<string> {
  model = fastify({ forceCloseConnections: true });
  model.post('/api/chat', (request, answer) => {
    const { messages, tools = [] } = request.body as Asked;
    const last = messages.at(-1);
    if (last?.role === 'tool') told.push(last.content);
    const call = { function: { name: TOOL, arguments: {} } };
    const isCalling = last?.role !== 'tool' && tools.length > 0;
    const message = {
      role: 'assistant',
      content: '',
      ...(isCalling ? { tool_calls: [call] } : {}),
    };
    const line = { model: 'scripted', created_at: new Date().toISOString(), message };
    void answer.header('content-type', 'application/x-ndjson');
    return `${JSON.stringify({ ...line, done: true, done_reason: 'stop' })}\n`;
  });
  return await model.listen({ port: 0, host: '127.0.0.1' });
}

beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  const n8nApiKey = await n8n.client.createApiKey('Chat', SCOPES);
  calling = await saveCredential(n8n.client, service, { n8nApiKey });
  ollama = await n8n.client.createCredential('Ollama', 'ollamaApi', {
    baseUrl: await startModel(),
  });
  await n8n.client.session.rest('PUT', '/chat/enabled', { body: { enabled: true } });
});
afterAll(async () => {
  await n8n.client.session.rest('PUT', '/chat/enabled', { body: { enabled: false } });
  await Promise.all([service.close(), model.close()]);
});
beforeEach(() => service.reset());

/** Has a person write two messages to an agent of n8n's Chat; gives what its tool has answered each time. */
async function writeTwice(name: string, parameters: INodeParameters): Promise<string[]> {
  const { session } = n8n.client;
  const node = callingNode(name, 'call.trigger', calling, {
    ...{ scriptId: 7, customerPhone: PHONE, additionalFields: { orderNumber: 'H-1' } },
    ...{ rules: { preventDuplicates: true }, ...parameters },
    ...{ descriptionType: 'manual', toolDescription: 'Telephones the person' },
  });
  const definition = { ...node, name: TOOL, id: randomUUID(), type: `${CALLING_NODE}Tool` };
  await session.rest('POST', '/chat/tools', { body: { definition } });
  const agent = await session.rest<{ id: string }>('POST', '/chat/agents', {
    body: {
      ...{ name, description: '', systemPrompt: 'You call.', suggestedPrompts: [], files: [] },
      ...{ icon: { type: 'icon', value: 'bot' }, toolIds: [definition.id] },
      ...{ provider: 'ollama', model: 'scripted', credentialId: ollama.id },
    },
  });
  const before = told.length;
  for (const messages of [1, 2]) {
    await session.rest('POST', '/chat/conversations/send', {
      headers: { 'push-ref': name },
      body: {
        ...{ messageId: randomUUID(), sessionId: randomUUID(), previousMessageId: null },
        ...{ message: 'Call the person', attachments: [], timeZone: 'UTC' },
        model: { provider: 'custom-agent', agentId: agent.id },
        credentials: { ollamaApi: { id: ollama.id, name: ollama.name } },
      },
    });
    await until(() => told.length === before + messages);
  }
  await session.rest('DELETE', `/chat/tools/${definition.id}`);
  return told.slice(before);
}

describe("Prevent Duplicates of a tool in n8n's Chat, where each message is a workflow of its own", () => {
  it('calls nobody without a call log, and the agent hears why', async () => {
    const answers = await writeTwice('Without a log', {});
    expect(answers).toEqual(
      Array(2).fill(expect.stringContaining("needs a call log in n8n's Chat")),
    );
    expect(service.seen.calls).toEqual([]);
  });

  it('calls once with a call log', async () => {
    const log = { callLog: 'dataTable', callLogTable: logTable('Chat of n8n') };
    const [first, second] = await writeTwice('With a log', log as INodeParameters);
    expect(first).toContain('in_progress');
    expect(second).toContain('duplicate');
    expect([...service.seen.callsByPhone]).toEqual([[PHONE, 1]]);
  });
});
