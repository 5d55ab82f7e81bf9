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

describe('the fixed text of a template', () => {
  const isFixed = (raw: unknown, text: unknown) =>
    parametersOf(() => text, raw).gaveNothing('scriptId', text);

  it('is what it holds besides its expressions, the last of which may be unclosed', () => {
    expect(isFixed('=ORD-{{ $json.a }}', 'ORD-')).toBe(true);
    expect(isFixed('={{ $json.a }} of {{ $json.b', ' of ')).toBe(true);
    expect(isFixed('=A{{ "\\}}" }}B', 'AB')).toBe(true);
    expect(isFixed('=ORD-{{ $json.a }}', 'ORD-7')).toBe(false);
  });

  it('is not what a person has typed without an expression', () => {
    for (const raw of ['1042', '=1042', 1042, undefined]) expect(isFixed(raw, '1042')).toBe(false);
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
