import type { IDataObject } from 'n8n-workflow';
import { execute, jsonOf, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });

const PHONES = ['+12025550101', '+12025550102'];
const FIELDS = { orderNumber: '=ORD-{{ $json.number }}', customerName: '={{ $json.name }}' };
const OPERATIONS: Record<string, IDataObject> = {
  'Call Customer': {
    ...{ resource: 'call', operation: 'trigger', customerPhone: '={{ $json.phone }}' },
    additionalFields: FIELDS,
  },
  'Create Campaign': {
    ...{ resource: 'campaign', operation: 'create', contactsSource: 'inputItems' },
    ...{ contactPhone: '={{ $json.phone }}', contactFields: FIELDS },
  },
};

describe.each(Object.entries(OPERATIONS))('%s', (_, operation) => {
  const hintsFor = async (items: IDataObject[]) => {
    const execution = await execute({
      parameters: { scriptId: 7, ...operation },
      items: items.map((json) => ({ json })),
      credential: world.credential(),
    });
    jsonOf(execution);
    return hintsOf(execution).filter((hint) => hint.includes('have nothing for'));
  };

  it('hints at fields that all items leave empty, as after a column was renamed', async () => {
    const items = PHONES.map((phone) => ({ phone, orderNo: '17' }));
    expect(await hintsFor(items)).toEqual([
      'The 2 items have nothing for "Customer Name", "Order Number": check the expressions there',
    ]);
  });

  it('does not where one item has them, nor for a single item', async () => {
    const [phone, other] = PHONES;
    expect(await hintsFor([{ phone }, { phone: other, number: 17, name: 'Lee' }])).toEqual([]);
    expect(await hintsFor([{ phone }])).toEqual([]);
  });
});

describe('an expression that uses one item for all', () => {
  const orders = Array.from({ length: 20 }, (_, index) => ({
    phone: `+1202555${1000 + index}`,
    number: `A-${index}`,
    name: `Ada ${String.fromCharCode(65 + index)}.`,
  }));
  const own = { orderNumber: '={{ $json.number }}', customerName: '={{ $json.name }}' };
  const run = async (
    parameters: IDataObject,
    items: IDataObject[] = orders,
    more: Partial<ExecutionRequest> = {},
  ) =>
    await execute({
      parameters: {
        ...{ resource: 'call', operation: 'trigger', scriptId: 7, additionalFields: own },
        ...{ callLogTable, ...parameters },
      },
      items: items.map((json) => ({ json })),
      credential: world.credential(),
      ...more,
    });
  const callLogTable = { mode: 'name', value: 'Calls' };
  const called = () => world.service.seen.calls.map(({ phone }) => phone);
  const of = (count: number) => orders.slice(0, count);
  const sameIn = (execution: Awaited<ReturnType<typeof run>>) =>
    hintsOf(execution).filter((hint) => hint.includes('the same value for'));
  const saysSame = (count: number, names: string) => [
    `The ${count} items have the same value for ${names}: check the expressions there. One with .first() uses the first item for all`,
  ];
  const FIRST = '={{ $input.first().json.phone }}';

  describe.each(['trigger', 'triggerAndWait', 'schedule'])(
    'as Customer Phone (%s)',
    (operation) => {
      it.each([
        FIRST,
        '={{ $input.last().json.phone }}',
        '=+{{ $input.all()[0].json.phone.slice(1) }}',
        '={{ $input.all().map((one) => one.json.phone)[1] }}',
      ])('calls nobody: %s', async (customerPhone) => {
        const { error } = await run({ operation, customerPhone });
        expect(error?.message).toBe(
          'Nobody was called. Customer Phone is the same for all 20 items: its expression uses one item for all',
        );
        expect(error?.description).toContain('e.g. {{ $json.phone }}');
        expect(world.service.seen.received).toEqual([]);
        expect(world.tables.rowsOf('Calls')).toEqual([]);
      });
    },
  );

  it('of a node further ahead, as Customer Phone, calls nobody', async () => {
    const before = { operation: 'schedule', customerPhone: '={{ $json.phone }}' };
    const { error } = await run(
      { customerPhone: "={{ $('Before').first().json.customerPhone }}" },
      orders,
      { before: { resource: 'call', scriptId: 7, callLogTable, ...before } },
    );
    expect(error?.message).toContain('Customer Phone is the same for all 20 items');
    expect(called()).toEqual([]);
  });

  describe('in a loop with one item a round', () => {
    const inLoop = async (parameters: IDataObject, items: IDataObject[] = of(3)) => {
      const before = { operation: 'schedule', customerPhone: '={{ $json.phone }}' };
      const more = { rounds: items.length, oneByOne: true };
      return await run(parameters, items, {
        ...more,
        before: {
          ...{ resource: 'call', scriptId: 7, callLogTable, ...before },
          additionalFields: { orderNumber: '={{ $json.number }}' },
        },
      });
    };
    const notCalled =
      'Customer Phone is that of another item: its expression uses one item for all';
    const first = "$('Before').first().json.customerPhone";

    it.each([
      first,
      "$('Before').all()[0].json.customerPhone",
      "$('Before').first(0, 0).json.customerPhone",
      '$node["Before"].json.customerPhone',
      '$node.Before.json.customerPhone',
      "$items('Before')[0].json.customerPhone",
    ])('calls the person of the first order only: %s', async (expression) => {
      const { error } = await inLoop({ customerPhone: `={{ ${expression} }}` });
      expect(error?.message).toContain(notCalled);
      expect(error?.description).toContain('e.g. {{ $json.phone }}');
      expect(called()).toEqual([orders[0]?.phone]);
    });

    it('calls nobody with the phone of the last order', async () => {
      const { error } = await inLoop({ customerPhone: `={{ ${first.replace('first', 'last')} }}` });
      expect(error?.message).toContain(notCalled);
      expect(called()).toEqual([]);
    });

    it('calls everybody with the own phone, or one phone of all orders', async () => {
      const own = { customerPhone: "={{ $('Before').item.json.customerPhone }}" };
      expect(jsonOf(await inLoop(own))).toHaveLength(3);
      const shop = of(3).map((order) => ({ ...order, phone: '+12025551234' }));
      const execution = await inLoop({ customerPhone: `={{ ${first} }}` }, shop);
      expect(jsonOf(execution)).toHaveLength(3);
      expect(called().slice(3)).toEqual(shop.map(({ phone }) => phone));
    });

    it('tells of the order number of another', async () => {
      const execution = await inLoop({
        customerPhone: '={{ $json.customerPhone }}',
        additionalFields: { orderNumber: "={{ $('Before').first().json.orderNumber }}" },
      });
      expect(jsonOf(execution)).toHaveLength(3);
      expect(hintsOf(execution).filter((hint) => hint.includes('of another'))).toEqual(
        Array(2).fill(
          'The item has the value of another for "Order Number": check the expressions there. One with .first() uses the first item for all',
        ),
      );
    });
  });

  it('as Customer Phone calls nobody, whether or not they have names, and with continue on error', async () => {
    const more = { settings: { onError: 'continueRegularOutput' as const } };
    const { items } = await run({ customerPhone: FIRST, additionalFields: {} }, of(2), more);
    expect(items.map(({ json }) => String(json.error))).toEqual([
      ...Array.from({ length: 2 }, () => expect.stringContaining('the same for all 2 items')),
    ]);
    expect(called()).toEqual([]);
  });

  it('as Contact Phone makes no campaign', async () => {
    const campaign = { resource: 'campaign', operation: 'create', contactsSource: 'inputItems' };
    const contacts = { contactPhone: FIRST, contactFields: own };
    const { error } = await run({ ...campaign, ...contacts });
    expect(error?.message).toContain('Contact Phone is the same for all 20 items');
    expect(world.service.seen.campaigns).toEqual([]);
  });

  it('as Customer Phone calls the person of a single item, or of all orders', async () => {
    jsonOf(await run({ customerPhone: FIRST }, of(1)));
    const ofOne = of(3).map((order) => ({ ...order, phone: '+12025551234', name: 'Ada' }));
    const execution = await run({ customerPhone: FIRST }, ofOne);
    expect(jsonOf(execution)).toHaveLength(3);
    expect(sameIn(execution)).toEqual([]);
    expect(called().slice(1)).toEqual(ofOne.map(({ phone }) => phone));
  });

  it.each([
    ['typed in', '+12025551234', []],
    ['that of all', '={{ $json.household }}', saysSame(3, '"Customer Phone"')],
  ])('is told from a phone that is %s', async (_, customerPhone, hints) => {
    const items = of(3).map((order) => ({ ...order, household: '+12025551234' }));
    const execution = await run({ customerPhone }, items);
    expect(jsonOf(execution)).toHaveLength(3);
    expect(sameIn(execution)).toEqual(hints);
  });

  it('as Order Number and Customer Name is told', async () => {
    const additionalFields = {
      orderNumber: '={{ $input.first().json.number }}',
      customerName: '={{ $input.first().json.name }}',
    };
    const execution = await run({ customerPhone: '={{ $json.phone }}', additionalFields });
    expect(sameIn(execution)).toEqual(saysSame(20, '"Customer Name", "Order Number"'));
    const one = await run({ customerPhone: '={{ $json.phone }}', additionalFields }, of(1));
    expect([...sameIn(one), ...sameIn(await run({ customerPhone: '={{ $json.phone }}' }))]).toEqual(
      [],
    );
  });

  it('as the call of an outcome, and as what to cancel, is told', async () => {
    const placed = jsonOf(await run({ customerPhone: '={{ $json.phone }}' }, of(2)));
    const outcome = { operation: 'getOutcome', orderId: '={{ $input.first().json.orderId }}' };
    expect(sameIn(await run(outcome, placed))).toEqual(saysSame(2, '"Call ID at the Service"'));
    const campaigns = { resource: 'campaign', contactsSource: 'inputItems' };
    const create = { ...campaigns, operation: 'create', contactPhone: '={{ $json.phone }}' };
    const created = jsonOf(await run({ ...create, options: { contactsPerCampaign: 1 } }, of(2)));
    const start = { resource: 'campaign', operation: 'start' };
    const first = { ...start, campaignId: '={{ $input.first().json.campaignId }}' };
    expect(sameIn(await run(first, created))).toEqual(saysSame(2, '"Campaign ID"'));
    const each = { operation: 'getOutcome', orderId: '={{ $json.orderId }}' };
    expect(sameIn(await run(each, placed))).toEqual([]);
    jsonOf(await run({ operation: 'schedule', customerPhone: '={{ $json.phone }}' }, of(2)));
    const cancel = {
      ...{ operation: 'cancelScheduled', cancelBy: 'orderNumber' },
      cancelValue: '={{ $input.first().json.number }}',
    };
    expect(sameIn(await run(cancel, of(2)))).toEqual(saysSame(2, '"Cancel By"'));
  });
});
