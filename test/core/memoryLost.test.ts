import type { IDataObject } from 'n8n-workflow';
import { AgentTool, execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { itemsOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });

const CALL = { resource: 'call', operation: 'trigger', customerPhone: '={{ $json.phone }}' };
const run = async (parameters: IDataObject, request: Partial<ExecutionRequest> = {}) =>
  await execute({
    parameters: { scriptId: 7, callLogTable: { mode: 'name', value: 'Calls' }, ...parameters },
    items: itemsOf(2),
    credential: world.credential(),
    ...request,
  });
const LAST = String(itemsOf(2)[1]?.json.phone);
const called = () => world.service.seen.calls.length;

/** As n8n finds an execution that it was stopped in, when it is started again: nothing is kept of what its nodes noted. */
const cutOff = (execution: Execution): Execution => ({ ...execution, contextData: {} });
const failing = async (parameters: IDataObject, request: Partial<ExecutionRequest> = {}) => {
  const match = ({ body }: { body: unknown }) => JSON.stringify(body).includes(LAST);
  const body = { success: false, message: 'Insufficient balance' };
  world.service.faults.add({ kind: 'status', status: 400, body, match });
  const options = { concurrency: 1 };
  return await run({ ...parameters, options }, request);
};

describe('a retry by hand of an execution in which n8n was stopped', () => {
  it.each(['none', 'dataTable'])('calls nobody again (call log: %s)', async (callLog) => {
    const first = await failing({ ...CALL, callLog });
    const before = called();
    const retry = await run({ ...CALL, callLog }, { mode: 'retry', retryOf: cutOff(first) });
    expect(called()).toBe(before);
    expect(retry.error?.message).toContain('Somebody may have been called by an earlier try');
    expect(retry.error?.description).toContain('retry the execution that has this error');
  });

  it('calls them when a person retries once more', async () => {
    const first = cutOff(await failing(CALL));
    const before = called();
    const refused = await run(CALL, { mode: 'retry', retryOf: first });
    jsonOf(await run(CALL, { mode: 'retry', retryOf: refused }));
    expect(called()).toBe(before + 2);
  });

  it.each<[string, IDataObject, IDataObject]>([
    ['a mistake', { scriptId: '=x' }, {}],
    ['the credential', {}, { baseUrl: 'ftp://wrong' }],
    ['Max Calls', { rules: { maxCalls: 1 } }, {}],
  ])('calls nobody again when it fails by %s first', async (_, wrong, credential) => {
    const first = cutOff(await failing(CALL));
    const before = called();
    const failed = await run(
      { ...CALL, ...wrong },
      { mode: 'retry', retryOf: first, credential: { ...world.credential(), ...credential } },
    );
    expect(failed.error?.message).toContain('Somebody may have been called by an earlier try');
    const refused = await run(CALL, { mode: 'retry', retryOf: failed });
    expect(refused.error?.message).toContain('Nothing is stored of what an earlier try');
    expect(called()).toBe(before);
    jsonOf(await run(CALL, { mode: 'retry', retryOf: refused }));
    expect(called()).toBe(before + 2);
  });

  it('refuses all tries of Retry On Fail', async () => {
    const first = cutOff(await failing(CALL));
    const before = called();
    const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
    const refused = await run(CALL, { mode: 'retry', retryOf: first, settings });
    expect(refused.error).toBeDefined();
    expect(called()).toBe(before);
  });

  it('calls with Prevent Duplicates those who were not called', async () => {
    const rules = { preventDuplicates: true };
    const first = cutOff(await failing({ ...CALL, rules }));
    expect(called()).toBe(1);
    jsonOf(await run({ ...CALL, rules }, { mode: 'retry', retryOf: first }));
    expect([...world.service.seen.callsByPhone].map(([, count]) => count)).toEqual([1, 1]);
  });

  it('creates no campaign again', async () => {
    const contactsJson = JSON.stringify([{ phone: '+12025550101' }]);
    const create = { resource: 'campaign', operation: 'create', campaignName: 'Orders' };
    const parameters = { ...create, contactsSource: 'json', contactsJson };
    world.service.faults.add({ kind: 'reset', when: 'after', route: 'createCampaign' });
    const first = cutOff(await run(parameters));
    expect(first.error).toBeDefined();
    const retry = await run(parameters, { mode: 'retry', retryOf: first });
    expect(retry.error?.message).toContain('Somebody may have been called by an earlier try');
    expect(retry.error?.description).toMatch(/which campaigns were created\. .*has this error\.$/);
  });

  it('schedules nobody again', async () => {
    const schedule = { ...CALL, operation: 'schedule', callAt: '' };
    const first = await run({ ...schedule, scriptId: '=x' });
    const retry = await run(schedule, { mode: 'retry', retryOf: cutOff(first) });
    expect(retry.error?.message).toContain('Somebody may have been called by an earlier try');
    expect(world.tables.rowsOf('Calls') ?? []).toHaveLength(0);
  });
});

it('the agent of an execution in which n8n was stopped hears that somebody may have been called', async () => {
  const parameters = { scriptId: 7, ...CALL, customerPhone: LAST };
  const tool = new AgentTool({ parameters, credential: world.credential() }, true);
  await expect(tool.prepare()({})).rejects.toThrow(
    /^Somebody may have been called by an earlier request of the agent\. Nothing is stored/,
  );
  expect(called()).toBe(0);
});

it('a retry by hand goes on after mistakes that were mended', async () => {
  const first = await run({ ...CALL, scriptId: '=x' });
  expect(first.error?.message).toContain('Nobody was called');
  jsonOf(await run(CALL, { mode: 'retry', retryOf: first }));
  expect(called()).toBe(2);
});
