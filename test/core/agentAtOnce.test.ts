import type { IDataObject } from 'n8n-workflow';
import { AgentTool } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({
  outcomeFor: () => ({ status: 'completed', lastsSec: 60, label: 'Confirmed' }),
});

const callLogTable = { __rl: true, mode: 'name', value: 'Calls' };
const LOGGED = { callLog: 'dataTable', callLogTable };
const SETTINGS: Record<string, IDataObject> = {
  'Call Customer': {},
  'Call Customer with a log': LOGGED,
  'Call Customer with a log and Prevent Duplicates': {
    ...LOGGED,
    rules: { preventDuplicates: true },
  },
  'Call Customer and Wait': { operation: 'triggerAndWait', options: { maxWaitMinutes: 5 } },
  'Schedule Call': { ...LOGGED, operation: 'schedule' },
};

/** How an agent asks for one call twice. */
const PAIRS = [
  ['1001', '1001'],
  ['1001', 'Order 1001'],
  ['A-1001', '1001'],
  ['1001', ''],
  ['1001', 'unknown'],
  ['not provided', 'B-7'],
];

const PHONE = '+12025550123';
const ai = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;
const toolOf = (more: IDataObject) =>
  new AgentTool({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: ai('phone'),
      additionalFields: { orderNumber: ai('order') },
      ...more,
    },
    credential: world.credential(),
  });

describe.each(Object.entries(SETTINGS))('%s for an agent', (_, settings) => {
  const callsOf = () =>
    settings.operation === 'schedule'
      ? world.tables.rowsOf('Calls').filter(({ status }) => status === 'scheduled').length
      : world.service.seen.calls.length;

  it.each(PAIRS)('that asks for order "%s" and "%s" at once, calls once', async (one, other) => {
    const agent = toolOf(settings);
    const requests = [agent.prepare(), agent.prepare()];
    const orders = [one, other];
    await Promise.all(
      requests.map(async (ask, index) => await ask({ phone: PHONE, order: orders[index] })),
    );
    expect(callsOf()).toBe(1);
  });

  it.each(PAIRS)('that asks for order "%s" and then "%s", calls once', async (one, other) => {
    const agent = toolOf(settings);
    for (const order of [one, other]) await agent.prepare()({ phone: PHONE, order });
    expect(callsOf()).toBe(1);
  });

  it('that asks for two orders of a person, or for two people, at once, calls for both', async () => {
    const agent = toolOf(settings);
    const asked = [
      { phone: PHONE, order: '1001' },
      { phone: PHONE, order: '1002' },
      { phone: '+12025550124', order: '' },
    ];
    const requests = asked.map((one) => ({ one, ask: agent.prepare() }));
    await Promise.all(requests.map(async ({ one, ask }) => await ask(one)));
    expect(callsOf()).toBe(3);
  });
});
