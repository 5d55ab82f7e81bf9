import { setTimeout as delay } from 'node:timers/promises';
import type { PreparedN8n, WorkflowFile } from '../../scripts/n8n';
import { startCountingProxy } from '../n8n/countingProxy';
import { logTable } from '../n8n/triggerWorkflows';
import { callingNode, workflowOf } from '../n8n/workflows';
import { startCallingService } from '../service';
import type { Bench, Figure } from './figure';
import { sized } from './size';

const CHANNELS = 50;
const SCHEDULING_MS = 120_000;
const SHORT: Load = { calls: sized(5_000, 100), seconds: 2 };
const LONG: Load = { calls: sized(300, 50), seconds: sized(60, 5) };

const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });

/** Places what is due, every minute. */
function placingEveryMinute(
  credential: { id: string; name: string },
  table: string,
  seconds: number,
): WorkflowFile {
  const placing = callingNode('Place', 'call.placeScheduled', credential, {
    callLogTable: logTable(table),
    options: {
      maxInProgress: CHANNELS,
      keepOnSeconds: 50,
      concurrency: CHANNELS,
      // Nobody looks for the end of a short call later than it comes.
      firstCheckAfterSeconds: Math.min(seconds, 15),
    },
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

/** How many calls there are, and how long each lasts. */
interface Load {
  calls: number;
  seconds: number;
}

/** Milliseconds since 1970. */
interface Span {
  from: number;
  to: number;
}

/** How much of the time between the first call and the last the channels were busy, in percent. */
function busyPercent(spans: Span[]): number {
  const begin = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(...spans.map(({ from }) => from));
  const busy = spans.reduce((sum, { from, to }) => sum + Math.min(to, end) - from, 0);
  return (100 * busy) / (CHANNELS * (end - begin));
}

/** Schedules calls and has them placed, until all have ended. */
async function place(
  { client }: PreparedN8n,
  { calls, seconds }: Load,
): Promise<{
  schedulingMs: number;
  requests: number;
  looks: number;
  inLog: Span[];
  inService: Span[];
}> {
  const service = await startCallingService({ callSeconds: { min: seconds, max: seconds } });
  const counter = await startCountingProxy(client.baseUrl);
  const table = `Calls of ${seconds} s`;
  try {
    const n8nApiKey = await client.createApiKey(table);
    const credential = await client.createCredential('Service', 'outboundAiCallingApi', {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey,
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const phones = Array.from({ length: calls }, (_, number) => ({
      phone: `+1202555${String(number % 10_000).padStart(4, '0')}`,
      orderNumber: `S-${number}`,
    }));
    const schedule = callingNode('Schedule', 'call.schedule', credential, {
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.orderNumber }}' },
      callLogTable: logTable(table),
    });
    const scheduling = await client.createWorkflow(workflowOf('Schedule', phones, schedule));
    const { data } = await client.runManually(scheduling, { timeoutMs: SCHEDULING_MS });
    const [task] = data.resultData.runData.Schedule ?? [];
    if (task === undefined || task.error !== undefined) throw new Error('Nothing was scheduled');
    const toSchedule = counter.count();

    const tables = client.dataTables(n8nApiKey);
    const found = await tables.find(table);
    if (found === undefined) throw new Error(`There is no table ${table}`);
    const placing = await client.createWorkflow(placingEveryMinute(credential, table, seconds));
    await client.publish(placing);
    while (service.seen.calls.length < calls) await delay(2_000);
    const requests = counter.count() - toSchedule;
    await delay(60_000 + seconds * 1_000);

    const inLog = (await tables.rows(found.id)).map(({ triggeredAt, finishedAt }) => ({
      from: Date.parse(String(triggeredAt)),
      to: Date.parse(String(finishedAt)),
    }));
    const twice = [...service.seen.callsByPhone.values()].filter((times) => times > 1);
    if (twice.length > 0) throw new Error(`${twice.length} people were called twice`);
    return {
      schedulingMs: task.executionTime,
      requests: requests / calls,
      looks: service.seen.requests.outcome / calls,
      inLog,
      inService: service.seen.calls.map(({ placedAt, endsAt }) => ({ from: placedAt, to: endsAt })),
    };
  } finally {
    await counter.close();
    await service.close();
  }
}

async function measure(n8n: PreparedN8n): Promise<Figure[]> {
  const short = await place(n8n, SHORT);
  const long = await place(n8n, LONG);
  const name = ({ calls, seconds }: Load) => `${calls} calls of ${seconds} s`;
  return [
    {
      name: `${name(SHORT)}: channels busy, by the log`,
      unit: '%',
      values: [busyPercent(short.inLog)],
      aim: { atLeast: 97 },
    },
    {
      name: `${name(LONG)}: channels busy, by the service's own book`,
      unit: '%',
      values: [busyPercent(long.inService)],
      aim: { atLeast: 85 },
    },
    {
      name: `${name(SHORT)}: scheduling`,
      unit: 's',
      values: [short.schedulingMs / 1000],
    },
    { name: `${name(SHORT)}: requests to n8n a call`, unit: 'requests', values: [short.requests] },
    {
      name: `${name(SHORT)}: requests for its outcome a call`,
      unit: 'requests',
      values: [short.looks],
    },
  ];
}

export const scheduled: Bench = {
  title: 'Scheduled calls',
  about: `Scheduled calls, which Place Scheduled Calls places every minute with at most ${CHANNELS} in progress: how much of the time the channels are busy. Nobody is called twice. One run each.`,
  misses:
    'What costs: after each call of 2 s its channel is free for 0.16 s. In this time the node hears of the end and places the next call.',
  measure,
};
