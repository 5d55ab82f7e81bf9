import type { IDataObject } from 'n8n-workflow';
import { runsOf, sharedN8n, type Execution, type SharedN8n } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { startChatModel, type ChatModel, type ChatReply, type ChatRequest } from './chatModel';
import { agentWorkflow, TOOL } from './agentWorkflow';
import { saveCredential } from './workflows';

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

async function runAgent(orders: IDataObject[], version = 3.1): Promise<Execution> {
  const { client } = n8n;
  const calling = await saveCredential(client, service);
  const access = { apiKey: 'none', url: model.url };
  const chat = await client.createCredential('Model of data', 'openAiApi', access);
  const workflow = agentWorkflow({ calling, model: chat }, orders, version);
  return await client.runManually(await client.createWorkflow(workflow));
}

it('rings the customer of the data, and nobody whom the agent names in their place', async () => {
  const wanted: IDataObject[] = [{ topic: 'cup', phone: SOMEBODY }, { topic: 'cup' }];
  reply = ({ messages }) => {
    const args = wanted[messages.filter(({ role }) => role === 'tool').length];
    return args === undefined ? { text: 'Done.' } : { calls: [{ tool: TOOL, args }] };
  };
  const execution = await runAgent([{ phone: CUSTOMER, order: 'A-1' }]);
  expect(service.seen.calls.map(({ phone }) => phone)).toEqual([CUSTOMER]);
  const told = model.requests
    .at(-1)
    ?.messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
  expect(told?.[0]).toContain('takes \\"phone\\" from the data');
  expect(told?.[1]).toContain(CUSTOMER);
  expect(runsOf(execution, TOOL)).toHaveLength(2);
});

it('calls nobody for an older agent with several orders, which has the first one for all of them', async () => {
  const orders = [1, 2].map((last) => ({ phone: `+1202555011${last}`, order: `B-${last}` }));
  reply = ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: [{ tool: TOOL, args: { topic: 'cup' } }] };
  const execution = await runAgent(orders, 2.2);
  const phones = service.seen.calls.map(({ phone }) => phone);
  expect(phones.filter((phone) => orders.some((order) => order.phone === phone))).toEqual([]);
  const errors = runsOf(execution, TOOL).map(({ error }) => String(error?.message));
  expect(errors).toEqual(orders.map(() => expect.stringContaining('the first of 2 items')));
});
