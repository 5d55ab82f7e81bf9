import { setTimeout as delay } from 'node:timers/promises';
import type { PreparedN8n, WorkflowNode } from '../../scripts/n8n';
import { startCountingProxy } from '../n8n/countingProxy';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService } from '../service';
import type { Blocks } from './blocks';
import type { Bench, Figure } from './figure';
import { notListed } from './peers/calls';
import { RUNS, sized } from './size';
import { watched, type Needs } from './watched';

const ROWS = sized(100_000, 4_000);
const ROWS_AT_ONCE = 2_000;
const COUNTRIES = ['US', 'CA', 'PR', 'JM', 'DO'];
/** Rows that were changed less long ago are read again. */
const SETTLED_MS = 16_000;
const LISTED = '+12022000037';

/** Numbers as shops and people write them. */
function spelled(index: number): string {
  const number = String(2_022_000_000 + index * 37);
  if (index % 3 === 1) return `+1${number}`;
  const [area, exchange, line] = [number.slice(0, 3), number.slice(3, 6), number.slice(6)];
  return index % 3 === 2 ? `(${area}) ${exchange}-${line}` : `+1 ${area} ${exchange} ${line}`;
}

async function fill({ client }: PreparedN8n): Promise<string> {
  const tables = client.dataTables(await client.createApiKey('Fill'));
  const { id } = await tables.create('Do not call', [
    { name: 'phone', type: 'string' },
    { name: 'reason', type: 'string' },
    { name: 'until', type: 'date' },
  ]);
  for (let count = 0; count < ROWS; count += ROWS_AT_ONCE) {
    const rows = Array.from({ length: ROWS_AT_ONCE }, (_, index) => ({
      phone: spelled(count + index),
      reason: 'Asked on the telephone',
    }));
    await tables.insertCounted(id, rows);
  }
  return id;
}

interface Run extends Needs {
  ms: number;
}

/** Runs one call, which is to be skipped or placed. */
async function runOne(
  n8n: PreparedN8n,
  blocks: Blocks,
  node: WorkflowNode,
  isSkipped: boolean,
): Promise<Run> {
  const workflow = await n8n.client.createWorkflow(workflowOf('List', [{ phone: LISTED }], node));
  const { result, ...needs } = await watched(
    n8n,
    blocks,
    async () => await n8n.client.runManually(workflow),
  );
  const { runData, error } = result.data.resultData;
  if (error !== undefined) throw error;
  const [task] = runData[node.name] ?? [];
  const item = task?.data?.main?.[0]?.[0]?.json;
  if (isSkipped !== (item === undefined || item.reason === 'doNotCall')) {
    throw new Error(JSON.stringify(item));
  }
  return { ...needs, ms: task?.executionTime ?? NaN };
}

async function measure(n8n: PreparedN8n, blocks: Blocks): Promise<Figure[]> {
  const service = await startCallingService();
  const counter = await startCountingProxy(n8n.client.baseUrl);
  try {
    const n8nApiKey = await n8n.client.createApiKey('List');
    const credential = await saveCredential(n8n.client, service, {
      n8nApiKey,
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const tables = n8n.client.dataTables(n8nApiKey);
    const id = await fill(n8n);
    const call = (rules: WorkflowNode['parameters'], defaultCountry: string) =>
      callingNode('Call', 'call.trigger', credential, {
        scriptId: 7,
        customerPhone: LISTED,
        rules,
        options: { defaultCountry },
      });
    const listed = (country: string) =>
      call({ doNotCallTable: { __rl: true, mode: 'id', value: id } }, country);
    const [without, first, changed, unchanged, theirs]: Run[][] = [[], [], [], [], []];
    const requests: number[] = [];
    await runOne(n8n, blocks, call({}, 'US'), false); // warms up
    await delay(SETTLED_MS);
    for (let round = 0; round < RUNS; round++) {
      // A list is read once for each default country.
      const country = COUNTRIES[round] ?? 'US';
      first?.push(await runOne(n8n, blocks, listed(country), true));
      await tables.insertCounted(id, [{ phone: `+1303555010${round}`, reason: 'Asked' }]);
      await delay(SETTLED_MS);
      changed?.push(await runOne(n8n, blocks, listed(country), true));
      const before = counter.count();
      unchanged?.push(await runOne(n8n, blocks, listed(country), true));
      requests.push(counter.count() - before);
      without?.push(await runOne(n8n, blocks, call({}, country), false));
      theirs?.push(await runOne(n8n, blocks, notListed('Do not call'), true));
    }
    const seconds = (name: string, runs: Run[] = [], atMost?: number): Figure => ({
      name: `${name}: n8n's processor`,
      unit: 's',
      values: runs.map(({ processorMs }) => processorMs / 1000),
      ...(atMost === undefined ? {} : { aim: { atMost } }),
    });
    const time = (name: string, runs: Run[] = [], atMost?: number): Figure => ({
      name: `${name}: time`,
      unit: 's',
      values: runs.map(({ ms }) => ms / 1000),
      ...(atMost === undefined ? {} : { aim: { atMost } }),
    });
    const memory = (name: string, runs: Run[] = []): Figure => ({
      name: `${name}: memory`,
      unit: 'MB',
      values: runs.map(({ peakMb }) => peakMb),
      aim: { atMost: 60 },
    });
    const block = (name: string, runs: Run[] = []): Figure => ({
      name: `${name}: longest block`,
      unit: 'ms',
      values: runs.map(({ blockMs }) => blockMs),
      aim: { atMost: 50 },
    });
    const [never, one, same] = ['read whole', 'one row added', 'unchanged'];
    return [
      seconds(never, first, 1.5),
      memory(never, first),
      block(never, first),
      seconds(one, changed, 1.5),
      memory(one, changed),
      block(one, changed),
      time(same, unchanged, 0.1),
      time('without a list', without),
      time('Data Table, If Row Does Not Exist', theirs),
      { name: 'unchanged: requests to n8n', unit: 'requests', values: requests },
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}

export const doNotCall: Bench = {
  title: 'A long do-not-call list',
  about: `One call to somebody on a do-not-call list of ${ROWS} numbers in three spellings, which must be skipped. There are three cases: the process has never read the list, a row was added since, or nothing has changed. The peer is n8n's own node, which asks for one spelling.`,
  misses:
    'What costs, by a profile of five readings: n8n needs 0.8 s for its tables and their JSON, this node 0.5 s for the numbers. The rest is the database, in other threads.',
  measure,
};
