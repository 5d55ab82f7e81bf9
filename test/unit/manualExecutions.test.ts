import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import {
  isManualExecution,
  readManualExecution,
  readSimulatedOutcome,
  readTrial,
} from '../../nodes/OutboundAiCalling/rules/manualExecutions';
import { RuleSettings } from './ruleSettings';

const manual = (rules: IDataObject) => Object.assign(new RuleSettings(rules), { isManual: true });

describe('a person who tries the workflow out', () => {
  const isManual = (context: object) =>
    isManualExecution({ getMode: () => 'trigger', ...context } as unknown as IExecuteFunctions);
  const parent = (source: string) => ({
    runExecutionData: { parentExecution: { executionContext: { source } } },
  });

  const atManualTrigger = (source: string) => ({
    source,
    triggerNode: { name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
  });

  it.each<[string, object]>([
    ['runs it by hand', { getMode: () => 'manual' }],
    ['evaluates it', { getMode: () => 'evaluation' }],
    [
      'runs it by hand, and a part of it has another mode',
      { getExecutionContext: () => ({ source: 'manual' }) },
    ],
    ['runs its parent by hand', { additionalData: { rootExecutionMode: 'manual' } }],
    ['has run its parent by hand before it waited', parent('manual')],
    ['evaluates its parent', parent('evaluation')],
    [
      'runs what has called its parent by hand',
      {
        getMode: () => 'integrated',
        runExecutionData: { parentExecution: { executionContext: atManualTrigger('integrated') } },
      },
    ],
    ['has the assistant run it', { runExecutionData: { manualData: { source: 'instance_ai' } } }],
  ])('%s', (_, context) => expect(isManual(context)).toBe(true));

  it.each<[string, object]>([
    ['in production', {}],
    ['in production of a new n8n', { getExecutionContext: () => ({ source: 'webhook' }) }],
    ['in production of an n8n that stores nothing', { runExecutionData: null }],
    ['of a parent in production', parent('trigger')],
    ['with data of another kind', { runExecutionData: { manualData: { source: 'editor' } } }],
    ['without a context', { getExecutionContext: () => undefined }],
    [
      'where a published agent of n8n begins at the Manual Trigger',
      { getMode: () => 'integrated', getExecutionContext: () => atManualTrigger('integrated') },
    ],
    [
      'where a retry of such an execution does',
      { getMode: () => 'retry', getExecutionContext: () => atManualTrigger('integrated') },
    ],
    [
      'where the command line does',
      { getMode: () => 'cli', getExecutionContext: () => atManualTrigger('cli') },
    ],
  ])('is not there %s', (_, context) => expect(isManual(context)).toBe(false));

  it('is known by a method of the context that needs the context', () => {
    const context = {
      source: 'manual',
      getExecutionContext(this: { source: string }) {
        return { source: this.source };
      },
    };
    expect(isManual(context)).toBe(true);
  });
});

describe('what a manual execution does', () => {
  const PHONE = '+12025550123';

  it.each<[IDataObject, string]>([
    [{}, 'call'],
    [{ testPhone: PHONE }, 'testPhone'],
    [{ simulatedOutcomes: 'Busy' }, 'simulate'],
    [{ testPhone: PHONE, simulatedOutcomes: 'Busy' }, 'simulate'],
    [{ manualExecutions: 'call' }, 'call'],
    [{ manualExecutions: 'testPhone' }, 'testPhone'],
    [{ manualExecutions: 'dryRun', testPhone: PHONE }, 'dryRun'],
    [{ manualExecutions: 'testPhone', simulatedOutcomes: 'Busy' }, 'testPhone'],
    [{ manualExecutions: 'simulate' }, 'simulate'],
  ])('with %j is %s', (rules, choice) => {
    const settings = manual(rules);
    expect([readManualExecution(settings), settings.mistakes]).toEqual([choice, []]);
  });

  it('is told when "Call" stands beside a setting that rings nobody, or a phone of one\'s own', () => {
    const told = (rules: IDataObject) => {
      const settings = manual({ manualExecutions: 'call', ...rules });
      readManualExecution(settings);
      return settings.mistakes;
    };
    expect(told({ testPhone: PHONE })).toEqual([
      [
        'Manual Executions',
        'is "Call", and there is a test phone',
        'Choose "Call Test Phone" to ring your own phone, or remove the rule "Test Phone" to call the customers.',
      ],
    ]);
    expect(told({ testPhone: PHONE, simulatedOutcomes: 'Busy' })).toEqual([
      [
        'Manual Executions',
        'is "Call", and there are simulated outcomes',
        'Choose "Simulate" to call nobody, or remove the rule "Simulated Outcomes" to call the customers.',
      ],
    ]);
  });

  it('calls nobody by an unknown choice unnoticed', () => {
    const settings = manual({ manualExecutions: 'ring' });
    expect(readManualExecution(settings)).toBe('call');
    expect(settings.mistakes).toEqual([
      ['Manual Executions', 'is none of call, testPhone, dryRun, simulate'],
    ]);
  });

  it('in production is always to call', () => {
    const settings = new RuleSettings({ manualExecutions: 'dryRun', testPhone: PHONE });
    expect([readManualExecution(settings), readTrial(settings)]).toEqual(['call', 'call']);
    expect(settings.mistakes).toEqual([]);
  });

  it.each(['call', 'dryRun', 'simulate'])('may be %s for a campaign', (choice) => {
    const settings = manual({ manualExecutions: choice });
    expect([readTrial(settings), settings.mistakes]).toEqual([choice, []]);
  });

  it('calls the people of a campaign when nothing is chosen, and cannot ring a test phone', () => {
    expect(readTrial(manual({}))).toBe('call');
    const settings = manual({ manualExecutions: 'testPhone' });
    readTrial(settings);
    expect(settings.mistakes).toEqual([['Manual Executions', 'is none of call, dryRun, simulate']]);
  });
});

describe('simulated outcomes', () => {
  const outcomesOf = (simulatedOutcomes: unknown, count: number) => {
    const settings = manual({ simulatedOutcomes } as IDataObject);
    const outcomes = Array.from({ length: count }, (_, turn) =>
      readSimulatedOutcome(settings, turn),
    );
    return { outcomes, mistakes: settings.mistakes };
  };

  it('come in turn', () => {
    expect(outcomesOf('Order confirmed, No answer', 3)).toEqual({
      outcomes: ['Order confirmed', 'No answer', 'Order confirmed'],
      mistakes: [],
    });
  });

  it.each(['', [], undefined])('confirm every order when none is given: %j', (given) => {
    expect(outcomesOf(given, 2).outcomes).toEqual(['Order confirmed', 'Order confirmed']);
  });

  it('that are no list are refused', () => {
    expect(outcomesOf({ first: 'Busy' }, 1)).toEqual({
      outcomes: ['Order confirmed'],
      mistakes: [['Simulated Outcomes', 'is no list of outcomes', 'e.g. Confirmed, No answer']],
    });
  });
});
