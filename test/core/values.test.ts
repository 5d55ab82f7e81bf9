import type { IDataObject } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { execute, type Execution } from './engine';
import { ProcessedKeys } from './processedKeys';

let service: CallingService;
let keys: ProcessedKeys;
beforeAll(async () => {
  keys = await ProcessedKeys.install();
  service = await startCallingService({ speed: 1000 });
});
beforeEach(() => {
  keys.clear();
  service.reset();
});
afterAll(async () => await service.close());

const VALUE = '={{ $json.value }}';
const variables = (value: IDataObject, schema: IDataObject[] = []) => ({
  scriptVariables: { mappingMode: 'defineBelow', value, schema },
});
const moreVariables = (...variable: IDataObject[]) => ({
  additionalFields: { moreVariables: { variable } },
});

async function call(parameters: IDataObject, value: unknown = ''): Promise<Execution> {
  return await execute({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '+12025550123',
      ...parameters,
    },
    items: [{ json: { value: value as string } }],
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
  });
}

const field = (name: string) => ({ additionalFields: { [name]: VALUE } });
const key = { rules: { duplicateKey: VALUE } };
const TOO_LONG = Number('576461413038785752');
const DIGITS = 'has more digits than a number can hold';

describe('a value that many orders share', () => {
  it.each<[IDataObject, unknown, string]>([
    [field('orderNumber'), TOO_LONG, `Order Number ${DIGITS}`],
    [field('orderNumber'), '#N/A', 'Order Number is "#N/A"'],
    [field('orderNumber'), '5.76461E+17', 'Order Number is "5.76461E+17"'],
    ...[
      'None',
      'null',
      'NULL',
      'NaN',
      'n/a',
      '(null)',
      '(nil)',
      '\\N',
      ' None ',
      '-',
      '?',
      ' — ',
      '.',
    ].map((word): [IDataObject, unknown, string] => [
      field('orderNumber'),
      word,
      `Order Number is "${word.trim()}", which comes from a broken cell or a missing field`,
    ]),
    [field('orderNumber'), { id: 7 }, 'Order Number is an object or a list'],
    [field('customerName'), { first: 'Ann' }, 'Customer Name is an object or a list'],
    [field('customerName'), '#1001', 'Customer Name is "#1001", which is no name'],
    [field('customerName'), 'EN#1001', 'Customer Name is "EN#1001", which is no name'],
    [field('customerName'), '[object Object]', 'Customer Name is "[object Object]"'],
    [field('orderNotes'), '#REF!', 'Order Notes is "#REF!"'],
    ...[
      ...[
        'JosÃ©',
        'JosÃ© MartÃ\u00adnez',
        'Iâ€™m',
        'Jos\ufffd',
        'Ã…sa',
        'AyÅŸe YÄ±lmaz',
        'MaÅ‚gosia',
      ],
      ...['Å»aneta', 'Ð˜Ð²Ð°Ð½', 'Ø¹Ù„ÙŠ', 'Î“Î¹ÏŽÏ\u0081Î³Î¿Ï‚', 'à¤°à¤¾à¤®', 'Pï¿½r'],
    ].map((name): [IDataObject, unknown, string] => [
      field('customerName'),
      name,
      `Customer Name is "${name}", with letters that a wrong encoding has broken`,
    ]),
    ...([field('customerName'), field('orderNotes'), field('orderNumber'), key] as const).map(
      (parameters): [IDataObject, unknown, string] => [
        parameters,
        `A-${String(''.trim)}`,
        'has a method without its brackets: write trim()',
      ],
    ),
    ...[
      '$json.name',
      '=$json.name',
      '${$json.name}',
      'A-$node["Orders"].json.no',
      "$('Orders')",
    ].map((text): [IDataObject, unknown, string] => [
      field('orderNumber'),
      text,
      'Order Number has an expression that n8n did not evaluate',
    ]),
    [field('orderNumber'), 'ORDundefined', 'Order Number is "ORDundefined"'],
    [field('customerName'), 'Nathan undefined', 'Customer Name is "Nathan undefined"'],
    [field('customerName'), 'null null', 'Customer Name is "null null"'],
    [field('customerName'), 'null', 'Customer Name is "null"'],
    [field('customerName'), 'N/A', 'Customer Name is "N/A"'],
    [field('customerName'), '(none)', 'Customer Name is "(none)"'],
    [field('orderNumber'), '#undefined', 'Order Number is "#undefined"'],
    [field('orderNotes'), 'Main Street 5, null', 'Order Notes is "Main Street 5, null"'],
    [field('orderNotes'), 'Two [object Object]', 'Order Notes is "Two [object Object]"'],
    [key, 'undefined-undefined', 'Duplicate Key is "undefined-undefined"'],
    [key, 'null-null', 'Duplicate Key is "null-null"'],
    ...(
      [
        [field('orderNumber'), 'Order Number'],
        [field('customerName'), 'Customer Name'],
        [key, 'Duplicate Key'],
        [variables({ amount: VALUE }), 'Script Variables, "amount",'],
      ] as const
    ).map(([parameters, name]): [IDataObject, unknown, string] => [
      parameters,
      'of {{ $json.name }}',
      `${name} has an expression that n8n did not evaluate`,
    ]),
    ...(['customerName', 'orderNumber', 'orderNotes'] as const).map(
      (name): [IDataObject, unknown, string] => [
        field(name),
        'for {{ first_name }}',
        'has an expression that n8n did not evaluate, "for {{ first_name }}"',
      ],
    ),
    [key, TOO_LONG, `Duplicate Key ${DIGITS}`],
    [key, '#REF!', 'Duplicate Key is "#REF!"'],
    [key, 'undefined', 'Duplicate Key is "undefined"'],
    [key, '5.76461E+17', 'Duplicate Key is "5.76461E+17"'],
    ...[
      ...['null', 'NaN', '-', 'n/a', 'None', '(null)', '<NA>', '\\N', ' \u2013 '],
      ...['/', '_', '#', ' | ', '\u200b', '="'],
    ].map((text): [IDataObject, unknown, string] => [key, text, 'Duplicate Key is empty']),
    [variables({ amount: VALUE }), TOO_LONG, `Script Variables, "amount", ${DIGITS}`],
    [variables({ amount: '={{ NaN }}' }), '', 'Script Variables, "amount", is "NaN"'],
    [variables({ amount: VALUE }), '#VALUE!', 'Script Variables, "amount", is "#VALUE!"'],
    ...[
      ["DateTime.fromISO($json.value).toFormat('d LLLL')", 'Invalid DateTime'],
      ['DateTime.fromISO($json.value)', 'Invalid DateTime'],
      ['new Date($json.value).toString()', 'Invalid Date'],
      ['new Date($json.value)', 'null'],
    ].map(([expression, text]): [IDataObject, unknown, string] => [
      variables({ day: `={{ ${expression} }}` }),
      'soon',
      `Script Variables, "day", is "${text}"`,
    ]),
    [variables({ day: VALUE }), 'null', 'Script Variables, "day", is "null"'],
    [variables({ day: VALUE }), 'NULL', 'Script Variables, "day", is "NULL"'],
    [field('orderNotes'), 'null', 'Order Notes is "null"'],
    [variables({ day: VALUE }), 'on Invalid DateTime', 'is "on Invalid DateTime"'],
    [field('orderNumber'), '7-Invalid DateTime', 'Order Number is "7-Invalid DateTime"'],
    [key, 'Invalid Date', 'Duplicate Key is "Invalid Date"'],
    ...[{}, [null], '\u200b'].map((value): [IDataObject, unknown, string] => [
      variables({ day: VALUE }, [{ id: 'day', required: true }]),
      value,
      'Script Variables lacks a value for day',
    ]),
  ])('is refused before anybody is called: %j with %j', async (parameters, value, message) => {
    const { error } = await call(parameters, value);
    expect(error?.message).toContain(message);
    expect(service.seen.received).toEqual([]);
  });

  it.each<[IDataObject, unknown]>([
    [field('orderNumber'), 9007199254740991],
    [field('orderNumber'), '576461413038785752'],
    [field('orderNumber'), '1e5'],
    [field('customerName'), 'Nan Null'],
    [field('customerName'), 'JOÃO ROMÃ-SILVA (IRMÃ)'],
    [field('customerName'), 'Nescafé NESCAFÉ® «CAFÉ» Ærø Ñandú Łódź Ἀθῆναι'],
    [
      field('customerName'),
      'MATÚŠ KRÍŽ RÚŽENA ANDRÉ’S ALİ’NİN “CAFÉ” »Weiß« „Groß“ Voß’ Weiß–Müller Weiß…',
    ],
    [field('orderNotes'), 'Costs $items (5), asks for $node.js, Uses $json: ok'],
    [field('orderNumber'), '$(5) $25 $nowhere'],
    ...['Null', 'Nan', 'None'].map((name): [IDataObject, string] => [field('customerName'), name]),
    ...['None', 'n/a', '-'].map((note): [IDataObject, string] => [field('orderNotes'), note]),
    ...['None such', 'N/A-7', 'Nil-1', '0'].map((number): [IDataObject, string] => [
      field('orderNumber'),
      number,
    ]),
    [field('orderNotes'), 'Ab null Uhr; Nan isst mit'],
    [field('orderNotes'), 'Undefined times, annull'],
    [field('orderNotes'), 'Invalid dates are rung'],
    [variables({ greeting: VALUE }), 'Hello {{ customerName }}'],
    [key, { id: 7 }],
    [key, 0],
  ])('is not %j with %j', async (parameters, value) => {
    expect((await call(parameters, value)).error).toBeUndefined();
    expect(service.seen.calls).toHaveLength(1);
  });

  it('is no date: it is sent as its text', async () => {
    await call({ ...field('orderNotes'), ...variables({ day: VALUE }) }, new Date(0));
    expect(service.seen.received[0]?.body).toMatchObject({
      orderNotes: '1970-01-01T00:00:00.000Z',
      day: '1970-01-01T00:00:00.000Z',
    });
  });
});

describe('script variables', () => {
  it('with two values for one name are refused', async () => {
    const more = moreVariables({ name: 'amount', value: '5' }, { name: 'amount', value: '5' });
    const { error } = await call({ ...variables({ amount: '1,499' }), ...more });
    expect(error?.message).toContain('Script Variables give "amount" twice');
    expect(service.seen.received).toEqual([]);
    expect((await call(more)).error).toBeUndefined();
  });

  it.each([
    ['={{ 1.1 * 3 }}', '3.3'],
    ['={{ 4.35 * 100 }}', '435'],
    ['={{ { total: 0.1 + 0.2 } }}', '{"total":0.3}'],
    ['={{ 1499.5 }}', '1499.5'],
    ['={{ 9007199254740991 }}', '9007199254740991'],
  ])('are told without the error of a computation: %s is %s', async (given, told) => {
    await call(variables({ amount: given }));
    expect(service.seen.received[0]?.body).toMatchObject({ amount: told });
  });

  it('of spaces count as missing', async () => {
    const schema = [{ id: 'amount', displayName: 'amount', required: true, display: true }];
    const { error } = await call(variables({ amount: '  ' }, schema));
    expect(error?.message).toContain('Script Variables lacks a value for amount');
  });

  it('that are missing are named with the field for them, or are to be renamed', async () => {
    const message = 'Missing required script variables: brand, name, customerName';
    service.faults.add({
      kind: 'status',
      status: 400,
      route: 'trigger',
      body: { success: false, message },
    });
    const { error } = await call({});
    expect(error?.description).toContain('Fill in brand under "Script Variables"');
    expect(error?.description).toContain('Fill in customerName under "Additional Fields"');
    expect(error?.description).toContain('uses name itself: give the placeholder another name');
  });
});
