import type { IDataObject } from 'n8n-workflow';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { listOf } from '../dataTables/doNotCallTable';
import { startCallingService, type CallingService } from '../service';
import { resetClock } from './clock';
import { hintsOf } from './hints';
import { execute, jsonOf, type Execution } from './engine';
import { itemsOf, phoneOf } from './orderItems';
import { Publication } from './triggerEngine';
import { publishWatch } from './watchedLog';

const PHONE = '+12025550101';
const LIST = { __rl: true, mode: 'name', value: 'Do not call' };
const LOG = { callLog: 'dataTable', callLogTable: { __rl: true, mode: 'name', value: 'Calls' } };

let service: CallingService;
let tables: DataTablesServer;
beforeEach(async () => {
  service = await startCallingService({
    speed: 100_000,
    outcomeFor: () => ({ status: 'completed', label: 'Do not call again' }),
  });
  tables = await startDataTablesServer();
  tables.tables.push(listOf([]));
});
afterEach(async () => {
  resetClock();
  await tables.close();
  await service.close();
});

const credential = () => ({
  baseUrl: service.baseUrl,
  apiKey: 'test-key',
  n8nApiKey: 'key',
  n8nApiUrl: tables.url,
});

async function call(
  operation: string,
  more: IDataObject = {},
  rules: IDataObject = {},
  mode: 'trigger' | 'manual' = 'trigger',
) {
  return await execute({
    mode,
    parameters: {
      resource: 'call',
      operation,
      scriptId: 7,
      customerPhone: PHONE,
      additionalFields: { orderNumber: 'A-17' },
      rules: { doNotCallTable: LIST, doNotCallOutcomes: 'do-not call AGAIN', ...rules },
      ...more,
    } as IDataObject,
    credential: credential(),
  });
}

const list = () =>
  tables.rowsOf('Do not call').map(({ phone, reason, until }) => ({ phone, reason, until }));
const LISTED = {
  phone: PHONE,
  reason: expect.stringMatching(/^Do not call again, \d{4}-\d\d-\d\d, order A-17$/),
  until: null,
};
const publish = (id = 'one') =>
  publishWatch({ service, tables, table: 'Calls' }, {}, { workflowId: id });
/** Every call is due, and nobody holds it. */
function makeDue(): void {
  for (const row of tables.rowsOf('Calls')) {
    if (row.status === 'in_progress') Object.assign(row, { runAt: 1, lockedUntil: 0 });
  }
}
const endOfCall = () => tables.rowsOf('Calls').find(({ finishedAt }) => finishedAt !== null);
const messageOf = ({ error }: Execution) => error?.message ?? '';

describe('whoever asks not to be called again', () => {
  it('is put on the list by the trigger that finds the end, once, and not called again', async () => {
    const triggers = [publish('one'), publish('two')];
    for (const trigger of triggers) await trigger.poll();
    await call('trigger', LOG);
    expect(list()).toEqual([]);
    makeDue();
    for (const trigger of triggers) await trigger.poll();
    expect(list()).toEqual([LISTED]);
    expect(triggers.map(({ fired }) => fired.length)).toEqual([1, 1]);
    expect(jsonOf(await call('trigger', LOG))).toMatchObject([
      { skipped: true, reason: 'doNotCall' },
    ]);
    expect(service.seen.calls).toHaveLength(1);
  });

  it.each([
    ['Do not call, ever', 'Do not call, ever', [{ phone: PHONE }]],
    ['1, 2', '2', [{ phone: PHONE }]],
    ['1, 2', '12', []],
  ])('of "%s" is on it after "%s": %j', async (doNotCallOutcomes, callOutcome, expected) => {
    const body = { success: true, callStatus: 'completed', callOutcome, callDurationSec: 20 };
    service.faults.add({ kind: 'json', route: 'outcome', body });
    jsonOf(await call('triggerAndWait', LOG, { doNotCallOutcomes }));
    expect(list()).toMatchObject(expected);
  });

  it('holds back no outcome of others while n8n cannot write the list, and is put on it later', async () => {
    const trigger = publish();
    await trigger.poll();
    await call('trigger', LOG);
    const others = { customerPhone: '+12025550102', additionalFields: { orderNumber: 'A-18' } };
    await call('trigger', { ...LOG, ...others }, { doNotCallOutcomes: 'stop' });
    const path = `/${tables.idOf('Do not call')}/rows`;
    tables.fail = (request) =>
      request.startsWith('POST') && request.includes(path)
        ? { status: 500, message: 'SQLITE_BUSY' }
        : undefined;
    makeDue();
    await expect(trigger.poll()).rejects.toThrow('SQLITE_BUSY');
    expect(trigger.fired).toMatchObject([{ orderNumber: 'A-18' }]);
    tables.fail = () => undefined;
    makeDue();
    await trigger.poll();
    expect(trigger.fired).toMatchObject([{ orderNumber: 'A-18' }, { orderNumber: 'A-17' }]);
    expect(list()).toEqual([LISTED]);
  });

  it.each([
    ['without a log', {}],
    ['with a log', LOG],
  ])('is put on the list by an execution that waits, %s', async (_what, more) => {
    expect(jsonOf(await call('triggerAndWait', more))).toMatchObject([{ finished: true }]);
    expect(list()).toEqual([LISTED]);
  });

  it.each([
    ['without a log', {}],
    ['with a log', LOG],
  ])("is put on the list with the day in the workflow's time zone, %s", async (_what, more) => {
    jest.setSystemTime(new Date('2026-12-01T20:00:00Z'));
    await call('triggerAndWait', more);
    expect(list()).toMatchObject([{ reason: 'Do not call again, 2026-12-02, order A-17' }]);
  });

  it('is put on the list by Place Scheduled Calls and what comes after it', async () => {
    const trigger = publish();
    await trigger.poll();
    await call('schedule', LOG);
    await call('placeScheduled', { ...LOG, options: { keepOnSeconds: 0 } });
    makeDue();
    await trigger.poll();
    expect(list()).toEqual([LISTED]);
  });

  it('is put on it with the number that was dialled, whatever spelling the row has', async () => {
    const options = { defaultCountry: 'US' };
    jsonOf(await call('schedule', { ...LOG, options }));
    Object.assign(tables.rowsOf('Calls')[0] as object, { customerPhone: '(202) 555-0101' });
    const place = async () =>
      await call('placeScheduled', { ...LOG, options: { keepOnSeconds: 0 } }, {});
    await place();
    makeDue();
    await place();
    expect(list()).toEqual([LISTED]);
  });

  it('is on it although somebody has corrected the phone of its row while it rang', async () => {
    const trigger = publish();
    await trigger.poll();
    jsonOf(await call('trigger', LOG));
    Object.assign(tables.rowsOf('Calls')[0] as object, { customerPhone: '+12025550199' });
    makeDue();
    await trigger.poll();
    expect(list()).toEqual([LISTED]);
  });

  it('stands on it once, also when two executions hear of it together', async () => {
    await Promise.all([call('triggerAndWait'), call('triggerAndWait')]);
    expect(list()).toEqual([LISTED]);
  });

  it.each(['phone', 'phone, reason, until'])(
    'stands on it once when n8n has lost an answer, in a list with the columns %s',
    async (names) => {
      const [table] = tables.tables;
      if (table !== undefined)
        table.columns = names.split(', ').map((name) => ({ name, type: 'string' }));
      let lost = 0;
      tables.faultOf = ({ method, url }) =>
        method === 'POST' && url.endsWith('/rows') && lost++ === 0
          ? { kind: 'reset', when: 'after' }
          : undefined;
      await call('triggerAndWait');
      expect(lost).toBeGreaterThan(1);
      expect(tables.rowsOf('Do not call')).toEqual([expect.objectContaining({ phone: PHONE })]);
    },
  );

  it('is put on a list whose phones are numbers, and which has no other column', async () => {
    const [table] = tables.tables;
    if (table !== undefined) table.columns = [{ name: 'phone', type: 'number' }];
    await call('triggerAndWait');
    expect(tables.rowsOf('Do not call')).toEqual([
      expect.objectContaining({ phone: Number(PHONE) }),
    ]);
  });

  it.each([
    ['without a log', {}],
    ['with a log', LOG],
  ])('is put on a list that an expression names by a number, %s', async (_what, more) => {
    tables.rename('Do not call', '2026');
    const rules = { doNotCallTable: { ...LIST, value: '={{ 2026 }}' } };
    await call('triggerAndWait', more, rules);
    expect(tables.rowsOf('2026')).toMatchObject([LISTED]);
  });

  it.each([
    ['On holiday', 'On holiday'],
    [' ', LISTED.reason],
  ])(
    'stays on it for good, though an entry would have ended, with the reason %j',
    async (reason, after) => {
      const trigger = publish();
      await trigger.poll();
      await call('trigger', LOG);
      tables
        .rowsOf('Do not call')
        .push({ id: 1, phone: PHONE, reason, until: '2999-01-31' } as never);
      makeDue();
      await trigger.poll();
      expect(list()).toEqual([{ ...LISTED, reason: after }]);
    },
  );

  it.each([
    ['away', { status: 503, message: 'Away' }],
    ['full', { status: 400, message: 'Data table size limit exceeded' }],
  ])(
    'is on it before the end is written: while the list is %s, the call waits',
    async (_, refusal) => {
      const trigger = publish();
      await trigger.poll();
      await call('trigger', LOG);
      makeDue();
      const id = tables.idOf('Do not call');
      tables.fail = (request) =>
        request.startsWith('POST') && request.includes(`/${id}/`) ? refusal : undefined;
      await expect(trigger.poll()).rejects.toThrow();
      expect(endOfCall()).toBeUndefined();
      tables.fail = () => undefined;
      makeDue();
      await trigger.poll();
      expect(list()).toEqual([LISTED]);
      expect(trigger.fired).toHaveLength(1);
    },
  );

  it('has the row say that the list is gone, and the outcome comes all the same', async () => {
    const trigger = publish();
    await trigger.poll();
    await call('trigger', LOG);
    makeDue();
    tables.rename('Do not call', 'Other');
    await trigger.poll();
    expect(trigger.fired).toHaveLength(1);
    expect(endOfCall()?.lastError).toMatch(
      /^\+12025550101 could not be put on the do-not-call list: There is no data table/,
    );
  });

  it.each([
    ['without a log', {}],
    ['with a log', LOG],
  ])('is told by the item and a hint where the list cannot be written, %s', async (_, callLog) => {
    const id = tables.idOf('Do not call');
    tables.fail = (request) =>
      request.startsWith('POST') && request.includes(`/${id}/`)
        ? { status: 403, message: 'Forbidden' }
        : undefined;
    const execution = await call('triggerAndWait', callLog);
    const told = expect.stringContaining(`${PHONE} could not be put on the do-not-call list`);
    expect(jsonOf(execution)).toMatchObject([{ finished: true, doNotCallError: told }]);
    expect(hintsOf(execution)).toContainEqual(told);
  });

  it('is put on no list while nobody reads the log, which the hint says until somebody does', async () => {
    const instance = new Publication({
      credential: credential(),
      parameters: { watch: 'instance', options: { fastChecks: false, firstCheckAfterSeconds: 0 } },
      credentialId: '1',
    });
    const told = expect.stringMatching(/^Nobody is put on the do-not-call list after these calls/);
    const execution = await call('trigger', LOG);
    await new Promise((resolve) => setTimeout(resolve, 60_000)); // until the call has ended
    await instance.poll();
    expect(instance.fired).toMatchObject([{ outcomeKey: 'do_not_call_again' }]);
    expect(list()).toEqual([]);
    expect(hintsOf(execution)).toContainEqual(told);
    expect(hintsOf(await call('triggerAndWait', LOG))).not.toContainEqual(told);
    await publish().poll();
    expect(hintsOf(await call('trigger', LOG, { doNotCallTable: LIST }))).not.toContainEqual(told);
  });

  it('is put on it by Place Scheduled Calls alone, which then counts as somebody', async () => {
    const told = expect.stringMatching(/^Nobody is put on the do-not-call list after these calls/);
    expect(hintsOf(await call('trigger', LOG))).toContainEqual(told);
    await call('placeScheduled', { ...LOG, options: { keepOnSeconds: 0 } });
    tables.rowsOf('Do not call').splice(0);
    expect(hintsOf(await call('trigger', LOG))).not.toContainEqual(told);
  });

  const isCalled = () => service.seen.calls.length > 0;
  const isOfLog = (request: string) => request.includes(`/${tables.idOf('Calls')}/`);
  it.each<[string, () => void]>([
    [
      'the log takes no more changes',
      () => {
        tables.fail = (request) =>
          isCalled() && isOfLog(request) && !request.startsWith('GET')
            ? { status: 403, message: 'Forbidden' }
            : undefined;
      },
    ],
    [
      'the log is deleted',
      () => {
        tables.fail = (request) =>
          isCalled() && isOfLog(request) ? { status: 404, message: 'Not found' } : undefined;
      },
    ],
    [
      'the row is deleted',
      () => {
        tables.beforeRows = () => {
          if (service.seen.requests.outcome > 0) tables.rowsOf('Calls').splice(0);
        };
      },
    ],
  ])('is put on the list by the node that waits, although %s', async (_, happens) => {
    happens();
    const execution = await call('triggerAndWait', LOG);
    expect(jsonOf(execution)).toMatchObject([{ callLogError: expect.any(String) }]);
    expect(list()).toEqual([LISTED]);
  });

  it('is told when the outcome does not come while the node waits, where nobody else would hear it', async () => {
    service.faults.add({ kind: 'status', status: 503, route: 'outcome', times: 50 });
    const waiting = { options: { maxWaitMinutes: 0 } };
    const execution = await call('triggerAndWait', waiting);
    const told = expect.stringContaining(`${PHONE} is not put on the do-not-call list, however`);
    expect(jsonOf(execution)).toMatchObject([{ finished: false, doNotCallError: told }]);
    expect(hintsOf(execution)).toContainEqual(told);
    expect(hintsOf(await call('triggerAndWait', { ...waiting, ...LOG })).join()).not.toContain(
      PHONE,
    );
    expect(list()).toEqual([]);
  });
});

describe('a call that goes on when another item fails', () => {
  it.each([
    ['without a log', {}],
    ['with one', LOG],
  ])('puts the person on the list all the same, %s', async (_what, more) => {
    service.faults.add({
      ...{ kind: 'status', status: 400, route: 'trigger', times: Infinity },
      match: ({ body }) => (body as IDataObject | undefined)?.orderNumber === 'A-1',
      body: { success: false, message: 'Script 7 is not approved' },
    });
    const { error } = await execute({
      parameters: {
        ...{ resource: 'call', operation: 'triggerAndWait', scriptId: 7, ...more },
        customerPhone: '={{ $json.phone }}',
        additionalFields: { orderNumber: '={{ $json.number }}' },
        rules: { doNotCallTable: LIST, doNotCallOutcomes: 'Do not call again' },
        options: { concurrency: 1 },
      } as IDataObject,
      items: itemsOf(2),
      credential: credential(),
    });
    expect(error?.message).toContain('Script 7 is not approved');
    expect(list()).toMatchObject([{ phone: phoneOf(0) }]);
  });
});

describe('a call that goes on when the wait is over', () => {
  const short = { options: { maxWaitMinutes: 0 } };
  const stillGoesOn = () =>
    service.faults.add({
      ...{ kind: 'status', status: 404, route: 'outcome' },
      body: { success: false, message: 'Call is still in progress' },
    });
  const missed: unknown = expect.stringContaining(`${PHONE} is not put on the do-not-call list`);

  it('is told by the item and a hint when nobody else learns its outcome', async () => {
    stillGoesOn();
    const execution = await call('triggerAndWait', short);
    expect(jsonOf(execution)).toMatchObject([{ finished: false, doNotCallError: missed }]);
    expect(hintsOf(execution)).toContainEqual(missed);
  });

  it.each([
    ['of a log, whose readers learn it', LOG, {}],
    ['without such outcomes', {}, { doNotCallOutcomes: undefined }],
  ])('%s, is not', async (_what, more, rules) => {
    stillGoesOn();
    const execution = await call('triggerAndWait', { ...short, ...more }, rules as never);
    expect(jsonOf(execution)).toMatchObject([{ finished: false }]);
    expect(hintsOf(execution)).not.toContainEqual(missed);
  });
});

describe('the outcomes are refused', () => {
  it.each([
    [
      'without a log, where nobody waits',
      'trigger',
      {},
      {},
      'need a call log, or Call Customer and Wait',
    ],
    [
      'without a list',
      'trigger',
      LOG,
      { doNotCallTable: undefined },
      'need the rule Do-Not-Call List',
    ],
    [
      'when there are none',
      'trigger',
      LOG,
      { doNotCallOutcomes: ' ' },
      'Do-Not-Call Outcomes are empty',
    ],
    [
      'when a word for all stands among them',
      'trigger',
      LOG,
      { doNotCallOutcomes: 'stop, *' },
      'Do-Not-Call Outcomes name "*", which is no outcome',
    ],
    [
      'when there are none, also for later',
      'schedule',
      LOG,
      { doNotCallOutcomes: ';' },
      'are empty',
    ],
  ])('%s', async (_what, operation, more, rules, told) => {
    expect(messageOf(await call(operation, more, rules as IDataObject))).toContain(told);
    expect(service.seen.calls).toEqual([]);
  });
});

describe('a simulated call', () => {
  it('puts nobody on the list', async () => {
    const simulated = { manualExecutions: 'simulate', simulatedOutcomes: 'Do not call again' };
    const [item] = jsonOf(await call('triggerAndWait', {}, simulated, 'manual'));
    expect(item).toMatchObject({ simulated: true, outcomeKey: 'do_not_call_again' });
    expect(list()).toEqual([]);
  });
});
