import { setTimeout as delay } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import {
  DATA_TABLE_SCOPES,
  errorOf,
  jsonOf,
  runsOf,
  PreparedN8n,
  type DataTableRow,
  type Execution,
} from '../../scripts/n8n';
import { addFaults, drawnFaults, type DrawnFault } from '../core/drawnFaults';
import { fc, runs, seed } from '../generators';
import { startCallingService, type CallingService } from '../service';
import { logTable } from './triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from './workflows';

const SCENARIOS = runs(5, 25);

interface Scenario {
  operation: 'trigger' | 'triggerAndWait';
  /** Some people are called about several orders, and some items stand twice in the list. */
  orders: Array<{ phone: string; order: string }>;
  faults: DrawnFault[];
  concurrency: number;
  goesOn: boolean;
  retriesOnFail: boolean;
  preventDuplicates: boolean;
  /** A person stops the execution when so many requests have arrived. */
  cancelAt: number | undefined;
  /** Tries by hand: of the workflow as it was, or as it was saved meanwhile; once more of the first. */
  retries: Array<'as it was' | 'changed' | 'with a mistake' | 'of the first'>;
}

const scenario = fc.record<Scenario>({
  operation: fc.constantFrom('trigger', 'triggerAndWait'),
  orders: fc.array(
    fc.record({
      phone: fc.integer({ min: 0, max: 9 }).map((index) => `+1202555${1000 + index}`),
      order: fc.constantFrom('A-1', 'A-2', ''),
    }),
    { minLength: 1, maxLength: 15 },
  ),
  faults: drawnFaults(['trigger'], 12),
  concurrency: fc.constantFrom(1, 3, 10),
  goesOn: fc.boolean(),
  retriesOnFail: fc.boolean(),
  preventDuplicates: fc.boolean(),
  cancelAt: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 3 }),
  retries: fc.array(
    fc.constantFrom<Scenario['retries']>('as it was', 'changed', 'with a mistake', 'of the first'),
    { maxLength: 2 },
  ),
});

let n8n: PreparedN8n;
let service: CallingService;
let count = 0;
beforeAll(async () => {
  service = await startCallingService({
    speed: 1000,
    scripts: { 7: [], 8: [] },
    answerDelayMs: 30,
  });
  n8n = await PreparedN8n.start();
});
afterAll(async () => {
  await n8n?.stop();
  await service?.close();
});

const identityOf = (phone: unknown, order: unknown) => JSON.stringify([phone, order ?? '']);

function counted(identities: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of identities) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** The rows of a log when nothing of it is under way any more. */
async function rowsOf(table: string): Promise<DataTableRow[]> {
  const tables = n8n.client.dataTables(await n8n.client.createApiKey(`Rows ${++count}`));
  const found = await tables.find(table);
  if (found === undefined) return [];
  for (let look = 0; ; look++) {
    const rows = await tables.rows(found.id);
    const calls = new Set(rows.map(({ callId }) => callId));
    // A row is replaced by writing the other first; n8n does not wait for a cancelled execution.
    const isUnderWay = calls.size < rows.length || rows.some(({ status }) => status === 'placing');
    if (look > 20 || !isUnderWay) return rows;
    await delay(250);
  }
}

/** Presses "retry", with the workflow that failed or with the one that is saved now. */
async function retry({ id, workflowId }: Execution, loadWorkflow: boolean): Promise<Execution> {
  const { client } = n8n;
  await client.session.rest('POST', `/executions/${id}/retry`, { body: { loadWorkflow } });
  const [newest] = await client.executionSummaries(workflowId);
  if (newest === undefined) throw new Error('The retry is not listed');
  return await client.waitForExecution(newest.id);
}

/** Stops an execution as soon as this many requests have arrived, if it is still going. */
async function stopAt(id: string, requests: number): Promise<void> {
  for (let look = 0; look < 400 && service.seen.requests.trigger < requests; look++) await delay(5);
  await n8n.client.stopExecution(id).catch(() => undefined);
}

async function check(one: Scenario): Promise<void> {
  const { client } = n8n;
  const table = `Drawn ${++count}`;
  service.reset();
  addFaults(service, one.faults);
  const credential = await saveCredential(client, service, {
    n8nApiKey: await client.createApiKey(table, DATA_TABLE_SCOPES),
  });
  const nodeWith = (more: INodeParameters) =>
    callingNode(
      'Call',
      `call.${one.operation}`,
      credential,
      {
        scriptId: 7,
        customerPhone: '={{ $json.phone }}',
        additionalFields: { orderNumber: '={{ $json.order }}' },
        callLog: 'dataTable',
        callLogTable: logTable(table),
        rules: { preventDuplicates: one.preventDuplicates },
        options: {
          concurrency: one.concurrency,
          requestTimeoutSeconds: 5,
          ...(one.operation === 'triggerAndWait' ? { maxWaitMinutes: 0.001 } : {}),
        },
        ...more,
      },
      {
        ...(one.goesOn ? { onError: 'continueRegularOutput' } : {}),
        ...(one.retriesOnFail ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } : {}),
      },
    );
  const workflow = await client.createWorkflow(workflowOf(table, one.orders, nodeWith({})));
  const id = await client.startManually(workflow);
  if (one.cancelAt !== undefined) await stopAt(id, one.cancelAt);
  const tries = [await client.waitForExecution(id)];
  for (const how of one.retries) {
    const last = tries.at(how === 'of the first' ? 0 : -1) as Execution;
    if (last.status === 'success' || runsOf(last, 'Call').at(-1)?.error === undefined) break;
    const isSaved = how === 'changed' || how === 'with a mistake';
    if (isSaved) {
      const { nodes } = workflowOf(
        table,
        one.orders,
        nodeWith({ scriptId: how === 'changed' ? 8 : 'none' }),
      );
      await client.session.rest('PATCH', `/workflows/${workflow.id}`, { body: { nodes } });
    }
    tries.push(await retry(last, isSaved));
  }

  const rows = await rowsOf(table);
  const { calls } = service.seen;
  const called = counted(calls.map(({ phone, orderNumber }) => identityOf(phone, orderNumber)));
  const allowed = counted(one.orders.map(({ phone, order }) => identityOf(phone, order)));
  // Nobody twice for one order.
  const isTwice = ([who, times]: [string, number]) =>
    times > (one.preventDuplicates ? 1 : (allowed.get(who) ?? 0));
  expect([...called].filter(isTwice)).toEqual([]);
  // The log has the service's book, and nothing else.
  const ids = new Set(calls.map(({ orderId }) => String(orderId)));
  expect(rows.filter(({ orderId }) => orderId !== null && !ids.has(String(orderId)))).toEqual([]);
  const logged = counted(
    rows
      .filter(({ status }) => status !== 'not_placed')
      .map(({ customerPhone, orderNumber }) => identityOf(customerPhone, orderNumber)),
  );
  expect([...called].filter(([who, times]) => times > (logged.get(who) ?? 0))).toEqual([]);
  const callIds = rows.map(({ callId }) => callId);
  expect(callIds).toHaveLength(new Set(callIds).size);
  expect(rows.filter(({ status }) => status === 'placing')).toEqual([]);
  // Nobody is forgotten, and every try says what happened.
  for (const execution of tries) {
    const message = errorOf(execution)?.message ?? '';
    if (execution.status === 'success') {
      const items = jsonOf(execution, 'Call', { run: runsOf(execution, 'Call').length - 1 });
      expect(items).toHaveLength(one.orders.length);
      const isTold = ({ orderId, skipped, error }: (typeof items)[number]) =>
        ids.has(String(orderId)) || skipped === true || /called/.test(String(error));
      expect(items.filter((item) => !isTold(item))).toEqual([]);
    } else if (execution.status === 'error') {
      expect(message).toMatch(
        /^(Nobody was called|Somebody may have been called|(1 person was|\d+ people were) called)/,
      );
    }
  }
  const last = errorOf(tries.at(-1) as Execution)?.message ?? '';
  if (last.startsWith('Nobody was called')) expect(calls).toEqual([]);
}

describe(`executions drawn in the real n8n (seed ${seed})`, () => {
  it('call nobody twice, forget nobody, and log everything', async () => {
    await fc.assert(fc.asyncProperty(scenario, check), {
      numRuns: SCENARIOS,
      endOnFailure: true,
    });
  });
});
