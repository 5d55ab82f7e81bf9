import type { IDataObject } from 'n8n-workflow';
import { AgentTool } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1 });
const ANN = '+12025550101';
const call: IDataObject = {
  ...{ resource: 'call', scriptId: 7, customerPhone: '={{ $fromAI("phone") }}' },
  additionalFields: { orderNumber: '={{ $fromAI("order", "", "string", "") }}' },
};
const trigger = { ...call, operation: 'trigger' };
const schedule = {
  ...{ ...call, operation: 'schedule', callLogTable: { mode: 'name', value: 'Calls' } },
};
const agentWith = (parameters: IDataObject) =>
  new AgentTool({ credential: world.credential(), parameters });
const rowsScheduled = () =>
  world.tables.rowsOf('Calls').filter(({ status }) => status === 'scheduled');

describe('an AI agent that asks again for the same person', () => {
  it.each<[string, IDataObject, IDataObject]>([
    ['without the order number', { order: 'A-1001' }, {}],
    ['with an order number that it had left out', {}, { order: 'A-1001' }],
    [
      'with "unknown" for an order number that it finds out',
      { order: 'unknown' },
      { order: 'A-1' },
    ],
    ['with "null" for an order number that it finds out', { order: 'null' }, { order: 'A-1' }],
  ])('%s calls once', async (_label, first, second) => {
    const agent = agentWith(trigger);
    await agent.prepare()({ phone: ANN, ...first });
    const answer = await agent.prepare()({ phone: ANN, ...second });
    expect([...world.service.seen.callsByPhone]).toEqual([[ANN, 1]]);
    expect(answer).toContain('they may be the same call');
  });

  it.each(['null', 'N/A', 'None', '-'])(
    'with %j for the order number that it has not gets the same call, which has none',
    async (order) => {
      const agent = agentWith(trigger);
      const first = await agent.prepare()({ phone: ANN, order });
      expect(await agent.prepare()({ phone: ANN })).toBe(first);
      expect([...world.service.seen.callsByPhone]).toEqual([[ANN, 1]]);
      expect(JSON.stringify(world.service.seen.received)).not.toContain('orderNumber');
    },
  );

  it.each(['Order #A-1', 'order a-1', 'Order No. A-1', 'Order number: A-1', 'Order: #A-1'])(
    'with "%s" for the order A-1 calls once',
    async (order) => {
      const agent = agentWith(trigger);
      await agent.prepare()({ phone: ANN, order: 'A-1' });
      await agent.prepare()({ phone: ANN, order });
      expect([...world.service.seen.callsByPhone]).toEqual([[ANN, 1]]);
    },
  );

  it('with the digits of an order in another spelling calls once, and schedules one call', async () => {
    const pairs = [
      ['A-1001', 'A1001'],
      ['INV-00042', '00042'],
      ['000001001', 'Invoice 000001001'],
    ];
    for (const [order, other] of pairs) {
      for (const parameters of [trigger, schedule]) {
        const agent = agentWith(parameters);
        await agent.prepare()({ phone: ANN, order });
        expect(await agent.prepare()({ phone: ANN, order: other })).toContain('the same digits');
      }
    }
    expect([...world.service.seen.callsByPhone]).toEqual([[ANN, pairs.length]]);
    expect(rowsScheduled()).toHaveLength(pairs.length);
  });

  it('for orders whose numbers have no digits calls for each of them', async () => {
    const agent = agentWith(trigger);
    await agent.prepare()({ phone: ANN, order: 'spring' });
    await agent.prepare()({ phone: ANN, order: 'summer' });
    expect([...world.service.seen.callsByPhone]).toEqual([[ANN, 2]]);
  });

  it('without the order number schedules one call', async () => {
    const agent = agentWith(schedule);
    await agent.prepare()({ phone: ANN, order: 'A-1001' });
    await agent.prepare()({ phone: ANN });
    expect(rowsScheduled()).toHaveLength(1);
  });

  it('for several orders calls for each of them', async () => {
    const agent = agentWith(trigger);
    await agent.prepare()({ phone: ANN, order: 'A-1' });
    await agent.prepare()({ phone: ANN, order: 'A-2' });
    await agent.prepare()({ phone: '+12025550102', order: 'Order 1' });
    expect([...world.service.seen.callsByPhone]).toEqual([
      [ANN, 2],
      ['+12025550102', 1],
    ]);
  });
});

it('an AI agent that waits for one call with two requests hears of no trouble with the log', async () => {
  const { callLogTable } = schedule;
  const logged = { ...trigger, operation: 'triggerAndWait', callLog: 'dataTable', callLogTable };
  const agent = agentWith(logged);
  const requests = [agent.prepare(), agent.prepare()];
  const answers = await Promise.all(
    requests.map(async (request) => await request({ phone: ANN, order: 'A-1' })),
  );
  expect(answers.map((answer) => answer.includes('"finished":true'))).toEqual([true, true]);
  expect(answers.join()).not.toContain('callLogError');
});

it('an AI agent has nobody in two campaigns, also when only one list has the order number', async () => {
  const agent = agentWith({
    ...{ resource: 'campaign', operation: 'create', scriptId: 7, startImmediately: true },
    ...{ contactsSource: 'json', contactsJson: '={{ $fromAI("contacts", "", "json") }}' },
  });
  const lists: IDataObject[][] = [{}, { orderNumber: 'A-1' }, { orderNumber: 'A1' }].map(
    (order) => [{ customerPhone: ANN, ...order }],
  );
  const [, ...later] = await Promise.allSettled(
    lists.map(async (contacts) => await agent.prepare()({ contacts })),
  );
  expect(later.map((one) => JSON.stringify(one))).toEqual([
    expect.stringContaining('1 person of this list was loaded into campaign'),
    expect.stringContaining('1 person of this list was loaded into campaign'),
  ]);
  expect(world.service.seen.campaigns).toHaveLength(1);
});

it('an AI agent that schedules several calls at once gets no more than Max Calls', async () => {
  const agent = agentWith({ ...schedule, rules: { maxCalls: 2 } });
  const phones = [1, 2, 3, 4, 5].map((last) => `+1202555010${last}`);
  await Promise.allSettled(phones.map(async (phone) => await agent.prepare()({ phone })));
  expect(rowsScheduled()).toHaveLength(2);
});
