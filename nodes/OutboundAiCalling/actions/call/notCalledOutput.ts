import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
} from 'n8n-workflow';
import { saysNobodyWasCalled } from '../../nodeError';
import { isTool } from '../execution';
import type { ItemParameters } from '../itemParameters';

export const notCalledOutput: INodeProperties = {
  displayName: 'Not Called Output',
  name: 'notCalledOutput',
  type: 'boolean',
  noDataExpression: true,
  default: true,
  description:
    'Whether items of people who were surely not called leave by an output of their own, so that no later node takes them for called',
};

/** The outputs of the node, as n8n evaluates them for the editor and for executions. */
export const outputs = `={{
  ['trigger', 'triggerAndWait'].includes($parameter.operation) &&
  $parameter.options?.notCalledOutput === true
    ? [{ type: 'main', displayName: 'Called' }, { type: 'main', displayName: 'Not Called' }]
    : ['main']
}}`;

/** The number of outputs is not the business of an expression: another value than a switch is refused. */
export function checkNotCalledOutput(parameters: ItemParameters): void {
  if (!parameters.has('options.notCalledOutput')) return;
  if (typeof parameters.value('options.notCalledOutput') === 'boolean') return;
  parameters.refuse('Not Called Output', 'is neither on nor off', 'Set the switch, or remove it.');
}

/** Items of people who were not called; the service's own body may say the same of something else. */
const notCalled = new WeakSet<IDataObject>();

/** Notes that an item is about somebody who was not called. */
export function asNotCalled(item: IDataObject): IDataObject {
  notCalled.add(item);
  return item;
}

function wasNotCalled({ json, error }: INodeExecutionData): boolean {
  return notCalled.has(json) || saysNobodyWasCalled(error);
}

/** Parts the items of an operation that calls somebody, when the person has chosen two outputs. */
export function partedByCalled(
  context: IExecuteFunctions,
  items: INodeExecutionData[],
): INodeExecutionData[][] {
  const isParted = context.getNodeParameter('options.notCalledOutput', 0, false) === true;
  if (!isParted || isTool(context)) return [items];
  return [items.filter((item) => !wasNotCalled(item)), items.filter(wasNotCalled)];
}
