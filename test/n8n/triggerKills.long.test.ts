import { setTimeout as delay } from 'node:timers/promises';
import { startCallingService, type CallingService } from '../service';
import { openLogOf, placeLogged } from './loggedFromOutside';
import { jsonOf, PreparedN8n, type Credential } from '../../scripts/n8n';
import { outcomeWorkflow, TRIGGER, watching } from './triggerWorkflows';
import { saveCredential } from './workflows';

/** An execution's end, or 20 seconds, and then the note about each of its calls. */
const NOTED_WITHIN_MS = 22_000;

let n8n: PreparedN8n;
let service: CallingService;
let calling: Credential;
let apiKey: string;

beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 5, max: 40 } });
  n8n = await PreparedN8n.start();
  apiKey = await n8n.client.createApiKey('Call log');
  calling = await saveCredential(n8n.client, service, { n8nApiKey: apiKey });
});

afterAll(async () => {
  await n8n?.stop();
  await service?.close();
});

const openLog = async () => await openLogOf(service, n8n.client.baseUrl, apiKey, 'Kills');

describe('n8n killed ten times while 100 calls are placed and end', () => {
  it('hands over every call, and twice only what it had no time to note', async () => {
    let log = await openLog();
    const workflow = await n8n.client.publish(
      await n8n.client.createWorkflow(
        outcomeWorkflow('Reads through kills', calling, watching('Kills')),
      ),
    );
    const orderIds: number[] = [];
    const kills: number[] = [];
    for (let kill = 0; kill < 10; kill++) {
      orderIds.push(...(await placeLogged(log, service, 10)));
      await delay(Math.random() * 20_000);
      kills.push(Date.now());
      await n8n.restart('kill');
      log = await openLog();
    }
    const startsOf = async () => {
      const starts = new Map<number, number[]>();
      for (const execution of await n8n.client.executions(workflow.id)) {
        for (const { orderId } of jsonOf(execution, TRIGGER)) {
          const earlier = starts.get(Number(orderId)) ?? [];
          starts.set(Number(orderId), [Date.parse(execution.startedAt), ...earlier]);
        }
      }
      return starts;
    };
    for (let wait = 0; wait < 200 && (await startsOf()).size < 100; wait++) await delay(1_000);
    await delay(8_000);
    const starts = await startsOf();
    expect([...starts.keys()].sort((a, b) => a - b)).toEqual(orderIds.sort((a, b) => a - b));
    const doubles = [...starts.values()].filter(({ length }) => length > 1);
    process.stderr.write(`handed over twice: ${doubles.length} of ${orderIds.length}\n`);
    const timeToKill = doubles.map(([first = 0]) =>
      Math.min(...kills.filter((kill) => kill >= first).map((kill) => kill - first)),
    );
    if (doubles.length > 0) process.stderr.write(`ms to the kill: ${timeToKill.join(', ')}\n`);
    expect(timeToKill.filter((ms) => ms > NOTED_WITHIN_MS)).toEqual([]);
  });
});
