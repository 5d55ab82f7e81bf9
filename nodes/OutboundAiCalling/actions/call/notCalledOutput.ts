import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { tellHint } from '../../hints';
import { isTool } from '../execution';
import type { ItemParameters } from '../itemParameters';
import { wasNotCalled } from '../notCalled';

export const notCalledOutput: INodeProperties = {
  displayName: 'Not Called Output',
  name: 'notCalledOutput',
  type: 'boolean',
  noDataExpression: true,
  default: true,
  description:
    'Whether to send people who were surely not called to a second output. The next node then handles only people who were called, or may have been. Always Output Data must be off.',
};

const OPERATIONS = ['trigger', 'triggerAndWait'];

/** The outputs of the node, as n8n evaluates them for the editor and for executions. */
export const outputs = `={{
  ${JSON.stringify(OPERATIONS)}.includes($parameter.operation) &&
  $parameter.options?.notCalledOutput === true
    ? [{ type: 'main', displayName: 'Called' }, { type: 'main', displayName: 'Not Called' }]
    : ['main']
}}` as const;

/** Refuses a value that is no boolean, because the option decides the number of outputs. */
export function checkNotCalledOutput(parameters: ItemParameters): void {
  if (!parameters.has('options.notCalledOutput')) return;
  if (typeof parameters.value('options.notCalledOutput') === 'boolean') return;
  parameters.refuse('Not Called Output', 'is neither on nor off', 'Set the switch, or remove it.');
}

/** Whether n8n sends an item to the error output of the node: "error" is its only field. */
function isSentToErrors(context: IExecuteFunctions, { json }: INodeExecutionData): boolean {
  const { onError } = context.getNode();
  return onError === 'continueErrorOutput' && Object.keys(json).join() === 'error';
}

/** Warns of settings of the node that work with the first output only. */
function tellOneOutputSettings(
  context: IExecuteFunctions,
  first: INodeExecutionData[],
  isParted: boolean,
): void {
  const { alwaysOutputData, retryOnFail } = context.getNode();
  if (alwaysOutputData === true && first.every((item) => isSentToErrors(context, item))) {
    const output = isParted ? 'Called' : 'Success';
    const message = `Nobody is in "${output}", and "Always Output Data" puts an empty item into it: turn it off in the settings of the node`;
    tellHint(context, message, 'warning');
  }
  if (isParted && retryOnFail === true && context.continueOnFail()) {
    const message =
      'n8n tries again for failed items in "Called" only: "Retry On Fail" does nothing for the items in "Not Called"';
    tellHint(context, message, 'warning');
  }
}

function hasTwoOutputs(context: IExecuteFunctions): boolean {
  return context.getNodeParameter('options.notCalledOutput', 0, false) === true;
}

export function itemsOfFirstOutput(
  context: IExecuteFunctions,
  items: INodeExecutionData[],
): INodeExecutionData[] {
  return hasTwoOutputs(context) ? items.filter(({ json }) => !wasNotCalled(json)) : items;
}

/** Splits the items into "Called" and "Not Called", when a person has chosen two outputs. */
export function partedByCalled(
  context: IExecuteFunctions,
  operation: string,
  items: INodeExecutionData[],
): INodeExecutionData[][] {
  if (!OPERATIONS.includes(operation) || isTool(context)) return [items];
  const isParted = hasTwoOutputs(context);
  const called = itemsOfFirstOutput(context, items);
  tellOneOutputSettings(context, called, isParted);
  return isParted ? [called, items.filter(({ json }) => wasNotCalled(json))] : [called];
}
