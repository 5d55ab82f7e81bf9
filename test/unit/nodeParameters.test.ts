import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeParameters } from '../../nodes/OutboundAiCalling/actions/nodeParameters';

/** The parameters of a node with three items, whose expressions give these values. */
function parametersOf(
  value: (item: number, expression: string) => unknown,
  raw: unknown = '={{ $json.a }}',
): NodeParameters {
  return new NodeParameters({
    getNode: () => ({ parameters: { scriptId: raw } }),
    getInputData: () => [{}, {}, {}],
    evaluateExpression: (expression: string, item: number) => value(item, expression),
  } as unknown as IExecuteFunctions);
}
const differing = (parameters: NodeParameters) => parameters.differingItem('scriptId');

describe('a text that names one order or person', () => {
  /** By n8n, for the values of the expressions. */
  const identifying = (raw: unknown, text: unknown, ...values: unknown[]) =>
    parametersOf(() => values.shift(), raw).identifying('scriptId', text, 0);

  it('is nothing when it is only what it holds besides its expressions, the last of which may be unclosed', () => {
    expect(identifying('=ORD-{{ $json.a }}', 'ORD-')).toBeUndefined();
    expect(identifying('={{ $json.a }} of {{ $json.b', ' of ')).toBeUndefined();
    expect(identifying('=A{{ "\\}}" }}B', 'AB')).toBeUndefined();
    expect(identifying('=ORD-{{ $json.a }}', 'ORD-7')).toBe('ORD-7');
  });

  it('is what a person has typed without an expression', () => {
    for (const raw of ['1042', '=1042', 1042, undefined]) {
      expect(identifying(raw, '1042')).toBe('1042');
    }
  });

  it('is `undefined` where one of several expressions gives nothing, or a broken cell', () => {
    const raw = '=+{{ $json.country }} {{ $json.phone }}';
    expect(identifying(raw, '+ 646', undefined, '646')).toBe('undefined');
    expect(identifying(raw, '+1 ', 1, null)).toBe('undefined');
    expect(identifying(raw, '+#N/A 646', '#N/A', '646')).toBe('undefined');
  });

  it('stays as it is where all give something, also an empty text on purpose', () => {
    const raw = '=+{{ $json.country }} {{ $json.phone }}';
    expect(identifying(raw, '+1 646', 1, '646')).toBe('+1 646');
    expect(identifying(raw, '+ 646', '', '646')).toBe('+ 646');
  });

  it('is not asked for by parts where the whole has failed, or a part fails by itself', () => {
    const failing = () => {
      throw new Error('no such field');
    };
    const raw = '={{ $json.a }} {{ $json.b }}';
    const parameters = parametersOf(failing, raw);
    expect(parameters.identifying('scriptId', undefined, 0)).toBeUndefined();
    expect(parameters.identifying('scriptId', 'A 7', 0)).toBe('A 7');
  });
});

describe('the first item with another value', () => {
  it('is found', () => {
    expect(differing(parametersOf((item) => (item < 2 ? 7 : 9)))).toBe(2);
  });

  it('is one whose expression fails', () => {
    const failing = (item: number) => {
      if (item === 1) throw new Error('no such field');
      return 7;
    };
    expect(differing(parametersOf(failing))).toBe(1);
  });

  it('is not there where all have the same, or where there is no expression', () => {
    expect(differing(parametersOf(() => 7))).toBeUndefined();
    expect(differing(parametersOf((item) => item, 7))).toBeUndefined();
  });

  it('is not there where the clock or chance gives the value', () => {
    let ticks = 0;
    for (const expression of [
      '$now.toISO()',
      '`${$today} ${$now}`',
      'Math.random()',
      'DateTime.now()',
    ]) {
      expect(differing(parametersOf(() => ticks++, `={{ ${expression} }}`))).toBeUndefined();
    }
  });

  it('is found also beside the clock and chance, in one collection or in one text', () => {
    let ticks = 0;
    const given = (item: number, expression: string) =>
      expression.includes('$json') ? item : ticks++;
    const beside = { values: [{ amount: '={{ $json.total }}' }], at: '={{ $now }}' };
    for (const raw of [
      beside,
      '={{ $json.total }} at {{ $now }}',
      '=at {{ $now }}: {{ `${$json.total}`',
    ]) {
      expect(differing(parametersOf(given, raw))).toBe(1);
      expect(differing(parametersOf((_, expression) => given(7, expression), raw))).toBeUndefined();
    }
  });

  it('is found where one expression has the item and the clock: nobody knows which of them differs', () => {
    let ticks = 0;
    expect(differing(parametersOf(() => ticks++, '={{ $json.total + $now }}'))).toBe(1);
  });
});
