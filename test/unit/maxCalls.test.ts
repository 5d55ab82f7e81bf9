import type { IExecuteFunctions } from 'n8n-workflow';
import { refuseTooManyCalls } from '../../nodes/OutboundAiCalling/rules/maxCalls';
import type { NothingSent } from '../../nodes/OutboundAiCalling/service/failure';

/** The context of a node whose rules are set, each by itself. */
const contextOf = (rules: unknown) =>
  ({
    getNode: () => ({ parameters: { rules } }),
    getNodeParameter: (name: string) => {
      if (name === 'rules.maxCalls') return (rules as { maxCalls: unknown }).maxCalls;
      throw new Error('an expression of another rule fails');
    },
  }) as unknown as IExecuteFunctions;
/** The context of a node whose rules one expression gives. */
const contextOfExpression = (rules: unknown) =>
  ({
    getNode: () => ({ parameters: { rules: '={{ $json.rules }}' } }),
    getNodeParameter: (name: string) => (name === 'rules' ? rules : undefined),
  }) as unknown as IExecuteFunctions;

const refusalOf = (context: IExecuteFunctions, calls: number) => {
  try {
    refuseTooManyCalls(context, calls);
  } catch (error) {
    const { message, advice } = error as NothingSent;
    return { message, advice };
  }
  return undefined;
};

describe('Max Calls', () => {
  it.each([contextOf, contextOfExpression])(
    'lets through as many calls as it says: %#',
    (contextWith) => {
      expect(refusalOf(contextWith({ maxCalls: 3 }), 3)).toBeUndefined();
      expect(refusalOf(contextWith({ maxCalls: 3 }), 4)).toEqual({
        message: '4 calls are more than "Max Calls" allows (3)',
        advice: 'Check where the items come from, or raise "Max Calls" under "Rules".',
      });
    },
  );

  it.each([0, -1, 1.5, '', null, 'many', true])('is refused when it is %j', (maxCalls) => {
    for (const contextWith of [contextOf, contextOfExpression]) {
      expect(refusalOf(contextWith({ maxCalls }), 1)).toEqual({
        message: '"Max Calls" is not a whole number of at least 1',
        advice: 'Correct "Max Calls" under "Rules", or remove it.',
      });
    }
  });

  it('may be 1', () => {
    expect(refusalOf(contextOf({ maxCalls: 1 }), 1)).toBeUndefined();
    expect(refusalOf(contextOf({ maxCalls: '1' }), 2)?.message).toContain('allows (1)');
  });

  it('that is not added allows any number of calls', () => {
    const contexts = [contextOf({}), ...[{}, undefined, 'none'].map(contextOfExpression)];
    for (const context of contexts) expect(refusalOf(context, 100_000)).toBeUndefined();
  });
});
