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

describe('a number that a spreadsheet may have shortened', () => {
  const phone = 4915120000000;
  const shortened = 'ends with six zeros';

  it.each(['+{{ $json.phone }}', "{{ '+' + $json.phone }}"])(
    'calls nobody when an expression adds its plus: %s',
    async (customerPhone) => {
      const { error } = await run({ customerPhone: `=${customerPhone}` }, [{ phone }]);
      expect(error?.message).toContain(shortened);
      const contactsJson = `=[{"customerPhone": "+{{ $json.phone }}"}]`;
      const list = await run({ ...campaign, contactsSource: 'json', contactsJson }, [{ phone }]);
      expect(list.error?.message).toContain(shortened);
      expect(called()).toEqual([]);
    },
  );

  it('is called when a person has typed its plus', async () => {
    await run({}, [{ phone: `+${phone}` }]);
    expect(called()).toEqual([`+${phone}`]);
  });
});

describe('a text of several expressions, of which one gives nothing', () => {
  const parts = '=+{{ $json.country }}{{ $json.phone }}';
  const newYorker = { phone: '6465550123' };

  it('is no phone number: what is left may be one of New Zealand', async () => {
    const signs = ['', '-', '_', '(', '\u200b', '\u200e', '\u00ad'];
    for (const item of [newYorker, ...signs.map((country) => ({ ...newYorker, country }))]) {
      const { error } = await run({ customerPhone: parts }, [item]);
      expect(error?.message).toContain('Customer Phone "undefined" is not a phone number');
    }
    expect(called()).toEqual([]);
  });

  it.each([
    "'+' + $json.country + $json.phone",
    '`+${$json.country}${$json.phone}`',
    "['+', $json.country, $json.phone].join('')",
    "'+'.concat($json['country'], $json.phone)",
    "($json.country + $json.phone.replace('-', '')).replace(/^/, '+')",
    "'+' + $input.item.json.country + $json.phone",
    "'+' + $json.country + $json.phone.replace(/^0?/, '')",
    "'+' + $json.country + $json.phone.replace('?', '').replace(/['/|| ]+?/g, '')",
    "'+' + $input.first().json.country + $input.first().json.phone",
    "'+' + $input.all()[0].json.country + $input.last().json.phone",
  ])('is no phone number either when one expression joins them: %s', async (joined) => {
    for (const country of ['', ' ', '-', 'N/A', null]) {
      const item = { ...newYorker, country };
      const { error } = await run({ customerPhone: `={{ ${joined} }}` }, [item]);
      expect(error?.message).toMatch(/^Nobody was called\. .*[Pp]hone/);
    }
    expect(called()).toEqual([]);
  });

  it.each([
    ["'+' + $json.country + $json.phone", { ...newYorker, country: '1' }],
    ["$json.mobile || '+' + $json.country + $json.phone", { mobile: '+16465550123' }],
    ["[$json.mobile, $json.phone].find(Boolean).replace('+', '')", { phone: '+16465550123' }],
    [
      "'+' + ($json.phone.startsWith('+') ? '' : $json.country) + $json.phone.replace('+', '')",
      { phone: '+16465550123' },
    ],
    [
      '`It\'s +${$json.full}${$json.extension ?? \'\'}`.replace("It\'s ", "")',
      { full: '16465550123' },
    ],
    ["'+' + $json.full + ($json.extension ?? '')", { full: '16465550123' }],
  ])('is a phone number where nothing is missing: %s', async (expression, item) => {
    const options = { defaultCountry: 'US' };
    await run({ customerPhone: `={{ ${expression} }}`, options }, [item]);
    expect(called()).toEqual(['+16465550123']);
  });

  it('is no test phone', async () => {
    const rules = { manualExecutions: 'testPhone', testPhone: parts };
    const { error } = await execute({
      parameters: {
        ...{ resource: 'call', operation: 'trigger', scriptId: 7 },
        ...{ customerPhone: phoneOf(1), rules },
      },
      items: [{ json: newYorker }],
      credential: world.credential(),
      mode: 'manual',
    });
    expect(error?.message).toContain('Test Phone "undefined" is not a phone number');
    expect(called()).toEqual([]);
  });

  it.each<IDataObject>([
    {
      contactsSource: 'json',
      contactsJson: `=[{"customerPhone": "${parts.slice(1)}", "orderNumber": "A-{{ $json.no }}"}]`,
    },
    {
      contactsSource: 'csvText',
      csvText: `=phone_number,orderNumber\n${parts.slice(1)},A-{{ $json.no }}`,
      phoneColumn: 'phone_number',
    },
  ])('is none in a list within a text: $contactsSource', async (list) => {
    const item = { ...newYorker, country: '1', no: 7 };
    for (const lacking of [{ country: '' }, { country: '\u200e' }, { phone: null }]) {
      const { error } = await run({ ...campaign, ...list }, [{ ...item, ...lacking }]);
      expect(error?.message).toMatch(/Contact 1 \(undefined\): .*not a phone number/);
    }
    const { error } = await run({ ...campaign, ...list }, [item]);
    expect(error).toBeUndefined();
    expect(world.service.seen.campaigns[0]?.contacts).toMatchObject([
      { body: { customerPhone: '+16465550123', orderNumber: 'A-7' } },
    ]);
  });

  it.each([
    '+{{ $json.country + $json.phone }}',
    "{{ '+' + $json.country + $json.phone }}",
    '{{ `+${$json.country}${$json.phone}` }}',
  ])('is none in a list within a text when one expression joins them: %s', async (joined) => {
    const lists: IDataObject[] = [
      { contactsSource: 'json', contactsJson: `=[{"customerPhone": "${joined}"}]` },
      { contactsSource: 'csvText', csvText: `=name|phone\nAnn|${joined}`, phoneColumn: 'phone' },
    ];
    for (const list of lists) {
      for (const country of ['', '-', '_', '\u200e']) {
        const { error } = await run({ ...campaign, ...list }, [{ ...newYorker, country }]);
        expect(error?.message).toMatch(/Contact 1 \(undefined\): .*not a phone number/);
      }
      const { error } = await run({ ...campaign, ...list }, [{ ...newYorker, country: '1' }]);
      expect(error).toBeUndefined();
    }
    expect(world.service.seen.campaigns).toHaveLength(lists.length);
  });

  it.each([
    "=phone_number,name\n{{ '+' + $json.phone + ',' + $json.name }}",
    "={{ 'phone_number,name\\n+' + $json.phone + ',' + $json.name }}",
  ])('is no matter where one expression makes several cells: %s', async (csvText) => {
    const list = { contactsSource: 'csvText', csvText, phoneColumn: 'phone_number' };
    const { error } = await run({ ...campaign, ...list }, [{ phone: '12025550123', name: '' }]);
    expect(error).toBeUndefined();
    expect(world.service.seen.campaigns[0]?.contacts).toMatchObject([{ phone: '+12025550123' }]);
  });

  it.each([newYorker, { ...newYorker, country: ' ' }])(
    'is nobody whose calls are cancelled, or whose rows are deleted: %j',
    async (item) => {
      const byPhone = [
        { operation: 'cancelScheduled', cancelBy: 'phone', cancelValue: parts },
        { resource: 'callLog', operation: 'prune', pruneBy: 'phone', customerPhone: parts },
      ];
      for (const parameters of byPhone) {
        const callLogTable = { mode: 'name', value: 'Calls' };
        const { error } = await run({ ...parameters, callLogTable }, [item]);
        expect(error?.message).toContain('Customer Phone "undefined" is not a phone number');
      }
    },
  );

  it.each([newYorker, { ...newYorker, country: '' }])('is none in a campaign: %j', async (item) => {
    const { error } = await run({ ...campaign, contactPhone: parts }, [item]);
    expect(error?.message).toContain('Contact 1 (undefined)');
    expect(world.service.seen.campaigns).toEqual([]);
  });

  it('is no matter for other texts of a list', async () => {
    const contactsJson =
      '=[{"customerPhone": "{{ $json.phone.startsWith("+") ? "" : "+" }}{{ $json.phone }}", "notes": "{{ $json.street }} ({{ $json.door }}). {{ $json.title }}{{ $json.name }}"}{{ $json.more ? "," : "" }}{{ $json.more }}]';
    const item = { phone: '12025550123', street: 'Main Street', name: 'Ann' };
    const { error } = await run({ ...campaign, contactsSource: 'json', contactsJson }, [item]);
    expect(error).toBeUndefined();
    expect(world.service.seen.campaigns[0]?.contacts).toMatchObject([{ phone: '+12025550123' }]);
  });

  it('is what a person means who adds a plus where there is none', async () => {
    const customerPhone = '={{ $json.phone.startsWith("+") ? "" : "+" }}{{ $json.phone }}';
    await run({ customerPhone }, [{ phone: '12025550123' }, { phone: '+12025550124' }]);
    expect(called()).toEqual(['+12025550123', '+12025550124']);
  });

  it('is what a person means who lets a part be empty', async () => {
    const customerPhone = "=+{{ $json.country ?? '' }}{{ $json.phone }}";
    const people = [{ phone: '12025550123' }, { phone: '12025550124', country: '' }];
    await run({ customerPhone }, people);
    expect(called()).toEqual(['+12025550123', '+12025550124']);
  });

  it.each([
    '={{ $json.shop }}-{{ $json.no }}',
    '={{ $json.shop }} {{ $json.broken }}',
    "={{ 'order_' + $json.no }}",
    '={{ $json.isPaid }}',
  ])('is no Duplicate Key: %s', async (key) => {
    const items = [{ phone: phoneOf(1), shop: 'de', broken: '#N/A', isPaid: true }];
    const { error } = await run({ rules: { duplicateKey: key } }, items);
    expect(error?.message).toMatch(/Duplicate Key is (?:".*undefined"|"#N\/A"|empty)/);
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

it.each(['None', 'null', '(null)'])(
  'is no order number in a campaign, of which the second order of a person would be left out: %j',
  async (no) => {
    const objection = `"orderNumber" is "${no}"`;
    const items = [1, 2].map(() => ({ phone: phoneOf(1), no }));
    const ofItems = await run(
      { ...campaign, contactFields: { orderNumber: '={{ $json.no }}' } },
      items,
    );
    expect(ofItems.error?.message).toContain(objection);
    const csvText = `phone_number,orderNumber\n${phoneOf(1)},${no}`;
    const ofList = await run({ ...campaign, contactsSource: 'csvText', csvText }, [{}]);
    expect(ofList.error?.message).toContain(objection);
    expect(world.service.seen.campaigns).toEqual([]);
  },
);

describe('a text around one expression, which gives nothing that tells orders apart,', () => {
  // As n8n has read it from JSON: that of other orders, too.
  const ROUNDED = Number('576461413038785752');
  const broken: Array<[unknown, string]> = [
    ['#N/A', 'is "#N/A"'],
    ['5.76461E+17', 'is "5.76461E+17"'],
    [ROUNDED, 'has more digits than a number can hold'],
    ['null', 'is "null"'],
    ...['None', '(null)', '\\N', '-'].map((word): [string, string] => [word, 'is "undefined"']),
  ];

  it.each([...broken, [' ', 'is empty'] as const])('is no Duplicate Key: %j', async (no, why) => {
    const items = [{ phone: phoneOf(1), no } as IDataObject];
    const { error } = await run({ rules: { duplicateKey: '=TT-{{ $json.no }}' } }, items);
    expect(error?.message).toContain(`Duplicate Key ${why}`);
    expect(called()).toEqual([]);
  });

  it.each(broken)('is no order number: %j', async (no, why) => {
    const orderNumber = '=TT-{{ $json.no }}';
    const items = [{ phone: phoneOf(1), no } as IDataObject];
    const call = await run({ additionalFields: { orderNumber } }, items);
    expect(call.error?.message).toContain(`Order Number ${why}`);
    const created = await run({ ...campaign, contactFields: { orderNumber } }, items);
    expect(created.error?.message).toContain(`"orderNumber" ${why}`);
    const cancel = { operation: 'cancelScheduled', cancelBy: 'orderNumber' };
    const callLogTable = { mode: 'name', value: 'Calls' };
    const paid = await run({ ...cancel, callLogTable, cancelValue: orderNumber }, items);
    expect(paid.error?.message).toContain(`Order Number ${why}`);
    expect(called()).toEqual([]);
    expect(world.service.seen.campaigns).toEqual([]);
  });

  it('is a call without an order number when it gives nothing or spaces', async () => {
    const additionalFields = { orderNumber: '=TT-{{ $json.no }}' };
    const items = [' ', '', null].map((no, index) => ({ phone: phoneOf(index), no }));
    await run({ additionalFields }, items);
    expect(called()).toHaveLength(3);
    expect(JSON.stringify(world.service.seen.received)).not.toContain('orderNumber');
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
