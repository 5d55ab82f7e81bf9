import { NodeApiError, NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { isSubWorkflow } from './memory/family';

/** How advice about a retry names the execution. */
const TO_RETRY = /\b(retry(?:ing)? this execution)\b/gi;

/**
 * Runs an operation. When it fails in a sub-workflow, n8n shows the error in both executions: a retry of the one
 * that started it begins the sub-workflow anew, and calls everybody again.
 */
export async function withAdviceOfSubWorkflow<T>(
  context: IExecuteFunctions,
  operate: () => Promise<T>,
): Promise<T> {
  return await operate().catch((error: unknown) => {
    const isAdvised = error instanceof NodeApiError || error instanceof NodeOperationError;
    if (isAdvised && isSubWorkflow(context)) {
      const which = '$1 (that of the sub-workflow, not the one that started it)';
      error.description = error.description?.replace(TO_RETRY, which);
    }
    throw error;
  });
}
