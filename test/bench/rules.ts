import { setTimeout as delay } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { PreparedN8n } from '../../scripts/n8n';
import { startCountingProxy } from '../n8n/countingProxy';
import { logTable } from '../n8n/triggerWorkflows';
import { startCallingService } from '../service';
import { ANSWER_MS, ITEMS, ourNode, run } from './dispatch';
import { median } from './median';

const CONCURRENCY = 50;
const LISTED = 100_000;
const RUNS = 5;
const LIST = 'Do not call';
/** A list that was changed less long ago is read each time. */
const SETTLED_MS = 6_000;

/**
 * A do-not-call list of people whom nobody calls here.
 *
 * @returns adds one more
 */
async function makeList({ client }: PreparedN8n): Promise<() => Promise<void>> {
  const tables = client.dataTables(await client.createApiKey('List'));
  const { id } = await tables.create(LIST, [
    { name: 'phone', type: 'string' },
    { name: 'reason', type: 'string' },
  ]);
  for (let count = 0; count < LISTED; count += 2_000) {
    const rows = Array.from({ length: 2_000 }, (_, index) => ({
      phone: `+1 (303) ${200 + Math.floor((count + index) / 10_000)}-${String((count + index) % 10_000).padStart(4, '0')}`,
      reason: 'asked',
    }));
    await tables.insertCounted(id, rows);
  }
  return async () => {
    await tables.insertCounted(id, [{ phone: '+13035550100', reason: 'asked' }]);
    await delay(SETTLED_MS);
  };
}

const ALL_RULES: INodeParameters = {
  callLog: 'dataTable',
  callLogTable: logTable('Ruled'),
  rules: {
    doNotCallTable: logTable(LIST),
    callingHours: {
      hours: {
        start: '00:00',
        end: '00:00',
        days: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
        timezone: 'UTC',
      },
    },
    preventDuplicates: true,
    maxCallsPerDay: 1_000_000,
    maxCallsPerPersonPerDay: 1_000,
    maxCostPerDay: 1_000_000,
  },
};

/** A thousand calls at 50, with answers after 100 ms: without any rule, and with all of them. */
export async function benchRules(n8n: PreparedN8n): Promise<string[][]> {
  const service = await startCallingService({ answerDelayMs: ANSWER_MS });
  const counter = await startCountingProxy(n8n.client.baseUrl);
  try {
    const credential = await n8n.client.createCredential('Service', 'outboundAiCallingApi', {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey: await n8n.client.createApiKey('Rules'),
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const changeList = await makeList(n8n);
    const plainNode = ourNode(CONCURRENCY, credential);
    const ruledNode = ourNode(CONCURRENCY, credential, ALL_RULES);
    const plain: number[] = [];
    const ruled: number[] = [];
    const changed: number[] = [];
    let requests = 0;
    for (const node of [plainNode, ruledNode]) await run(n8n, service, node); // warms up
    await changeList();
    await run(n8n, service, ruledNode); // reads the list
    for (let round = 0; round < RUNS; round++) {
      plain.push((await run(n8n, service, plainNode)).ms);
      const before = counter.count();
      ruled.push((await run(n8n, service, ruledNode)).ms);
      requests = counter.count() - before;
    }
    for (let round = 0; round < RUNS; round++) {
      await changeList();
      changed.push((await run(n8n, service, ruledNode)).ms);
    }
    const ratioTo = (runs: number[]) => (median(runs) / median(plain)).toFixed(2);
    return [
      ['1,000 calls at 50', 'median', 'ratio'],
      ['without rules', `${median(plain)} ms`, '1'],
      [`log, list of ${LISTED}, hours, duplicates, caps`, `${median(ruled)} ms`, ratioTo(ruled)],
      ['the same, the list changed before', `${median(changed)} ms`, ratioTo(changed)],
      ['requests to n8n', String(requests), `${(requests / ITEMS).toFixed(3)} a call`],
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}
