import type { IExecuteFunctions, INodeProperties, IRunExecutionData } from 'n8n-workflow';
import { isSimulatedId } from '../service/simulatedService';
import { readList } from '../values';
import type { RuleParameters } from './rule';

const DISPLAY_NAME = 'Manual Executions';
const OUTCOMES = 'rules.simulatedOutcomes';
export const USUAL_OUTCOME = 'Order confirmed';

const NAMES = {
  call: 'Call',
  testPhone: 'Call Test Phone',
  dryRun: 'Dry Run',
  simulate: 'Simulate',
};
/** What an execution does; `simulate` calls nobody and goes on as if people had been called. */
export type ManualExecution = keyof typeof NAMES;

/** The field of the rule, with the choices of an operation and what each does there. */
function manualExecutionsOf(choices: Partial<Record<ManualExecution, string>>): INodeProperties {
  const test = 'testPhone' in choices ? '. "Call Test Phone" needs the rule "Test Phone" too.' : '';
  return {
    displayName: DISPLAY_NAME,
    name: 'manualExecutions',
    type: 'options',
    // Adding the rule alone rings nobody.
    default: 'dryRun',
    options: Object.entries(choices).map(([value, description]) => {
      return { name: NAMES[value as ManualExecution], value, description };
    }),
    description:
      'What Execute step and Execute workflow do. Published workflows always call, and so do retries of their executions.',
    hint: `Has no effect in production executions${test}`,
  };
}

/** For the operations that call one person for each item. */
export const manualExecutions = manualExecutionsOf({
  call: 'Call the customers, as production executions do',
  testPhone:
    'Ring the number of the rule Test Phone for every item. Later nodes go on as if the customer had been called.',
  dryRun: 'Call nobody, and tell for each item what would happen. Later nodes still run.',
  simulate:
    'Call nobody, and go on as if the calls had ended, so that later nodes can be tried. The rule Simulated Outcomes says how they end.',
});

export const manualSchedules = manualExecutionsOf({
  call: 'Schedule calls to the customers, as production executions do',
  testPhone: 'Schedule a call to the number of the rule Test Phone for every item',
  dryRun: 'Schedule nothing, and tell for each item what would happen',
  simulate: 'Schedule nothing, and go on as if the calls had been scheduled',
});

/** For campaigns, whose people are not called one by one. */
export const manualCampaigns = manualExecutionsOf({
  call: 'Send the request, as production executions do: people are called',
  dryRun: 'Send nothing, and tell what would happen',
  simulate: 'Send nothing, and go on as if the service had accepted it',
});

export const manualPlacing = manualExecutionsOf({
  call: 'Call the people whose scheduled calls are due',
  dryRun:
    'Call nobody, and say of the due calls, as long as channels are free, whether they would be placed',
  simulate: 'Call nobody, and go on as if the calls had been placed',
});

export const simulatedOutcomes: INodeProperties = {
  displayName: 'Simulated Outcomes',
  name: 'simulatedOutcomes',
  type: 'string',
  default: '',
  placeholder: 'e.g. Order confirmed, No answer',
  description:
    'How calls end in simulated executions: the items get these outcomes in turn, and nobody is called. Without Manual Executions, adding this rule turns Simulate on. It has no effect in production executions.',
};

/** `actions/call/askedCall.ts` puts it in the place of the customer's. */
export const testPhone: INodeProperties = {
  displayName: 'Test Phone',
  name: 'testPhone',
  type: 'string',
  default: '',
  placeholder: 'e.g. +12025550123',
  description:
    'Your own number with its country code, rung instead of every customer when you execute the workflow by hand. It has no effect in production executions.',
};

/** A test call that was scheduled by hand rings when it is due: a production execution places it too. */
export const testPhoneOfSchedules: INodeProperties = {
  ...testPhone,
  description:
    'Your own number with its country code. Calls that you schedule by hand ring it instead of the customers, when Place Scheduled Calls places them.',
};

/**
 * The notice that Execute step calls people. It disappears when a person makes another choice, or
 * adds a test phone or simulated outcomes, which are choices of their own.
 *
 * @param hide values of other parameters with which nobody is called
 */
export function callNotice(
  displayName: string,
  hide: Record<string, boolean[]> = {},
): INodeProperties {
  const isGiven = [{ _cnd: { exists: true as const } }];
  const choices = {
    '/rules.manualExecutions': ['testPhone', 'dryRun', 'simulate'],
    '/rules.testPhone': isGiven,
    '/rules.simulatedOutcomes': isGiven,
  };
  const displayOptions = { hide: { ...hide, ...choices } };
  return { displayName, name: 'callNotice', type: 'notice', default: '', displayOptions };
}

const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';

/** Parts of a context that only some versions of n8n have. */
interface Origin extends Partial<Pick<IExecuteFunctions, 'getExecutionContext'>> {
  additionalData?: { rootExecutionMode?: unknown };
  runExecutionData?: Pick<IRunExecutionData, 'parentExecution' | 'manualData'> | null;
}

/** What n8n keeps of the execution that has started this one as its sub-workflow. */
export function parentExecutionOf(context: Origin): IRunExecutionData['parentExecution'] {
  return context.runExecutionData?.parentExecution;
}

/**
 * Whether somebody tries the workflow out: a person by hand in the editor, whole or in part, or with
 * an evaluation, or n8n's AI assistant. Retries and sub-workflows of such an execution run in modes
 * of their own, and count too.
 */
export function isManualExecution(context: IExecuteFunctions): boolean {
  const { getExecutionContext, additionalData, runExecutionData }: Origin = context;
  // That of the parent is all that is left when a sub-workflow has waited, is retried by itself, or is an agent's tool.
  const contexts = [
    getExecutionContext?.call(context),
    parentExecutionOf(context)?.executionContext,
  ];
  const sources = contexts.map((one) => one?.source);
  const modes = [context.getMode(), additionalData?.rootExecutionMode, ...sources];
  // Below a sub-workflow, all that is left is the first trigger. The command line can start it too, and so can a
  // published agent of n8n, which no execution has started.
  const isOfManualTrigger = contexts.some((one) => one?.triggerNode?.type === MANUAL_TRIGGER);
  const ownModes = [context.getMode(), contexts[0]?.source];
  const isOfAgent = ownModes.includes('integrated') && parentExecutionOf(context) === undefined;
  const isByHand =
    modes.some((mode) => mode === 'manual' || mode === 'evaluation') ||
    (isOfManualTrigger && !modes.includes('cli') && !isOfAgent);
  // n8n's assistant runs a draft as if its trigger had fired.
  return isByHand || runExecutionData?.manualData?.source === 'instance_ai';
}

/** Production always calls. "Call" with a test phone or simulated outcomes is refused: one of them is a mistake. */
export function readManualExecution(parameters: RuleParameters): ManualExecution {
  if (!parameters.isManual) return 'call';
  const isSimulated = parameters.has(OUTCOMES);
  const hasOther = isSimulated || parameters.has('rules.testPhone');
  const careful = isSimulated ? 'simulate' : 'testPhone';
  const values = Object.keys(NAMES) as ManualExecution[];
  const usual = hasOther ? careful : 'call';
  const choice = parameters.choice('rules.manualExecutions', DISPLAY_NAME, values, usual);
  if (choice === 'call' && hasOther) {
    const [things, rule, instead] = isSimulated
      ? ['there are simulated outcomes', 'Simulated Outcomes', 'call nobody']
      : ['there is a test phone', 'Test Phone', 'ring your own phone'];
    const advice = `Choose "${NAMES[careful]}" to ${instead}, or remove the rule "${rule}" to call the customers.`;
    parameters.refuse(DISPLAY_NAME, `is "Call", and ${things}`, advice);
  }
  return choice;
}

/** The same for campaigns and for placing scheduled calls, which cannot ring a test phone. */
export function readTrial(parameters: RuleParameters): Exclude<ManualExecution, 'testPhone'> {
  if (!parameters.isManual) return 'call';
  const values = ['call', 'dryRun', 'simulate'] as const;
  return parameters.choice('rules.manualExecutions', DISPLAY_NAME, values, 'call');
}

/** Whether an earlier node has simulated this call or campaign. Production asks the service about every id. */
export function isOfSimulation(id: number, { isManual }: RuleParameters): boolean {
  return isManual && isSimulatedId(id);
}

/** Reads the outcome of the simulated call whose turn it is. The calls get the outcomes in turn. */
export function readSimulatedOutcome(parameters: RuleParameters, turn: number): string {
  const outcomes = readList(parameters.value(OUTCOMES));
  if (outcomes === undefined) {
    parameters.refuse('Simulated Outcomes', 'is no list of outcomes', 'e.g. Confirmed, No answer');
  }
  const usual = outcomes === undefined || outcomes.length === 0 ? [USUAL_OUTCOME] : outcomes;
  return usual[turn % usual.length] as string;
}
