import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { placedRow } from '../newCalls';
import { startCallingService, type CallingService } from '../service';
import { openCallLog } from './callLogFromOutside';
import { startCountingProxy, type CountingProxy } from './countingProxy';
import { LiveMemory, PreparedN8n } from '../../scripts/n8n';
import { orderIdsOf, outcomeWorkflow, waitForFired, watching } from './triggerWorkflows';
import { saveCredential } from './workflows';

const CALLS = 10_000;
const TABLE = 'Backlog';
/** A log that writes row by row sends ten times as many or more. On a busy machine groups are smaller. */
const MOST_REQUESTS_TO_N8N = 0.15 * CALLS;
const HOUR_MS = 3_600_000;
/** Old enough that a call that is still open is left alone for a while after a look. */
const AGE_MS = 4 * 60_000;
const MOST_REQUESTS_AT_ONCE = 10;
const LONGEST_POLL_MS = 59_000;
const MOST_MEMORY_BYTES = 64 * 2 ** 20;
const LOOK_EVERY_MS = 100;
const QUIET_MS = 3_000;
const SETTLING_MS = 8_000;

let n8n: PreparedN8n;
let memory: LiveMemory;
let service: CallingService;
let proxy: CountingProxy;
/** How far the service's clock is ahead, in milliseconds. */
let ahead = 0;

beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: 1800, max: 3600 },
    clock: () => Date.now() + ahead,
  });
  memory = await LiveMemory.prepare();
  n8n = await PreparedN8n.start({ env: memory.env });
  proxy = await startCountingProxy(n8n.client.baseUrl);
});

afterAll(async () => {
  await n8n?.stop();
  await proxy?.close();
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
  const n8nApiKey = await client.createApiKey('Call log');
  const calling = await saveCredential(client, service, {
    n8nApiKey,
    n8nApiUrl: `${proxy.baseUrl}/api/v1`,
  });
  const orderIds = await placeCalls();
  const account = accountFingerprint({ baseUrl: service.baseUrl, apiKey: 'test-key' });
  const locator = { mode: 'name', value: TABLE };
  const log = await openCallLog(client.baseUrl, n8nApiKey, locator, account);
  const publishing = await client.createWorkflow(
    outcomeWorkflow('Backlog', calling, watching(TABLE)),
  );
  const placedAt = Date.now() - AGE_MS;
  for (let start = 0; start < CALLS; start += 500) {
    const some = orderIds.slice(start, start + 500);
    const rows = some.map((orderId, index) => {
      const request = { customerPhone: '+12025550100', scriptId: 7, variables: {} };
      const call = { callId: `backlog-${start + index}`, request };
      const runAt = placedAt + start + index;
      return placedRow(call, account, { status: 'in_progress', orderId, placedAt, runAt });
    });
    await log.insertRows(rows);
  }

  await n8n.restart();
  await delay(SETTLING_MS);
  const idleBytes = (await memory.measures()).at(-1) ?? NaN;
  service.seen.resetRequests();
  const polls = new PollWatch();
  const measuresBefore = (await memory.measures()).length;
  const workflow = await client.publish(publishing);

  // While all are open, every one of them is looked at.
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) await delay(1_000);
  };
  await until(() => service.seen.requests.outcome >= CALLS);

  const forLooks = proxy.count();
  proxy.requests.clear();
  const endedAt = Date.now();
  ahead = HOUR_MS;
  await until(async () => (await log.nextDueAt(Number.MAX_SAFE_INTEGER)) === undefined);
  const drainedMs = Date.now() - endedAt;
  polls.end();
  await delay(SETTLING_MS);
  const forEnds = proxy.count();
  const told = { forLooks, forEnds, drainedMs, polls: polls.lengths };
  process.stderr.write(`${JSON.stringify(told)}\n${JSON.stringify([...proxy.requests])}\n`);

  const handedOver = orderIdsOf(await waitForFired(client, workflow.id, CALLS));
  expect(handedOver).toEqual(orderIds.sort((a, b) => a - b));
  expect(service.seen.mostInFlight.outcome).toBeLessThanOrEqual(MOST_REQUESTS_AT_ONCE);
  expect(forEnds).toBeLessThan(MOST_REQUESTS_TO_N8N);
  expect(polls.lengths.length).toBeGreaterThan(1);
  expect(polls.lengths.filter((ms) => ms > LONGEST_POLL_MS)).toEqual([]);
  const measures = (await memory.measures()).slice(measuresBefore);
  expect(measures.length).toBeGreaterThan(10);
  const growth = Math.max(...measures) - idleBytes;
  process.stderr.write(`memory grew by ${(growth / 2 ** 20).toFixed(1)} MB\n`);
  expect(growth).toBeLessThan(MOST_MEMORY_BYTES);
});
