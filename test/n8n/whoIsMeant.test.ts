import type { INodeParameters } from 'n8n-workflow';
import {
  errorOf,
  jsonOf,
  sharedN8n,
  type Credential,
  type SharedN8n,
  type WorkflowNode,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { callingNode, saveCredential, START, workflowOf } from './workflows';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  calling = await saveCredential(n8n.client, service);
});
beforeEach(() => {
  service.reset();
});
afterAll(async () => {
  await service?.close();
});

it('a phone number or an order number of which a part is missing calls nobody, and others are called', async () => {
  const items = [
    { country: '1', phone: '2025550171', shop: 'de', no: 1 },
    { phone: '6465550123', shop: 'de', no: 2 }, // without its country, one of New Zealand
    { country: '1', phone: '2025550172', shop: 'de' },
  ];
  const node = callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '=+{{ $json.country }}{{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.shop }}-{{ $json.no }}' },
  });
  const workflow = await n8n.client.createWorkflow(
    workflowOf('Parts', items, { ...node, onError: 'continueRegularOutput' }),
  );
  const told = jsonOf(await n8n.client.runManually(workflow), 'Call');
  expect(told).toEqual([
    expect.objectContaining({ customerPhone: '+12025550171' }),
    expect.objectContaining({
      error: expect.stringContaining('Customer Phone "undefined" is not a phone number'),
    }),
    expect.objectContaining({ error: expect.stringMatching(/Order Number is ".*undefined"/) }),
  ]);
  expect(service.seen.calls.map(({ phone }) => phone)).toEqual(['+12025550171']);
});

it('a phone number of which a part is missing stops a run that does not go on after errors', async () => {
  const node = callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '=+{{ $json.country }}{{ $json.phone }}',
  });
  const workflow = await n8n.client.createWorkflow(
    workflowOf('Parts that stop', [{ phone: '6465550123' }], node),
  );
  expect(errorOf(await n8n.client.runManually(workflow), 'Call')?.message).toContain(
    'Customer Phone "undefined" is not a phone number',
  );
  expect(service.seen.calls).toEqual([]);
});

describe('the phone of one order', () => {
  const PHONES = ['+12025550171', '+12025550172', '+12025550173'];
  const node = (name: string, type: string, version: number, parameters: INodeParameters) =>
    ({
      ...{ name, type: `n8n-nodes-base.${type}`, typeVersion: version },
      ...{ position: [0, 0], parameters },
    }) satisfies WorkflowNode;
  const to = (...names: string[]) => ({
    main: names.map((name) => [{ node: name, type: 'main' as const, index: 0 }]),
  });
  const runWith = async (customerPhone: string, ahead: WorkflowNode, toCall: string[]) => {
    const steps = [
      node('Orders', 'noOp', 1, {}),
      ahead,
      callingNode('Call', 'call.trigger', calling, { scriptId: 7, customerPhone }),
      node('Done', 'noOp', 1, {}),
    ];
    const orders = PHONES.map((phone) => ({ phone }));
    const workflow = await n8n.client.createWorkflow({
      ...workflowOf('One phone', orders, ...steps),
      connections: {
        [START]: to('Orders'),
        Orders: to(ahead.name),
        [ahead.name]: to(...toCall),
        ...(toCall.length > 1 ? { Call: to(ahead.name) } : {}),
      },
    });
    const error = errorOf(await n8n.client.runManually(workflow))?.message;
    return { error, called: service.seen.calls.map(({ phone }) => phone) };
  };

  it.each([
    ["={{ $('Orders').first().json.phone }}", 1],
    ["={{ $('Orders').last().json.phone }}", 0],
    ['={{ $node["Orders"].json.phone }}', 1],
    ["={{ $('Orders').item.json.phone }}", 3],
    ['={{ $input.first().json.phone }}', 3],
  ])('is not that of all in a loop: %s', async (customerPhone, count) => {
    const loop = node('Loop', 'splitInBatches', 3, { batchSize: 1, options: {} });
    const { error, called } = await runWith(customerPhone, loop, ['Done', 'Call']);
    expect(error?.includes('Customer Phone is that of another item')).toBe(count < 3 || undefined);
    expect(called).toEqual(PHONES.slice(0, count));
  });

  it('may be the last, about one item that is made of all', async () => {
    const code = node('Report', 'code', 2, { jsCode: 'return [{ json: { count: 3 } }]' });
    const last = "={{ $('Orders').last().json.phone }}";
    expect(await runWith(last, code, ['Call'])).toEqual({
      error: undefined,
      called: PHONES.slice(-1),
    });
  });
});
