import { setTimeout as delay } from 'node:timers/promises';
import type { DataTableRow, WorkflowFile } from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { QueueMode } from './queueMode';
import { logTable } from './triggerWorkflows';
import { callingNode, workflowOf } from './workflows';

const TABLE = 'Scheduled through kills';
const ORDERS = 300;
const KILLS = 20;
const ATTEMPTS = 3;
/** Rows of a killed execution are told of after some minutes, and the last attempts follow. */
const ENDS_WITHIN_MS = 720_000;

let n8n: QueueMode;
let service: CallingService;
/** How many calls each order has had, as the service has answered them. */
const asked = new Map<string, number>();

/** Nobody answers a third of the orders once, and another third never. */
function labelOf(orderNumber: string): string {
  const attempt = (asked.get(orderNumber) ?? 0) + 1;
  asked.set(orderNumber, attempt);
  const third = Number(orderNumber.slice(2)) % 3;
  return third === 0 || (third === 1 && attempt > 1) ? 'Confirmed' : 'no_answer';
}

beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: 1, max: 5 },
    answerDelayMs: 300,
    outcomeFor: ({ orderNumber = '' }) => ({ status: 'completed', label: labelOf(orderNumber) }),
  });
  n8n = await QueueMode.start(service);
});
afterAll(async () => {
  await n8n?.n8n.stop();
  await service?.close();
});

/** Places what is due, every five seconds in whichever worker is free. */
function placing(name: string): WorkflowFile {
  const place = callingNode('Place', 'call.placeScheduled', n8n.calling, {
    callLogTable: logTable(TABLE),
    options: { maxInProgress: 60, keepOnSeconds: 15, concurrency: 20 },
  });
  return {
    name,
    nodes: [
      {
        name: 'Often',
        type: 'n8n-nodes-base.scheduleTrigger',
        typeVersion: 1.2,
        position: [0, 0],
        parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 5 }] } },
      },
      { ...place, position: [220, 0] },
    ],
    connections: { Often: { main: [[{ node: 'Place', type: 'main', index: 0 }]] } },
  };
}

const isOpen = ({ status, finishedAt }: DataTableRow) =>
  ['scheduled', 'placing', 'in_progress'].includes(String(status)) && finishedAt === null;

it('ends every order once, though n8n and its workers are killed twenty times', async () => {
  const orders = Array.from({ length: ORDERS }, (_, number) => ({
    phone: `+1202555${String(number).padStart(4, '0')}`,
    orderNumber: `K-${number}`,
  }));
  const schedule = callingNode('Schedule', 'call.schedule', n8n.calling, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.orderNumber }}' },
    callLogTable: logTable(TABLE),
    options: { retry: { plan: { outcomes: 'no_answer', afterMinutes: '0.05, 0.1' } } },
  });
  const { client } = n8n;
  const scheduling = await client.createWorkflow(workflowOf('Schedule', orders, schedule));
  const { status } = await client.runManually(scheduling);
  expect(status).toBe('success');
  for (const name of ['One', 'Other']) {
    await client.publish(await client.createWorkflow(placing(name)));
  }

  for (let kill = 0; kill < KILLS; kill++) {
    await delay(4_000 + Math.random() * 6_000);
    if (kill % 4 === 3) await n8n.n8n.main.restart('kill');
    else await n8n.n8n.killWorker(kill % 2);
  }
  const deadline = Date.now() + ENDS_WITHIN_MS;
  while ((await n8n.rowsOf(TABLE)).some(isOpen) && Date.now() < deadline) await delay(5_000);
  await delay(15_000);

  const rows = await n8n.rowsOf(TABLE);
  expect(rows.filter(isOpen)).toEqual([]);
  const calls = new Map<string, number>();
  for (const { orderNumber = '' } of service.seen.calls) {
    calls.set(orderNumber, (calls.get(orderNumber) ?? 0) + 1);
  }
  let doubtful = 0;
  for (const { orderNumber } of orders) {
    const attempts = rows
      .filter((row) => row.orderNumber === orderNumber)
      .sort((one, other) => Number(one.attempt) - Number(other.attempt));
    const numbers = attempts.map(({ attempt }) => attempt);
    // Each attempt once, and none left out.
    expect([orderNumber, numbers]).toEqual([orderNumber, numbers.map((_, index) => index + 1)]);
    const last = attempts.at(-1);
    const before = attempts.slice(0, -1).map(({ outcomeKey }) => outcomeKey);
    expect(new Set(before).size).toBeLessThanOrEqual(1);
    for (const outcome of before) expect(outcome).toBe('no_answer');
    const rang = calls.get(orderNumber) ?? 0;
    if (last?.status === 'maybe_placed') {
      doubtful++;
      expect([attempts.length - 1, attempts.length]).toContain(rang);
    } else {
      expect([orderNumber, rang]).toEqual([orderNumber, attempts.length]);
      const isLast = last?.outcomeKey === 'confirmed' || attempts.length === ATTEMPTS;
      expect([orderNumber, last?.outcomeKey, isLast]).toEqual([
        orderNumber,
        last?.outcomeKey,
        true,
      ]);
    }
  }
  process.stderr.write(`may have been placed: ${doubtful} of ${ORDERS}\n`);
});
