import {
  contactReader,
  readRows,
  usesOf,
  type RawContact,
} from '../../nodes/OutboundAiCalling/contacts/contact';
import { splitContacts } from '../../nodes/OutboundAiCalling/actions/campaign/plan';
import { readContactList } from '../../nodes/OutboundAiCalling/contacts/contactList';
import { fc, runs } from '../generators';

const readRow = (raw: RawContact, phoneColumn?: string) =>
  contactReader()([...readRows([raw], phoneColumn)][0]!);

describe('a contact', () => {
  it.each<RawContact>([
    { customerPhone: '+12025550123', customerName: 'Ann' },
    { phone_number: '+1 202 555 0123', name: 'Ann' },
    { phone: '+12025550123', customerName: 'Ann' },
    { 'Phone Number': '+12025550123', 'Customer Name': 'Ann' },
    { PHONE: '+12025550123', ' Name ': 'Ann' },
    { customerPhone: '', phone: '+12025550123', name: 'Ann' },
    { customerPhone: '+1 202 555 0123', phone: '+12025550123', name: 'Ann' },
  ])('%j is brought into its primary form', (raw) => {
    expect(readRow(raw)).toEqual({
      contact: { customerPhone: '+12025550123', customerName: 'Ann' },
    });
  });

  it.each<RawContact>([
    { phone: '+12025550123', name: 'Blue shirt', customerName: 'Ann' },
    { phone: '+12025550123', 'Customer Name': 'Ann', NAME: 'Blue shirt' },
    { phone: '+12025550123', name: 'Blue shirt', customer_name: 'Ann' },
  ])('%j has the name of the customer, not that of something else', (raw) => {
    expect(readRow(raw)).toMatchObject({ contact: { customerName: 'Ann' } });
    const blank = Object.fromEntries(
      Object.entries(raw).map(([key, value]) => [key, value === 'Ann' ? '' : value]),
    );
    expect(readRow(blank)).toEqual({ contact: { customerPhone: '+12025550123' } });
  });

  it('has the phone of the column that was chosen, and no other', () => {
    const raw = { phone: '+12025550199', mobile: '+12025550123', orderNotes: '1001' };
    expect(usesOf(Object.keys(raw), 'mobile')).toEqual([['ignored'], ['phone'], ['orderNotes']]);
    expect(readRow(raw, 'mobile')).toEqual({
      contact: { customerPhone: '+12025550123', orderNotes: '1001' },
    });
  });

  it('keeps further fields as context for the script', () => {
    const at = new Date('2026-05-04T09:00:00Z');
    expect(readRow({ phone: '+12025550123', amount: 12, gift: true, empty: '', at })).toEqual({
      contact: {
        customerPhone: '+12025550123',
        amount: '12',
        gift: 'true',
        at: '2026-05-04T09:00:00.000Z',
      },
    });
  });

  it('has an order number and a name also in keys with signs, which the script gets as well', () => {
    const raw = { phone_number: '+12025550123', order_number: 'A-17', customer_name: 'Ann' };
    const { phone_number: customerPhone, ...variables } = raw;
    expect(readRow(raw)).toEqual({
      contact: { customerPhone, orderNumber: 'A-17', customerName: 'Ann', ...variables },
    });
  });

  it.each([
    ...['Order ID', 'order_id', 'orderID', 'ORDER-NO.', 'Order No', 'order nr', 'Order-Nr.'],
    ...[
      'Order Num',
      'Order #',
      'order#',
      'Order \u2116',
      'Order Ref',
      'Order Reference',
      'Order Name',
    ],
    ...['amazon-order-id', 'Bestellnummer', 'Bestell-Nr.', 'Auftragsnummer', 'Número de pedido'],
    ...['Numéro de commande', 'N° commande', 'Numero ordine', "Numero d'ordine"],
    ...['Sipariş No', 'Sipariş Numarası'],
  ])('has an order number in a key of other words, which the script gets as well: %s', (key) => {
    const phone = '+12025550123';
    expect(usesOf([key, 'phone'])).toEqual([['orderNumber', 'more'], ['phone']]);
    expect(readRow({ [key]: 'A-17', phone })).toEqual({
      contact: { customerPhone: phone, orderNumber: 'A-17', [key]: 'A-17' },
    });
  });

  it.each([
    [['Order', 'Reference', 'Invoice Number'], []],
    [['Order Reference', 'Order No'], ['Order No']],
    [['Order IDs', 'ID', 'Reorder No', 'orderId'], []],
    [['Order No', 'Order ID'], ['Order ID']],
    [['Order No', 'order_number'], ['order_number']],
    [['Order No', 'Order Number'], ['Order Number']],
  ])('has one such key only, and none beside orderNumber: %j has %j', (keys, expected) => {
    const uses = usesOf(keys);
    expect(keys.filter((_, index) => uses[index]?.includes('orderNumber'))).toEqual(expected);
  });

  it.each(['-', 'N/A', '#N/A', 'undefined'])('has no order number %p in such a key', (value) => {
    const phone = '+12025550123';
    const fields = [...readRows([{ phone, 'Order ID': value }])];
    expect(fields).toEqual([{ phone, more: [['Order ID', value]] }]);
  });

  it('has no order number in the column of its phone number', () => {
    expect(usesOf(['Order #', 'Order ID'], 'Order #')).toEqual([
      ['phone'],
      ['orderNumber', 'more'],
    ]);
  });

  it('takes the phone number from the named column only', () => {
    const raw = { mobile: '+12025550123', phone: '+12025550199', Customer_Phone: '+12025550198' };
    expect(readRow(raw, 'mobile')).toEqual({ contact: { customerPhone: '+12025550123' } });
    expect(readRow({ mobile: '', phone: '+12025550199' }, 'mobile')).toEqual({
      objection: 'The phone number is missing',
      phone: '',
    });
  });

  it.each([
    ...['#1001', '1001', '98765 43210', 1001, '٣', 'EN#1001', '#EN1001', 'ORD-1002', '#SO-100200'],
  ])('whose name is %p is not called', (name) => {
    const row = { phone: '+12025550123', Name: name };
    expect(readRow(row)).toEqual({
      objection: `"customerName" is "${name}", which is no name, but may be an order number`,
      phone: '+12025550123',
      advice: expect.stringContaining('If "Name" holds order numbers, rename it to "orderNumber"'),
    });
  });

  it.each(['-', ' — ', '()', '.', '?'])('has no name where a row says %p', (name) => {
    const phone = '+12025550123';
    expect(readRow({ phone, name })).toEqual({ contact: { customerPhone: phone } });
  });

  it.each([
    'R2',
    '李',
    'Ann 2',
    'R2D2',
    'Jan 1985',
    'O’Neil-99',
    '1st',
    'Anna1985',
    'max123',
    'X Æ A-12',
    '😀',
  ])('may have the name %p', (name) => {
    expect(readRow({ phone: '+12025550123', name })).toMatchObject({
      contact: { customerName: name },
    });
  });

  it.each([
    ['customerName', { first: 'Ann' }],
    ['orderNumber', ['A-17']],
    ['orderNotes', { gift: true }],
  ])('whose %s is %j is not called', (name, value) => {
    expect(readRow({ phone: '+12025550123', [name]: value })).toEqual({
      objection: `"${name}" is an object or a list: choose one of its fields`,
      phone: '+12025550123',
    });
  });

  it.each([
    ['customerName', true],
    ['orderNumber', false],
  ])('whose %s is the switch %j is not called', (name, value) => {
    expect(readRow({ phone: '+12025550123', [name]: value })).toEqual({
      objection: `"${name}" is ${value}, which is no text: choose another field`,
      phone: '+12025550123',
    });
  });

  it('with two phone numbers that differ is not called', () => {
    expect(readRow({ phone: '+12025550123', customerPhone: '+12025550199' })).toEqual({
      objection: expect.stringContaining('two phone numbers'),
      phone: '+12025550123',
    });
  });

  it.each([
    ['order number', 'Order Number', 'orderNumber'],
    ['order_number', 'orderNumber', 'orderNumber'],
    ['Order-Notes', 'order notes', 'orderNotes'],
    ['CustomerName', 'customer name', 'customerName'],
    ['Name', 'NAME', 'customerName'],
    ['customer_name', 'Customer-Name', 'customerName'],
  ])('with two values that differ, in %p and %p, is not called', (one, other, field) => {
    const phone = '+12025550123';
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      expect(readRow({ phone, [first]: 'A-17', [second]: 'A-18' })).toEqual({
        objection: `The row has two values for "${field}" that differ`,
        phone,
      });
      for (const value of [' A-17', null]) {
        const reading = readRow({ phone, [first]: 'A-17', [second]: value });
        expect(reading).toHaveProperty('contact.customerPhone', phone);
      }
    }
  });

  it.each([
    ['Order Number', 'orderNumber', '#N/A'],
    ['orderNumber', 'orderNumber', ' 5.76461E+17'],
    ['orderNumber', 'orderNumber', 5.76461e23],
    ['name', 'customerName', '#NAME?'],
    ['orderNotes', 'orderNotes', '#REF!'],
    ['amount', 'amount', '#REF!'],
    ['amount', 'amount', '#N/A'],
    ['amount', 'amount', '[object Object]'],
    ['amount', 'amount', 'undefined'],
    ['amount', 'amount', 'EUR undefined'],
    ['name', 'customerName', 'Nathan null'],
    ['name', 'customerName', 'nan'],
    ['amount', 'amount', NaN],
    ['amount', 'amount', 5.76461e23],
  ])(
    'with %p, which is %s, is not called when a spreadsheet lost the value: %j',
    (key, field, value) => {
      expect(readRow({ phone: '+12025550123', [key]: value })).toEqual({
        objection: expect.stringMatching(
          new RegExp(`^"${field}" (?:is ".*", which comes from a broken cell|has more digits)`),
        ),
        phone: '+12025550123',
      });
    },
  );

  it.each<[unknown]>([[{}], [[null]], [{ size: '', colour: null }], ['\u200b'], [' \u00ad\n']])(
    'tells nothing of what has nothing to tell: %j',
    (size) => {
      expect(readRow({ phone: '+12025550123', size })).toEqual({
        contact: { customerPhone: '+12025550123' },
      });
    },
  );

  it.each<[unknown, string]>([
    [0, '0'],
    [false, 'false'],
    [[0], '[0]'],
    [{ size: 38 }, '{"size":38}'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
  ])('tells %j', (size, text) => {
    expect(readRow({ phone: '+12025550123', size })).toHaveProperty('contact.size', text);
  });

  it.each(['scriptId', 'SCRIPTID', '__proto__', 'constructor'])(
    'cannot smuggle in %p, a name of the interface',
    (name) => {
      const raw = JSON.parse(`{"phone":"+12025550123","${name}":3}`) as RawContact;
      expect(readRow(raw)).toEqual({
        objection: expect.stringContaining(name),
        phone: '+12025550123',
      });
    },
  );

  it.each([
    'customerPhone',
    'CustomerPhone',
    'customerphone ',
    'Customer Phone',
    'phone',
    'Phone',
    'phone_number',
    'Phone Number',
    'phone-number',
    'ｐｈｏｎｅ',
    'customerName',
    'name',
    'Order Number',
    'orderNotes',
  ])('refuses %p among the further fields, in place of the number or beside it', (name) => {
    for (const value of ['+12025550199', '', null]) {
      const more: Array<[string, unknown]> = [[name, value]];
      expect(contactReader()({ phone: '+12025550123', more })).toEqual({
        objection: expect.stringContaining(`"${name.trim()}"`),
        phone: '+12025550123',
      });
      expect(contactReader()({ phone: '', more })).toEqual({
        objection: 'The phone number is missing',
        phone: '',
      });
    }
  });

  it('refuses a further field that is given twice', () => {
    const more: Array<[string, unknown]> = [
      ['amount', 1],
      ['amount', 2],
    ];
    expect(contactReader()({ phone: '+12025550123', more })).toEqual({
      objection: '"amount" is given twice',
      phone: '+12025550123',
    });
  });

  it.each([
    ['nested lists', JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))],
    ['an object that calls itself text', { toString: 1, valueOf: 1 }],
    ['a bigint within', { big: 1n }],
  ])('is read or refused with %s as a value', (_, value) => {
    for (const raw of [{ phone: '+12025550123', note: value }, { phone: value }]) {
      const reading = readRow(raw);
      expect('contact' in reading || reading.objection !== '').toBe(true);
    }
  });

  it('is called at the number that its phone field says, or not at all', () => {
    const phones = fc.constantFrom('+12025550123', '+1 (202) 555-0199', '+919876543210', 'x', '');
    const names = fc.constantFrom('customerPhone', 'Phone', 'phone number', 'name', 'amount');
    const name = fc.oneof(names, fc.string());
    const value = fc.oneof(phones, fc.jsonValue(), fc.anything());
    const row = fc.array(fc.tuple(name, value)).map((entries) => Object.fromEntries(entries));
    fc.assert(
      fc.property(value, row, fc.boolean(), (phone, rest, hasColumn) => {
        const alone = contactReader()({ phone, more: [] });
        const reading = hasColumn
          ? readRow({ ...rest, number: phone }, 'number')
          : contactReader()({ phone, more: Object.entries(rest) });
        if ('objection' in reading) {
          expect(reading.objection).not.toBe('');
          return;
        }
        expect(alone).toEqual({ contact: { customerPhone: reading.contact.customerPhone } });
        expect(Object.values(reading.contact).every((told) => typeof told === 'string')).toBe(true);
      }),
      { numRuns: runs(1_000, 10_000) },
    );
  });
});

describe('a list of contacts', () => {
  const rows = ['+12025550123', 'x', '+1 202 555 0123'].map((phone) => ({ phone, more: [] }));

  it('tells its unusable rows by number, phone and reason', async () => {
    const list = await readContactList(rows, { removeDuplicates: false });
    expect(list.contacts).toHaveLength(2);
    expect(list.unusable).toEqual([
      { row: 2, phone: 'x', reason: 'The phone number is not a phone number' },
    ]);
  });

  it('calls a number once when duplicates are removed', async () => {
    const list = await readContactList(rows, { removeDuplicates: true });
    expect(list.contacts).toHaveLength(1);
    expect(list.leftOut).toEqual([
      { row: 3, phone: '+12025550123', reason: 'The number is listed before' },
    ]);
  });

  it('tells another order of a number from the same order, when duplicates are removed', async () => {
    const items = ['A-1', 'A-2', 'A-1', 'A-2', ''].map((orderNumber) => ({
      phone: '+12025550123',
      orderNumber,
      more: [],
    }));
    const list = await readContactList(items, { removeDuplicates: true });
    expect(list.contacts).toHaveLength(1);
    expect(list.leftOut.map(({ row, reason }) => [row, reason])).toEqual([
      [2, 'The number is listed before'],
      [3, 'The order is listed before'],
      [4, 'The number is listed before'],
      [5, 'The number is listed before'],
    ]);
  });

  it('calls a person once for an order, also when duplicates are kept', async () => {
    const items = [' A-1', 'A-1', 'a-1', 'A-2', '', ''].map((orderNumber) => ({
      phone: '+12025550123',
      orderNumber,
      more: [],
    }));
    const list = await readContactList(items, { removeDuplicates: false });
    expect(list.contacts.map(({ orderNumber }) => orderNumber)).toEqual([
      ' A-1',
      'A-2',
      undefined,
      undefined,
    ]);
    const reason = 'The order is listed before';
    expect(list.leftOut).toEqual([2, 3].map((row) => ({ row, phone: '+12025550123', reason })));
  });

  it('calls a person once whose number has two spellings', async () => {
    const spelled = ['+54 11 2345-6789', '+54 9 11 2345-6789'].map((phone) => ({
      phone,
      more: [],
    }));
    const list = await readContactList(spelled, { removeDuplicates: true });
    expect(list.contacts).toEqual([{ customerPhone: '+541123456789' }]);
  });

  it.each([
    [0, 2000, [0]],
    [2000, 2000, [2000]],
    [2001, 2000, [1000, 1001]],
    [5000, 2000, [1666, 1667, 1667]],
  ])('of %p in parts of at most %p is split evenly', (count, size, lengths) => {
    const contacts = Array.from({ length: count }, (_, index) => ({
      customerPhone: String(index),
    }));
    const parts = splitContacts(contacts, size);
    expect(parts.map((part) => part.length)).toEqual(lengths);
    expect(parts.flat()).toEqual(contacts);
  });
});
