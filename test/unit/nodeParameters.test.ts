import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeParameters } from '../../nodes/OutboundAiCalling/actions/nodeParameters';
import { readPhoneNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { objectionToContent } from '../../nodes/OutboundAiCalling/objections';

/** The parameters of a node in a loop, with three items or another count, whose expressions give these values. */
function parametersOf(
  value: (item: number, expression: string) => unknown,
  raw: unknown = '={{ $json.a }}',
  count = 3,
  ahead = ['Loop', 'Orders', 'Call'],
): NodeParameters {
  return new NodeParameters({
    getNode: () => ({ name: 'Call', parameters: { scriptId: raw, customerPhone: raw } }),
    getParentNodes: () => ahead.map((name) => ({ name })),
    getInputData: () => Array.from({ length: count }, () => ({})),
    evaluateExpression: (expression: string, item: number) => value(item, expression),
  } as unknown as IExecuteFunctions);
}
const differing = async (parameters: NodeParameters) => await parameters.differingItem('scriptId');

describe('a text that names one order or person', () => {
  /** By n8n, for the values of the expressions. */
  const identifying = (raw: unknown, text: unknown, ...values: unknown[]) =>
    parametersOf(() => values.shift(), raw).identifying('scriptId', text, 0);
  const PHONE = '=+{{ $json.country }} {{ $json.phone }}';

  it('is nothing when it is only what it holds besides its expressions, the last of which may be unclosed', () => {
    expect(identifying('=ORD-{{ $json.a }}', 'ORD-')).toBeUndefined();
    expect(identifying('={{ $json.a }} of {{ $json.b', ' of ')).toBeUndefined();
    expect(identifying('=A{{ "\\}}" }}B', 'AB')).toBeUndefined();
    expect(identifying('=ORD-{{ $json.a }}', 'ORD-7', 7)).toBe('ORD-7');
  });

  it('is nothing when all its expressions give nothing or spaces', () => {
    expect(identifying('=ORD-{{ $json.a }}', 'ORD- ', ' ')).toBeUndefined();
    expect(identifying(PHONE, '+   ', ' ', null)).toBeUndefined();
  });

  const phone = (raw: unknown, text: unknown, ...values: unknown[]) =>
    parametersOf(() => values.shift(), raw).identifying('customerPhone', text, 0);

  it.each([
    ['=+{{ $json.a }}', '+4915120000000', ['4915120000000']],
    ['=+{{ $json.a }}', '+4915120000000', [4915120000000]],
    ['=+49 {{ $json.a }}', '+49 1512000000', [1512000000]],
    ['=00{{ $json.a }}', '004915120000000', ['4915120000000']],
    ['=+{{ $json.a }}', '+4915120000000.0', ['4915120000000.0']],
    ['={{ $json.a }}{{ $json.b }}', '+491512000000', ['+49', 1512000000]],
    ["={{ '+' + $json.a }}", '+4915120000000', ['+4915120000000']],
    ['={{ "+49 ".concat($json.a) }}', '+49 1512000000', ['+49 1512000000']],
    ['={{ `+${$json.a}` }}', '+4915120000000', ['+4915120000000']],
  ])(
    'of a person has no plus where %s adds it to what a spreadsheet may have shortened: %s',
    (raw, text, values) => {
      expect(readPhoneNumber(phone(raw, text, ...values), 'DE')).toEqual({
        objection: expect.stringContaining('ends with six zeros'),
      });
    },
  );

  it.each([
    ['={{ $json.a }}', '+4915120000000', '+4915120000000'],
    ["={{ $json.a.replace('-', '') }}", '+4915120000000', '+4915120000000'],
    ['= {{ $json.a }}', ' +4915120000000', '+4915120000000'],
    ['=+{{ $json.a }}', '+4915123456789', '4915123456789'],
    ["={{ '+' + $json.a }}", '+4915123456789', '+4915123456789'],
    ['=+4915120000000', '+4915120000000', undefined],
    ['+4915120000000', '+4915120000000', undefined],
  ])('of a person keeps its plus: %s gives %s', (raw, text, value) => {
    expect(phone(raw, text, value)).toBe(text);
  });

  it('of an order keeps what it holds besides six zeros', () => {
    expect(identifying('=00{{ $json.a }}', '001000000000', 1000000000)).toBe('001000000000');
    expect(identifying('=ORD-{{ $json.a }}', 'ORD-1000000000', '1000000000')).toBe(
      'ORD-1000000000',
    );
  });

  it('is what a person has typed without an expression', () => {
    for (const raw of ['1042', '=1042', 1042, undefined]) {
      expect(identifying(raw, '1042')).toBe('1042');
    }
  });

  it('is what its only expression gives, which its reader checks, or the clock', () => {
    expect(identifying('={{ $json.a }}', '#N/A')).toBe('#N/A');
    expect(identifying('=ORD-{{ Date.now() }}', 'ORD-17')).toBe('ORD-17');
  });

  it.each<unknown>([
    undefined,
    null,
    '',
    ' ',
    '-',
    ' \u2013',
    'None',
    'n/a',
    '(null)',
    '\\N',
    [''],
    {},
  ])('is `undefined` where one of several expressions gives %j', (nothing) => {
    expect(identifying(PHONE, '+ 646', nothing, '646')).toBe('undefined');
    expect(identifying(PHONE, '+1 ', 1, nothing)).toBe('undefined');
  });

  it.each<unknown>(['None', '-', '\\N', true, false])(
    'is `undefined` where the only expression within a text gives %j',
    (nothing) => {
      expect(identifying('=ORD-{{ $json.a }}', `ORD-${String(nothing)}`, nothing)).toBe(
        'undefined',
      );
    },
  );

  it.each<unknown>([
    '#N/A',
    '5.76461E+17',
    576461413038785800,
    NaN,
    'A undefined',
    '[object Object]',
    'Invalid DateTime',
    'Invalid date',
    'Invalid Date',
  ])('is the part that is no text about one order: %j', (broken) => {
    expect(identifying('=ORD-{{ $json.a }}', `ORD-${String(broken)}`, broken)).toBe(broken);
    expect(identifying(PHONE, '+646', '646', broken)).toBe(broken);
    expect(identifying(PHONE, '+646', undefined, broken)).toBe(broken);
    expect(readPhoneNumber(broken, 'US')).toHaveProperty('objection');
    expect(objectionToContent(broken)).toBeDefined();
  });

  it('stays as it is where all give something, also a word within a longer text, or a switch beside a number', () => {
    expect(identifying(PHONE, '+1 646', 1, '646')).toBe('+1 646');
    expect(identifying('={{ $json.a }}-{{ $json.b }}', 'None such-7', 'None such', 7)).toBe(
      'None such-7',
    );
    expect(identifying('={{ $json.a }}-{{ $json.b }}', '7-false', 7, false)).toBe('7-false');
  });

  it.each([
    ...[
      "$json.b ?? ''",
      '$json.b ?? ""',
      "$json.b || ''",
      '$json.b || ` `',
      "($json.b ?? '').trim()",
    ],
    ...["$json.b ? '-' + $json.b : ''", "!$json.b ? '' : '-' + $json.b"],
    ...["$ifEmpty($json.b, '')", "$if($json.b, '-' + $json.b, '')"],
  ])('may lack a part that its author lets be empty: {{ %s }}', (part) => {
    const raw = `={{ $json.a }}{{ ${part} }}`;
    expect(identifying(raw, '17', '17', '')).toBe('17');
    expect(identifying(raw, '17', '17', null)).toBe('undefined');
    expect(identifying(raw, '17-', '17', '-')).toBe('undefined');
    expect(identifying(raw, ' ', '', '')).toBeUndefined();
  });

  it.each([
    ...['$json.b', '$json.b?.c', '$json.b ?? $json.c', '$json.b || $json.c', "$json['Phone? ']"],
    ...["$json.b.replace('+', '')", "$json.b.split('')[0]", "$json.b && '-' + $json.b"],
  ])('lacks a part that nobody lets be empty: {{ %s }}', (part) => {
    expect(identifying(`={{ $json.a }}{{ ${part} }}`, '17', '17', '')).toBe('undefined');
  });

  it.each([
    ...["$('Before').first().json.cc", '$("Before").last(0).json["cc"]'],
    ...[
      "$('Before').all()[0].json.cc",
      "$('Before').item.json.cc",
      "$('Before').itemMatching(0).json.cc",
    ],
    ...["$node['Before'].json.cc", '$node.Before.json.cc', "$item(0).$node['Before'].json.cc"],
    ...["$items('Before')[0].json.cc", '$input.all().at(0)?.json.cc', '$json.addresses[0].cc'],
  ])('is `undefined` where one expression joins %s, which gives nothing', (field) => {
    for (const [given, read] of [
      ['', 'undefined'],
      ['1', '+1646'],
    ]) {
      const value = (_: number, one: string) => (one === `{{ ${field} }}` ? given : '646');
      const parameters = parametersOf(value, `={{ '+' + ${field} + $json.phone }}`);
      expect(parameters.identifying('scriptId', '+1646', 0)).toBe(read);
    }
  });

  it('is not asked for by parts where the whole has failed, or a part fails by itself or cannot be read', () => {
    const failing = () => {
      throw new Error('no such field');
    };
    const raw = '={{ $json.a }} {{ $json.b }}';
    const parameters = parametersOf(failing, raw);
    expect(parameters.identifying('scriptId', undefined, 0)).toBeUndefined();
    expect(parameters.identifying('scriptId', 'A 7', 0)).toBe('A 7');
    expect(identifying(raw, 'A 7', 'A', { toJSON: failing })).toBe('A 7');
  });
});

describe('the first item with another value', () => {
  it('is found', async () => {
    expect(await differing(parametersOf((item) => (item < 2 ? 7 : 9)))).toBe(2);
  });

  it('is one whose expression fails', async () => {
    const failing = (item: number) => {
      if (item === 1) throw new Error('no such field');
      return 7;
    };
    expect(await differing(parametersOf(failing))).toBe(1);
  });

  it('is not there where all have the same, or where there is no expression', async () => {
    expect(await differing(parametersOf(() => 7))).toBeUndefined();
    expect(await differing(parametersOf((item) => item, 7))).toBeUndefined();
  });

  it('is not there where the clock or chance gives the value', async () => {
    let ticks = 0;
    for (const expression of [
      '$now.toISO()',
      '`${$today} ${$now}`',
      'Math.random()',
      'DateTime.now()',
    ]) {
      expect(await differing(parametersOf(() => ticks++, `={{ ${expression} }}`))).toBeUndefined();
    }
  });

  it('is found also beside the clock and chance, in one collection or in one text', async () => {
    let ticks = 0;
    const given = (item: number, expression: string) =>
      expression.includes('$json') ? item : ticks++;
    const beside = { values: [{ amount: '={{ $json.total }}' }], at: '={{ $now }}' };
    for (const raw of [
      beside,
      '={{ $json.total }} at {{ $now }}',
      '=at {{ $now }}: {{ `${$json.total}`',
    ]) {
      expect(await differing(parametersOf(given, raw))).toBe(1);
      expect(
        await differing(parametersOf((_, expression) => given(7, expression), raw)),
      ).toBeUndefined();
    }
  });

  it('is found where one expression has the item and the clock: nobody knows which of them differs', async () => {
    let ticks = 0;
    expect(await differing(parametersOf(() => ticks++, '={{ $json.total + $now }}'))).toBe(1);
  });
});

describe('an expression that uses one item for all', () => {
  type Lists = Record<string, unknown[]>;
  /** n8n's reading of `$input` and `$('…')`, for a list of each and three items. */
  const evaluated = (lists: Lists) => (item: number, expression: string) => {
    const of = (phones: unknown[]) => ({
      first: () => phones[0],
      last: () => phones.at(-1),
      all: () => phones,
      itemMatching: (index: number) => phones[index],
      item: phones[item],
    });
    const made = new Function('$input', '$', '$itemIndex', `return ${expression.slice(2, -2)}`) as (
      ...data: unknown[]
    ) => unknown;
    return made(of(lists.input ?? []), (name: string) => of(lists[name] ?? []), item);
  };
  const takesOne = (raw: string, lists: Lists) => {
    const parameters = parametersOf(evaluated(lists), `={{ ${raw} }}`);
    for (const item of [0, 1, 2]) {
      parameters.noteGiven('scriptId', evaluated(lists)(item, `{{ ${raw} }}`));
    }
    return parameters.usesOneItemForAll('scriptId');
  };
  const input = ['Ann', 'Bo', 'Cy'];

  it.each([
    ...['$input.first()', '$input.last()', '$input.all()[0]'],
    ...[
      "$('Twice').first()",
      "$('Orders (1)').first()",
      '$("Orders (1)").all()[0]',
      "'+' + $('Orders (1)').last()",
      "$('Orders (1)').first(0, 0)",
      "$('Orders (1)').all(0)[0]",
      "$('Orders (1)').itemMatching(0)",
      "$('Settings').first() + $input.first()",
    ],
    ...[
      '$input?.first()',
      '$input .first()',
      "$input['first']()",
      '((list) => list.first())($input)',
    ],
    ...['$input.all()[1]', '$input.all().at(0)', '$input.all().map((one) => one)[0]'],
  ])('is one: %s', (raw) => {
    const lists = { input, 'Orders (1)': input, Twice: ['Ann', 'Bo', 'Ann'], Settings: ['+1'] };
    expect(takesOne(raw, lists)).toBe(true);
  });

  it.each<[string, Lists]>([
    ['$input.item', { input }],
    ['$input.item', { input: ['Ann', 'Ann', 'Ann'] }],
    // Orders of one person.
    ['$input.first()', { input: ['Ann', 'Ann', 'Ann'] }],
    // A list with settings, or of people who are called about all orders.
    ["$('Settings').first()", { Settings: ['Ann'] }],
    ["$('Staff').first()", { Staff: ['Ann', 'Bo'] }],
    ["$('Staff').all().find((one) => one === 'Bo')", { Staff: input }],
    ["$('Staff').all().length", { Staff: input }],
    ['$input.all()[$itemIndex]', { input: ['Ann', 'Ann', 'Ann'] }],
    ["'Ann'", {}],
  ])('is not one: %s of %j', (raw, lists) => {
    expect(takesOne(raw, lists)).toBe(false);
  });

  describe('and has another of its own', () => {
    const usesOne = (raw: string, own: string | undefined, ahead?: string[]) => {
      const data = {
        first: () => 'Ann',
        last: () => 'Cy',
        all: () => ['Ann', 'Bo', 'Cy'],
        get item() {
          if (own === undefined) throw new Error('No paired item');
          return raw.startsWith('$node') ? { json: own } : own;
        },
      };
      const value = (_: number, expression: string): unknown =>
        new Function('$', '$node', '$items', `return ${expression.slice(2, -2)}`)(
          () => data,
          { Orders: { json: 'Ann' } },
          data.all,
        );
      const parameters = parametersOf(value, `={{ ${raw} }}`, 1, ahead);
      parameters.noteGiven('scriptId', value(0, `{{ ${raw} }}`));
      return parameters.usesOneItemForAll('scriptId');
    };

    it.each([
      "$('Orders').first()",
      "$('Orders').last()",
      "$('Orders').all()[0]",
      "$node['Orders'].json",
      '$node.Orders.json',
      "$items('Orders')[0]",
      "$items('Orders').at(0)",
    ])('is one, also for the only item of a round: %s', (raw) => {
      expect(usesOne(raw, 'Bo')).toBe(true);
    });

    it('is not one where its own is the same, or not known', () => {
      expect(usesOne("$('Orders').first()", 'Ann')).toBe(false);
      expect(usesOne("$('Orders').last()", 'Cy')).toBe(false);
      expect(usesOne("$('Orders').last()", undefined)).toBe(false);
      expect(usesOne("$('Orders').item", 'Bo')).toBe(false);
    });

    it('is not one outside of a loop where the item may be made of all', () => {
      expect(usesOne("$('Orders').last()", 'Ann', ['Orders'])).toBe(false);
      expect(usesOne("$('Orders').first()", 'Bo', ['Orders'])).toBe(true);
    });
  });
});
