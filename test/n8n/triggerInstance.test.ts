import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { startCallingService, type CallingService } from '../service';
import { sharedN8n, type Credential, type SavedWorkflow, type SharedN8n } from '../../scripts/n8n';
import {
  fired,
  orderIdsOf,
  outcomeWorkflow,
  placingWorkflow,
  waitForFired,
} from './triggerWorkflows';
import { saveCredential } from './workflows';

const CALLS = 30;
/** One round, on a busy machine; a poll that waits for calls to end takes 58 seconds. */
const LONGEST_ROUND_MS = 45_000;
const SHORT_CALLS = { callSeconds: { min: 5, max: 30 } };

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;

beforeAll(async () => {
  service = await startCallingService(SHORT_CALLS);
  n8n = await sharedN8n();
  calling = await saveCredential(n8n.client, service);
});

afterAll(async () => {
  await service?.close();
});

async function publish(
  name: string,
  credential: Credential,
  parameters: INodeParameters = {},
): Promise<SavedWorkflow> {
  const workflow = outcomeWorkflow(name, credential, parameters);
  const saved = await n8n.client.createWorkflow(workflow);
  const startedAt = Date.now();
  await n8n.client.publish(saved);
  expect(Date.now() - startedAt).toBeLessThan(LONGEST_ROUND_MS);
  return saved;
}

describe('calls placed by one workflow', () => {
  let first: SavedWorkflow;
  let second: SavedWorkflow;

  it('fire each outcome once in each of two other workflows', async () => {
    first = await publish('First', calling);
    second = await publish('Second', calling);
    const placing = await n8n.client.createWorkflow(placingWorkflow(CALLS, calling));
    expect((await n8n.client.runManually(placing)).status).toBe('success');
    const expected = service.seen.calls.map(({ orderId }) => orderId);
    expect(expected).toHaveLength(CALLS);
    await waitForFired(n8n.client, first.id, CALLS);
    await waitForFired(n8n.client, second.id, CALLS);
    await delay(10_000);
    const items = await fired(n8n.client, first.id);
    expect(orderIdsOf(items)).toEqual(expected);
    expect(orderIdsOf(await fired(n8n.client, second.id))).toEqual(expected);
    expect(items[0]).toMatchObject({
      event: 'outcomeAvailable',
      eventId: expect.stringMatching(
        new RegExp(`^[0-9a-f]{16}-.+-1-${String(items[0]?.orderId)}-outcomeAvailable$`),
      ),
      triggeredAt: expect.stringMatching(/^\d{4}-.*Z$/),
      customerPhone: expect.stringMatching(/^\+1202555/),
      customerName: expect.stringMatching(/^Customer/),
      finished: true,
      outcomeKey: expect.any(String),
    });
  });

  it('are not asked for more often than the interface advises', () => {
    // Two triggers: each may ask after 15 seconds and then every 5.
    const advised = service.seen.calls
      .map(({ outcome }) => 1 + Math.max(0, Math.ceil((outcome.lastsSec - 15) / 5)))
      .reduce((sum, looks) => sum + looks, 0);
    expect(service.seen.requests.outcome).toBeLessThanOrEqual(2 * advised);
  });

  it('give the editor one of them as a sample, and fire nothing by that', async () => {
    const before = (await fired(n8n.client, first.id)).length;
    const execution = await n8n.client.runManually(first, { trigger: 'Outcome' });
    expect(execution.status).toBe('success');
    expect(await fired(n8n.client, first.id)).toHaveLength(before + 1);
  });
});

describe('calls whose outcomes cannot be read for a minute', () => {
  // Waits while the tests above do.
  it.concurrent('are lost by no trigger: the service fails, resets and hangs', async () => {
    const failing = await startCallingService(SHORT_CALLS);
    try {
      const credential = await saveCredential(n8n.client, failing);
      const workflow = await publish('Third', credential);
      const placing = await n8n.client.createWorkflow(placingWorkflow(CALLS, credential));
      await n8n.client.runManually(placing);
      const until = Date.now() + 60_000;
      const match = () => Date.now() < until;
      const route = 'outcome' as const;
      failing.faults.add(
        { route, match, times: Infinity, probability: 0.3, kind: 'status', status: 503 },
        { route, match, times: Infinity, probability: 0.5, kind: 'reset' },
        { route, match, times: Infinity, kind: 'hang' },
      );
      const expected = failing.seen.calls.map(({ orderId }) => orderId);
      await waitForFired(n8n.client, workflow.id, CALLS);
      await delay(5_000);
      expect(orderIdsOf(await fired(n8n.client, workflow.id))).toEqual(expected);
      expect((await n8n.client.readWorkflow(workflow.id)).active).toBe(true);
    } finally {
      await failing.close();
    }
  });
});
