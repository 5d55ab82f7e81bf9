import { sharedN8n, type Credential, type SavedWorkflow, type SharedN8n } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { CALLING_NODE, callingNode, saveCredential } from './workflows';

const PATH = 'calls-for-agents';
const TOOL = 'Call_a_person';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let workflow: SavedWorkflow;

beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  calling = await saveCredential(n8n.client, service);
  const tool = callingNode(TOOL, 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: "={{ $fromAI('phone', 'The phone number') }}",
    additionalFields: { orderNumber: "={{ $fromAI('order', 'The order number') }}" },
    rules: { preventDuplicates: true },
    descriptionType: 'manual',
    toolDescription: 'Telephones a person',
  });
  const created = await n8n.client.createWorkflow({
    name: PATH,
    nodes: [
      {
        name: 'Server',
        type: '@n8n/n8n-nodes-langchain.mcpTrigger',
        typeVersion: 2.1,
        position: [0, 0],
        parameters: { authentication: 'none', path: PATH },
        webhookId: PATH,
      },
      { ...tool, type: `${CALLING_NODE}Tool` },
    ],
    connections: { [TOOL]: { ai_tool: [[{ node: 'Server', type: 'ai_tool', index: 0 }]] } },
  });
  workflow = await n8n.client.publish(created);
});
afterAll(async () => {
  await n8n.client.unpublish(workflow);
  await service.close();
});
beforeEach(() => service.reset());

/** Connects as an MCP client does; gives what calls the tool and returns its answer as text. */
async function connect(): Promise<(phone: string, order: string) => Promise<string>> {
  let session: string | undefined;
  let requests = 1;
  const send = async (message: object): Promise<string> => {
    const answer = await fetch(`${n8n.client.baseUrl}/mcp/${PATH}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    session ??= answer.headers.get('mcp-session-id') ?? undefined;
    return await answer.text();
  };
  const clientInfo = { name: 'Agent', version: '1' };
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
  await send({ id: 1, method: 'initialize', params });
  await send({ method: 'notifications/initialized' });
  return async (phone, order) =>
    await send({
      id: ++requests,
      method: 'tools/call',
      params: { name: TOOL, arguments: { phone, order } },
    });
}

describe('a tool of an MCP server', () => {
  it('calls, each order once, also when a client asks for several at once', async () => {
    const call = await connect();
    const orders = [1, 2, 3].map((number) => [`+1202555016${number}`, `M-${number}`] as const);
    const answers = await Promise.all(
      orders.map(async ([phone, order]) => await call(phone, order)),
    );
    for (const [index, answer] of answers.entries()) expect(answer).toContain(`M-${index + 1}`);
    expect(await call('+12025550161', 'M-1')).toContain('duplicate');
    expect([...service.seen.callsByPhone.values()]).toEqual([1, 1, 1]);
  });

  it('calls nobody again whose call may have been placed, and says so', async () => {
    const call = await connect();
    service.faults.add({ kind: 'reset', route: 'trigger', when: 'after' });
    expect(await call('+12025550164', 'M-4')).toContain('Somebody may have been called');
    expect(await call('+12025550164', 'M-4')).toContain('duplicate');
    expect([...service.seen.callsByPhone]).toEqual([['+12025550164', 1]]);
  });
});
