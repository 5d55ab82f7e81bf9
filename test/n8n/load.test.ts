import { setTimeout as delay } from 'node:timers/promises';
import { startCallingService, type CallingService } from '../service';
import { jsonOf, sharedN8n, type Execution, type SharedN8n } from '../../scripts/n8n';
import { until } from './until';
import { callingNode, saveCredential, workflowOf } from './workflows';

const ITEMS = Array.from({ length: 1000 }, (_, index) => ({
  phone: `+1202555${String(index).padStart(4, '0')}`,
  order: `R${index}`,
}));
const CONCURRENCY = 50;

describe('a thousand calls triggered by one execution', () => {
  let n8n: SharedN8n;
  let service: CallingService;
  let execution: Execution;

  beforeAll(async () => {
    service = await startCallingService();
    n8n = await sharedN8n();
    const credential = await saveCredential(n8n.client, service);
    const workflow = workflowOf(
      'A thousand calls',
      ITEMS,
      callingNode('Trigger', 'call.trigger', credential, {
        scriptId: 7,
        customerPhone: '={{ $json.phone }}',
        additionalFields: { orderNumber: '={{ $json.order }}' },
        options: { concurrency: CONCURRENCY },
      }),
    );
    const release = service.faults.hold({ route: 'trigger', times: Infinity });
    const id = await n8n.client.startManually(await n8n.client.createWorkflow(workflow));
    await until(() => service.seen.inFlight.trigger >= CONCURRENCY);
    // Long enough for one too many.
    await delay(1_000);
    release();
    execution = await n8n.client.waitForExecution(id);
  });

  afterAll(async () => {
    await service?.close();
  });

  it('all succeed', () => {
    expect(execution.status).toBe('success');
    expect(service.seen.requests.trigger).toBe(ITEMS.length);
  });

  it('are as many at once as "Concurrency" says, and never more', () => {
    expect(service.seen.mostInFlight.trigger).toBe(CONCURRENCY);
  });

  it('reach every number once', () => {
    expect(service.seen.callsByPhone).toEqual(new Map(ITEMS.map(({ phone }) => [phone, 1])));
  });

  it('come out in the order of the items, each with its own order id', () => {
    const orderIds = new Map(service.seen.calls.map(({ phone, orderId }) => [phone, orderId]));
    expect(
      jsonOf(execution, 'Trigger').map(({ orderId, customerPhone, orderNumber }) => ({
        orderId,
        customerPhone,
        orderNumber,
      })),
    ).toEqual(
      ITEMS.map(({ phone, order }) => ({
        orderId: orderIds.get(phone),
        customerPhone: phone,
        orderNumber: order,
      })),
    );
  });
});
