import type { IDataObject } from 'n8n-workflow';
import { listOf } from '../dataTables/doNotCallTable';
import { rulesAndOptions } from '../rulesAndOptions';
import { AgentTool, execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { itemsOf, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';
import { Publication } from './triggerEngine';

const world = useServiceAndTables({
  speed: 1000,
  scripts: { 7: [], 8: [] },
  outcomeFor: () => ({ status: 'completed', label: 'Confirmed' }),
});
const callLogTable = { mode: 'name', value: 'Calls' };
const rows = () => world.tables.rowsOf('Calls');
const statuses = () => rows().map(({ status }) => status);
const passes = async (seconds: number) =>
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));

const scheduling = (settings: IDataObject = {}, more: IDataObject = {}): IDataObject => ({
  ...{ resource: 'call', operation: 'schedule', callLogTable, scriptId: 7 },
  customerPhone: '={{ $json.phone }}',
  callAt: '2026-11-30T22:00',
  additionalFields: { orderNumber: '={{ $json.number }}', customerName: 'Anna' },
  ...rulesAndOptions(settings),
  ...more,
});
const run = async (parameters: IDataObject, more: Partial<ExecutionRequest> = {}) =>
  await execute({ parameters, items: itemsOf(2), credential: world.credential(), ...more });
const retry = async (retryOf: Execution, parameters: IDataObject = scheduling()) =>
  await run(parameters, { retryOf, mode: 'retry' });
const placed = async () => {
  const options = { keepOnSeconds: 0, firstCheckAfterSeconds: 0 };
  return await run({ resource: 'call', operation: 'placeScheduled', callLogTable, options });
};
const callsMade = () => world.service.seen.calls.map(({ phone }) => phone);

/**
 * n8n makes the list due, drops its answer, and is away for some seconds, or until `faultOf` is set anew.
 *
 * @param ended how many calls of the list end before
 */
function goAwayWithRelease({ seconds = Infinity, ended = 0 } = {}): void {
  let since: number | undefined;
  world.tables.faultOf = ({ method }) => {
    if (since !== undefined) {
      return Date.now() < since + seconds * 1000 ? { kind: 'status', when: 'before' } : undefined;
    }
    const ofList = rows().filter(({ batch }) => batch !== '');
    const isDecided = ofList.filter(({ status }) => status === 'not_placed').length === ended;
    if (method !== 'PATCH' || ofList.length === 0 || !isDecided) return undefined;
    since = Date.now();
    return { kind: 'reset', when: 'after' };
  };
}

/** Calls may be scheduled, and are. */
async function unsure(
  parameters: IDataObject = scheduling(),
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> {
  goAwayWithRelease();
  const failed = await run(parameters, more);
  world.tables.faultOf = () => undefined;
  expect(failed.error?.message).toContain('may have been scheduled all the same');
  expect(failed.error?.description).toContain('Retry this execution');
  expect(rows().map(({ status, batch }) => [status, batch])).toEqual(
    Array(rows().length).fill(['scheduled', '']),
  );
  return failed;
}

/** That each item says what the row of its call says, and no call has two rows. */
function expectToldByRows(execution: Execution): void {
  const told = jsonOf(execution).map(({ callId, status, callAt }) => [
    ...[callId, status],
    new Date(String(callAt)).toISOString().slice(0, 19),
  ]);
  const written = rows().map(({ callId, status, dueAt }) => [
    ...[callId, status],
    String(dueAt).slice(0, 19),
  ]);
  expect(told).toEqual(written);
}

describe('a retry of calls that may have been scheduled', () => {
  it('leaves them as they are when it asks for the same', async () => {
    const failed = await unsure();
    const written = rows().map((row) => ({ ...row }));
    const again = await retry(failed);
    expectToldByRows(again);
    expect(rows()).toEqual(written);
  });

  it.each<[string, IDataObject, IDataObject, IDataObject]>([
    [
      'time',
      {},
      { callAt: '2026-12-01T03:00' },
      { dueAt: expect.stringContaining('2026-11-30T21:30:00') },
    ],
    [
      'name',
      {},
      { additionalFields: { orderNumber: '={{ $json.number }}', customerName: 'Berta' } },
      { customerName: 'Berta' },
    ],
    ['script', {}, { scriptId: 8 }, { scriptId: 8 }],
    ['rules', { maxCallsPerDay: 5 }, {}, {}],
    ['plan', { retry: { plan: { outcomes: 'busy', afterMinutes: '30' } } }, {}, {}],
    ['duplicates', { preventDuplicates: true }, {}, {}],
  ])('replaces them when it asks for another %s', async (_, settings, more, cells) => {
    const failed = await unsure();
    const before = rows().map(({ callId }) => callId);
    const again = await retry(failed, scheduling(settings, more));
    expectToldByRows(again);
    expect(rows()).toEqual([expect.objectContaining(cells), expect.objectContaining(cells)]);
    expect(rows().filter(({ callId }) => before.includes(callId))).toEqual([]);
    const plain = scheduling(settings, more);
    const others = await run(plain, { items: itemsOf(4).slice(2) });
    const fresh = rows().find(({ callId }) => callId === jsonOf(others)[0]?.callId);
    expect(rows()[0]?.request).toBe(fresh?.request);
  });

  it('calls within the hours that it adds', async () => {
    const failed = await unsure();
    const hours = { start: '09:00', end: '10:00', days: ['sat'], timezone: 'workflow' };
    expectToldByRows(await retry(failed, scheduling({ callingHours: { hours } })));
    await passes(7_200);
    await placed();
    expect(callsMade()).toEqual([]);
    expect(statuses()).toEqual(['scheduled', 'scheduled']);
  });

  it('calls nobody who is on the do-not-call list that it adds', async () => {
    world.tables.tables.push(listOf([{ phone: phoneOf(0) }]));
    const failed = await unsure(scheduling({ preventDuplicates: true }));
    expect(world.keys.size).toBe(2);
    const doNotCallTable = { mode: 'name', value: 'Do not call' };
    const rules = scheduling({ preventDuplicates: true, doNotCallTable });
    const again = await retry(failed, rules);
    expect(jsonOf(again)).toMatchObject([
      { skipped: true, reason: 'doNotCall' },
      { status: 'scheduled' },
    ]);
    // It was claimed for nobody.
    expect(world.keys.size).toBe(1);
    await passes(7_200);
    await placed();
    expect(callsMade()).toEqual([phoneOf(1)]);
  });

  it('replaces only those that it asks for otherwise', async () => {
    const failed = await unsure(scheduling(), { items: itemsOf(5) });
    const before = rows().map(({ callId }) => String(callId));
    const customerName = '={{ ["A-1", "A-2"].includes($json.number) ? "Berta" : "Anna" }}';
    const additionalFields = { orderNumber: '={{ $json.number }}', customerName };
    // The last order is none of its own.
    const [, ...items] = itemsOf(4);
    const again = await run(scheduling({}, { additionalFields }), { items, retryOf: failed });
    expect(jsonOf(again).map(({ callId }) => before.indexOf(String(callId)))).toEqual([-1, -1, 3]);
    const names = rows().map(({ orderNumber, customerName }) => [orderNumber, customerName]);
    expect(names.sort()).toEqual([
      ...[
        ['A-0', 'Anna'],
        ['A-1', 'Berta'],
        ['A-2', 'Berta'],
      ],
      ...[
        ['A-3', 'Anna'],
        ['A-4', 'Anna'],
      ],
    ]);
  });

  it('has no event twice when only the clock in a field differs', async () => {
    const lastOnly = { fastChecks: false, finalOnly: true };
    const trigger = new Publication({
      credential: world.credential(),
      parameters: {
        ...{ watch: 'callLog', callLogTable, events: ['outcomeAvailable', 'outcomeUnavailable'] },
        options: lastOnly,
      },
    });
    await trigger.poll();
    goAwayWithRelease({ seconds: 10 });
    const orderNotes = '={{ "asked " + $now.toISO() }}';
    const additionalFields = { orderNumber: '={{ $json.number }}', orderNotes };
    const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5000 };
    const done = await run(scheduling({ preventDuplicates: true }, { additionalFields }), {
      settings,
    });
    expectToldByRows(done);
    const hints: string[] = [];
    for (let times = 0; times < 4; times++) {
      await passes(1_800);
      hints.push(...hintsOf(await placed()));
      await trigger.poll();
    }
    expect(hints.filter((hint) => hint.includes('copy'))).toEqual([]);
    expect(trigger.fired.map(({ orderNumber, outcomeKey }) => [orderNumber, outcomeKey])).toEqual([
      ['A-0', 'confirmed'],
      ['A-1', 'confirmed'],
    ]);
  });

  it.each(['Anna', 'Berta'])(
    'tells of calls that were placed since, with the name %s',
    async (customerName) => {
      const failed = await unsure();
      await passes(7_200);
      await placed();
      const additionalFields = { orderNumber: '={{ $json.number }}', customerName };
      const again = await retry(failed, scheduling({}, { additionalFields }));
      expectToldByRows(again);
      expect(jsonOf(again)).toMatchObject([{ status: 'in_progress' }, { status: 'in_progress' }]);
      expect(hintsOf(again).join()).not.toContain('due');
      expect(callsMade()).toHaveLength(2);
      expect(rows()).toHaveLength(2);
    },
  );

  it('leaves a call that begins just before it would withdraw it', async () => {
    const failed = await unsure();
    world.tables.faultOf = ({ method, url }) => {
      const [row] = rows();
      const begins = { status: 'placing', lockedUntil: Date.now() + 60_000 };
      if (method === 'DELETE' && !url.includes('dryRun') && row?.status === 'scheduled') {
        Object.assign(row, begins);
      }
      return undefined;
    };
    const again = await retry(failed, scheduling({}, { scriptId: 8 }));
    world.tables.faultOf = () => undefined;
    expect(jsonOf(again)).toMatchObject([{ status: 'placing' }, { status: 'scheduled' }]);
    expectToldByRows(again);
    expect(rows().map(({ scriptId }) => scriptId)).toEqual([7, 8]);
  });

  it('leaves a call that is cancelled just before it would withdraw it', async () => {
    const failed = await unsure();
    world.tables.faultOf = ({ method }) => {
      const [row] = rows();
      if (method === 'DELETE' && row?.status === 'scheduled') row.status = 'cancelled';
      return undefined;
    };
    const again = await retry(failed, scheduling({}, { scriptId: 8 }));
    world.tables.faultOf = () => undefined;
    expect(jsonOf(again)).toMatchObject([
      { skipped: true, reason: 'cancelled' },
      { status: 'scheduled' },
    ]);
    expect(statuses()).toEqual(['cancelled', 'scheduled']);
  });

  it('leaves what a person has written into a row, and says so', async () => {
    const failed = await unsure();
    Object.assign(rows()[0] ?? {}, { dueAt: '2026-12-02T10:00:00.000Z', customerName: 'Nora' });
    const again = await retry(failed);
    expectToldByRows(again);
    expect(rows()[0]).toMatchObject({ customerName: 'Nora' });
  });

  it('schedules them when their list never became due', async () => {
    let isWritten = false;
    world.tables.faultOf = ({ method }) => {
      isWritten ||= method === 'PATCH' && rows().some(({ batch }) => batch);
      return isWritten ? { kind: 'reset', when: 'before' } : undefined;
    };
    const failed = await run(scheduling({ preventDuplicates: true }));
    world.tables.faultOf = () => undefined;
    expect(failed.error?.message).toContain('may have been scheduled all the same');
    await passes(1_800);
    await placed();
    expect(statuses()).toEqual(['not_placed', 'not_placed']);
    const again = await retry(failed, scheduling({ preventDuplicates: true }));
    expect(jsonOf(again)).toMatchObject([{ status: 'scheduled' }, { status: 'scheduled' }]);
    await passes(7_200);
    await placed();
    expect(callsMade()).toEqual([phoneOf(0), phoneOf(1)]);
  });

  it('schedules nobody in another call log whose call may stand in the first', async () => {
    await run(scheduling({}, { callLogTable: { mode: 'name', value: 'Others' } }), {
      items: itemsOf(3).slice(2),
    });
    const failed = await unsure();
    const elsewhere = scheduling({}, { callLogTable: { mode: 'name', value: 'Others' } });
    expect(jsonOf(await retry(failed, elsewhere))).toMatchObject([
      { skipped: true, reason: 'earlierTry', message: expect.stringContaining('another call log') },
      { skipped: true, reason: 'earlierTry' },
    ]);
    expect(world.tables.rowsOf('Others')).toHaveLength(1);
    expectToldByRows(await retry(failed));
  });

  it.each(['before', 'after'] as const)(
    'schedules each once when n8n fails %s it has withdrawn them',
    async (when) => {
      const rules = { preventDuplicates: true };
      const failed = await unsure(scheduling(rules));
      let isAway = false;
      world.tables.faultOf = ({ method, url }) => {
        const isFirst = !isAway && method === 'DELETE' && !url.includes('dryRun');
        if (!isFirst) return isAway ? { kind: 'status', when: 'before' } : undefined;
        isAway = true;
        return { kind: 'reset', when };
      };
      const second = await retry(failed, scheduling(rules, { scriptId: 8 }));
      world.tables.faultOf = () => undefined;
      expect(second.error?.message).toContain('but scheduled calls may still be placed');
      expect(rows()).toHaveLength(when === 'before' ? 2 : 0);
      expectToldByRows(await retry(second, scheduling(rules, { scriptId: 8 })));
      expect(rows().map(({ scriptId, status }) => [scriptId, status])).toEqual([
        [8, 'scheduled'],
        [8, 'scheduled'],
      ]);
      expect(world.keys.size).toBe(2);
    },
  );

  it('tells of a refusal once, as it was', async () => {
    world.tables.tables.push(listOf([{ phone: phoneOf(0) }]));
    const rules = scheduling({ doNotCallTable: { mode: 'name', value: 'Do not call' } });
    goAwayWithRelease({ ended: 1 });
    const failed = await run(rules);
    world.tables.faultOf = () => undefined;
    expect(failed.error?.message).toContain('may have been scheduled all the same');
    const again = await retry(failed, rules);
    expect(jsonOf(again)).toMatchObject([
      { skipped: true, reason: 'doNotCall' },
      { status: 'scheduled' },
    ]);
    expect(statuses()).toEqual(['not_placed', 'scheduled']);
  });

  it('has one of two retries schedule them, when both go on at once', async () => {
    const failed = await unsure();
    const both = await Promise.all([
      retry(failed, scheduling({}, { scriptId: 8 })),
      retry(failed, scheduling({}, { scriptId: 8 })),
    ]);
    expect(both.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(rows().map(({ scriptId, status }) => [scriptId, status])).toEqual([
      [8, 'scheduled'],
      [8, 'scheduled'],
    ]);
  });
});

it('an agent that repeats a request hears what stands once its call has begun', async () => {
  const parameters = scheduling({}, { customerPhone: '={{ $fromAI("phone") }}' });
  const tool = new AgentTool({
    parameters: { ...parameters, additionalFields: { orderNumber: 'A-1' } },
    credential: world.credential(),
  });
  goAwayWithRelease();
  await expect(tool.prepare()({ phone: phoneOf(1) })).rejects.toThrow('may have been scheduled');
  world.tables.faultOf = () => undefined;
  await passes(7_200);
  await placed();
  expect(await tool.prepare()({ phone: phoneOf(1) })).toContain('"status":"in_progress"');
  expect(statuses()).toEqual(['in_progress']);
});

it.each([
  ['n8n then refuses', 'PATCH', { retryOnFail: true, maxTries: 2, waitBetweenTries: 1_000 }],
  ['rules cannot be asked about', 'GET', { onError: 'continueRegularOutput' } as const],
])('leaves a call cancelled that is cancelled in a list that %s', async (_, method, settings) => {
  let isRefused = false;
  // The change that makes the list due, or the search for duplicates.
  world.tables.fail = (request) => {
    const isOfList = request.startsWith(method) && rows().some(({ batch }) => batch !== '');
    if (!isOfList || isRefused) return undefined;
    isRefused = true;
    Object.assign(rows()[0] ?? {}, { status: 'cancelled', runAt: null });
    return { status: 400, message: 'Data table size limit exceeded' };
  };
  await run(scheduling({ preventDuplicates: true }), { settings });
  world.tables.fail = () => undefined;
  expect(isRefused).toBe(true);
  const ofFirst = rows().filter(({ orderNumber }) => orderNumber === 'A-0');
  expect(ofFirst).toMatchObject([{ status: 'cancelled' }]);
});
