import type { IDataObject } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentTool, execute, type Execution } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000, apiKeys: ['test-key', 'other-key'] });
const phoneOf = (item: number) => `+12025550${101 + item}`;
const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, item) => ({
    json: { phone: phoneOf(item), order: `A-${item}` },
  }));
const call: IDataObject = {
  ...{ resource: 'call', operation: 'trigger', scriptId: 7, customerPhone: '={{ $json.phone }}' },
  additionalFields: { orderNumber: '={{ $json.order }}' },
  options: { concurrency: 2 },
};
const logged = { ...call, callLog: 'dataTable', callLogTable: { mode: 'name', value: 'Calls' } };
const rows = () => world.tables.rowsOf('Calls');
const states = () => rows().map(({ status, orderId }) => [status, orderId !== null]);
const calls = () => [...world.service.seen.callsByPhone.values()];
const isAbout =
  (item: number) =>
  ({ body }: { body: unknown }) =>
    (body as IDataObject).customerPhone === phoneOf(item);
/** The service refuses an item once: no balance. */
const refuse = (item: number) =>
  world.service.faults.add({
    ...{ kind: 'status', status: 400, match: isAbout(item) },
    body: { success: false, message: 'Insufficient balance' },
  });
const retry = async (of: Execution, parameters: IDataObject, count: number) =>
  await execute({
    ...{ parameters, items: itemsOf(count), credential: world.credential() },
    retryOf: of,
  });

describe('a call of which nobody knows whether it was placed', () => {
  it.each([
    ['a log', logged],
    ['no log', call],
  ])('keeps no retry from calling the others, with %s', async (_, parameters) => {
    world.service.faults.add({ kind: 'reset', when: 'after', match: isAbout(1) });
    const run = { parameters, items: itemsOf(12), credential: world.credential() };
    const first = await execute(run);
    expect(calls().length).toBeLessThan(5);
    const second = await retry(first, parameters, 12);
    expect(calls()).toEqual(Array.from({ length: 12 }, () => 1));
    expect(second.error?.message).toMatch(/^11 people were called, and 1 more may have been\. /);
  });
});

describe('a service that answers nobody', () => {
  it('leaves one more call in doubt in each retry, not as many as go at once', async () => {
    world.service.faults.add({ kind: 'hang', when: 'after', times: 100 });
    const parameters = { ...call, options: { concurrency: 5, requestTimeoutSeconds: 1 } };
    const run = { parameters, items: itemsOf(20), credential: world.credential() };
    const first = await execute(run);
    expect(calls()).toHaveLength(5);
    await execute({ ...run, retryOf: first });
    expect(calls()).toHaveLength(6);
  });
});

describe('a campaign of which nobody knows whether it exists or runs', () => {
  const create = { resource: 'campaign', operation: 'create', scriptId: 7, startImmediately: true };
  const list = (item: number) => [{ customerPhone: phoneOf(item), orderNumber: `A-${item}` }];
  const requests = () => world.service.seen.requests;

  it('keeps no retry from creating those of other lists', async () => {
    world.service.faults.add({ kind: 'reset', when: 'after', route: 'createCampaign' });
    const items = [0, 1, 2].map((item) => ({ json: { list: list(item) } }));
    const parameters = { ...create, contactsSource: 'json', contactsJson: '={{ $json.list }}' };
    const run = { parameters, items, credential: world.credential() };
    const first = await execute(run);
    expect(requests().createCampaign).toBe(1);
    const second = await execute({ ...run, retryOf: first });
    expect(requests().createCampaign).toBe(3);
    expect(second.error?.message).toMatch(/^2 campaigns were started\. .* may have been created/);
  });

  it('keeps no retry from starting the other parts of its list', async () => {
    let starts = 0;
    const isSecond = () => ++starts === 2;
    world.service.faults.add({
      ...{ kind: 'reset', when: 'after', route: 'controlCampaign', match: isSecond },
    });
    const contactsJson = JSON.stringify([0, 1, 2].flatMap(list));
    const options = { contactsPerCampaign: 1 };
    const parameters = { ...create, contactsSource: 'json', contactsJson, options };
    const run = { parameters, credential: world.credential() };
    const first = await execute(run);
    expect(requests().controlCampaign).toBe(2);
    const second = await execute({ ...run, retryOf: first });
    expect(requests().controlCampaign).toBe(3);
    expect(second.error?.message).toMatch(/^2 campaigns were started\. .* may have been started/);
  });
});

describe('a call that another try of the execution has placed', () => {
  it('has a row in a log that only the retry has', async () => {
    refuse(4);
    const run = { parameters: call, items: itemsOf(5), credential: world.credential() };
    const first = await execute({ ...run, parameters: { ...call, options: { concurrency: 1 } } });
    expect(calls()).toHaveLength(4);
    await retry(first, logged, 5);
    expect(calls()).toEqual([1, 1, 1, 1, 1]);
    expect(states()).toEqual(Array.from({ length: 5 }, () => ['in_progress', true]));
  });

  it('while this one begins has one row', async () => {
    refuse(1);
    const run = { parameters: logged, items: itemsOf(2), credential: world.credential() };
    const first = await execute(run);
    const release = world.service.faults.hold();
    const one = retry(first, logged, 2);
    await delay(300);
    const two = retry(first, logged, 2);
    await delay(300);
    release();
    expect((await Promise.all([one, two])).map(({ error }) => error)).toEqual([
      undefined,
      undefined,
    ]);
    expect(calls()).toEqual([1, 1]);
    expect(states().filter(([status]) => status !== 'not_placed')).toEqual([
      ['in_progress', true],
      ['in_progress', true],
    ]);
  });

  it.each([{}, { preventDuplicates: true }])(
    'for another request of an agent has one row, with the rules %j',
    async (rules) => {
      const parameters = {
        ...{ ...logged, rules, customerPhone: '={{ $fromAI("phone") }}' },
        additionalFields: { orderNumber: '={{ $fromAI("order", "", "string", "") }}' },
      };
      const agent = new AgentTool({ credential: world.credential(), parameters });
      const release = world.service.faults.hold();
      const one = agent.prepare()({ phone: phoneOf(0), order: 'A-1' });
      await delay(300);
      const two = agent.prepare()({ phone: phoneOf(0), order: 'A-1' });
      await delay(300);
      release();
      await Promise.all([one, two]);
      expect(calls()).toEqual([1]);
      expect(states()).toEqual([['in_progress', true]]);
    },
  );

  it('does not leave by "Not Called"', async () => {
    refuse(1);
    const options = { concurrency: 1, notCalledOutput: true };
    const parameters = { ...call, options };
    const run = { parameters, items: itemsOf(2), credential: world.credential() };
    const first = await execute(run);
    const credential = world.credential('other-key');
    const second = await execute({ ...run, credential, retryOf: first });
    const outputs = Object.values(second.run.data.resultData.runData).at(-1)?.at(-1)?.data?.main;
    expect(
      outputs?.map((items) => items?.map(({ json }) => json.reason ?? json.callStatus)),
    ).toEqual([['earlierTry', 'in_progress'], []]);
  });
});
