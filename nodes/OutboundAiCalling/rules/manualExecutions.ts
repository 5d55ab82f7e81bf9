import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { readList } from '../values';
import type { RuleParameters } from './rule';

/**
 * What an execution does: calls people, rings the builder's own phone instead, or calls nobody; `simulate` goes
 * on as if people had been called.
 */
export type ManualExecution = 'call' | 'testPhone' | 'dryRun' | 'simulate';

const DISPLAY_NAME = 'Manual Executions';
const OUTCOMES = 'rules.simulatedOutcomes';
const USUAL_OUTCOMES = ['Order confirmed'];

function manualExecutionsOf(hint: string, options: INodePropertyOptions[]): INodeProperties {
  return {
    displayName: DISPLAY_NAME,
    name: 'manualExecutions',
    type: 'options',
    // Who has only added the rule rings nobody.
    default: 'dryRun',
    options,
    description:
      'What Execute Step and Execute Workflow do. Published workflows always call, and so do retries of their executions.',
    hint,
  };
}

const call: INodePropertyOptions = {
  name: 'Call',
  value: 'call',
  description: 'Call the customers, as production executions do',
};

const dryRun: INodePropertyOptions = {
  name: 'Dry Run',
  value: 'dryRun',
  description: 'Call nobody, and tell for each item what would happen. Later nodes still run.',
};

const simulate: INodePropertyOptions = {
  name: 'Simulate',
  value: 'simulate',
  description:
    'Call nobody, and go on as if the calls had ended with the rule Simulated Outcomes, so that later nodes can be tried',
};

const PRODUCTION_HINT = 'Has no effect in production executions';

/** For the operations that call one person for each item. */
export const manualExecutions = manualExecutionsOf(
  `${PRODUCTION_HINT}. "Call Test Phone" needs the rule "Test Phone" too.`,
  [
    call,
    {
      name: 'Call Test Phone',
      value: 'testPhone',
      description:
        'Ring the number of the rule Test Phone for every item. Later nodes go on as if the customer had been called.',
    },
    dryRun,
    simulate,
  ],
);

/** For the operation that schedules calls, which later executions place. */
export const manualSchedules = manualExecutionsOf(
  `${PRODUCTION_HINT}. "Call Test Phone" needs the rule "Test Phone" too.`,
  [
    { ...call, description: 'Schedule calls to the customers, as production executions do' },
    {
      name: 'Call Test Phone',
      value: 'testPhone',
      description: 'Schedule a call to the number of the rule Test Phone for every item',
    },
    { ...dryRun, description: 'Schedule nothing, and tell for each item what would happen' },
    { ...simulate, description: 'Schedule nothing, and go on as if the calls had been scheduled' },
  ],
);

/** For campaigns, whose people are not called one by one. */
export const manualCampaigns = manualExecutionsOf(PRODUCTION_HINT, [
  { ...call, description: 'Have people called, as production executions do' },
  { ...dryRun, description: 'Send nothing, and tell what would happen' },
  { ...simulate, description: 'Send nothing, and go on as if the campaign had been taken' },
]);

/** For the operation that places calls that were scheduled. */
export const manualPlacing = manualExecutionsOf(PRODUCTION_HINT, [
  { ...call, description: 'Call the people whose scheduled calls are due' },
  { ...dryRun, description: 'Call nobody, and tell for each call that is due what would happen' },
  { ...simulate, description: 'Call nobody, and go on as if the calls had been placed' },
]);

export const simulatedOutcomes: INodeProperties = {
  displayName: 'Simulated Outcomes',
  name: 'simulatedOutcomes',
  type: 'string',
  default: '',
  placeholder: 'e.g. Order confirmed, No answer',
  description:
    'How the calls of manual executions end, which call nobody then: the items get these outcomes in turn. It has no effect in production executions.',
};

export const testPhone: INodeProperties = {
  displayName: 'Test Phone',
  name: 'testPhone',
  type: 'string',
  default: '',
  placeholder: 'e.g. +12025550123',
  description:
    'Your own number, rung instead of every customer when you execute the workflow by hand. It has no effect in production executions.',
};

/**
 * The notices that stand where Execute step has people called: in the panel of a call they go when
 * another choice was made, or a test phone was added, which is a choice of its own.
 *
 * @param hide values of other parameters with which nobody is called
 */
export function callNotices(displayName: string, hide: Record<string, boolean[]> = {}) {
  const notice = { displayName, type: 'notice' as const, default: '' };
  const choice = '/rules.manualExecutions';
  const isGiven = [{ _cnd: { exists: true as const } }];
  const notices: INodeProperties[] = [
    {
      ...notice,
      name: 'callNotice',
      displayOptions: {
        hide: {
          ...hide,
          [choice]: isGiven,
          '/rules.testPhone': isGiven,
          '/rules.simulatedOutcomes': isGiven,
        },
      },
    },
    {
      ...notice,
      name: 'chosenCallNotice',
      displayOptions: { show: { [choice]: ['call'] }, hide },
    },
  ];
  return notices;
}

/** What contexts have beside; not every version of n8n has it. */
interface Origin extends Partial<Pick<IExecuteFunctions, 'getExecutionContext'>> {
  additionalData?: { rootExecutionMode?: unknown };
}

/**
 * Whether a person tries the workflow out: by hand in the editor, whole or in part, or with an
 * evaluation. The retry of such an execution and its sub-workflows run in modes of their own.
 */
export function isManualExecution(context: IExecuteFunctions): boolean {
  const { getExecutionContext, additionalData }: Origin = context;
  const modes = [
    context.getMode(),
    getExecutionContext?.call(context)?.source,
    additionalData?.rootExecutionMode,
  ];
  return modes.some((mode) => mode === 'manual' || mode === 'evaluation');
}

/**
 * Reads what to do with a call; production executions call, whatever is set. To call the customers beside
 * a test phone or simulated outcomes is refused: one of them is a mistake.
 */
export function readManualExecution(parameters: RuleParameters): ManualExecution {
  if (!parameters.isManual) return 'call';
  const hasTestPhone = parameters.has('rules.testPhone');
  const isSimulated = parameters.has(OUTCOMES);
  const values = ['call', 'testPhone', 'dryRun', 'simulate'] as const;
  const careful = isSimulated ? 'simulate' : 'testPhone';
  const usual = hasTestPhone || isSimulated ? careful : 'call';
  const choice = parameters.choice('rules.manualExecutions', DISPLAY_NAME, values, usual);
  if (choice === 'call' && hasTestPhone) {
    parameters.refuse(
      DISPLAY_NAME,
      'is "Call", and there is a test phone',
      'Choose "Call Test Phone" to have your own phone ring, or remove the rule "Test Phone" to call the customers.',
    );
  }
  if (choice === 'call' && isSimulated) {
    parameters.refuse(
      DISPLAY_NAME,
      'is "Call", and there are simulated outcomes',
      'Choose "Simulate" to call nobody, or remove the rule "Simulated Outcomes" to call the customers.',
    );
  }
  return choice;
}

/** The same where no test phone can be rung: of campaigns, and of calls that were scheduled. */
export function readTrial(parameters: RuleParameters): Exclude<ManualExecution, 'testPhone'> {
  if (!parameters.isManual) return 'call';
  const values = ['call', 'dryRun', 'simulate'] as const;
  return parameters.choice('rules.manualExecutions', DISPLAY_NAME, values, 'call');
}

/** Reads how the call of an item ends that is only simulated: the items get the outcomes in turn. */
export function readSimulatedOutcome(parameters: RuleParameters, itemIndex: number): string {
  const outcomes = readList(parameters.value(OUTCOMES));
  if (outcomes === undefined) {
    parameters.refuse('Simulated Outcomes', 'is no list of outcomes', 'e.g. Confirmed, No answer');
  }
  const usual = outcomes === undefined || outcomes.length === 0 ? USUAL_OUTCOMES : outcomes;
  return usual[itemIndex % usual.length] as string;
}
