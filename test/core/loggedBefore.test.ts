import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { placedCalls } from '../../nodes/OutboundAiCalling/placedCalls';
import type { FaultKind } from '../service';
import { execute, jsonOf, type ExecutionRequest } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const PHONE = '+12025550101';
const OTHER = '+12025550102';
const REFUSAL: FaultKind = {
  ...{ kind: 'status', status: 400 },
  body: { success: false, message: 'Concurrency pool exhausted' },
};
const world = useServiceAndTables();

const run = async (request: Partial<ExecutionRequest> = {}, more: IDataObject = {}) =>
  await execute({
    parameters: {
      ...{ resource: 'call', operation: 'trigger', scriptId: 7 },
      ...{ callLog: 'dataTable', callLogTable: { mode: 'name', value: 'Calls' } },
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.number }}' },
      ...more,
    },
    items: [order('A-1', PHONE)],
    credential: world.credential(),
    ...request,
    // What one node has called in a retry is remembered for ten minutes.
    settings: { id: String(expect.getState().currentTestName), ...request.settings },
  });
const order = (number: string, phone: string): INodeExecutionData => ({ json: { number, phone } });
/** As n8n retries an execution of which it has saved nothing: it was killed, or stopped in another process. */
const retry = async (request: Partial<ExecutionRequest> = {}, more?: IDataObject) =>
  await run({ mode: 'retry', ...request }, more);
afterEach(() => void jest.restoreAllMocks());
const rung = () => world.service.seen.calls.map(({ phone }) => phone);

describe('a retry by hand of an execution of which n8n has saved nothing', () => {
  it('fails once, and names the calls that the log has', async () => {
    await run();
    const second = await retry();
    expect(second.error?.message).toMatch(/^Somebody may have been called by an earlier try\. /);
    expect(second.error?.message).toMatch(
      /the call log has calls like these: \+12025550101 was called about order A-1 \(call ID at the service: \d+\)$/,
    );
    expect(second.error?.description).toContain('retry the execution that has this error');
    expect(rung()).toEqual([PHONE]);
    jsonOf(await run({ mode: 'retry', retryOf: second }));
    expect(rung()).toEqual([PHONE, PHONE]);
  });

  it('fails in all its tries', async () => {
    await run();
    const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
    const { error } = await retry({ settings });
    expect(error?.message).toContain('the call log has calls like these');
    expect(rung()).toEqual([PHONE]);
  });

  it('names a call of which nobody knows whether it was placed', async () => {
    world.service.faults.add({ kind: 'reset', when: 'after' });
    await run();
    const { error } = await retry();
    expect(error?.message).toContain('+12025550101 may have been called about order A-1');
    expect(rung()).toEqual([PHONE]);
  });

  it('names a call that was about to be placed when n8n was killed', async () => {
    await run();
    Object.assign(world.tables.rowsOf('Calls')[0] ?? {}, { status: 'placing', orderId: null });
    const { error } = await retry();
    expect(error?.message).toContain('+12025550101 may have been called about order A-1');
    expect(rung()).toEqual([PHONE]);
  });

  it.each([{}, { preventDuplicates: true }])(
    'names a call that was cancelled since, with %j',
    async (rules) => {
      await run({}, { operation: 'schedule', callAt: '', rules });
      await run({}, { operation: 'cancelScheduled', cancelBy: 'orderNumber', cancelValue: 'A-1' });
      const { error } = await retry({}, { rules });
      expect(error?.message).toContain(
        '+12025550101 was not to be called any more about order A-1',
      );
      expect(rung()).toEqual([]);
    },
  );

  it('calls only those whom the log does not have, with Prevent Duplicates', async () => {
    const rules = { preventDuplicates: true };
    await run({}, { rules });
    const items = [order('A-1', PHONE), order('A-2', OTHER)];
    const output = jsonOf(await retry({ items }, { rules }));
    expect(output).toMatchObject([{ reason: 'duplicate' }, { orderNumber: 'A-2' }]);
    expect(rung()).toEqual([PHONE, OTHER]);
  });

  it('calls those whom nobody has called', async () => {
    world.service.faults.add(REFUSAL);
    const first = await run();
    expect(first.error).toBeDefined();
    jsonOf(await retry());
    expect(rung()).toEqual([PHONE]);
  });

  it('fails once also when n8n did not answer the retry before', async () => {
    await run();
    world.tables.fail = () => ({ status: 403, message: 'Forbidden' });
    const blocked = await retry();
    world.tables.fail = () => undefined;
    const { error } = await run({ mode: 'retry', retryOf: blocked });
    expect(error?.message).toContain('the call log has calls like these');
    expect(rung()).toEqual([PHONE]);
  });

  it('fails once where this process knows of the stop: the log is not asked after that', async () => {
    const note = jest.spyOn(placedCalls, 'note');
    const settings = { id: 'stopped' };
    const waiting = { operation: 'triggerAndWait', options: { maxWaitMinutes: 1 } };
    await run({ settings, cancelWhen: () => note.mock.calls.length > 0 }, waiting);
    const refused = await retry({ settings });
    expect(refused.error?.message).toContain(
      'The execution that was stopped, or a retry, had placed calls',
    );
    jsonOf(await run({ settings, mode: 'retry', retryOf: refused }));
    expect(rung()).toEqual([PHONE, PHONE]);
  });

  it('schedules no call like one that was placed since', async () => {
    const scheduling = { operation: 'schedule', callAt: '' };
    await run({}, scheduling);
    await run({}, { operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
    expect(rung()).toEqual([PHONE]);
    const { error } = await retry({}, scheduling);
    expect(error?.message).toContain('+12025550101 was called about order A-1');
    expect(world.tables.rowsOf('Calls')).toHaveLength(1);
  });

  it('calls whom another execution has called more than a day before', async () => {
    await run();
    for (const row of world.tables.rowsOf('Calls')) row.triggeredAt = '2020-01-01T00:00:00.000Z';
    jsonOf(await retry());
    expect(rung()).toEqual([PHONE, PHONE]);
  });
});

it('a retry of an execution that n8n has saved asks for no other calls', async () => {
  await run();
  world.service.faults.add(REFUSAL);
  const failed = await run();
  jsonOf(await run({ mode: 'retry', retryOf: failed }));
  expect(rung()).toEqual([PHONE, PHONE]);
});

it('a retry of a loop that calls again in each round knows its own calls', async () => {
  const customerPhone = '={{ $runIndex === 1 ? "" : $json.phone }}';
  const failed = await run({ rounds: 3 }, { customerPhone });
  expect(failed.error?.message).toContain('Customer Phone');
  expect(rung()).toEqual([PHONE]);
  jsonOf(await run({ rounds: 3, mode: 'retry', retryOf: failed }));
  expect(rung()).toEqual([PHONE, PHONE, PHONE]);
});

it('a retry of an execution that failed before the node calls again in each round', async () => {
  jsonOf(await retry({ rounds: 2 }));
  expect(rung()).toEqual([PHONE, PHONE]);
});
