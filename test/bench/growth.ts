import { setTimeout as delay } from 'node:timers/promises';
import { QueueModeN8n, type PreparedN8n, type SavedWorkflow } from '../../scripts/n8n';
import { startCountingProxy } from '../n8n/countingProxy';
import { logTable, outcomeWorkflow, watching } from '../n8n/triggerWorkflows';
import { callingNode, saveCredential } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import type { Blocks } from './blocks';
import { msOfOne, msOfTogether } from './caps';
import { ANSWER_MS, ITEMS } from './dispatch';
import type { Bench, Figure } from './figure';
import { callsNode, fill, msOf } from './log';
import { RUNS, sized } from './size';
import { watched } from './watched';

const DAY_MS = 24 * 3_600_000;
/** Rows of {@link fill} come in groups of this size. */
const GROUP = 2_000;
const ROWS = sized([2_000, 20_000, 100_000], [2_000, 4_000]);
const TRIGGERS = sized([1, 4, 16], [1, 2]);
const EXECUTIONS = sized([1, 5, 20, 50], [1, 5]);
const WORKERS = sized([1, 2, 4], [1]);
const MINUTE_S = sized(60, 5);

/** One curve, of what several amounts of something cost. */
const growing = (
  axis: string,
  name: string,
  unit: Figure['unit'],
  points: Array<{ at: number; values: number[] }>,
): Figure[] =>
  points.map(({ at, values }) => ({
    name: `${at.toLocaleString('en-US')} ${axis}: ${name}`,
    unit,
    values,
    along: { axis, at, name },
  }));

async function times(work: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < RUNS; round++) values.push(await work());
  return values;
}

interface Parts {
  n8n: PreparedN8n;
  service: CallingService;
  credential: { id: string; name: string };
}

/** One call, and a search for one order, beside more and more calls that have ended. */
async function alongRows({ n8n, service, credential }: Parts): Promise<Figure[]> {
  const table = 'Growing';
  const call = callsNode(credential, table, {
    additionalFields: { orderNumber: '={{ $execution.id }}' },
    rules: { preventDuplicates: true },
  });
  const cancel = callingNode('Calls', 'call.cancelScheduled', credential, {
    callLogTable: logTable(table),
    cancelBy: 'orderNumber',
    cancelValue: 'B-1',
  });
  await msOf(n8n, service, callsNode(credential, table)); // makes the table
  const calls: Array<{ at: number; values: number[] }> = [];
  const cancels: typeof calls = [];
  let rows = 0;
  for (const at of ROWS) {
    const endedAt = Date.now() - 30 * DAY_MS - at;
    await fill(n8n, table, { rows: Math.round((at - rows) / GROUP) * GROUP, endedAt });
    rows = at;
    await msOfOne(n8n, call); // n8n settles after many inserts
    calls.push({ at, values: await times(async () => await msOfOne(n8n, call)) });
    cancels.push({ at, values: await times(async () => await msOfOne(n8n, cancel)) });
  }
  return [
    ...growing('rows in the log', 'one call, Prevent Duplicates', 'ms', calls),
    ...growing('rows in the log', 'Cancel of one order', 'ms', cancels),
  ];
}

/** What triggers with nothing to do need of n8n. */
async function alongTriggers(
  { n8n, service }: Pick<Parts, 'n8n' | 'service'>,
  blocks: Blocks,
): Promise<Figure[]> {
  const proxy = await startCountingProxy(n8n.client.baseUrl);
  try {
    const watchedBy = await saveCredential(n8n.client, service, {
      n8nApiKey: await n8n.client.createApiKey('Triggers'),
      n8nApiUrl: `${proxy.baseUrl}/api/v1`,
    });
    const requests: Array<{ at: number; values: number[] }> = [];
    const processor: typeof requests = [];
    const published: SavedWorkflow[] = [];
    for (const at of TRIGGERS) {
      while (published.length < at) {
        const name = `Trigger ${published.length}`;
        const trigger = outcomeWorkflow(name, watchedBy, watching('Growing'));
        published.push(await n8n.client.publish(await n8n.client.createWorkflow(trigger)));
      }
      await delay(MINUTE_S * 1_000); // every trigger has polled
      const before = proxy.count();
      const { processorMs } = await watched(n8n, blocks, async () => await delay(MINUTE_S * 1_000));
      requests.push({ at, values: [proxy.count() - before] });
      processor.push({ at, values: [processorMs / 1_000] });
    }
    for (const trigger of published) await n8n.client.unpublish(trigger);
    const axis = 'triggers on one log, a minute';
    return [
      ...growing(axis, 'requests to n8n', 'requests', requests),
      ...growing(axis, "n8n's processor", 's', processor),
    ];
  } finally {
    await proxy.close();
  }
}

/** A thousand calls with a log, shared by more and more executions that begin together. */
async function alongExecutions({ n8n, service, credential }: Parts): Promise<Figure[]> {
  const points: Array<{ at: number; values: number[] }> = [];
  for (const at of EXECUTIONS) {
    let round = 0;
    const values = await times(async () => {
      const node = callsNode(credential, `Together ${at} ${round++}`);
      return (await msOfTogether(n8n, service, node, ITEMS, at)) / 1_000;
    });
    points.push({ at, values });
  }
  return growing('executions at once', `${ITEMS} calls with the log`, 's', points);
}

/** The same in queue mode on PostgreSQL, by more and more workers. */
async function alongWorkers(service: CallingService): Promise<Figure[]> {
  const points: Array<{ at: number; values: number[] }> = [];
  for (const at of WORKERS) {
    const env = { OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true' };
    const queue = await QueueModeN8n.start(at, { env });
    try {
      const { client } = queue.main;
      const credential = await saveCredential(client, service, {
        n8nApiKey: await client.createApiKey('Log'),
        // At the main process, for workers too.
        n8nApiUrl: `${client.baseUrl}/api/v1`,
      });
      let round = 0;
      const values = await times(async () => {
        const node = callsNode(credential, `Workers ${round++}`);
        return (await msOfTogether(queue.main, service, node, ITEMS)) / 1_000;
      });
      points.push({ at, values });
    } finally {
      await queue.stop();
    }
  }
  return growing('workers on PostgreSQL', `${ITEMS} calls of 20 executions`, 's', points);
}

async function measure(n8n: PreparedN8n, blocks: Blocks): Promise<Figure[]> {
  const service = await startCallingService({ answerDelayMs: ANSWER_MS });
  try {
    const credential = await saveCredential(n8n.client, service, {
      n8nApiKey: await n8n.client.createApiKey('Growth'),
    });
    const parts = { n8n, service, credential };
    return [
      ...(await alongRows(parts)),
      ...(await alongTriggers(parts, blocks)),
      ...(await alongExecutions(parts)),
      ...(await alongWorkers(service)),
    ];
  } finally {
    await service.close();
  }
}

/** How costs grow; the figures are curves in `docs/scaling.md`. */
export const growth: Bench = {
  title: 'How costs grow',
  about: 'Each dot is a run.',
  measure,
};
