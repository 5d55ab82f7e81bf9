import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { rowOf } from '../../nodes/OutboundAiCalling/callLog/row';
import { startCallingService, type CallingService } from '../service';
import { openCallLog } from './callLogFromOutside';
import { LiveMemory, startPreparedN8n, type PreparedN8n } from '../../scripts/n8n';
import { CALL_LOG_CREDENTIAL, fired, orderIdsOf, outcomeWorkflow } from './triggerWorkflows';
import { saveCredential } from './workflows';

jest.setTimeout(900_000);

const CALLS = 10_000;
const TABLE = 'Backlog';
const HOUR_MS = 3_600_000;
/** Old enough that a call that is still open is left alone for a while after a look. */
const AGE_MS = 4 * 60_000;
const MOST_REQUESTS_AT_ONCE = 10;
const LONGEST_POLL_MS = 55_000;
const MOST_MEMORY_BYTES = 64 * 2 ** 20;
const LOOK_EVERY_MS = 100;
const QUIET_MS = 3_000;
const SETTLING_MS = 8_000;

let n8n: PreparedN8n;
let memory: LiveMemory;
let service: CallingService;
/** How far the service's clock is ahead, in milliseconds. */
let ahead = 0;

beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: 1800, max: 3600 },
    clock: () => Date.now() + ahead,
  });
  memory = await LiveMemory.prepare();
  n8n = await startPreparedN8n({ env: memory.env });
});

afterAll(async () => {
  await n8n?.stop();
  await memory?.remove();
  await service?.close();
});

async function placeCalls(): Promise<number[]> {
  const limit = pLimit(20);
  const url = `${service.baseUrl}/api/v1/calls/trigger`;
  const headers = { 'content-type': 'application/json', 'x-api-key': 'test-key' };
  return await Promise.all(
    Array.from({ length: CALLS }, async (_, index) =>
      limit(async () => {
        const customerPhone = `+1202555${String(index).padStart(4, '0')}`;
        const body = JSON.stringify({ scriptId: 7, customerPhone });
        const response = await fetch(url, { method: 'POST', headers, body });
        return ((await response.json()) as { order_id: number }).order_id;
      }),
    ),
  );
}

/** Tells polls from each other by the requests that they send. */
class PollWatch {
  /** How long each poll sent requests, in milliseconds. */
  readonly lengths: number[] = [];
  private firstAt = 0;
  private lastAt = 0;
  private requests = service.seen.requests.outcome;
  private readonly timer = setInterval(() => this.look(), LOOK_EVERY_MS);

  end(): void {
    clearInterval(this.timer);
    this.endPoll();
  }

  private look(): void {
    const now = Date.now();
    const { outcome } = service.seen.requests;
    if (outcome > this.requests) {
      if (this.firstAt === 0) this.firstAt = now;
      this.lastAt = now;
      this.requests = outcome;
    } else if (this.firstAt !== 0 && now - this.lastAt > QUIET_MS) {
      this.endPoll();
    }
  }

  private endPoll(): void {
    if (this.firstAt !== 0) this.lengths.push(this.lastAt - this.firstAt);
    this.firstAt = 0;
  }
}

it('drains ten thousand open calls within the bounds of its polls', async () => {
  const { client } = n8n;
  const calling = await saveCredential(client, service);
  const apiKey = await client.createApiKey('Call log');
  const callLog = await client.createCredential('Call log', CALL_LOG_CREDENTIAL, {
    baseUrl: `${client.baseUrl}/api/v1`,
    apiKey,
  });
  const orderIds = await placeCalls();
  const log = await openCallLog(client.baseUrl, apiKey, { mode: 'name', value: TABLE });
  const tables = client.dataTables(apiKey);
  const placedAt = Date.now() - AGE_MS;
  for (let start = 0; start < CALLS; start += 500) {
    const rows = orderIds.slice(start, start + 500).map((orderId, index) => ({
      ...rowOf({ customerPhone: '+12025550100', scriptId: 7 }, placedAt, placedAt + start + index),
      status: 'in_progress',
      orderId: String(orderId),
    }));
    await tables.insert(log.tableId, rows);
  }

  await n8n.restart();
  await delay(SETTLING_MS);
  const idleBytes = (await memory.measures()).at(-1) ?? NaN;
  service.seen.resetRequests();
  const polls = new PollWatch();
  const measuresBefore = (await memory.measures()).length;
  const workflow = await client.createWorkflow(
    outcomeWorkflow(
      'Backlog',
      { calling, callLog },
      { watch: 'callLog', callLogTable: { __rl: true, mode: 'name', value: TABLE } },
    ),
  );
  await client.publish(workflow);

  // While all are open, every one of them is looked at.
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) await delay(1_000);
  };
  await until(() => service.seen.requests.outcome >= CALLS);

  ahead = HOUR_MS;
  await until(async () => (await log.dueRows(1, undefined)).rows.length === 0);
  polls.end();

  const handedOver = orderIdsOf(await fired(client, workflow.id));
  expect(handedOver).toEqual(orderIds.sort((a, b) => a - b));
  expect(service.seen.mostInFlight.outcome).toBeLessThanOrEqual(MOST_REQUESTS_AT_ONCE);
  expect(polls.lengths.length).toBeGreaterThan(2);
  expect(polls.lengths.filter((ms) => ms > LONGEST_POLL_MS)).toEqual([]);
  const measures = (await memory.measures()).slice(measuresBefore);
  expect(measures.length).toBeGreaterThan(10);
  const growth = Math.max(...measures) - idleBytes;
  process.stderr.write(`memory grew by ${(growth / 2 ** 20).toFixed(1)} MB\n`);
  expect(growth).toBeLessThan(MOST_MEMORY_BYTES);
});
