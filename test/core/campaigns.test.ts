import type { IBinaryData, IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { execute, jsonOf } from './engine';
import { hintsOf } from './hints';

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService({ channelPool: 20 });
});
afterEach(async () => await service.close());

const phoneOf = (index: number) => `+1202555${String(1000 + index)}`;
const contactsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ customerPhone: phoneOf(index) }));
const create = (more: IDataObject) => ({
  resource: 'campaign',
  operation: 'create',
  scriptId: 7,
  campaignName: 'Orders',
  ...more,
});
const run = async (
  parameters: IDataObject,
  items: INodeExecutionData[] = [{ json: {} }],
  settings = {},
  credential: IDataObject = {},
) =>
  await execute({
    parameters,
    items,
    settings,
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key', ...credential },
  });
const csv = 'phone_number,name,orderNumber\n+12025550101,Ann,A-1\n+12025550102,"Lee, Bo",A-2\n';

describe('creating a campaign', () => {
  it.each<[string, IDataObject, INodeExecutionData[]]>([
    [
      'input items',
      {
        contactsSource: 'inputItems',
        contactPhone: '={{ $json.phone }}',
        contactFields: { customerName: '={{ $json.name }}', orderNumber: '={{ $json.number }}' },
      },
      [
        { json: { phone: '+12025550101', name: 'Ann', number: 'A-1' } },
        { json: { phone: '+12025550102', name: 'Lee, Bo', number: 'A-2' } },
      ],
    ],
    [
      'JSON',
      {
        contactsSource: 'json',
        contactsJson: JSON.stringify([
          { customerPhone: '+12025550101', customerName: 'Ann', orderNumber: 'A-1' },
          { phone_number: '+12025550102', name: 'Lee, Bo', orderNumber: 'A-2' },
        ]),
      },
      [{ json: {} }],
    ],
    [
      'CSV text',
      { contactsSource: 'csvText', csvText: csv, phoneColumn: 'phone_number' },
      [{ json: {} }],
    ],
    [
      'a CSV file',
      { contactsSource: 'csvFile', binaryPropertyName: 'data', phoneColumn: 'phone_number' },
      [
        {
          json: {},
          binary: {
            data: { data: Buffer.from(csv).toString('base64'), mimeType: 'text/csv' },
          },
        },
      ],
    ],
  ])('from %s sends the contacts in their primary form', async (_, parameters, items) => {
    const execution = await run(create(parameters), items);
    expect(jsonOf(execution)).toEqual([
      {
        campaignId: expect.any(Number),
        name: 'Orders',
        kind: 'cod',
        state: 'not_started',
        contactCount: 2,
        started: false,
        part: 1,
        parts: 1,
        message:
          'Created with 2 contacts. Nobody is called before you start it with Campaign > Start.',
      },
    ]);
    expect(service.seen.received[0]?.body).toMatchObject({
      scriptId: 7,
      contacts: [
        { customerPhone: '+12025550101', customerName: 'Ann', orderNumber: 'A-1' },
        { customerPhone: '+12025550102', customerName: 'Lee, Bo', orderNumber: 'A-2' },
      ],
    });
    expect(execution.items[0]?.pairedItem).toEqual(
      items.length === 1 ? { item: 0 } : items.map((__, item) => ({ item })),
    );
  });

  it.each<[string, IDataObject, string]>([
    ['a script', { scriptId: '={{ $json.script }}' }, 'Script ID differs between the items'],
    [
      'data of the script',
      {
        scriptVariables: { mappingMode: 'defineBelow', value: { brand_name: '={{ $json.shop }}' } },
      },
      'Script Variables differs between the items: item 1',
    ],
    [
      'data of the script beside a random value',
      {
        scriptVariables: {
          mappingMode: 'defineBelow',
          value: { brand_name: '={{ $json.shop }}', ref: '={{ Math.random() }}' },
        },
      },
      'Script Variables differs between the items: item 1',
    ],
    [
      'a rule',
      { rules: { manualExecutions: '={{ $json.script === 7 ? "call" : "dryRun" }}' } },
      'Rules differs between the items',
    ],
  ])('refuses items that have %s of their own, and calls nobody', async (_, more, told) => {
    const items = [
      { json: { phone: phoneOf(1), script: 7, shop: 'Acme' } },
      { json: { phone: phoneOf(2), script: 9, shop: 'Beta' } },
    ];
    const settings = { contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}', ...more };
    const execution = await run(create(settings), items);
    expect(execution.error?.message).toContain(told);
    expect(service.seen.received).toEqual([]);
  });

  const people = [1, 2, 3].map((index) => ({ json: { phone: phoneOf(index) } }));
  const ofPeople = create({ contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}' });

  it('is refused with Execute Once, which leaves out everybody but the first', async () => {
    const { error } = await run(ofPeople, people, { executeOnce: true });
    expect(error?.message).toContain('Execute Once leaves out 2 of 3 people');
    expect(service.seen.received).toEqual([]);
    const one = await run(ofPeople, people.slice(0, 1), { executeOnce: true });
    expect(jsonOf(one)).toMatchObject([{ contactCount: 1 }]);
  });

  it.each(['continueErrorOutput', 'continueRegularOutput'])(
    'that fails gives each of its people the error: %s',
    async (onError) => {
      service.faults.add({ kind: 'status', status: 500, times: Infinity });
      const mistaken = [...people, { json: { phone: 'x' } }];
      for (const items of [people, mistaken]) {
        const failed = await run(ofPeople, items, { onError });
        expect(failed.items.map(({ pairedItem }) => pairedItem)).toEqual(
          items.map((_, item) => ({ item })),
        );
        for (const { json, error } of failed.items) {
          expect(json.error).toMatch(/^Nobody was called/);
          // n8n adds no fields of the input to an item that has the error itself.
          expect(error === undefined).toBe(onError === 'continueErrorOutput');
        }
      }
    },
  );

  it('that is made in part gives one error, of no item: nobody knows whose it is', async () => {
    service.faults.add({
      ...{ kind: 'status', status: 400, route: 'createCampaign' },
      match: ({ body }) => JSON.stringify(body).includes(phoneOf(3)),
    });
    const parameters = { ...ofPeople, options: { contactsPerCampaign: 2 } };
    const { items } = await run(parameters, people, { onError: 'continueErrorOutput' });
    expect(items).toHaveLength(2);
    expect(items.find(({ json }) => json.error !== undefined)?.pairedItem).toEqual([]);
  });

  const named = (campaignName: string) => {
    const items = [{ json: { phone: phoneOf(1) } }, { json: { phone: phoneOf(2) } }];
    const contactPhone = '={{ $json.phone }}';
    return run(create({ contactsSource: 'inputItems', contactPhone, campaignName }), items);
  };

  it('takes a name with the time, which may be another one for each item', async () => {
    const [campaign] = jsonOf(await named('=Orders {{ $now.toMillis() }}'));
    expect(campaign).toMatchObject({
      name: expect.stringMatching(/^Orders \d+$/),
      contactCount: 2,
    });
  });

  it.each([
    ['differs between its items', '=Orders {{ $json.phone }}', 'Campaign Name differs between'],
    [
      'has a missing field',
      '={{ "Orders of " + $json.day }}',
      'Campaign Name is "Orders of undefined"',
    ],
    ['was not evaluated', 'Orders of {{ $json.day }}', 'Campaign Name has an expression that n8n'],
  ])('refuses a name that %s', async (_, campaignName, told) => {
    expect((await named(campaignName)).error?.message).toContain(told);
    expect(service.seen.received).toEqual([]);
  });

  it('refuses lists of one execution that name an order in other capitals', async () => {
    const lists = ['A-1', 'a-1'].map((orderNumber, index) => ({
      json: { name: `List ${index}`, list: [{ customerPhone: phoneOf(1), orderNumber }] },
    }));
    const contactsJson = '={{ $json.list }}';
    const settings = { contactsSource: 'json', contactsJson, campaignName: '={{ $json.name }}' };
    const execution = await run(create(settings), lists);
    expect(execution.error?.message).toContain('name 1 person whom the list of item 0 names');
    expect(service.seen.received).toEqual([]);
  });

  const ofTwoOrders = (chosen: string, more: IDataObject) => ({
    contactsSource: 'json',
    options: { duplicateContacts: chosen },
    ...more,
  });
  const TWO_LISTS = ['A-1', 'A-2'].map((orderNumber) => ({
    json: { list: [{ customerPhone: phoneOf(1), orderNumber }] },
  }));
  const EACH_ITEM = { contactsJson: '={{ $json.list }}' };

  it('tells of a number that stands in several lists for different orders', async () => {
    const execution = await run(create(ofTwoOrders('keep', EACH_ITEM)), TWO_LISTS);
    expect(jsonOf(execution)).toHaveLength(2);
    expect(hintsOf(execution)).toContain(
      '1 number stands in several lists, for different orders. Each campaign calls such a number each time. To call it once, choose Duplicate Contacts > Remove by Phone under "Options".',
    );
  });

  it.each<[string, IDataObject, number | undefined, RegExp, number]>([
    ['items', EACH_ITEM, undefined, /name 1 person whom the list of item 0 names/, 0],
    [
      'rounds of a loop',
      {
        contactsJson: '={{ $json.list.map((one) => ({ ...one, orderNumber: "A-" + $runIndex })) }}',
      },
      2,
      /name 1 person whom an earlier run of this node has loaded/,
      1,
    ],
  ])(
    'calls every number once with Remove by Phone, in all %s',
    async (_, list, rounds, told, made) => {
      const execution = await execute({
        parameters: create(ofTwoOrders('removeByPhone', list)),
        items: rounds === undefined ? TWO_LISTS : TWO_LISTS.slice(0, 1),
        credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
        ...(rounds === undefined ? {} : { rounds }),
      });
      expect(execution.error?.message).toMatch(told);
      expect(service.seen.campaigns).toHaveLength(made);
    },
  );

  describe('with a list that is not the input items', () => {
    const three = [1, 2, 3].map((n) => ({ json: { n } }));
    const asFile = (text: string) => ({
      data: { data: Buffer.from(text).toString('base64'), mimeType: 'text/csv' },
    });
    const phonesLoaded = () =>
      service.seen.received.map(({ body }) =>
        (body as { contacts: IDataObject[] }).contacts.map(({ customerPhone }) => customerPhone),
      );

    it.each<[string, IDataObject, INodeExecutionData[]]>([
      ['JSON', { contactsSource: 'json', contactsJson: JSON.stringify(contactsOf(2)) }, three],
      [
        'JSON by an expression',
        {
          contactsSource: 'json',
          contactsJson: `={{ ${JSON.stringify(contactsOf(2))} }}`,
          campaignName: '={{ "Orders" }}',
        },
        three,
      ],
      ['CSV text', { contactsSource: 'csvText', csvText: csv, phoneColumn: 'phone_number' }, three],
      [
        'a CSV file',
        { contactsSource: 'csvFile', binaryPropertyName: 'data', phoneColumn: 'phone_number' },
        three.map(({ json }) => ({ json, binary: asFile(csv) })),
      ],
    ])('creates one campaign for three items with the same %s', async (_, parameters, items) => {
      const execution = await run(create(parameters), items);
      expect(jsonOf(execution)).toHaveLength(1);
      expect(phonesLoaded()).toHaveLength(1);
      expect(execution.items[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
      expect(hintsOf(execution)).toContain(
        '3 input items ask for the same campaign: it is created once.',
      );
    });

    it.each<[string, IDataObject]>([
      ['name', { campaignName: '=Orders {{ Math.random() }}' }],
      [
        'variable',
        {
          scriptVariables: { mappingMode: 'defineBelow', value: { ref: '={{ Math.random() }}' } },
        },
      ],
    ])(
      'creates one campaign for three items with the same list and a random %s',
      async (_, more) => {
        const contactsJson = '={{ $input.all().map((_, n) => ({ phone: "+1202555010" + n })) }}';
        await run(create({ contactsSource: 'json', contactsJson, ...more }), three);
        expect(phonesLoaded()).toHaveLength(1);
      },
    );

    it('creates a campaign for each item that has another list', async () => {
      const list = '={{ [{ customerPhone: "+1202555010" + $json.n }] }}';
      const parameters = create({ contactsSource: 'json', contactsJson: list });
      const execution = await run(parameters, [...three, { json: { n: 2 } }]);
      expect(phonesLoaded()).toEqual([['+12025550101'], ['+12025550102'], ['+12025550103']]);
      expect(execution.items.map(({ pairedItem }) => pairedItem)).toEqual([
        { item: 0 },
        [{ item: 1 }, { item: 3 }],
        { item: 2 },
      ]);
      const files = [csv, csv.replaceAll('+120255501', '+120255502')].map((text) => ({
        json: {},
        binary: asFile(text),
      }));
      await run(create({ contactsSource: 'csvFile', phoneColumn: 'phone_number' }), files);
      expect(phonesLoaded().slice(3)).toEqual([
        ['+12025550101', '+12025550102'],
        ['+12025550201', '+12025550202'],
      ]);
    });

    it.each<[string, IDataObject]>([
      ['another name', { campaignName: '=Orders {{ $json.n }}' }],
      ['another script', { scriptId: '={{ $json.n + 6 }}' }],
      [
        'one person more',
        {
          contactsJson:
            '={{ [1, 2, 3].slice(-$json.n).map((n) => ({ phone: "+1202555010" + n })) }}',
        },
      ],
    ])('refuses to load people twice, for %s', async (_, more) => {
      const parameters = create({
        contactsSource: 'json',
        contactsJson: JSON.stringify(contactsOf(2)),
        ...more,
      });
      const { error } = await run(parameters, three.slice(0, 2));
      expect(error?.message).toMatch(
        /^Nobody was called\. Contacts name (1 person|2 people) whom the list of item 0 names/,
      );
      expect(service.seen.received).toEqual([]);
      const goingOn = { onError: 'continueRegularOutput' };
      expect(jsonOf(await run(parameters, three.slice(0, 2), goingOn))).toEqual([
        expect.objectContaining({ state: 'not_started' }),
        { error: expect.stringContaining('whom the list of item 0 names') },
      ]);
    });
  });

  describe('from a file under another name', () => {
    const withFiles = (...names: string[]): INodeExecutionData[] => {
      const file = { data: Buffer.from(csv).toString('base64'), mimeType: 'text/csv' };
      return [{ json: {}, binary: Object.fromEntries(names.map((name) => [name, file])) }];
    };
    const parameters = create({
      contactsSource: 'csvFile',
      binaryPropertyName: 'data',
      phoneColumn: 'phone_number',
    });

    it('loads the only file of the item', async () => {
      expect(jsonOf(await run(parameters, withFiles('attachment_0')))).toMatchObject([
        { contactCount: 2 },
      ]);
    });

    it.each([
      [
        ['orders', 'returns'],
        'The files of the item are "orders", "returns": enter one of these names. A campaign reads one file.',
      ],
      [[], 'The item has no files. Place a node before this one'],
    ])('lists the files that are there: %j', async (names, words) => {
      const { error } = await run(parameters, withFiles(...names));
      expect(error?.message).toContain('Input Binary Field names no file of the item: "data"');
      expect(error?.description).toContain(words);
      expect(service.seen.received).toEqual([]);
    });
  });

  describe('from one of several files', () => {
    const fileWith = (text: string, more: Partial<IBinaryData> = {}) => ({
      ...{ data: Buffer.from(text).toString('base64'), mimeType: 'text/csv', ...more },
    });
    const file = fileWith(csv);
    const other = 'phone_number\n+12025550199\n';
    const unread = fileWith(other);
    const byName = { mimeType: 'application/vnd.ms-excel', fileName: 'Returns.CSV' };
    const byExtension = { mimeType: 'text/plain', fileExtension: 'csv' };
    const hintsFor = async (binary: IBinaryKeyData, binaryPropertyName = 'List_0') => {
      const list = { contactsSource: 'csvFile', binaryPropertyName, phoneColumn: 'phone_number' };
      const execution = await run(create(list), [{ json: {}, binary }]);
      expect(jsonOf(execution)).toMatchObject([{ contactCount: 2 }]);
      return hintsOf(execution).filter((hint) => hint.startsWith('The item has'));
    };
    const advice =
      'A campaign reads one file: put a Split Out node with the field $binary before this one, and each file makes a campaign.';

    it.each([unread, fileWith(other, byName), fileWith(other, byExtension)])(
      'warns of another CSV file, which is not read: %j',
      async (List_1) => {
        expect(await hintsFor({ List_0: file, List_1 })).toEqual([
          `The item has 1 other CSV file, which is not read: "List_1". ${advice}`,
        ]);
      },
    );

    it('warns of several, also where an expression gives the file', async () => {
      const binary = { List_0: file, List_1: unread, List_2: unread };
      for (const field of ['List_0', '={{ $input.item.binary.List_0 }}']) {
        expect(await hintsFor(binary, field)).toEqual([
          `The item has 2 other CSV files, which are not read: "List_1", "List_2". ${advice}`,
        ]);
      }
    });

    it('does not warn of files of another kind, or with the same people', async () => {
      const picture = fileWith('', { mimeType: 'image/png', fileName: 'csv.png' });
      expect(await hintsFor({ List_0: file, picture, copy: file })).toEqual([]);
    });
  });

  it.each([
    ['={{ $json.missing }}', 'has an expression that gives nothing'],
    ['={{ "  " }}', 'has an expression that gives nothing'],
    [' ', 'is empty'],
  ])('takes no usual column or file where the panel has %j', async (nothing, words) => {
    const text = 'phone_number,mobile\n+12025550101,+12025550102\n';
    const file = { data: Buffer.from(text).toString('base64'), mimeType: 'text/csv' };
    const items = [{ json: {}, binary: { data: file, today: file } }];
    const refused = {
      'Phone Column': { contactsSource: 'csvText', csvText: text, phoneColumn: nothing },
      'Input Binary Field': { contactsSource: 'csvFile', binaryPropertyName: nothing },
    };
    for (const [name, parameters] of Object.entries(refused)) {
      const { error } = await run(create(parameters), items);
      expect(error?.message).toBe(`Nobody was called. ${name} ${words}`);
    }
    expect(service.seen.received).toEqual([]);
  });

  it('tells what each column of a CSV is used for', async () => {
    const text =
      'Name,Mobile,phone,customerName,Order Number,orderNotes,city\n' +
      'Blue shirt,+12025550101,1,Ann,90071992547409931234,Ring twice,Delhi\n';
    const parameters = { contactsSource: 'csvText', csvText: text, phoneColumn: 'Mobile' };
    const execution = await run(create(parameters));
    expect(hintsOf(execution)).toEqual([
      'Columns of the CSV. phone number: "Mobile"; customer name: "customerName"; order number: "Order Number"; order notes: "orderNotes"; script variables: "city"; ignored: "Name", "phone".',
    ]);
    expect(service.seen.received[0]?.body).toMatchObject({
      contacts: [
        {
          customerPhone: '+12025550101',
          customerName: 'Ann',
          orderNumber: '90071992547409931234',
          orderNotes: 'Ring twice',
          city: 'Delhi',
        },
      ],
    });
    expect(JSON.stringify(service.seen.received)).not.toContain('Blue shirt');
    const named = await run(create({ ...parameters, csvText: 'Name,Mobile\nAnn,+12025550101\n' }));
    expect(hintsOf(named)[0]).toContain('customer name: "Name"');
  });

  it.each([
    {
      contactsSource: 'csvText',
      csvText:
        'Order ID,Phone,Item\n17,+12025550101,Shirt\n17,+12025550101,Shoes\n18,+12025550101,Hat\n',
      phoneColumn: 'Phone',
    },
    {
      contactsSource: 'json',
      contactsJson: [
        { 'Order ID': 17, Phone: '+12025550101', Item: 'Shirt' },
        { Item: 'Shoes', Phone: '+12025550101', 'Order ID': '17' },
        { 'Order ID': '18', Phone: '+12025550101', Item: 'Hat' },
      ],
    },
  ])('calls once for an order with a row for each article: $contactsSource', async (list) => {
    const execution = await run(create(list));
    expect(jsonOf(execution)).toMatchObject([
      { contactCount: 2, skippedContacts: [{ row: 2, phone: '+12025550101' }] },
    ]);
    expect(service.seen.received[0]?.body).toMatchObject({
      contacts: [
        { orderNumber: '17', 'Order ID': '17', Item: 'Shirt' },
        { orderNumber: '18', 'Order ID': '18', Item: 'Hat' },
      ],
    });
    expect(hintsOf(execution)[0]).toMatch(/order number: "Order ID"; script variables: "Order ID"/);
  });

  it.each(['NFC', 'NFD'])('finds a column whose letters are written as %s', async (form) => {
    const [phone, size] = ['Rückrufnummer', 'Größe'];
    for (const other of ['NFC', 'NFD']) {
      const csvText = `${phone},${size}\n${phoneOf(1)},XL\n`.normalize(form);
      const phoneColumn = phone.normalize(other);
      jsonOf(await run(create({ contactsSource: 'csvText', csvText, phoneColumn })));
      expect(service.seen.received.at(-1)?.body).toMatchObject({
        contacts: [{ customerPhone: phoneOf(1), [size]: 'XL' }],
      });
    }
  });

  it('tells which keys of JSON are used for what when some go to the script', async () => {
    const [ann, bo] = [
      { phone: phoneOf(1), name: 'Ann', iban: 'DE123' },
      { phone: phoneOf(2), password_hash: '$2b$10$' },
    ];
    const hints = async (list: object[]) =>
      hintsOf(await run(create({ contactsSource: 'json', contactsJson: JSON.stringify(list) })));
    expect(await hints([ann, bo])).toEqual([
      'Keys of the contacts. phone number: "phone"; customer name: "name"; script variables: "iban", "password_hash".',
    ]);
    expect(await hints([{ customerPhone: phoneOf(1), orderNumber: 'A-1' }])).toEqual([]);
    // Only where a row has no customerName, its `name` is the customer's.
    expect(await hints([{ ...ann, customerName: 'Ann', name: 'Blue shirt' }, bo])).toEqual([
      'Keys of the contacts. phone number: "phone"; customer name: "customerName"; script variables: "iban", "password_hash"; ignored: "name".',
    ]);
    expect(
      await hints([
        { ...ann, customerName: 'Ann' },
        { phone: phoneOf(2), name: 'Bo' },
      ]),
    ).toEqual([
      'Keys of the contacts. phone number: "phone"; customer name: "name", "customerName"; script variables: "iban".',
    ]);
  });

  it.each(['fail', 'skip'])('names the keys of JSON that has no phone (%s)', async (invalid) => {
    const list = [{ Name: 'Hans', Telefon: '+4915112345678' }, { Name: 'Eva' }];
    const { error } = await run(withContacts(list, { invalidContacts: invalid }));
    expect(error?.message).toBe(
      'Nobody was called. Contacts has no contact with the key customerPhone, phoneNumber or phone',
    );
    expect(error?.description).toContain(
      'The keys are "Name", "Telefon". Rename the one with the phone numbers to customerPhone.',
    );
  });

  it.each(['fail', 'skip'])(
    'advises to rename the column of order numbers that are no names (%s)',
    async (invalidContacts) => {
      const csvText = 'Name,Billing Name,Billing Phone\n#1001,Ann,+12025550101\n';
      const orders = { contactsSource: 'csvText', phoneColumn: 'Billing Phone' };
      const options = { invalidContacts };
      const { error } = await run(create({ ...orders, csvText, options }));
      expect(error?.description).toContain('rename it to "orderNumber" in the list');
      expect(error?.description).not.toContain('Skip');
      const renamed = csvText.replace(/^Name,Billing Name/, 'orderNumber,customerName');
      jsonOf(await run(create({ ...orders, csvText: renamed, options })));
      expect(service.seen.received[0]?.body).toMatchObject({
        contacts: [{ customerPhone: '+12025550101', customerName: 'Ann', orderNumber: '#1001' }],
      });
    },
  );

  it('says how many numbers stand in the list more than once, in any spelling', async () => {
    const phones = ['+12025550101', '(202) 555-0101', '+1 202 555 0101', '+12025550102'];
    const contacts = [...phones, '12025550103', '+12025550103'].map((phone) => ({ phone }));
    const parameters = (options: IDataObject) =>
      create({
        contactsSource: 'json',
        contactsJson: JSON.stringify(contacts),
        options: { defaultCountry: 'US', ...options },
      });
    expect(hintsOf(await run(parameters({})))).toEqual([
      expect.stringMatching(/^2 numbers stand more than once in the list\. .*Remove by Phone/),
    ]);
    const removed = await run(parameters({ duplicateContacts: 'removeByPhone' }));
    expect(jsonOf(removed)).toMatchObject([{ contactCount: 3 }]);
    expect(hintsOf(removed)).toEqual([]);
  });

  it('loads all orders of a customer whose order numbers are nothing but a prefix', async () => {
    const items = [1, 2, 3].map(() => ({ json: { phone: phoneOf(1) } }));
    const parameters = create({
      contactsSource: 'inputItems',
      contactPhone: '={{ $json.phone }}',
      contactFields: { orderNumber: '=ORD-{{ $json.odrer }}' },
    });
    const execution = await run(parameters, items);
    expect(jsonOf(execution)).toMatchObject([{ contactCount: 3 }]);
    expect(hintsOf(execution).join()).toContain('1 number stands more than once in the list');
  });

  it('says that the encoding of a file was guessed', async () => {
    const asked = create({ contactsSource: 'csvFile', binaryPropertyName: 'data' });
    const hints = async (encoding: BufferEncoding) => {
      const data = Buffer.from('phone_number,name\n+12025550101,Zoë', encoding).toString('base64');
      const items = [{ json: {}, binary: { data: { data, mimeType: 'text/csv' } } }];
      return hintsOf(await run(asked, items)).join();
    };
    expect(await hints('latin1')).toContain('it was read as Windows-1252');
    expect(await hints('utf8')).not.toContain('Windows-1252');
  });

  it('says in the editor that executing it again calls the same people again', async () => {
    const asked = async (startImmediately: boolean, mode: 'manual' | 'trigger') =>
      hintsOf(
        await execute({
          parameters: {
            ...{ resource: 'campaign', operation: 'create', campaignName: 'May', scriptId: 7 },
            ...{ contactsSource: 'csvText', csvText: csv, startImmediately },
          },
          credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
          mode,
        }),
      );
    const AGAIN =
      'Executing this node again creates another campaign, which calls these 2 people again';
    expect(await asked(true, 'manual')).toContain(AGAIN);
    expect(await asked(true, 'trigger')).not.toContain(AGAIN);
    expect(await asked(false, 'manual')).not.toContain(AGAIN);
  });

  it('keeps all digits of long order numbers in JSON', async () => {
    const contactsJson = '[{"phone":"+12025550101","orderNumber":90071992547409931234}]';
    await run(create({ contactsSource: 'json', contactsJson }));
    expect(service.seen.received[0]?.body).toMatchObject({
      contacts: [{ orderNumber: '90071992547409931234' }],
    });
  });

  it('splits a long list evenly, creates every part, and only then starts them in order', async () => {
    const output = jsonOf(
      await run(
        create({
          contactsSource: 'json',
          contactsJson: contactsOf(4500) as unknown as IDataObject[],
          startImmediately: true,
          options: { maxConcurrency: 5 },
        }),
      ),
    );
    expect(
      output.map(({ name, contactCount, state, started }) => [name, contactCount, state, started]),
    ).toEqual([
      ['Orders (1/3)', 1500, 'running', true],
      ['Orders (2/3)', 1500, 'running', true],
      ['Orders (3/3)', 1500, 'running', true],
    ]);
    expect(service.seen.received.map(({ route }) => route)).toEqual([
      ...Array(3).fill('createCampaign'),
      ...Array(3).fill('controlCampaign'),
    ]);
  });

  it('leaves parts unstarted when the channels are in use, and says so', async () => {
    await service.close();
    service = await startCallingService({ channelPool: 5 });
    const output = jsonOf(
      await run(
        create({
          contactsSource: 'json',
          contactsJson: contactsOf(4) as unknown as IDataObject[],
          startImmediately: true,
          options: { contactsPerCampaign: 2 },
        }),
      ),
    );
    expect(output.map(({ state, started }) => [state, started])).toEqual([
      ['running', true],
      ['not_started', false],
    ]);
    expect(output.map(({ message }) => message)).toEqual([
      'Created with 2 contacts and started: calling has begun.',
      expect.stringMatching(
        /^Created with 2 contacts, but not started: All channels of the account are in use\. Pause or/,
      ),
    ]);
  });

  it.each(['No free channels', 'Insufficient wallet balance', 'Not on a Sunday'])(
    'leaves a campaign unstarted when the service refuses to start it: %s',
    async (message) => {
      const body = { success: false, message };
      service.faults.add({ kind: 'status', status: 400, body, route: 'controlCampaign' });
      const contactsJson = contactsOf(2) as unknown as IDataObject[];
      const fields = { contactsSource: 'json', contactsJson, startImmediately: true };
      const [item] = jsonOf(await run(create(fields)));
      expect(item).toMatchObject({ state: 'not_started', started: false });
      expect(item?.message).toContain(`${message}. `);
      expect(item?.message).toMatch(/Then start it with Campaign > Start\.$/);
    },
  );

  it('counts a campaign as started when the service says that it runs already', async () => {
    const body = { success: false, message: 'Campaign is already running' };
    service.faults.add({ kind: 'status', status: 400, body, route: 'controlCampaign' });
    const contactsJson = contactsOf(2) as unknown as IDataObject[];
    const fields = { contactsSource: 'json', contactsJson, startImmediately: true };
    const [json] = jsonOf(await run(create(fields)));
    expect(json).toMatchObject({ state: 'running', started: true });
  });

  it('keeps what a retry needs to know in one text for each campaign, which n8n stores fast', async () => {
    const contactsJson = contactsOf(3000) as unknown as IDataObject[];
    const execution = await run(create({ contactsSource: 'json', contactsJson }));
    expect(service.seen.campaigns).toHaveLength(2);
    let texts = 0;
    JSON.stringify(execution.contextData, (_, value: unknown) => {
      if (typeof value === 'string') texts++;
      return value;
    });
    expect(texts).toBeLessThan(50);
  });

  it('creates no part twice when it is retried', async () => {
    const isLast = {
      match: ({ body }: { body: unknown }) => (body as IDataObject).name === 'Orders (3/3)',
    };
    service.faults.add({ kind: 'status', status: 400, ...isLast });
    const output = jsonOf(
      await run(
        create({
          contactsSource: 'json',
          contactsJson: contactsOf(6) as unknown as IDataObject[],
          options: { contactsPerCampaign: 2 },
        }),
        undefined,
        { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
      ),
    );
    expect(output).toHaveLength(3);
    expect(service.seen.campaigns.map(({ name }) => name)).toEqual([
      'Orders (1/3)',
      'Orders (2/3)',
      'Orders (3/3)',
    ]);
  });

  it.each(['create', 'start', 'pause'])(
    'names no option that its panel lacks when %s comes too often',
    async (operation) => {
      service.faults.add({ kind: 'status', status: 429, times: Infinity });
      const ofCampaign = { resource: 'campaign', operation, campaignId: '5' };
      const ofItems = { contactsSource: 'csvText', csvText: csv, phoneColumn: 'phone_number' };
      const parameters = operation === 'create' ? create(ofItems) : ofCampaign;
      const { error } = await run(parameters);
      expect(error?.message).toContain('received too many requests');
      expect(error?.description).not.toContain('in the options');
    },
  );

  it.each([
    ['nobody', ['', '', '', '']],
    ['some people', ['A-1', '', 'C-1', '']],
  ])('loads nobody twice when only %s have the same order number again', async (_what, numbers) => {
    service.faults.add({
      ...{ kind: 'status', status: 429, route: 'controlCampaign', times: Infinity },
      headers: { 'retry-after': '61' },
    });
    const { error } = await run(
      create({
        contactsSource: 'inputItems',
        contactPhone: '={{ $json.phone }}',
        contactFields: { orderNumber: "={{ $json.number || 'T' + $now.toMillis() }}" },
        startImmediately: true,
        options: { contactsPerCampaign: 2 },
      }),
      numbers.map((number, index) => ({ json: { phone: phoneOf(index), number } })),
      { retryOnFail: true, maxTries: 2, waitBetweenTries: 5 },
    );
    expect(service.seen.campaigns).toHaveLength(2);
    expect(error?.message).toMatch(
      /of this list (was|were) loaded into campaigns? [\d, ]+ by an earlier try/,
    );
  });

  it('says which parts exist when one fails', async () => {
    const isSecond = {
      match: ({ body }: { body: unknown }) => (body as IDataObject).name === 'Orders (2/2)',
    };
    service.faults.add({ kind: 'reset', when: 'after', times: 9, ...isSecond });
    const parameters = create({
      contactsSource: 'json',
      contactsJson: contactsOf(4) as unknown as IDataObject[],
      options: { contactsPerCampaign: 2 },
      startImmediately: true,
    });
    const { error } = await run(parameters);
    expect(error?.message).toContain('the campaign may have been created');
    expect(error?.description).toMatch(/1\/2 is campaign \d+ \(not_started\)/);

    const going = await run(parameters, undefined, { onError: 'continueRegularOutput' });
    expect(jsonOf(going)).toEqual([
      expect.objectContaining({ part: 1, state: 'not_started' }),
      { error: expect.stringContaining('the campaign may have been created') },
    ]);
  });

  it('advises a retry, never to run it again, when the campaign exists and was not started', async () => {
    service.faults.add({ kind: 'rateLimit', route: 'controlCampaign', times: 50 });
    const { error } = await run(
      create({
        contactsSource: 'json',
        contactsJson: contactsOf(2) as unknown as IDataObject[],
        startImmediately: true,
      }),
    );
    expect(error?.message).toMatch(/^Nobody was called\. .*too many requests/);
    expect(error?.description).toMatch(/Retry this execution .*campaign \d+ \(not_started\)/);
    expect(error?.description).not.toMatch(/run the (node|workflow) again/i);
  });

  const withContacts = (contacts: unknown[], options: IDataObject) =>
    create({ contactsSource: 'json', contactsJson: JSON.stringify(contacts), options });

  it('refuses a list with invalid contacts and names the rows', async () => {
    const { error } = await run(withContacts([...contactsOf(2), { customerPhone: 'x' }, {}], {}));
    expect(error?.message).toBe(
      'Nobody was called. Contact 3 (x): The phone number is not a phone number; Contact 4 (no phone): The phone number is missing',
    );
    expect(error?.description).toContain('choose Invalid Contacts > Skip under "Options"');
    expect(service.seen.received).toEqual([]);
  });

  it('does not say that nobody is called when the service gives a state of its own', async () => {
    const body = { success: true, campaign_id: 9, state: 'dialing', contact_count: 2 };
    service.faults.add({ kind: 'status', status: 200, route: 'createCampaign', body });
    const [item] = jsonOf(await run(withContacts(contactsOf(2), {})));
    expect(item).toMatchObject({ state: 'dialing', started: null });
    expect(item?.message).toBe(
      'Created with 2 contacts, and perhaps started by the calling service itself, although Start Immediately is off. It could not be paused: The calling service does not know this campaign. Pause it with Campaign > Pause.',
    );
  });

  it('does not say that nobody is called when a new campaign has an id that cannot be read', async () => {
    const body = { success: true, campaign_id: 'c-9', state: 'running', contact_count: 2 };
    service.faults.add({ kind: 'status', status: 200, route: 'createCampaign', body });
    const said =
      'Somebody may have been called. The calling service accepted the campaign but gave no usable id for it';
    const first = await run(withContacts(contactsOf(2), {}));
    expect(first.error?.message).toBe(said);
    const retried = await execute({
      parameters: withContacts(contactsOf(2), {}),
      credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
      retryOf: first,
      mode: 'retry',
    });
    expect(retried.error?.message).toBe(said);
    expect(service.seen.received).toHaveLength(1);
  });

  it('leaves out invalid and repeated contacts when that is chosen, and lists them', async () => {
    const contacts = [...contactsOf(2), { customerPhone: 'x' }, ...contactsOf(1)];
    const execution = await run(
      withContacts(contacts, { invalidContacts: 'skip', duplicateContacts: 'removeByPhone' }),
    );
    expect(hintsOf(execution)).toEqual([
      '1 of 4 contacts are left out: The phone number is not a phone number (1). The item of the first campaign lists them under skippedContacts.',
    ]);
    expect(jsonOf(execution)[0]).toMatchObject({
      contactCount: 2,
      skippedContacts: [
        { row: 3, phone: 'x', reason: 'The phone number is not a phone number' },
        { row: 4, phone: phoneOf(0), reason: 'The number is listed before' },
      ],
    });
  });

  it('hints at an order that is left out, also when its person is called about another one', async () => {
    const phone = phoneOf(0);
    const contacts = [
      { phone, customerName: '#1001', orderNumber: 'A-1' },
      { phone, customerName: 'Ada', orderNumber: 'a-1' },
      { phone, customerName: 'Ada', orderNumber: 'A-1' },
      { phone, customerName: '#1002', orderNumber: 'A-2' },
    ];
    const leftOutWith = async (options: IDataObject) =>
      hintsOf(await run(withContacts(contacts, { invalidContacts: 'skip', ...options }))).filter(
        (hint) => hint.includes('left out'),
      );
    expect(await leftOutWith({})).toEqual([expect.stringMatching(/^1 of 4 contacts are left out/)]);
    expect(await leftOutWith({ duplicateContacts: 'removeByPhone' })).toEqual([]);
  });

  it.each<[IDataObject, string]>([
    [{ contactsSource: 'json', contactsJson: '[{' }, 'Contacts is not valid JSON'],
    [{ contactsSource: 'json', contactsJson: '{"a":1}' }, 'Contacts is not a list'],
    [{ contactsSource: 'json', contactsJson: '[1]' }, 'Contacts has no contact in row 1'],
    [{ contactsSource: 'json', contactsJson: '[]' }, 'Contacts are missing'],
    [{ contactsSource: 'csvText', csvText: '={{ "" }}' }, 'CSV cannot be used. The CSV is empty'],
    [
      { contactsSource: 'csvText', csvText: 'phone_number,b\n1' },
      'CSV cannot be used. The CSV cannot be read at line 2',
    ],
    [
      { contactsSource: 'csvText', csvText: csv, phoneColumn: 'mobile' },
      'Phone Column names no column of the CSV: "mobile"',
    ],
    [{ contactsSource: 'csvFile', binaryPropertyName: 'file' }, 'names no file of the item'],
    [{ contactsSource: 'inputItems', contactPhone: '={{ "" }}' }, 'The phone number is missing'],
  ])('refuses %j before anything is sent', async (parameters, message) => {
    const { error } = await run(create(parameters));
    expect(error?.message).toContain(message);
    expect(service.seen.received).toEqual([]);
  });

  it.each(['customerPhone', 'Phone', 'phone_number', 'PHONE number'])(
    'calls the number of Contact Phone only, and refuses %p among More Fields',
    async (name) => {
      const parameters = create({
        contactsSource: 'inputItems',
        contactPhone: '={{ $json.phone }}',
        contactFields: { moreFields: { field: [{ name, value: '+12025550199' }] } },
      });
      for (const phone of ['+12025550101', '']) {
        const { error } = await run(parameters, [{ json: { phone } }]);
        expect(error?.message).toContain(
          phone === '' ? 'is missing' : `"${name}" is the name of a field`,
        );
      }
      expect(service.seen.received).toEqual([]);
    },
  );

  it('takes the file itself from an expression', async () => {
    const file = { data: Buffer.from(csv).toString('base64'), mimeType: 'text/csv' };
    const parameters = create({
      contactsSource: 'csvFile',
      binaryPropertyName: '={{ $input.item.binary.list }}',
      phoneColumn: 'phone_number',
    });
    const [campaign] = jsonOf(await run(parameters, [{ json: {}, binary: { list: file } }]));
    expect(campaign).toMatchObject({ contactCount: 2 });
  });

  it('finds the file where n8n keeps files among the data of the item', async () => {
    const file = { id: '', data: Buffer.from(csv).toString('base64'), mimeType: 'text/csv' };
    const parameters = (binaryPropertyName: string) =>
      create({ contactsSource: 'csvFile', binaryPropertyName, phoneColumn: 'phone_number' });
    const request = {
      items: [{ json: { files: { list: file } } }],
      credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
      workflowSettings: { binaryMode: 'combined' as const },
    };
    const [campaign] = jsonOf(await execute({ ...request, parameters: parameters('files.list') }));
    expect(campaign).toMatchObject({ contactCount: 2 });
    const { error } = await execute({ ...request, parameters: parameters('files.other') });
    expect(error?.message).toContain('names no file of the item: "files.other"');
  });

  it.each(['+12025550101', '9876543210', 'p:+1 202 555 0101'])(
    'refuses a CSV without a header, whose first number %p is given as the Phone Column',
    async (first) => {
      const csvText = `${first},Ann\n+12025550102,Bo\n`;
      const { error } = await run(
        create({ contactsSource: 'csvText', csvText, phoneColumn: first }),
      );
      expect(error?.message).toBe(
        'Nobody was called. CSV cannot be used. The first row looks like a contact, not like column names. Add a row with names above it',
      );
      expect(service.seen.received).toEqual([]);
    },
  );

  it('needs versioned paths', async () => {
    const { error } = await run(
      withContacts(contactsOf(1), {}),
      undefined,
      {},
      { pathForm: 'unversioned' },
    );
    expect(error?.message).toBe(
      'Nobody was called. Campaigns need the versioned paths of the calling service',
    );
    expect(service.seen.received).toEqual([]);
  });
});

describe('controlling a campaign', () => {
  const control = async (operation: string, campaignId: unknown) =>
    await run({ resource: 'campaign', operation, campaignId } as IDataObject);
  const createOne = async () => {
    const [campaign] = jsonOf(
      await run(
        create({
          contactsSource: 'json',
          contactsJson: contactsOf(50) as unknown as IDataObject[],
        }),
      ),
    );
    return campaign?.campaignId;
  };

  it('starts, pauses, resumes and stops it', async () => {
    const campaignId = await createOne();
    const steps = [];
    for (const operation of ['start', 'pause', 'resume', 'stop']) {
      steps.push(...jsonOf(await control(operation, campaignId)));
    }
    expect(steps).toEqual([
      {
        campaignId,
        action: 'start_campaign',
        state: 'running',
        message: 'Started: calling has begun.',
      },
      {
        campaignId,
        action: 'pause_campaign',
        state: 'paused',
        message: 'Paused: nobody else is called before it is resumed.',
      },
      {
        campaignId,
        action: 'resume_campaign',
        state: 'running',
        message: 'Resumed: calling goes on.',
      },
      {
        campaignId,
        action: 'stop_campaign',
        state: 'stopped',
        message: 'Stopped for good: nobody else is called.',
      },
    ]);
  });

  it('says that this service takes no stop and that pausing is the way', async () => {
    service.switches.stop = 'refused';
    const campaignId = await createOne();
    await control('start', campaignId);
    const { error } = await control('stop', campaignId);
    expect(error?.message).toBe(
      'The campaign may still be calling people. This calling service does not accept "stop" for a campaign: action must be one of start, pause, resume',
    );
    expect(error?.description).toContain('Pause the campaign instead');
  });

  it('tells an action that the state does not allow from one that the service does not take', async () => {
    const { error } = await control('stop', await createOne());
    expect(error?.message).toContain('Cannot stop a campaign in state not_started');
  });

  it.each(['completed', 'stopped', 'paused'])(
    'has nothing to pause in a campaign that is %s, and says so',
    async (state) => {
      const campaignId = await createOne();
      const body = { success: false, message: `Cannot pause a campaign in state ${state}` };
      service.faults.add({ kind: 'status', status: 400, body, route: 'controlCampaign' });
      const [item] = jsonOf(await control('pause', campaignId));
      expect(item).toMatchObject({ campaignId, state });
      expect(item?.message).toMatch(state === 'paused' ? /^Paused/ : /has ended.*nobody else/);
    },
  );

  it.each([
    ['Cannot stop a campaign that is paused', /^The campaign calls nobody\. .*that is paused$/],
    ['Campaign not found', /^The campaign may still be calling people\. .*not know this campaign$/],
    ['Ask somebody else', /^The campaign may still be calling people\. .*: Ask somebody else$/],
  ])('does not say that the service takes no stop when it says: %s', async (message, words) => {
    const campaignId = await createOne();
    const body = { success: false, message };
    service.faults.add({ kind: 'status', status: 400, body, route: 'controlCampaign' });
    const { error } = await control('stop', campaignId);
    expect(error?.message).toMatch(words);
  });

  it('says which of several campaigns could not be stopped, and how many may still call people', async () => {
    const ids = [await createOne(), 998, await createOne(), 999];
    await control('start', ids[0]);
    const parameters = { resource: 'campaign', operation: 'stop', campaignId: '={{ $json.id }}' };
    const items = ids.map((id) => ({ json: { id } as IDataObject }));
    const body = { success: false, message: 'Cannot stop a campaign that is paused' };
    const match = ({ url }: { url: string }) => url.includes(`/${String(ids[2])}/`);
    service.faults.add({ kind: 'status', status: 400, body, route: 'controlCampaign', match });
    const { error } = await run(parameters, items);
    expect(service.seen.campaigns[0]?.state).toBe('stopped');
    expect(error?.message).toMatch(
      /^2 of 4 campaigns may still be calling people\. In item [1-3]: /,
    );
    expect(error?.description).toMatch(/Items that failed too: (?:1|2), (?:2|3)\.$/);
  });

  it.each(['pause', 'stop'])('sends %s again when the service fails', async (operation) => {
    const campaignId = await createOne();
    await control('start', campaignId);
    service.faults.add({ kind: 'status', status: 503, route: 'controlCampaign', times: 3 });
    jsonOf(await control(operation, campaignId));
    expect(service.seen.campaigns[0]?.state).not.toBe('running');
  });

  it.each(['={{ "" }}', 'abc', '0', '3/4'])('refuses the campaign id %p', async (campaignId) => {
    const { error } = await control('start', campaignId);
    expect(error?.message).toContain('Campaign ID is');
    expect(service.seen.received).toEqual([]);
  });

  it.each(['start', 'resume'])(
    'sends one %s for two items of one campaign, and says that the other is skipped',
    async (operation) => {
      const campaignId = await createOne();
      if (operation === 'resume') {
        await control('start', campaignId);
        await control('pause', campaignId);
      }
      const before = service.seen.received.length;
      const parameters = { resource: 'campaign', operation, campaignId } as IDataObject;
      const execution = await run(parameters, [{ json: {} }, { json: {} }]);
      expect(jsonOf(execution)).toEqual([
        expect.objectContaining({ campaignId, state: 'running' }),
        { skipped: true, reason: 'duplicate', campaignId, action: operation },
      ]);
      expect(hintsOf(execution)).toEqual(['1 of 2 not called: 1 called or scheduled before']);
      expect(service.seen.received).toHaveLength(before + 1);
    },
  );

  it.each(['start', 'resume'])(
    'does not say plainly that nobody was called when %s is refused of a campaign that calls people',
    async (operation) => {
      const campaignId = await createOne();
      service.faults.add({ kind: 'reset', when: 'after', route: 'controlCampaign' });
      const first = await control('start', campaignId);
      expect(first.error?.message).toMatch(/^Somebody may have been called/);
      const { error } = await control(operation, campaignId);
      expect(service.seen.campaigns[0]?.state).toBe('running');
      expect(error?.message).toMatch(
        /^Nobody was called by this; the campaign may be calling people\. .*in state running/,
      );
    },
  );

  describe('that runs', () => {
    const pauseOf = (campaignId: unknown) =>
      ({ resource: 'campaign', operation: 'pause', campaignId }) as IDataObject;
    const createRunning = async () => {
      const campaignId = await createOne();
      await control('start', campaignId);
      return campaignId;
    };
    const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

    it('is paused by Retry On Fail when the request was lost', async () => {
      const campaignId = await createRunning();
      service.faults.add({ kind: 'status', status: 503, route: 'controlCampaign' });
      await run(pauseOf(campaignId), undefined, retries);
      expect(service.seen.campaigns[0]?.state).toBe('paused');
    });

    it.each(['pause', 'stop'])(
      'is paused or stopped by Retry On Fail beside another, and when the answer was lost (%s)',
      async (operation) => {
        const ids = [await createRunning(), await createRunning()];
        service.faults.add({
          kind: 'reset',
          when: 'after',
          route: 'controlCampaign',
          match: ({ url }) => url.includes(String(ids[1])),
        });
        const done = await run(
          { ...pauseOf('={{ $json.id }}'), operation },
          ids.map((id) => ({ json: { id: id as number } })),
          retries,
        );
        expect(done.error).toBeUndefined();
        const state = operation === 'pause' ? 'paused' : 'stopped';
        expect(service.seen.campaigns.map((campaign) => campaign.state)).toEqual([state, state]);
        expect(jsonOf(done).map((json) => json.state)).toEqual([state, state]);
      },
    );

    it('is paused again by a retry when it was resumed meanwhile', async () => {
      const campaignId = await createRunning();
      const items = [{ json: { id: campaignId as number } }, { json: { id: 4 } }];
      const first = await run(pauseOf('={{ $json.id }}'), items);
      expect(first.error?.message).toMatch(/may still be calling/);
      expect(service.seen.campaigns[0]?.state).toBe('paused');
      await control('resume', campaignId);
      await execute({
        parameters: pauseOf('={{ $json.id }}'),
        items: items.slice(0, 1),
        credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
        retryOf: first,
      });
      expect(service.seen.campaigns[0]?.state).toBe('paused');
    });
  });
});
