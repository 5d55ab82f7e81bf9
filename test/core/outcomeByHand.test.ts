import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { AgentTool, execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { itemsOf, loggedCall, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';
import { publicationOfLog } from './triggerEngine';

const world = useServiceAndTables({
  speed: 1,
  outcomeFor: () => ({ status: 'completed', label: 'Call me later' }),
});
const callLogTable = { __rl: true, mode: 'name', value: 'Calls' };
const rows = () => world.tables.rowsOf('Calls');
const rowOf = (orderNumber: string) => rows().find((row) => row.orderNumber === orderNumber);
const called = () => world.service.seen.calls.map(({ body }) => body.orderNumber);
const run = async (
  parameters: IDataObject,
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> =>
  await execute({
    parameters: { ...loggedCall, callLogTable, ...parameters },
    credential: world.credential(),
    items: itemsOf(4),
    ...more,
  });
const publication = () => publicationOfLog(world.credential(), callLogTable);
const inMinutes = async (minutes: number) =>
  await new Promise((resolve) => setTimeout(resolve, minutes * 60_000));

/** Writes cells into the row of A-2 when the first call of a list has been placed, and the next one is about to be. */
function whileTheListRuns(cells: IDataObject, then = () => {}): void {
  let isDone = false;
  const write = () => {
    const row = rowOf('A-2');
    if (isDone || called().length === 0 || row?.status !== 'scheduled') return false;
    isDone = true;
    Object.assign(row, cells);
    then();
    return false;
  };
  world.service.faults.add({ kind: 'status', status: 500, times: Infinity, match: write });
}
const place = async () => await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
const cancel = async (orderNumber: string) =>
  await run(
    { operation: 'cancelScheduled', cancelBy: 'orderNumber', cancelValue: orderNumber },
    { items: itemsOf(1) },
  );
const OUTCOME = { outcome: 'Order confirmed', summary: 'She has rung the shop' };
const oneByOne = (settings: IDataObject = {}) => rulesAndOptions({ concurrency: 1, ...settings });

describe('an outcome that a person writes into a row of a list that is being placed', () => {
  it.each([{}, { durationSec: 95, cost: 0 }])('cancels its call, and stays: %j', async (more) => {
    const trigger = publication();
    await trigger.poll();
    whileTheListRuns({ ...OUTCOME, ...more });
    const { items } = await run(oneByOne());
    expect(items[2]?.json).toMatchObject({ skipped: true, reason: 'cancelled' });
    expect(called()).toEqual(['A-0', 'A-1', 'A-3']);
    await trigger.poll();
    expect(rowOf('A-2')).toMatchObject({ status: 'cancelled', ...OUTCOME, ...more });
    expect(trigger.fired).toMatchObject([{ orderNumber: 'A-2', endReason: 'cancelled' }]);
  });

  it.each(['', ' ', 'n/a', 'pending', 'In progress', null])(
    'is none when it says %j',
    async (outcome) => {
      whileTheListRuns({ outcome });
      await run(oneByOne());
      expect(called()).toEqual(['A-0', 'A-1', 'A-2', 'A-3']);
      expect(rowOf('A-2')).toMatchObject({ status: 'in_progress', outcome: null });
    },
  );

  it('stays where a cap stops the call before', async () => {
    whileTheListRuns(OUTCOME);
    const { items } = await run(oneByOne({ maxCallsPerDay: 2 }));
    expect(items[2]?.json).toMatchObject({ skipped: true, reason: 'dailyCap' });
    expect(rowOf('A-2')).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
    expect(rowOf('A-2')).toMatchObject(OUTCOME);
  });

  it('lets a retry of the execution call nobody about it', async () => {
    const refuse = () => world.service.faults.add({ kind: 'status', status: 401, times: 80 });
    whileTheListRuns(OUTCOME, refuse);
    const retryOf = await run(oneByOne());
    world.service.faults.clear();
    expect(retryOf.error).toBeDefined();
    const { items } = await run(oneByOne(), { mode: 'retry', retryOf });
    expect(items[2]?.json).toMatchObject({ skipped: true, reason: 'cancelled' });
    expect(called()).not.toContain('A-2');
    expect(rowOf('A-2')).toMatchObject(OUTCOME);
  });
});

it.each([{}, { status: 'cancelled' }, { status: 'not_placed' }])(
  'an outcome that a person writes into the row of a failed execution stays: %j',
  async (more) => {
    const trigger = publication();
    await trigger.poll();
    world.service.faults.add({ kind: 'status', status: 401, times: 80 });
    await run(oneByOne());
    world.service.faults.clear();
    Object.assign(rowOf('A-2') ?? {}, OUTCOME, more);
    await inMinutes(150);
    await trigger.poll();
    expect(rowOf('A-2')).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
    expect(rowOf('A-2')).toMatchObject(OUTCOME);
    expect(trigger.fired).toHaveLength(4);
    expect(called()).toEqual([]);
  },
);

describe('an outcome in a row of Schedule Call', () => {
  it.each([{}, { durationSec: 95 }, { cost: 0 }, { triggeredAt: '2026-11-20T10:00:00Z' }])(
    'cancels the call, beside %j',
    async (more) => {
      await run({ operation: 'schedule' });
      Object.assign(rowOf('A-2') ?? {}, OUTCOME, more);
      expect(jsonOf(await place())).toHaveLength(3);
      expect(called()).not.toContain('A-2');
      expect(rowOf('A-2')).toMatchObject({ status: 'cancelled', ...OUTCOME });
      expect(rowOf('A-2')).toMatchObject({ finishedAt: expect.any(String) });
    },
  );

  it.each(['scheduled', ' Scheduled'])(
    'cancels the call beside the time of its end, where the status is "%s"',
    async (status) => {
      const trigger = publication();
      await trigger.poll();
      await run({ operation: 'schedule' });
      Object.assign(rowOf('A-2') ?? {}, OUTCOME, { status, finishedAt: '2026-11-30T15:00:00Z' });
      expect(jsonOf(await place())).toHaveLength(3);
      expect(rowOf('A-2')).toMatchObject({ status: 'cancelled', ...OUTCOME });
      await trigger.poll();
      expect(trigger.fired).toMatchObject([{ orderNumber: 'A-2', endReason: 'cancelled' }]);
    },
  );

  it('stays when a workflow cancels the call as well', async () => {
    await run({ operation: 'schedule' });
    Object.assign(rowOf('A-2') ?? {}, OUTCOME);
    await cancel('A-2');
    expect(rowOf('A-2')).toMatchObject({ status: 'cancelled', ...OUTCOME });
  });

  it('cancels it also beside a row that is scheduled again after its call', async () => {
    await run({ operation: 'schedule' });
    await place();
    await inMinutes(10);
    await publication().poll();
    Object.assign(rowOf('A-1') ?? {}, { status: 'scheduled', finishedAt: null });
    await run({ operation: 'schedule' }, { items: itemsOf(9).slice(8) });
    Object.assign(rowOf('A-8') ?? {}, OUTCOME);
    await place();
    expect(called()).toEqual(['A-0', 'A-1', 'A-2', 'A-3', 'A-1']);
  });
});

it('cancels a call whose request the service refuses for now, before it is sent again', async () => {
  world.service.faults.add({
    kind: 'status',
    status: 429,
    times: 1,
    headers: { 'retry-after': '20' },
  });
  let isWritten = false;
  const cancelWhen = () => {
    const row = rowOf('A-0');
    if (isWritten || row?.status !== 'placing' || world.service.seen.received.length === 0)
      return false;
    isWritten = true;
    Object.assign(row, OUTCOME);
    return false;
  };
  const { items } = await run(oneByOne(), { cancelWhen });
  expect(isWritten).toBe(true);
  expect(called()).toEqual(['A-1', 'A-2', 'A-3']);
  expect(items[0]?.json).toMatchObject({ skipped: true, reason: 'cancelled' });
  expect(rowOf('A-0')).toMatchObject({ status: 'cancelled', ...OUTCOME });
});

it('keeps an agent from calling that asks again after a refusal', async () => {
  const parameters = {
    ...{ resource: 'call', operation: 'trigger', scriptId: 7, callLog: 'dataTable', callLogTable },
    customerPhone: '={{ $fromAI("phone") }}',
    additionalFields: { orderNumber: '={{ $fromAI("order", "", "string", "") }}' },
  };
  const agent = new AgentTool({ credential: world.credential(), parameters });
  const ask = async () => await agent.prepare()({ phone: phoneOf(0), order: 'A-0' });
  world.service.faults.add({ kind: 'status', status: 401, times: 80 });
  await expect(ask()).rejects.toThrow('401');
  world.service.faults.clear();
  Object.assign(rowOf('A-0') ?? {}, OUTCOME);
  await ask().catch(() => {});
  expect(called()).toEqual([]);
  expect(rows()).toMatchObject([{ status: 'cancelled', ...OUTCOME }]);
});

it('ends at once a call that a later try of the node finds so', async () => {
  const trigger = publication();
  await trigger.poll();
  const body = { success: false, message: 'Concurrency / pool exhausted' };
  world.service.faults.add({ kind: 'status', status: 400, body, route: 'trigger', times: 1 });
  let isWritten = false;
  const cancelWhen = () => {
    const row = rowOf('A-2');
    if (isWritten || row?.status !== 'not_placed') return false;
    isWritten = true;
    Object.assign(row, OUTCOME);
    return false;
  };
  const settings = { retryOnFail: true, maxTries: 4, waitBetweenTries: 5_000 };
  await run(oneByOne(), { cancelWhen, settings });
  expect(called()).not.toContain('A-2');
  await trigger.poll();
  await inMinutes(1);
  await trigger.poll();
  expect(trigger.fired).toContainEqual(
    expect.objectContaining({ orderNumber: 'A-2', endReason: 'cancelled' }),
  );
});

it.each(['dryRun', 'simulate'])('keeps %s from announcing the call', async (manualExecutions) => {
  await run({ operation: 'schedule' }, { items: itemsOf(2) });
  Object.assign(rowOf('A-0') ?? {}, OUTCOME);
  const parameters = { operation: 'placeScheduled', rules: { manualExecutions } };
  const { items } = await run(parameters, { mode: 'manual', items: itemsOf(1) });
  expect(items.map(({ json }) => json.orderNumber)).toEqual(['A-1']);
});

it('lets Cancel keep a retry from calling, also when the outcome is taken away again', async () => {
  world.service.faults.add({ kind: 'status', status: 401, times: 80 });
  const retryOf = await run(oneByOne());
  world.service.faults.clear();
  Object.assign(rowOf('A-0') ?? {}, OUTCOME);
  await cancel('A-0');
  Object.assign(rowOf('A-0') ?? {}, { outcome: null });
  const { items } = await run(oneByOne(), { mode: 'retry', retryOf });
  expect(items[0]?.json).toMatchObject({ skipped: true, reason: 'cancelled' });
  expect(called()).toEqual(['A-1', 'A-2', 'A-3']);
});

it('cancels a call that waits to be sent again, and that Cancel comes upon too', async () => {
  const trigger = publication();
  await trigger.poll();
  const isFirst = ({ body }: { body?: unknown }) => JSON.stringify(body ?? '').includes(phoneOf(0));
  const headers = { 'retry-after': '60' };
  world.service.faults.add({ kind: 'status', status: 429, times: 1, headers, match: isFirst });
  world.service.faults.add({ kind: 'latency', ms: 4_000, match: (one) => !isFirst(one) });
  let writtenAt: number | undefined;
  let cancelling: Promise<Execution> | undefined;
  const cancelWhen = () => {
    const row = rowOf('A-0');
    if (writtenAt === undefined) {
      if (row?.status !== 'placing' || world.service.seen.received.length === 0) return false;
      writtenAt = Date.now();
      Object.assign(row, OUTCOME);
    } else if (Date.now() - writtenAt > 30_000) {
      cancelling ??= cancel('A-0');
    }
    return false;
  };
  const { items } = await run(rulesAndOptions({ concurrency: 2 }), {
    cancelWhen,
    items: itemsOf(20),
  });
  await cancelling;
  expect(items[0]?.json).toMatchObject({ skipped: true, reason: 'cancelled' });
  expect(rowOf('A-0')).toMatchObject({ status: 'cancelled', ...OUTCOME });
  await trigger.poll();
  expect(trigger.fired).toContainEqual(
    expect.objectContaining({ orderNumber: 'A-0', endReason: 'cancelled' }),
  );
});

it('is told by Place Scheduled Calls, and in the reason', async () => {
  await run({ operation: 'schedule' }, { items: itemsOf(1) });
  Object.assign(rowOf('A-0') ?? {}, OUTCOME);
  const hints = hintsOf(await place());
  expect(hints.join()).toContain('a person has written an outcome into its row');
  expect(called()).toEqual([]);
  expect(rowOf('A-0')).toMatchObject({
    ...{ status: 'cancelled', ...OUTCOME },
    lastError: 'Cancelled: a person has written an outcome into its row',
  });
});

it.each(['cancelled', 'not_placed'])(
  'leaves the call before as it was when a call that was scheduled again gets %s',
  async (status) => {
    const trigger = publication();
    await trigger.poll();
    await run({ operation: 'schedule' }, { items: itemsOf(1) });
    await place();
    await inMinutes(10);
    await trigger.poll();
    const asked = { resource: 'callLog', operation: 'report' };
    const report = async () => jsonOf(await run(asked, { items: itemsOf(1) }));
    const before = await report();
    const dueAt = new Date(Date.now() + 20 * 3_600_000).toISOString();
    Object.assign(rowOf('A-0') ?? {}, { status: 'scheduled', finishedAt: null, dueAt });
    await place();
    Object.assign(rowOf('A-0') ?? {}, { status });
    await place();
    await trigger.poll();
    expect(before).toMatchObject([{ totals: { reached: 1 } }]);
    expect(await report()).toMatchObject([{ totals: { reached: 1 } }]);
  },
);

describe('an outcome that a person corrects after the call, with another attempt to come', () => {
  const retry = { plan: { outcomes: 'call_me_later', afterMinutes: '30' } };

  it.each([
    ['Order confirmed', 1],
    ['Call me LATER', 2],
    // Nobody knows what that means: the plan of the call stands.
    ['', 2],
    ['pending', 2],
  ])('%j: %d calls', async (outcome, calls) => {
    const trigger = publication();
    await trigger.poll();
    await run({ operation: 'schedule', ...rulesAndOptions({ retry }) }, { items: itemsOf(1) });
    await place();
    await inMinutes(10);
    await trigger.poll();
    Object.assign(rows()[0] ?? {}, { outcome });
    await inMinutes(30);
    await place();
    expect(called()).toHaveLength(calls);
    await trigger.poll();
    const second = rows().find(({ attempt }) => attempt === 2);
    if (calls === 2) return expect(second).toMatchObject({ status: 'in_progress' });
    expect(second).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
    expect(trigger.fired.at(-1)).toMatchObject({ endReason: 'cancelled', attempt: 2 });
  });

  /** A first call, and further ones of its plan, each with a poll after its end. */
  const placeAttempts = async (attempts: number) => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      await place();
      await inMinutes(10);
      await publication().poll();
      await inMinutes(30);
    }
  };
  const rowOfAttempt = (number: number) => rows().find(({ attempt }) => attempt === number);

  it('calls again all the same when a person has scheduled the attempt again', async () => {
    await run({ operation: 'schedule', ...rulesAndOptions({ retry }) }, { items: itemsOf(1) });
    await placeAttempts(2);
    Object.assign(rowOfAttempt(1) ?? {}, { outcome: 'Order confirmed' });
    Object.assign(rowOfAttempt(2) ?? {}, { status: 'scheduled', finishedAt: null });
    await place();
    expect(called()).toHaveLength(3);
  });

  it.each(['at once', 'after the service has refused it for now'])(
    'calls when a person schedules the attempt again that was cancelled for it: %s',
    async (when) => {
      const plan = { outcomes: 'call_me_later', afterMinutes: '30, 60' };
      const planned = rulesAndOptions({ retry: { plan } });
      await run({ operation: 'schedule', ...planned }, { items: itemsOf(1) });
      await placeAttempts(1);
      Object.assign(rowOfAttempt(1) ?? {}, { outcome: 'Callback requested' });
      await place();
      expect(rowOfAttempt(2)).toMatchObject({ status: 'cancelled' });
      Object.assign(rowOfAttempt(2) ?? {}, { status: 'scheduled', finishedAt: null });
      if (when !== 'at once') {
        world.service.faults.add({ kind: 'status', status: 401 });
        await place();
        expect(rowOfAttempt(2)?.lastError).not.toContain('corrected');
        await inMinutes(90);
      }
      await place();
      await place();
      expect(called()).toHaveLength(2);
      // Who means this attempt means those of its plan.
      await inMinutes(10);
      await place();
      await inMinutes(60);
      await place();
      expect(called()).toHaveLength(3);
    },
  );

  it('cancels the attempt after the next one, when that one rings already', async () => {
    const plan = { outcomes: 'call_me_later', afterMinutes: '30, 60' };
    const twice = rulesAndOptions({ retry: { plan } });
    await run({ operation: 'schedule', ...twice }, { items: itemsOf(1) });
    await placeAttempts(1);
    await place();
    Object.assign(rowOfAttempt(1) ?? {}, { outcome: 'Order confirmed' });
    await inMinutes(10);
    await place();
    expect(rowOfAttempt(3)).toMatchObject({ status: 'scheduled' });
    await inMinutes(60);
    await place();
    expect(rowOfAttempt(3)).toMatchObject({ status: 'cancelled' });
    expect(called()).toHaveLength(2);
  });
});
