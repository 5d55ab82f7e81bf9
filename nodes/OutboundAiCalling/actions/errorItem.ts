import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { NodeError } from '../nodeError';
import { errorWithoutKeys, withoutKeys } from '../withoutKeys';

/**
 * The item that stands for an error. n8n sends it to the error output when "error" is its only field, and adds the
 * fields of the input item. From an item with the error itself n8n takes the error's message alone: other fields
 * would be lost.
 *
 * @param pairedItem the input for which it stands
 * @param subject tells a person about that input
 */
export function errorItem(
  context: IExecuteFunctions,
  failure: NodeError,
  pairedItem: INodeExecutionData['pairedItem'],
  subject: IDataObject = {},
): INodeExecutionData {
  const error = errorWithoutKeys(context, failure);
  const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
  const json = { error: error.message, ...(hasErrorOutput ? {} : withoutKeys(context, subject)) };
  const isWhole = !hasErrorOutput && Object.keys(json).length === 1;
  return { json, ...(isWhole && { error }), pairedItem };
}
