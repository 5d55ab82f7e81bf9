import { NodeApiError, NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { THEN_RETRY } from '../nodeError';
import { isSubWorkflow } from './memory/family';

/** How advice about a retry names the execution. */
const TO_RETRY = /\b(retry(?:ing)? this execution)\b/gi;

const CANNOT_RETRY =
  'The settings of this workflow do not save this execution, so n8n cannot retry it. A new one calls people again, unless you use Prevent Duplicates.';

/** Whether n8n deletes this execution when it fails. The node does not see n8n's own defaults for that. */
function isDeleted(context: IExecuteFunctions): boolean {
  const { saveManualExecutions, saveDataErrorExecution } = context.getWorkflowSettings();
  const isManual = context.getMode() === 'manual';
  return isManual ? saveManualExecutions === false : saveDataErrorExecution === 'none';
}

function possible(context: IExecuteFunctions, advice: string): string {
  if (advice.search(TO_RETRY) === -1) return advice;
  if (isDeleted(context)) return `${advice.replace(THEN_RETRY, '').trim()} ${CANNOT_RETRY}`.trim();
  if (!isSubWorkflow(context)) return advice;
  return advice.replace(TO_RETRY, '$1 (that of the sub-workflow, not the one that started it)');
}

/**
 * Runs an operation. When it fails, its advice names an execution whose retry is possible and calls nobody twice. In
 * a sub-workflow, n8n shows the error in both executions: a retry of the one that started it begins the sub-workflow
 * anew, and calls everybody again.
 */
export async function withAdviceToRetry<T>(
  context: IExecuteFunctions,
  operate: () => Promise<T>,
): Promise<T> {
  return await operate().catch((error: unknown) => {
    if (error instanceof NodeApiError || error instanceof NodeOperationError) {
      error.description &&= possible(context, error.description);
    }
    throw error;
  });
}
