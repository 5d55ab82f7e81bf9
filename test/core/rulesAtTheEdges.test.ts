import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { startCallingService, type CallingService } from '../service';
import { listOf } from '../dataTables/doNotCallTable';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { ProcessedKeys } from './processedKeys';

let service: CallingService;
let keys: ProcessedKeys;
beforeAll(async () => {
  keys = await ProcessedKeys.install();
});
beforeEach(async () => {
  keys.clear();
  service = await startCallingService({ speed: 1000 });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await service.close();
});

const [ANNA, BERT, CARL] = ['+12025550101', '+12025550102', '+12025550103'];
const items = (...phones: Array<string | IDataObject>): INodeExecutionData[] =>
  phones.map((phone) => ({ json: typeof phone === 'string' ? { phone } : phone }));
const run = async (settings: IDataObject, more: Partial<ExecutionRequest> = {}, fields = {}) =>
  await execute({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      ...rulesAndOptions(settings),
      ...fields,
    },
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    ...more,
  });
const called = () => service.seen.calls.map(({ phone }) => phone).sort();
const branchesOf = ({ run: { data } }: Execution) =>
  (data.resultData.runData['Outbound AI Calling']?.[0]?.data?.main ?? []).map((branch) =>
    (branch ?? []).map(({ json }) => json),
  );
const GO_ON = { settings: { onError: 'continueRegularOutput' as const } };

describe('manual executions', () => {
  it('leave production alone, also when the expression of the test phone works in the editor only', async () => {
    const testPhone = "={{ $('Builder').first().json.phone }}";
    const execution = await run({ testPhone, maxCalls: 1 }, { items: items(ANNA) });
    expect(execution.error?.message).toBeUndefined();
    expect(called()).toEqual([ANNA]);
  });

  it('call nobody when that expression fails in the editor', async () => {
    const testPhone = "={{ $('Builder').first().json.phone }}";
    const { error } = await run({ testPhone }, { items: items(ANNA), mode: 'manual' });
    expect(error?.message).toMatch(/^Nobody was called\. .*rules\.testPhone/);
    expect(called()).toEqual([]);
  });

  it('say that another one calls again, where nothing prevents it', async () => {
    const AGAIN =
      'Executing this node again calls these 2 people again: add "Prevent Duplicates". It knows only calls that were placed with it';
    const told = async (rules: IDataObject, mode: 'manual' | 'trigger' = 'manual') =>
      hintsOf(await run(rules, { items: items(ANNA, BERT), mode }));
    expect(await told({})).toContain(AGAIN);
    expect(await told({}, 'trigger')).toEqual([]);
    expect(await told({ preventDuplicates: true })).toEqual([]);
    expect(await told({ manualExecutions: 'dryRun' })).not.toContain(AGAIN);
    expect(await told({ testPhone: CARL })).not.toContain(AGAIN);
  });

  it('count a person once who stands twice in the list', async () => {
    const execution = await run({}, { items: items(ANNA, ANNA), mode: 'manual' });
    expect(called()).toEqual([ANNA]);
    expect(hintsOf(execution).join()).toContain(
      'Executing this node again calls this person again',
    );
  });
});

describe('duplicates', () => {
  it('Retry On Fail calls whom the first try did not, also when the key could not be given back', async () => {
    service.faults.add({ kind: 'status', status: 400 });
    jest.spyOn(keys, 'removeProcessed').mockRejectedValueOnce(new Error('The database is away'));
    const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
    const execution = await run({ preventDuplicates: true }, { settings, items: items(ANNA) });
    expect(jsonOf(execution)).not.toMatchObject([{ reason: 'duplicate' }]);
    expect(called()).toEqual([ANNA]);
  });
});

describe('duplicates of a list', () => {
  it('a key is free for the next item, which is called', async () => {
    service.faults.add({ kind: 'status', status: 400 });
    const execution = await run(
      { duplicateKey: '={{ $json.key ?? "A-1" }}', concurrency: 1 },
      { ...GO_ON, items: items(ANNA, BERT) },
    );
    expect(execution.items[1]?.json.reason).toBeUndefined();
    expect(called()).toEqual([BERT]);
  });

  const isFor = (phone: string | undefined) => ({
    match: ({ body }: { body: unknown }) => (body as IDataObject).customerPhone === phone,
  });

  it('a key is free for the next item also when both are begun at once', async () => {
    service.faults.add({ kind: 'status', status: 400, ...isFor(ANNA) });
    const execution = await run(
      { duplicateKey: '={{ $json.key ?? "A-1" }}' },
      { ...GO_ON, items: items(ANNA, BERT) },
    );
    expect(execution.items[1]?.json.reason).toBeUndefined();
    expect(called()).toEqual([BERT]);
  });

  it.each([1, 2])(
    'nobody waits for ever for a key whose call is tried again (concurrency %p)',
    async (concurrency) => {
      for (const phone of [ANNA, BERT]) {
        service.faults.add({ kind: 'rateLimit', ...isFor(phone) });
      }
      const people = items(
        { phone: ANNA, key: 'A-1' },
        { phone: BERT, key: 'B-1' },
        { phone: CARL, key: 'B-1' },
        { phone: CARL, key: 'A-1' },
      );
      const duplicateKey = '={{ $json.key }}';
      const execution = await run({ duplicateKey, concurrency }, { items: people });
      expect(called()).toEqual([ANNA, BERT]);
      expect(jsonOf(execution).map(({ reason }) => reason)).toEqual([
        undefined,
        undefined,
        'duplicate',
        'duplicate',
      ]);
    },
  );
});

describe('after a failure', () => {
  it('nobody is called whose rules were still being asked', async () => {
    service.faults.add({
      kind: 'status',
      status: 400,
      match: ({ body }) => (body as IDataObject).customerPhone === ANNA,
    });
    const claim = keys.checkProcessedAndRecord.bind(keys);
    jest.spyOn(keys, 'checkProcessedAndRecord').mockImplementation(async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      return await claim(...args);
    });
    const { error } = await run(
      { preventDuplicates: '={{ $json.slow }}' },
      { items: items({ phone: ANNA, slow: false }, { phone: BERT, slow: true }) },
    );
    expect(error?.message).toBeDefined();
    expect(called()).toEqual([]);
  });
});

describe('what is told', () => {
  it('loses nobody between three outputs', async () => {
    service.faults.add({ kind: 'status', status: 400 });
    const execution = await run(
      { preventDuplicates: true, notCalledOutput: true, concurrency: 1 },
      { settings: { onError: 'continueErrorOutput' }, items: items(ANNA, BERT, BERT, 'nobody') },
    );
    expect(branchesOf(execution).map(({ length }) => length)).toEqual([1, 1, 2]);
  });

  it('a failed execution has no wrong hint', async () => {
    service.faults.add({
      kind: 'status',
      status: 400,
      match: ({ body }) => (body as IDataObject).customerPhone === BERT,
    });
    const execution = await run(
      { preventDuplicates: true, concurrency: 1 },
      { items: items(ANNA, ANNA, BERT, CARL) },
    );
    expect(called()).toEqual([ANNA]);
    expect(hintsOf(execution)).not.toEqual([expect.stringMatching(/^1 of 4 not called/)]);
  });
});

describe('the do-not-call list', () => {
  let api: DataTablesServer;
  beforeEach(async () => {
    api = await startDataTablesServer();
  });
  afterEach(async () => await api.close());

  const BY_NAME = { __rl: true, mode: 'name', value: 'Do not call' };
  const listed = async (more: Partial<ExecutionRequest>, url = api.url, fields: IDataObject = {}) =>
    await run(
      { doNotCallTable: BY_NAME },
      {
        credential: {
          baseUrl: service.baseUrl,
          apiKey: 'test-key',
          n8nApiKey: 'n8n-key',
          n8nApiUrl: url,
        },
        ...more,
      },
      fields,
    );

  /** Something between n8n and the node that changes answers for rows. */
  async function between(change: (body: IDataObject, url: string) => unknown) {
    const server = createServer((request, reply) => {
      void fetch(`${new URL(api.url).origin}${request.url}`).then(async (answer) => {
        const body = (await answer.json()) as IDataObject;
        const isRows = /\/rows\?/.test(request.url ?? '');
        reply.writeHead(200, { 'content-type': 'application/json' });
        reply.end(JSON.stringify(isRows ? change(body, request.url ?? '') : body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}/api/v1`,
      close: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  it.each([
    ['no data', {}],
    ['another thing', { status: 'ok' }],
    ['data that is null', { data: null }],
    ['true', true],
  ])('calls nobody when n8n answers with %s', async (_what, body) => {
    api.tables.push(listOf([{ phone: ANNA }]));
    const proxy = await between(() => body);
    await listed({ items: items(ANNA) }, proxy.url).finally(proxy.close);
    expect(called()).toEqual([]);
  });

  it('a day lasts as long in a column of dates', async () => {
    const today = new Date().toISOString().slice(0, 10);
    api.tables.push(listOf([{ phone: ANNA, until: `${today}T00:00:00.000Z` }], { until: 'date' }));
    await listed({ items: items(ANNA) });
    expect(called()).toEqual([]);
  });

  it('tells no key', async () => {
    api.tables.push(listOf([{ phone: 'n8n-key test-key' }]));
    const told = await listed({ items: items(ANNA) });
    api.fail = (request) =>
      request.endsWith('/rows')
        ? { status: 400, message: 'X n8n-key "test-key" n8n-key' }
        : undefined;
    const failed = await listed({ items: items(ANNA) });
    const all = JSON.stringify([told.run, hintsOf(told), failed.run, failed.error?.message]);
    expect(all).not.toMatch(/n8n-key|test-key/);
  });
});

describe('daily caps', () => {
  let tables: DataTablesServer;
  beforeEach(async () => {
    tables = await startDataTablesServer();
  });
  afterEach(async () => await tables.close());

  const logged = async (
    settings: IDataObject,
    more: Partial<ExecutionRequest> = {},
    fields: IDataObject = {},
  ) =>
    await run(
      settings,
      {
        credential: {
          baseUrl: service.baseUrl,
          apiKey: 'test-key',
          n8nApiKey: 'n8n-key',
          n8nApiUrl: `${tables.baseUrl}/api/v1`,
        },
        ...more,
      },
      {
        callLog: 'dataTable',
        callLogTable: { __rl: true, mode: 'name', value: 'Calls' },
        ...fields,
      },
    );

  it('a key is free for the next item also when calls are logged', async () => {
    service.faults.add({ kind: 'status', status: 400 });
    const execution = await logged(
      { duplicateKey: '={{ $json.key ?? "A-1" }}', concurrency: 1 },
      { ...GO_ON, items: items(ANNA, BERT) },
    );
    expect(execution.items[1]?.json.reason).toBeUndefined();
    expect(called()).toEqual([BERT]);
  });

  it('a place is given back before the next call asks for it', async () => {
    service.faults.add({ kind: 'status', status: 400 });
    const execution = await logged(
      { maxCallsPerDay: 1, concurrency: 1 },
      { ...GO_ON, items: items(ANNA, BERT) },
    );
    expect(execution.items[1]?.json.reason).toBeUndefined();
    expect(called()).toEqual([BERT]);
  });

  it('a place is given back although the duplicate key cannot be', async () => {
    jest.spyOn(keys, 'removeProcessed').mockRejectedValueOnce(new Error('The database is away'));
    service.faults.add({ kind: 'status', status: 400 });
    const execution = await logged(
      { maxCallsPerDay: 1, preventDuplicates: true, concurrency: 1 },
      { ...GO_ON, items: items(ANNA, BERT) },
    );
    expect(execution.items[1]?.json.reason).toBeUndefined();
    expect(called()).toEqual([BERT]);
  });

  it('test calls leave the places of customers', async () => {
    const rules = { maxCallsPerDay: 2, testPhone: CARL };
    jsonOf(await logged(rules, { items: items(ANNA, BERT), mode: 'manual' }));
    service.reset();
    await logged(rules, { items: items(ANNA, BERT) });
    expect(called()).toEqual([ANNA, BERT]);
  });

  it('who is over a cap may be called next when the hours allow it too', async () => {
    const zones = ['UTC', 'Asia/Kolkata', 'America/Los_Angeles', 'Pacific/Auckland'];
    const hourIn = (timeZone: string) =>
      Number(
        new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone }).format(),
      );
    const timezone = zones.find((zone) => hourIn(zone) >= 8 && hourIn(zone) < 20) ?? 'UTC';
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    const callingHours = { hours: { start: '08:00', end: '20:00', days, timezone } };
    const rules = { maxCallsPerDay: 1, callingHours };
    const execution = await logged(rules, { items: items(ANNA, BERT) });
    const [skipped] = jsonOf(execution).filter((item) => item.skipped === true);
    expect(skipped?.reason).toBe('dailyCap');
    expect(skipped?.nextAllowedAt).toMatch(/T08:00:00/);
  });

  it('who is over a cap may be called next at this time by the clock, also when clocks go back', async () => {
    const now = Date.now.bind(Date);
    const shift = Date.parse('2026-10-24T07:30:00Z') - now();
    jest.spyOn(Date, 'now').mockImplementation(() => now() + shift);
    const workflowSettings = { timezone: 'Europe/Berlin' };
    const done = await logged(
      { maxCallsPerDay: 1 },
      { items: items(ANNA, BERT), workflowSettings },
    );
    expect(jsonOf(done)[1]?.nextAllowedAt).toMatch(/^2026-10-25T09:30:0.*\+01:00$/);
  });

  it('the test phone rings for each item, and again', async () => {
    const rules = { maxCallsPerPersonPerDay: 1, testPhone: CARL };
    for (let times = 0; times < 2; times++) {
      const manual = { items: items(ANNA, BERT), mode: 'manual' as const };
      jsonOf(await logged(rules, manual));
    }
    expect(called()).toHaveLength(4);
  });

  it('nobody is called when n8n answers the count with something else', async () => {
    jsonOf(await logged({ maxCallsPerDay: 1 }, { items: items(ANNA) }));
    const proxy = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isRows = request.method === 'GET' && /\/rows\?/.test(request.url ?? '');
        void fetch(`${tables.baseUrl}${request.url}`, {
          method: request.method ?? 'GET',
          headers: { 'content-type': 'application/json' },
          ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
        }).then(async (answer) => {
          reply.writeHead(answer.status, { 'content-type': 'application/json' });
          reply.end(isRows ? '{"status":"ok"}' : await answer.text());
        });
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    // Another process, which has read nothing yet.
    const more = {
      items: items(BERT),
      credential: {
        baseUrl: service.baseUrl,
        apiKey: 'test-key',
        n8nApiKey: 'n8n-key',
        n8nApiUrl: `http://127.0.0.1:${port}/api/v1`,
      },
    };
    await logged({ maxCallsPerDay: 1 }, more);
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    expect(called()).toEqual([ANNA]);
  });
});

describe('a campaign', () => {
  it('says of how many parts it is one, also when one could not be created', async () => {
    let made = 0;
    service.faults.add({
      kind: 'status',
      status: 400,
      match: ({ route }) => route === 'createCampaign' && ++made === 3,
    });
    const execution = await run(
      { contactsPerCampaign: 1 },
      { ...GO_ON, items: items(ANNA, BERT, CARL) },
      {
        resource: 'campaign',
        operation: 'create',
        contactsSource: 'inputItems',
        contactPhone: '={{ $json.phone }}',
      },
    );
    const [first] = execution.items;
    expect(first?.json.name).toBe('Campaign (1/3)');
    expect(first?.json.parts).toBe(3);
  });
});
