import { setTimeout as delay } from 'node:timers/promises';
import type { PreparedN8n, WorkflowFile } from '../../scripts/n8n';
import { startCountingProxy } from '../n8n/countingProxy';
import { logTable } from '../n8n/triggerWorkflows';
import { callingNode, workflowOf } from '../n8n/workflows';
import { startCallingService } from '../service';

/** `CALLS` makes it shorter: 5,000 take half an hour. */
const CALLS = Number(process.env.CALLS ?? 5_000);
const CHANNELS = 50;
const TABLE = 'Paced';
const SCHEDULING_MS = 120_000;

const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });

/** Places what is due, every minute. */
function placingEveryMinute(credential: { id: string; name: string }): WorkflowFile {
  const placing = callingNode('Place', 'call.placeScheduled', credential, {
    callLogTable: logTable(TABLE),
    options: { maxInProgress: CHANNELS, keepOnSeconds: 50, concurrency: CHANNELS },
  });
  return {
    name: 'Place every minute',
    nodes: [
      {
        name: 'Every minute',
        type: 'n8n-nodes-base.scheduleTrigger',
        typeVersion: 1.2,
        position: [0, 0],
        parameters: { rule: { interval: [{ field: 'minutes', minutesInterval: 1 }] } },
      },
      { ...placing, position: [220, 0] },
    ],
    connections: { 'Every minute': link('Place') },
  };
}

/**
 * Thousands of scheduled calls that last two seconds, fifty at a time: for how much of the time the
 * channels are busy, as the log shows it, and how many requests to n8n a call takes.
 */
export async function benchScheduled(n8n: PreparedN8n): Promise<string[][]> {
  const { client } = n8n;
  const service = await startCallingService({ callSeconds: { min: 2, max: 2 } });
  const counter = await startCountingProxy(client.baseUrl);
  try {
    const n8nApiKey = await client.createApiKey('Paced');
    const credential = await client.createCredential('Service', 'outboundAiCallingApi', {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey,
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const phones = Array.from({ length: CALLS }, (_, number) => ({
      phone: `+1202555${String(number % 10_000).padStart(4, '0')}`,
      orderNumber: `S-${number}`,
    }));
    const schedule = callingNode('Schedule', 'call.schedule', credential, {
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.orderNumber }}' },
      callLogTable: logTable(TABLE),
    });
    const scheduling = await client.createWorkflow(workflowOf('Schedule', phones, schedule));
    const { data } = await client.runManually(scheduling, { timeoutMs: SCHEDULING_MS });
    const [task] = data.resultData.runData.Schedule ?? [];
    if (task === undefined || task.error !== undefined) throw new Error('Nothing was scheduled');
    const toSchedule = counter.count();

    const tables = client.dataTables(n8nApiKey);
    const table = await tables.find(TABLE);
    if (table === undefined) throw new Error(`There is no table ${TABLE}`);
    await client.publish(await client.createWorkflow(placingEveryMinute(credential)));
    while (service.seen.calls.length < CALLS) await delay(2_000);
    const requests = counter.count() - toSchedule;
    await delay(60_000);

    const open = (await tables.rows(table.id)).map(({ triggeredAt, finishedAt }) => ({
      from: Date.parse(String(triggeredAt)),
      to: Date.parse(String(finishedAt)),
    }));
    const begin = Math.min(...open.map(({ from }) => from));
    const end = Math.max(...open.map(({ from }) => from));
    const busy = open.reduce((sum, { from, to }) => sum + Math.min(to, end) - from, 0);
    const peopleTwice = [...service.seen.callsByPhone.values()].filter((times) => times > 1).length;
    return [
      [`${CALLS} calls of 2 s, ${CHANNELS} at a time`, ''],
      ['scheduled in', `${task.executionTime} ms, ${toSchedule} requests to n8n`],
      ['placed in', `${Math.round((end - begin) / 1000)} s`],
      ['channels busy', `${((100 * busy) / (CHANNELS * (end - begin))).toFixed(1)} %`],
      ['requests to n8n', `${(requests / CALLS).toFixed(2)} a call`],
      ['looks at the service', `${(service.seen.requests.outcome / CALLS).toFixed(2)} a call`],
      ['people called twice', String(peopleTwice)],
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}
