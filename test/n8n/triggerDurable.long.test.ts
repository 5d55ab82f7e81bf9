import { setTimeout as delay } from 'node:timers/promises';
import { startCallingService, type CallingService } from '../service';
import { PreparedN8n } from '../../scripts/n8n';
import {
  fired,
  orderIdsOf,
  outcomeWorkflow,
  placingWorkflow,
  waitForFired,
} from './triggerWorkflows';
import { saveCredential } from './workflows';

const CALLS = 15;
const SCHEDULER = {
  N8N_SCHEDULER_ENABLED: 'true',
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
  N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
};

async function firesEachOutcomeOnce(n8n: PreparedN8n, service: CallingService): Promise<void> {
  const { client } = n8n;
  const calling = await saveCredential(client, service);
  const publish = async (name: string, parameters = {}) => {
    const saved = await client.createWorkflow(outcomeWorkflow(name, calling, parameters));
    return await client.publish(saved);
  };
  const first = await publish('First');
  const second = await publish('Second');
  const placing = await client.createWorkflow(placingWorkflow(CALLS, calling));
  expect((await client.runManually(placing)).status).toBe('success');
  const expected = service.seen.calls.map(({ orderId }) => orderId);
  const third = await publish('Third', { watch: 'orderIds', orderIds: expected.join(', ') });
  for (const { id } of [first, second, third]) await waitForFired(client, id, CALLS);
  await delay(5_000);
  for (const { id } of [first, second, third]) {
    expect(orderIdsOf(await fired(client, id))).toEqual(expected);
  }
  expect(n8n.n8n.logs()).not.toMatch(/exceeded its timeout/);
  await n8n.restart('kill');
  await delay(65_000);
  expect(orderIdsOf(await fired(client, third.id))).toEqual(expected);
}

describe('under the durable scheduler, each outcome fires once in each workflow, by process and by order id', () => {
  // Both wait for polls most of the time, so they wait together.
  it.concurrent.each([
    ['without durable cursors', {}],
    ['with durable cursors', { N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' }],
  ])('%s', async (_, more) => {
    const service = await startCallingService({ callSeconds: { min: 5, max: 60 } });
    try {
      const n8n = await PreparedN8n.start({ env: { ...SCHEDULER, ...more } });
      await firesEachOutcomeOnce(n8n, service).finally(async () => await n8n.stop());
    } finally {
      await service.close();
    }
  });
});
