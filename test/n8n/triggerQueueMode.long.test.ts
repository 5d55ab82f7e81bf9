import { setTimeout as delay } from 'node:timers/promises';
import { startCallingService, type CallingService } from '../service';
import {
  jsonOf,
  type Credential,
  type N8nClient,
  type SavedWorkflow,
  type WorkflowFile,
} from '../../scripts/n8n';
import { openLogOf } from './loggedFromOutside';
import { QueueMode } from './queueMode';
import { outcomeWorkflow, TRIGGER, watching } from './triggerWorkflows';

const TABLE = 'Calls';
const BATCHES = 16;
const ORDERS_IN_BATCH = 5;
const KILL_AFTER_BATCH = 8;

let n8n: QueueMode;
let client: N8nClient;
let service: CallingService;
let calling: Credential;

beforeAll(async () => {
  // Slow enough that the worker is killed while it places calls.
  service = await startCallingService({ callSeconds: { min: 5, max: 60 }, answerDelayMs: 1_000 });
  n8n = await QueueMode.start(service);
  ({ client, calling } = n8n);
});

afterAll(async () => {
  await n8n?.n8n.stop();
  await service?.close();
});

function ordersOf(batch: number) {
  return Array.from({ length: ORDERS_IN_BATCH }, (_, index) => {
    const number = batch * ORDERS_IN_BATCH + index;
    return { order: `Q${number}`, phone: `+1202555${String(number).padStart(4, '0')}` };
  });
}

async function publish(workflow: WorkflowFile): Promise<SavedWorkflow> {
  return await client.publish(await client.createWorkflow(workflow));
}

/** How often the workflow was started for each order, also where a worker died with it. */
async function startsOf(workflow: SavedWorkflow): Promise<Map<number, number>> {
  const starts = new Map<number, number>();
  for (const execution of await client.executions(workflow.id)) {
    const handed = execution.data.executionData?.nodeExecutionStack[0]?.data.main?.[0] ?? [];
    const items = [...jsonOf(execution, TRIGGER), ...handed.map(({ json }) => json)];
    for (const orderId of new Set(items.map((item) => Number(item.orderId)))) {
      starts.set(orderId, (starts.get(orderId) ?? 0) + 1);
    }
  }
  return starts;
}

async function waitForStarts(workflow: SavedWorkflow, count: number): Promise<Map<number, number>> {
  const deadline = Date.now() + 240_000;
  for (;;) {
    const starts = await startsOf(workflow);
    if (starts.size >= count || Date.now() > deadline) return starts;
    await delay(2_000);
  }
}

const rows = async () => await n8n.rowsOf(TABLE);

it('hands over every outcome once, though a worker is killed while calls are placed', async () => {
  const trigger = (name: string) => outcomeWorkflow(name, calling, watching(TABLE));
  await openLogOf(service, client.baseUrl, n8n.apiKey, TABLE);
  const first = await publish(trigger('First'));
  const second = await publish(trigger('Second'));
  await publish(n8n.orders(TABLE));

  for (let batch = 0; batch < BATCHES; batch++) {
    const { status } = await client.postToWebhook(TABLE, { orders: ordersOf(batch) });
    expect(status).toBe(200);
    await delay(500);
    if (batch === KILL_AFTER_BATCH) await n8n.n8n.workers[0]?.kill();
  }
  await delay(20_000);

  const placed = new Map(service.seen.calls.map(({ orderId, phone }) => [orderId, phone]));
  const log = await rows();
  const logged = [
    ...new Set(log.flatMap(({ orderId }) => (orderId === null ? [] : [Number(orderId)]))),
  ];
  // What the killed worker had no time to write down shows as a call that may have been placed.
  const placing = new Set(
    log.filter(({ status }) => status === 'placing').map(({ customerPhone }) => customerPhone),
  );
  const unwritten = [...placed].filter(([orderId]) => !logged.includes(orderId));
  expect(placing.size).toBeGreaterThan(0); // the kill came while calls were being placed
  expect(unwritten.filter(([, phone]) => !placing.has(phone))).toEqual([]);
  expect([...service.seen.callsByPhone.values()].filter((count) => count !== 1)).toEqual([]);

  const byId = { watch: 'orderIds', orderIds: logged.join(', ') };
  const third = await publish(outcomeWorkflow('Third', calling, byId));
  for (const workflow of [first, second, third]) await waitForStarts(workflow, logged.length);
  await delay(8_000);
  const once = new Map(logged.sort((a, b) => a - b).map((orderId) => [orderId, 1]));
  for (const workflow of [first, second, third]) {
    expect(new Map([...(await startsOf(workflow))].sort(([a], [b]) => a - b))).toEqual(once);
  }
  const ended = (await rows()).filter(({ orderId }) => orderId !== null);
  expect(ended.map(({ orderId }) => Number(orderId)).sort((a, b) => a - b)).toEqual(logged);
  for (const row of ended) {
    expect(row).toMatchObject({
      status: expect.stringMatching(/completed|failed/),
      finishedAt: expect.any(String),
    });
  }
});
