import { setTimeout as delay } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { PreparedN8n } from '../../scripts/n8n';
import { startCountingProxy } from '../n8n/countingProxy';
import { logTable } from '../n8n/triggerWorkflows';
import { saveCredential } from '../n8n/workflows';
import { startCallingService } from '../service';
import { ANSWER_MS, ourNode, run } from './dispatch';
import { ratios, type Bench, type Figure } from './figure';
import { httpCalls, notListed, writeCalls } from './peers/calls';
import { RUNS, sized } from './size';

const CONCURRENCY = 50;
const LISTED = sized(100_000, 4_000);
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

/** The same people are called in every run, for another order. */
const NO_RULES: INodeParameters = {
  additionalFields: { orderNumber: '={{ $execution.id }}-{{ $itemIndex }}' },
};

const ALL_RULES: INodeParameters = {
  ...NO_RULES,
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

async function measure(n8n: PreparedN8n): Promise<Figure[]> {
  const service = await startCallingService({ answerDelayMs: ANSWER_MS });
  const counter = await startCountingProxy(n8n.client.baseUrl);
  try {
    const n8nApiKey = await n8n.client.createApiKey('Rules');
    const credential = await saveCredential(n8n.client, service, {
      n8nApiKey,
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const changeList = await makeList(n8n);
    await n8n.client.dataTables(n8nApiKey).create('Theirs', [{ name: 'orderId', type: 'string' }]);
    const plainNode = ourNode(CONCURRENCY, credential, NO_RULES);
    const ruledNode = ourNode(CONCURRENCY, credential, ALL_RULES);
    const batch = { batchSize: CONCURRENCY, batchInterval: ANSWER_MS };
    const peer = [notListed(LIST), httpCalls(service, batch), writeCalls('Theirs')];
    const plain: number[] = [];
    const ruled: number[] = [];
    const changed: number[] = [];
    const peers: number[] = [];
    const requests: number[] = [];
    for (const node of [plainNode, ruledNode]) await run(n8n, service, node); // warms up
    await changeList();
    await run(n8n, service, ruledNode); // reads the list
    for (let round = 0; round < RUNS; round++) {
      plain.push((await run(n8n, service, plainNode)).ms);
      const before = counter.count();
      ruled.push((await run(n8n, service, ruledNode)).ms);
      requests.push(counter.count() - before);
      await changeList();
      changed.push((await run(n8n, service, ruledNode)).ms);
      peers.push((await run(n8n, service, ...peer)).ms);
    }
    const figure = (name: string, values: number[], atMost?: number): Figure => ({
      name,
      unit: 'times',
      values,
      ...(atMost === undefined ? {} : { aim: { atMost } }),
    });
    return [
      figure('all rules ÷ none', ratios(ruled, plain), 1.5),
      figure('the list changed before ÷ none', ratios(changed, plain), 2),
      figure('Data Table, HTTP Request ÷ all rules', ratios(peers, ruled)),
      { name: 'requests to n8n', unit: 'requests', values: requests },
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}

export const rules: Bench = {
  title: 'All rules',
  about: `A thousand calls at 50 at once, with answers after 100 ms, with all rules and with none, both with order numbers. The rules are a call log, a do-not-call list of ${LISTED} numbers, calling hours, duplicates and caps. A second series adds a row to the list before each run. The peer is Data Table (If Row Does Not Exist), HTTP Request and Data Table. It asks the list and no other rule, and finds a number only in the spelling of the list.`,
  misses:
    'What costs, tried one by one: 4.4 s without rules; the log needs 1.1 s more, all other rules 0.9 s together. A profile shows n8n at its own tables and waiting for them. Data Table and HTTP Request need longer than all rules, and check less.',
  measure,
};
