import { randomInt, randomUUID } from 'node:crypto';
import type { IDataObject, IHttpRequestOptions, INodeExecutionData } from 'n8n-workflow';
import { execute } from '../core/engine';
import { hintsOf } from '../core/hints';
import { ProcessedKeys } from '../core/processedKeys';
import { Publication } from '../core/triggerEngine';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { startCallingService, type CallingService } from '../service';
import { Database } from './n8n/database';
import { executeContext } from './n8n/executeContext';
import { pollContext } from './n8n/pollContext';
import { PackageText, type LoadedPackage } from './world/package';

/** What both contexts lead to. */
interface Result {
  items: IDataObject[];
  hints: string[];
  error: string | undefined;
}

const CALL_LOG = { __rl: true, mode: 'name', value: 'Calls' };
const call = {
  resource: 'call',
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  additionalFields: { orderNumber: '={{ $json.number }}' },
  callLogTable: CALL_LOG,
};
const ITEMS: INodeExecutionData[] = ['+12025550101', '+12025550102', '+12025550101'].map(
  (phone) => ({ json: { phone, number: `A-${phone.at(-1)}` } }),
);

const HOUR_MS = 3_600_000;

let serviceTime = 0;
let service: CallingService;
let tables: DataTablesServer;
let loaded: LoadedPackage;
let keys: ProcessedKeys;
beforeAll(async () => {
  keys = await ProcessedKeys.install();
  service = await startCallingService({ clock: () => serviceTime });
  tables = await startDataTablesServer();
  ({ loaded } = (await PackageText.bundle()).load({
    now: () => Date.now(),
    passed: () => performance.now(),
    random: () => Math.random(),
    after: (ms, act) => void setTimeout(act, ms),
    randomUUID,
    randomInt: (first, second) =>
      second === undefined ? randomInt(first) : randomInt(first, second),
  }));
});
beforeEach(() => {
  keys.clear();
  service.reset();
  tables.reset();
});
afterAll(async () => {
  await service.close();
  await tables.close();
});

const credential = () => ({
  baseUrl: service.baseUrl,
  apiKey: 'test-key',
  n8nApiKey: 'n8n-key',
  n8nApiUrl: tables.url,
});

/** As n8n's helper sends a request whose answer is wanted as a stream. */
async function send({ url, method = 'GET', qs, body, headers }: IHttpRequestOptions) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((qs ?? {}) as IDataObject)) {
    query.set(name, String(value));
  }
  const answer = await fetch(query.size === 0 ? url : `${url}?${query.toString()}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  };
}

const common = () => ({
  package: loaded,
  timezone: 'Asia/Kolkata',
  credential,
  send,
  log: () => {},
});

let executions = 0;

async function inSimulation(parameters: IDataObject): Promise<Result> {
  const hints: string[] = [];
  const context = executeContext({
    ...common(),
    workflow: { id: 'workflow', name: 'Workflow' },
    node: { id: 'calling', name: 'Outbound AI Calling', type: 'action' },
    parameters,
    database: new Database(),
    executionId: `execution ${++executions}`,
    items: ITEMS,
    nodeContext: {},
    cancelled: new AbortController().signal,
    hint: (message) => hints.push(message),
    waitForDatabase: async () => await Promise.resolve(),
  });
  try {
    const branches = (await loaded.action.execute?.call(context)) as INodeExecutionData[][];
    return { items: branches.flat().map(({ json }) => json), hints, error: undefined };
  } catch (error) {
    return { items: [], hints, error: (error as Error).message };
  }
}

async function inN8nCore(parameters: IDataObject): Promise<Result> {
  const execution = await execute({ parameters, items: ITEMS, credential: credential() });
  return {
    items: execution.items.map(({ json }) => json),
    hints: execution.error === undefined ? hintsOf(execution) : [],
    error: execution.error?.message,
  };
}

/** Without what is drawn, or goes by the clock. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, cell: unknown) =>
      ['callId', 'callAt', 'orderId', 'lastError', 'triggeredAt'].includes(name) ? '…' : cell,
    ).replaceAll(/\d+\.\d+\.\d+\.\d+:\d+/g, 'host'),
  ) as unknown;

describe('the contexts of the simulation', () => {
  it.each<[string, IDataObject]>([
    ['Call Customer', { ...call, operation: 'trigger', callLog: 'dataTable' }],
    [
      'Call Customer with rules',
      {
        ...call,
        operation: 'trigger',
        callLog: 'dataTable',
        rules: { preventDuplicates: true, maxCallsPerDay: 5 },
      },
    ],
    ['a mistake', { ...call, operation: 'trigger', customerPhone: 'nobody' }],
    ['Schedule Call', { ...call, operation: 'schedule' }],
    ['an unknown script', { ...call, operation: 'trigger', scriptId: 999 }],
    [
      'Cancel Scheduled Calls of a log that is none',
      {
        resource: 'call',
        operation: 'cancelScheduled',
        callLogTable: CALL_LOG,
        cancelBy: 'orderNumber',
        cancelValue: 'A-1',
      },
    ],
  ])('lead to what those of n8n lead to: %s', async (_, parameters) => {
    const inCore = comparable(await inN8nCore(parameters));
    const askedByCore = [...tables.requests].map((request) => request.replace(/table\d+/, 'T'));
    const rungByCore = service.seen.callsByPhone;
    tables.reset();
    service.reset();
    expect(comparable(await inSimulation(parameters))).toEqual(inCore);
    const asked = tables.requests.map((request) => request.replace(/table\d+/, 'T'));
    expect(asked.toSorted()).toEqual(askedByCore.toSorted());
    expect(service.seen.callsByPhone).toEqual(rungByCore);
  });

  it('lead to what those of n8n lead to: a poll', async () => {
    const { items } = await inN8nCore({ ...call, operation: 'trigger' });
    const orderIds = items.map(({ orderId }) => orderId).join();
    serviceTime += HOUR_MS;
    const options = { fastChecks: true, giveUpAfterHours: 1 };
    const parameters = { events: ['outcomeAvailable'], watch: 'orderIds', orderIds, options };
    const publication = new Publication({ credential: credential(), parameters });
    await publication.poll();
    const fired: IDataObject[] = [];
    const context = pollContext({
      ...common(),
      workflow: { id: 'another', name: 'Another' },
      node: { id: 'trigger', name: 'Outcome', type: 'trigger' },
      parameters,
      staticData: {},
      budgetMs: 300_000,
      emit: (given, done) => {
        fired.push(...given);
        done?.resolve({} as never);
      },
    });
    await loaded.trigger.poll?.call(context);
    const inOrder = (given: IDataObject[]) =>
      comparable(given.toSorted((a, b) => Number(a.orderId) - Number(b.orderId)));
    expect(fired).toHaveLength(new Set(ITEMS.map(({ json }) => json.phone)).size);
    expect(inOrder(fired)).toEqual(inOrder(publication.fired));
  });
});
