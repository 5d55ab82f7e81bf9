import type { IDataObject } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { openLogOf, placeLogged } from '../n8n/loggedFromOutside';
import { startCallingService, type CallingService } from '../service';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import type { Cell, TableRow } from '../dataTables/dataTablesOfN8n';
import { execute } from './engine';
import { anotherProcess, type Publication, type PublicationOptions } from './triggerEngine';
import { publishWatch } from './watchedLog';

let tables: DataTablesServer;
let service: CallingService;
let table: string;
let logs = 0;
beforeAll(async () => {
  tables = await startDataTablesServer();
  // Every call ends before a trigger looks.
  service = await startCallingService({ speed: 100_000 });
});
afterAll(async () => {
  await tables.close();
  await service.close();
});
afterEach(() => jest.restoreAllMocks());
beforeEach(async () => {
  table = `Log ${++logs}`;
  await openLogOf(service, tables.baseUrl, 'key', table);
});

function publication(more: Partial<PublicationOptions> = {}, parameters: IDataObject = {}) {
  const own = publishWatch({ service, tables, table }, parameters, more);
  return Object.assign(own, { warn: jest.spyOn(own.logger, 'warn').mockImplementation() });
}

/** Places calls whose first look is due at once. */
async function place(count: number): Promise<number[]> {
  const log = await openLogOf(service, tables.baseUrl, 'key', table);
  const orderIds = await placeLogged(log, service, count);
  for (const row of tables.rowsOf(table)) {
    if (row.status === 'in_progress') row.runAt = Date.now() - 1_000;
  }
  return orderIds;
}

const credential = () => ({ baseUrl: service.baseUrl, apiKey: 'test-key' });
const firedIds = ({ fired }: Publication) => fired.map(({ orderId }) => orderId);
const places = () => tables.rowsOf(`Triggers of ${table} (${tables.idOf(table)})`);

const named = (value: string) => ({ callLogTable: { __rl: true, mode: 'name', value } });
/** Makes a table as a person does in n8n. */
function makeTable(name: string, columns: string[], rows: TableRow[] = []): void {
  const typed = columns.map((column) => ({ name: column, type: 'string' }));
  tables.tables.push({ id: `made${tables.tables.length}`, name, columns: typed, rows });
}
const columnsOf = (name: string) =>
  tables.tables.find((one) => one.name === name)?.columns.map((column) => column.name);
const LOG = LOG_COLUMNS.map((column) => column.name);

describe('a log that is not there', () => {
  it('is made by publishing, with the table of the cursors', async () => {
    const name = `New ${table}`;
    const trigger = publication({}, named(name));
    await trigger.poll();
    expect(columnsOf(name)).toEqual(LOG);
    expect(columnsOf(`Triggers of ${name} (${tables.idOf(name)})`)).toContain('handedOver');
    expect(trigger.warn.mock.calls.join()).toContain(`A new data table "${name}" was made`);
  });

  it.each(['init', 'leadershipChange'] as const)(
    'is not made when n8n activates the workflow by itself: %s',
    async (activation) => {
      const trigger = publication({ activation }, named('Logg'));
      await expect(trigger.poll()).rejects.toMatchObject({
        message: expect.stringContaining('There is no data table "Logg" for the call log'),
        description: expect.stringContaining(table),
      });
      expect(tables.rowsOf('Logg')).toEqual([]);
    },
  );

  it('is not made again by a later poll: somebody has renamed it', async () => {
    const trigger = publication();
    await trigger.poll();
    tables.rename(table, `Renamed ${table}`);
    const error = await trigger.poll().catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      message: expect.stringContaining(`There is no data table "${table}"`),
      // Nobody chooses the tables beside the logs.
      description: expect.stringMatching(`^(?!.*Triggers of).*Renamed ${table}`),
    });
    expect(tables.idOf(table)).toBeUndefined();
  });

  it('is not made by a test in the editor, which shows a made-up call', async () => {
    const before = tables.tables.length;
    const editor = publication({ mode: 'manual' }, named('For later'));
    expect((await editor.poll())?.[0]?.[0]?.json).toMatchObject({ simulated: true });
    expect(tables.tables).toHaveLength(before);
  });
});

describe('a test in the editor', () => {
  const sample = async () => (await publication({ mode: 'manual' }).poll())?.[0]?.[0]?.json;
  afterEach(() => service.faults.clear());

  it('shows the call that has ended last, however many others ring', async () => {
    const trigger = publication();
    await trigger.poll();
    await place(1);
    await trigger.poll();
    const [ended] = await place(1);
    await trigger.poll();
    expect(trigger.fired).toHaveLength(2);
    await place(30);
    const isRinging = ({ url }: { url: string }) => !url.includes(`/${ended}/`);
    const body = { success: false, message: 'Call is still in progress' };
    const ringing = { kind: 'status', status: 404, body, times: Infinity } as const;
    service.faults.add({ ...ringing, route: 'outcome', match: isRinging });
    expect(await sample()).toMatchObject({ event: 'outcomeAvailable', orderId: ended });
  });

  it('shows a call that has ended although nobody has looked at it', async () => {
    const [orderId] = await place(1);
    expect(await sample()).toMatchObject({ event: 'outcomeAvailable', orderId });
  });
});

describe('a table', () => {
  const row = { id: 1, orderNumber: 'A-1' } as unknown as TableRow;

  it.each([
    ['of clients', 'trigger', ['name', 'phone'], []],
    ['of clients', 'manual', ['name', 'phone'], []],
    ['that begins like a log and has rows', 'trigger', LOG.slice(0, 3), [row]],
    [
      'that has some columns of a log, in another order',
      'trigger',
      ['customerPhone', 'status'],
      [],
    ],
  ] as Array<[string, 'trigger' | 'manual', string[], TableRow[]]>)(
    '%s is refused by name and left as it is: %s',
    async (_what, mode, columns, rows) => {
      const name = `My clients, ${table}`;
      makeTable(name, columns, rows);
      const written = tables.writes.length;
      await expect(publication({ mode }, named(name)).poll()).rejects.toThrow(
        `The data table "${name}" is no call log`,
      );
      expect(columnsOf(name)).toEqual(columns);
      expect(tables.writes).toHaveLength(written);
    },
  );

  it.each([
    ['without columns', []],
    ['to which columns were being added when n8n was killed', LOG.slice(0, 4)],
  ])('%s becomes a log when the workflow is published', async (_what, columns) => {
    const name = `Empty, ${table}`;
    makeTable(name, columns);
    await publication({}, named(name)).poll();
    expect(columnsOf(name)).toEqual(LOG);
  });

  it('without columns is left as it is by a test in the editor', async () => {
    const name = `Empty, ${table}`;
    makeTable(name, []);
    await publication({ mode: 'manual' }, named(name)).poll();
    expect(columnsOf(name)).toEqual([]);
  });
});

describe('a row that a person has edited into nonsense', () => {
  const events = { events: ['outcomeAvailable', 'outcomeUnavailable'] };
  const ruin = () => {
    const [row] = tables.rowsOf(table);
    if (row !== undefined) row.orderId = 'A-1';
  };

  it('fires Outcome Unavailable for every trigger that wants it', async () => {
    const first = publication({}, events);
    const second = publication({ workflowId: `other workflow of ${table}` }, events);
    const unwilling = publication({ workflowId: `third workflow of ${table}` });
    for (const one of [first, second, unwilling]) await one.poll();
    const [, sound] = await place(2);
    ruin();
    for (const one of [first, second, unwilling]) await one.poll();
    const [row] = tables.rowsOf(table).filter(({ status }) => status === 'given_up');
    const unavailable = {
      event: 'outcomeUnavailable',
      eventId: `${String(row?.account)}-${row?.callId}-1-${Date.parse(String(row?.finishedAt))}-outcomeUnavailable`,
      triggeredAt: row?.triggeredAt,
      attempt: 1,
      nextAttemptAt: null,
      customerPhone: row?.customerPhone,
      customerName: 'Ada',
      endReason: 'givenUp',
      message: 'The row cannot be read: orderId is not an order id: A-1',
      checks: 0,
      finished: false,
    };
    for (const one of [first, second]) {
      expect(one.fired.filter(({ event }) => event === 'outcomeUnavailable')).toEqual([
        unavailable,
      ]);
      expect(firedIds(one)).toContain(sound);
      await one.poll();
      expect(one.fired).toHaveLength(2);
    }
    expect(firedIds(unwilling)).toEqual([sound]);
  });
});

describe("a trigger's place beside its log", () => {
  it('that was deleted by hand goes on where it was, and says so', async () => {
    const trigger = publication();
    await trigger.poll();
    const before = await place(2);
    await trigger.poll();
    // Another trigger writes the ends that come now.
    const other = publication({ workflowId: `other workflow of ${table}` });
    await other.poll();
    const after = await place(2);
    await other.poll();
    const own = places().findIndex(({ trigger: key }) => String(key).startsWith('workflow of'));
    places().splice(own, 1);
    await trigger.poll();
    expect(firedIds(trigger).sort()).toEqual([...before, ...after].sort());
    expect(trigger.warn.mock.calls.flat().join()).toContain('it goes on where it was');
    await trigger.poll();
    expect(trigger.fired).toHaveLength(4);
    expect(places()).toHaveLength(2);
  });

  it('that was deleted while n8n was down begins anew, and says so', async () => {
    const staticData: IDataObject = {};
    const trigger = publication({ staticData });
    await trigger.poll();
    await place(2);
    await trigger.poll();
    expect(trigger.fired).toHaveLength(2);
    places().splice(0);
    const restarted = publication({ staticData, process: anotherProcess() });
    await restarted.poll();
    expect(restarted.warn.mock.calls.flat().join()).toContain('it begins again');
    await restarted.poll();
    expect(restarted.fired).toEqual([]);
    const fresh = await place(1);
    await restarted.poll();
    expect(firedIds(restarted)).toEqual(fresh);
    expect(restarted.warn).toHaveBeenCalledTimes(1);
  });

  it('says at least once a day that the trigger polls, also when nothing is handed over', async () => {
    const trigger = publication();
    await trigger.poll();
    const [own] = places();
    if (own === undefined) throw new Error('There is no place');
    const dayAgo = Date.now() - 25 * 3_600_000;
    own.polledAt = dayAgo;
    await trigger.poll();
    expect(Number(places()[0]?.polledAt)).toBeGreaterThan(dayAgo);
  });

  it('is found among those of more triggers than fit into a page', async () => {
    const trigger = publication();
    await trigger.poll();
    const [own] = places();
    if (own === undefined) throw new Error('There is no place');
    own.polledAt = 1;
    for (let index = 0; index < 300; index++) {
      places().push({ ...own, id: 1000 + index, trigger: `other ${index}`, polledAt: Date.now() });
    }
    const orderIds = await place(1);
    const restarted = publication({ process: anotherProcess() });
    await restarted.poll();
    await restarted.poll();
    expect(firedIds(restarted)).toEqual(orderIds);
    expect(places()).toHaveLength(301);
    expect(restarted.warn).not.toHaveBeenCalled();
  });

  it('begins at the end of the log also when it was made with a key that never called', async () => {
    const old = publication({ workflowId: 'old' });
    await old.poll();
    await place(3);
    await old.poll();
    expect(old.fired).toHaveLength(3);
    const staticData = {};
    const credential = (apiKey: string) => ({
      baseUrl: service.baseUrl,
      apiKey,
      n8nApiKey: 'key',
      n8nApiUrl: `${tables.baseUrl}/api/v1`,
    });
    const mistaken = { staticData, credential: credential('wrong-key') };
    await publication(mistaken).poll();
    const corrected = publication({ staticData, credential: credential('test-key') });
    await corrected.poll();
    const [orderId] = await place(1);
    await corrected.poll();
    expect(firedIds(corrected)).toEqual([orderId]);
  });

  it('also has the outcomes of calls with a new key that were placed before it got this key', async () => {
    const staticData = {};
    const old = publication({ staticData });
    await old.poll();
    const apiKey = 'key-two';
    const others = await openLogOf(service, tables.baseUrl, 'key', table, apiKey);
    const [early] = await placeLogged(others, service, 1, apiKey);
    const [row] = tables.rowsOf(table);
    Object.assign(row ?? {}, { status: 'completed', finishedAt: row?.triggeredAt, outcome: 'Yes' });
    const [last] = await place(1);
    await old.poll();
    expect(firedIds(old)).toEqual([last]);
    const n8n = { n8nApiKey: 'key', n8nApiUrl: `${tables.baseUrl}/api/v1` };
    const credential = { baseUrl: service.baseUrl, apiKey, ...n8n };
    const exchanged = publication({ staticData, credential });
    await exchanged.poll();
    expect(firedIds(exchanged)).toEqual([early]);
  });

  it.each([
    ['', false],
    [', also when n8n restarts before it polls again', true],
  ])(
    'in a table that replaces a renamed one begins where it last polled%s',
    async (_, restarts) => {
      const staticData = {};
      const trigger = publication({ staticData });
      await trigger.poll();
      const first = await place(1);
      await trigger.poll();
      tables.rename(table, `${table} until November`);
      await openLogOf(service, tables.baseUrl, 'key', table);
      const second = await place(1);
      const other = publication({ workflowId: 'other' });
      await other.poll();
      const later = restarts
        ? publication({ staticData, activation: 'init', process: anotherProcess() })
        : trigger;
      await later.poll();
      await later.poll();
      const fired = restarts ? [...firedIds(trigger), ...firedIds(later)] : firedIds(trigger);
      expect(fired).toEqual([...first, ...second]);
    },
  );

  it('of a workflow that was imported under another id begins with what comes', async () => {
    const staticData: IDataObject = {};
    await openLogOf(service, tables.baseUrl, 'key', `Another ${table}`);
    await publication({ staticData }, named(`Another ${table}`)).poll();
    const old = publication({ workflowId: 'old' });
    await old.poll();
    await place(1);
    await old.poll();
    expect(old.fired).toHaveLength(1);
    const process = anotherProcess();
    const imported = publication({ staticData, workflowId: 'new', activation: 'init', process });
    await imported.poll();
    const fresh = await place(1);
    await imported.poll();
    expect(firedIds(imported)).toEqual(fresh);
  });

  it('of a new trigger is made without a warning', async () => {
    const trigger = publication();
    await trigger.poll();
    await trigger.poll();
    expect(places()).toHaveLength(1);
    expect(trigger.warn).not.toHaveBeenCalled();
  });
});

describe('a trigger that a person has watch the call log and this instance in turn', () => {
  it('hands over each outcome once, and each that n8n has refused', async () => {
    const credentialId = 'credential';
    const staticData = {};
    const credential = {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey: 'key',
      n8nApiUrl: `${tables.baseUrl}/api/v1`,
    };
    const call = { scriptId: 7, callLog: 'dataTable', ...named(table) };
    const fired: unknown[] = [];
    const publishToWatch = (watch: string) =>
      publication(
        { staticData, credentialId },
        { watch, options: { fastChecks: false, firstCheckAfterSeconds: 0 } },
      );
    await publishToWatch('callLog').poll();
    for (const [index, watch] of ['callLog', 'instance', 'callLog', 'instance'].entries()) {
      await execute({
        parameters: {
          ...{ resource: 'call', operation: 'trigger', ...call },
          customerPhone: `+1202555010${index}`,
        },
        credential,
        settings: { credentials: { outboundAiCallingApi: { id: credentialId, name: 'Service' } } },
      });
      for (const row of tables.rowsOf(table)) row.runAt = 1;
      const trigger = publishToWatch(watch);
      trigger.start = 'never';
      await trigger.poll();
      trigger.start = 'well';
      await trigger.poll();
      await trigger.poll();
      fired.push(...trigger.fired.map(({ customerPhone }) => customerPhone));
    }
    expect(fired).toEqual([0, 1, 2, 3].map((index) => `+1202555010${index}`));
  });
});

describe('a service that receives too many requests', () => {
  afterEach(() => service.faults.clear());

  it('is asked for no other transcript for as long as it asks, and all outcomes come later', async () => {
    const fast = { options: { fastChecks: true } };
    const first = publication({ workflowId: 'first' }, fast);
    const second = publication({ workflowId: 'second' }, fast);
    for (const trigger of [first, second]) await trigger.poll();
    const orderIds = await place(40);
    await first.poll();
    service.faults.add({ kind: 'rateLimit', retryAfter: 3_600, times: Infinity });
    const before = service.seen.requests.outcome;
    await second.poll();
    // Those that were under way together, and none since.
    expect(service.seen.requests.outcome - before).toBeLessThanOrEqual(10);
    expect(second.fired).toEqual([]);
    service.faults.clear();
    await second.poll();
    expect(firedIds(second).sort()).toEqual(orderIds);
  });
});

describe('an outcome whose transcript cannot be read', () => {
  afterEach(() => service.faults.clear());

  it('fires once without it, also when the next poll begins before n8n has taken it', async () => {
    const first = publication({ workflowId: 'first' });
    const second = publication({ workflowId: 'second', budgetMs: 3_000 });
    for (const trigger of [first, second]) await trigger.poll();
    const orderIds = await place(1);
    await first.poll();
    service.faults.add({ kind: 'status', status: 503, route: 'outcome', times: Infinity });
    await second.poll();
    expect(second.fired).toEqual([]);
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 16 * 60_000);
    second.start = 'silent';
    await second.poll();
    await second.poll();
    second.say('well');
    expect(firedIds(second)).toEqual(orderIds);
  });
});

describe('a filter of outcomes', () => {
  const filtered = (outcomes: string) =>
    publication({}, { options: { fastChecks: false, outcomes } });
  /** Makes the outcomes of further calls, and has the trigger poll. */
  async function hear(trigger: Publication, ...outcomes: string[]): Promise<void> {
    const log = await openLogOf(service, tables.baseUrl, 'key', table);
    const at = { status: 'completed', attempt: 1, finishedAt: new Date().toISOString() };
    const ends = outcomes.map((outcome, index) => {
      const outcomeKey = outcome.toLowerCase().replace(' ', '_');
      const orderId = String(1_000 + tables.rowsOf(table).length + index);
      return {
        ...at,
        account: log.account,
        callId: `call ${orderId}`,
        orderId,
        outcome,
        outcomeKey,
      };
    });
    await log.insertRows(ends);
    await trigger.poll();
  }

  it('that matches nothing is told in the log of n8n, again when it leaves out another outcome', async () => {
    const trigger = filtered('Order confirmd, calback');
    await hear(trigger);
    expect(trigger.warn).not.toHaveBeenCalled();
    await hear(trigger, 'Order confirmed', 'Order confirmed');
    await hear(trigger, 'Order confirmed');
    await hear(trigger, 'Unclear');
    const told = (outcomes: number) => [
      `The filter of outcomes (order_confirmd, calback) has matched none since n8n started. Different outcomes that it left out: ${outcomes}. Check its spelling.`,
    ];
    expect(trigger.warn.mock.calls).toEqual([told(1), told(2)]);
    expect(trigger.fired).toEqual([]);
  });

  it('that has matched an outcome is not told', async () => {
    const trigger = filtered('order confirmed');
    await hear(trigger);
    await hear(trigger, 'Unclear', 'Order confirmed');
    await hear(trigger, 'Busy');
    expect(trigger.warn).not.toHaveBeenCalled();
    expect(trigger.fired).toHaveLength(1);
  });
});

describe('a call in a log', () => {
  it.each(['trigger', 'schedule'])(
    'has one event id, whether a trigger watches the log or the instance: %s',
    async (operation) => {
      const credentialId = `both ${operation}`;
      const options = { fastChecks: false, firstCheckAfterSeconds: 0 };
      const triggers = [
        publication({ credentialId }),
        publication(
          { credentialId, workflowId: `instance of ${table}` },
          { watch: 'instance', options },
        ),
      ];
      for (const trigger of triggers) await trigger.poll();
      const credential = {
        ...{ baseUrl: service.baseUrl, apiKey: 'test-key', n8nApiKey: 'key' },
        n8nApiUrl: `${tables.baseUrl}/api/v1`,
      };
      const settings = {
        credentials: { outboundAiCallingApi: { id: credentialId, name: 'Service' } },
      };
      const call = { scriptId: 7, customerPhone: '+12025550101', callLog: 'dataTable' };
      const operations = operation === 'trigger' ? ['trigger'] : ['schedule', 'placeScheduled'];
      for (const one of operations) {
        const parameters = { resource: 'call', ...call, operation: one, ...named(table) };
        expect((await execute({ parameters, credential, settings })).error).toBeUndefined();
      }
      for (const row of tables.rowsOf(table)) row.runAt = 1;
      for (const trigger of triggers) await trigger.poll();
      const [logged, here] = triggers.map(({ fired }) => fired.map(({ eventId }) => eventId));
      expect(logged).toHaveLength(1);
      expect(here).toEqual(logged);
    },
  );
});

describe('two calls to which the service gives one id', () => {
  it('are fired with an event id for each', async () => {
    const trigger = publication();
    await trigger.poll();
    const [first] = await place(1);
    await trigger.poll();
    await place(1);
    const [, second] = tables.rowsOf(table);
    Object.assign(second ?? {}, { orderId: String(first) });
    await trigger.poll();
    expect(firedIds(trigger)).toEqual([first, first]);
    expect(new Set(trigger.fired.map(({ eventId }) => eventId)).size).toBe(2);
  });
});

describe('an attempt that a person has scheduled again', () => {
  it('fires its second outcome, although its first one was fired by the poll before', async () => {
    const trigger = publication();
    await trigger.poll();
    const [first] = await place(1);
    await trigger.poll();
    const [before] = tables.rowsOf(table);
    const [second] = await place(1);
    const [, again] = tables.rowsOf(table);
    // Place Scheduled Calls has put the second call in the place of the first.
    Object.assign(again ?? {}, { callId: before?.callId });
    for (const made of tables.tables) made.rows = made.rows.filter((row) => row !== before);
    await trigger.poll();
    expect(firedIds(trigger)).toEqual([first, second]);
  });
});

describe('a poll that has nothing to do', () => {
  const fast = { options: { fastChecks: true } };
  // As under the durable scheduler: looks for 17 seconds.
  const budget = { budgetMs: 25_000 };
  const rest = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

  it('looks at the log every few seconds, with one small request', async () => {
    const trigger = publication(budget, fast);
    await trigger.poll();
    await place(1);
    await trigger.poll();
    const polling = trigger.poll();
    await rest(2_000);
    const before = tables.count;
    await polling;
    expect(tables.count - before).toBeLessThanOrEqual(5);
    expect(trigger.fired).toHaveLength(1);
  });

  it('hears of a call that another process places, and of an end that another one writes', async () => {
    const trigger = publication(budget, fast);
    await trigger.poll();
    const polling = trigger.poll();
    await rest(1_000);
    const [placed] = await place(1);
    await rest(6_000);
    expect(firedIds(trigger)).toEqual([placed]);
    const other = publication({ workflowId: `other of ${table}`, process: anotherProcess() });
    await other.poll();
    const [written] = await place(1);
    await other.poll();
    await rest(6_000);
    expect(firedIds(trigger)).toEqual([placed, written]);
    await polling;
  });
});

describe('a trigger', () => {
  it.each([['calllog'], [''], [null], [true]])(
    'refuses to watch what there is no way for: %p',
    async (watch) => {
      await expect(publication({}, { watch }).poll()).rejects.toThrow(
        '"Watch" has an unknown value',
      );
    },
  );
});

describe('an end whose summary n8n cannot store', () => {
  it.each(['Confirmed', 'पुष्टि की गई', 'Bestätigt'])('keeps its outcome: %s', async (label) => {
    const handle = tables.api.handle.bind(tables.api);
    jest
      .spyOn(tables.api, 'handle')
      .mockImplementation((request) =>
        JSON.stringify(request.body ?? '').includes('said yes')
          ? { status: 400, body: { message: 'invalid byte sequence' } }
          : handle(request),
      );
    service.faults.clear();
    const trigger = publication();
    await trigger.poll();
    const [orderId] = await place(1);
    const body = {
      ...{ success: true, orderId, callStatus: 'completed', callDurationSec: 40 },
      ...{ callOutcome: label, totalCallCost: 0.1, summary: 'The customer said yes' },
    };
    service.faults.add({ kind: 'json', body, route: 'outcome', times: 2 });
    await trigger.poll();
    expect(trigger.fired[0]).toMatchObject({ callOutcome: label });
  });
});

describe('rows with long texts', () => {
  it.each([
    ['of several attempts', 4, 8_000],
    ['of which a page is too long', 1, 60_000],
  ])('do not hold back the outcomes of a backlog: %s', async (_, attempts, characters) => {
    const trigger = publication({}, { events: ['outcomeUnavailable'] });
    await trigger.poll();
    const at = new Date().toISOString();
    const account = accountFingerprint(credential());
    const notes = JSON.stringify({ scriptId: 7, orderNotes: 'x'.repeat(characters) });
    const rows = Array.from({ length: 200 * attempts }, (_row, index): Record<string, Cell> => {
      const attempt = 1 + (index % attempts);
      const callId = `call${Math.floor(index / attempts)}`;
      const next = attempt < attempts ? at : null;
      const ids = { callId, account, orderId: String(index + 1), attempt, lookCount: 1 };
      const times = { dueAt: at, triggeredAt: at, finishedAt: at, nextAttemptAt: next };
      const machinery = { lockedBy: '', lockedUntil: 0, batch: '' };
      return { ...ids, ...times, ...machinery, status: 'given_up', request: notes };
    });
    const log = tables.tables.find(({ name }) => name === table);
    if (log !== undefined) tables.api.add(log, rows);
    await trigger.poll();
    expect(trigger.fired).toHaveLength(200 * attempts);
  });
});
