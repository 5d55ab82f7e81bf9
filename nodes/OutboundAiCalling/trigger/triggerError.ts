import { NodeOperationError, type INode, type NodeApiError } from 'n8n-workflow';
import { nodeError } from '../nodeError';
import { CallLogFailure } from '../callLog/callLogFailure';

/** Any failure of a poll in n8n's form: what happened, and what to do. */
export function triggerError(node: INode, failure: unknown): NodeApiError | NodeOperationError {
  if (failure instanceof NodeOperationError) return failure;
  if (failure instanceof CallLogFailure) {
    return new NodeOperationError(node, failure.message, { description: failure.advice });
  }
  return nodeError(node, failure, undefined);
}
