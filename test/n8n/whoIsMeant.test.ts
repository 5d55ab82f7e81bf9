import { errorOf, jsonOf, sharedN8n, type Credential, type SharedN8n } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { callingNode, saveCredential, workflowOf } from './workflows';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  calling = await saveCredential(n8n.client, service);
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
  expect(service.seen.calls).toHaveLength(1);
});
