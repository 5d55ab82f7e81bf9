import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { execute } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ channelPool: 50 });
const phoneOf = (index: number) => `+1202555${1000 + index}`;
const run = async (parameters: IDataObject, items: IDataObject[], settings: IDataObject = {}) =>
  await execute({
    parameters: {
      ...{ resource: 'call', operation: 'trigger', scriptId: 7 },
      ...{ customerPhone: '={{ $json.phone }}', ...parameters },
    },
    items: items.map((json): INodeExecutionData => ({ json })),
    credential: world.credential(),
    settings,
  });
const called = () => world.service.seen.calls.map(({ phone }) => phone);
const campaign = {
  ...{ resource: 'campaign', operation: 'create', campaignName: 'Orders' },
  ...{ contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}', startImmediately: true },
};

describe('a text of several expressions, of which one gives nothing', () => {
  const parts = '=+{{ $json.country }}{{ $json.phone }}';
  const newYorker = { phone: '6465550123' };

  it('is no phone number: what is left may be one of New Zealand', async () => {
    const { error } = await run({ customerPhone: parts }, [newYorker]);
    expect(error?.message).toContain('Customer Phone "undefined" is not a phone number');
    expect(called()).toEqual([]);
  });

  it('is none in a campaign either', async () => {
    const { error } = await run({ ...campaign, contactPhone: parts }, [newYorker]);
    expect(error?.message).toContain('Contact 1 (undefined)');
    expect(world.service.seen.campaigns).toEqual([]);
  });

  it('is what a person means who lets a part be empty', async () => {
    const customerPhone = "=+{{ $json.country ?? '' }}{{ $json.phone }}";
    await run({ customerPhone }, [{ phone: '12025550123' }]);
    expect(called()).toEqual(['+12025550123']);
  });

  it.each([
    '={{ $json.shop }}-{{ $json.no }}',
    '={{ $json.shop }} {{ $json.broken }}',
    "={{ 'order_' + $json.no }}",
    '={{ $json.isPaid }}',
  ])('is no Duplicate Key: %s', async (key) => {
    const items = [{ phone: phoneOf(1), shop: 'de', broken: '#N/A', isPaid: true }];
    const { error } = await run({ rules: { duplicateKey: key } }, items);
    expect(error?.message).toMatch(/Duplicate Key is (?:".*undefined"|empty)/);
    expect(called()).toEqual([]);
  });

  it.each([
    ...['={{ $json.shop }}-{{ $json.no }}', '={{ $json.shop }}{{ $json.no }}'],
    "={{ 'order_' + $json.no }}",
  ])('is no order number: %s', async (orderNumber) => {
    const { error } = await run({ additionalFields: { orderNumber } }, [
      { phone: phoneOf(1), shop: 'de' },
    ]);
    expect(error?.message).toMatch(/Order Number is ".*undefined"/);
    expect(called()).toEqual([]);
  });

  it('is no order number in a campaign, of which the second order of a person would be left out', async () => {
    const contactFields = { orderNumber: '={{ $json.shop }}-{{ $json.no }}' };
    const items = [{ no: 1 }, {}, {}].map((one) => ({ phone: phoneOf(1), shop: 'de', ...one }));
    const { error } = await run({ ...campaign, contactFields }, items);
    expect(error?.message).toContain('"orderNumber" is "undefined"');
    expect(world.service.seen.campaigns).toEqual([]);
  });
});

it('is no reason to stop others when an expression of one item fails', async () => {
  const orderNumber = '={{ $json.d.toDateTime().toFormat("yyyy") }}-{{ $json.no }}';
  const items = ['2027-01-01', 'soon', '2027-01-01'].map((d, index) => ({
    ...{ phone: phoneOf(index), d, no: index },
  }));
  const goOn = { onError: 'continueRegularOutput' };
  const { items: told } = await run({ additionalFields: { orderNumber } }, items, goOn);
  expect(called()).toEqual([phoneOf(0), phoneOf(2)]);
  expect(told[1]?.json.error).toContain('cannot convert');
});

it('is nobody whose order is cancelled when a part of the number is missing', async () => {
  const cancelValue = '={{ $json.no }}{{ $json.suffix && "-" + $json.suffix }}';
  const callLogTable = { mode: 'name', value: 'Calls' };
  const cancel = { operation: 'cancelScheduled', cancelBy: 'orderNumber', cancelValue };
  const { error } = await run({ ...cancel, callLogTable }, [{ no: 17 }]);
  expect(error?.message).toContain('Order Number is "undefined"');
});

describe('a Duplicate Key', () => {
  it.each([
    ['1001', '1001\u200f'],
    ['\u200e1001', '1001'],
    ['B\u00fcro-1', 'Bu\u0308ro-1'],
    ['A 1', 'A\u00a01'],
  ])('%j is the same as %j, which looks alike', async (one, other) => {
    for (const key of [one, other]) {
      const rules = { duplicateKey: '={{ $json.key }}' };
      await run({ rules }, [{ phone: phoneOf(1), key }]);
    }
    expect(called()).toEqual([phoneOf(1)]);
  });
});

describe('an answer with the id of another call', () => {
  const callLogTable = { mode: 'name', value: 'Calls' };

  it.each([{}, { callLog: 'dataTable', callLogTable }])(
    'tells nobody how that call has ended (%j)',
    async (logged) => {
      world.service.faults.add({
        ...{ kind: 'json', route: 'trigger' },
        body: { success: true, order_id: 4001, script_id: 7, call_status: 'in_progress' },
        match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(2),
      });
      const { items } = await run(
        { operation: 'triggerAndWait', ...logged, options: { concurrency: 1 } },
        [{ phone: phoneOf(1) }, { phone: phoneOf(2) }],
        { onError: 'continueRegularOutput' },
      );
      expect(called()).toEqual([phoneOf(1)]);
      expect(items[0]?.json).toMatchObject({ finished: true });
      expect(items[1]?.json.error).toContain('answered about call 4001 again');
    },
  );
});
