import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { startCallingService, type CallingService } from '../service';
import type { DataTableRow } from '../../scripts/n8n';
import { QueueMode } from './queueMode';
import { until } from './until';

const BATCHES = 12;
const ORDERS_IN_BATCH = 5;
const CAP = 30;

let n8n: QueueMode;
let service: CallingService;

beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 5, max: 60 }, answerDelayMs: 200 });
  n8n = await QueueMode.start(service);
});

afterAll(async () => {
  await n8n?.n8n.stop();
  await service?.close();
});
beforeEach(() => service.reset());

/** All orders at once, to both workers; waits until every one has its row. */
async function order(table: string, phones: string[], rules: INodeParameters): Promise<void> {
  const { client } = n8n;
  await client.publish(await client.createWorkflow(n8n.orders(table, { rules })));
  await client.postToWebhook(table, { orders: [{ phone: '+12025559999' }] });
  const isSettled = ({ batch }: DataTableRow) => batch === '';
  const settled = async () => (await n8n.rowsOf(table)).filter(isSettled).length;
  while ((await settled()) < 1) await delay(500);
  const posts = Array.from({ length: BATCHES }, async (_, batch) => {
    const some = phones.slice(batch * ORDERS_IN_BATCH, (batch + 1) * ORDERS_IN_BATCH);
    await client.postToWebhook(table, { orders: some.map((phone) => ({ phone })) });
  });
  await Promise.all(posts);
  await until(async () => (await settled()) >= phones.length + 1);
  await delay(2_000);
}

const phoneOf = (number: number) => `+1202555${String(number).padStart(4, '0')}`;

it('holds a cap exactly while two workers place calls at once', async () => {
  const phones = Array.from({ length: BATCHES * ORDERS_IN_BATCH }, (_, n) => phoneOf(n));
  await order('capped', phones, { maxCallsPerDay: CAP });
  expect(service.seen.calls).toHaveLength(CAP);
  const rows = await n8n.rowsOf('capped');
  expect(rows.filter(({ status }) => status === 'not_placed')).toHaveLength(
    phones.length + 1 - CAP,
  );
});

it('calls nobody twice a day while two workers place calls to the same people', async () => {
  const phones = Array.from({ length: BATCHES * ORDERS_IN_BATCH }, (_, n) => phoneOf(n % 17));
  await order('persons', phones, { maxCallsPerPersonPerDay: 1 });
  expect(service.seen.calls).toHaveLength(17 + 1);
  expect(new Set(service.seen.callsByPhone.values())).toEqual(new Set([1]));
});
