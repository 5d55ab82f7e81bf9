import { NodeApiError, NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { NOBODY_CALLED, NOBODY_CALLED_HERE, retrying, type NodeError } from '../nodeError';
import { isSubWorkflow, mayHaveRelatives } from './memory/family';

/** How advice about a retry names the execution. */
const TO_RETRY = /\b(retry(?:ing)? this execution)\b/gi;
/** Such advice as a part of a sentence, and as a sentence. */
const PART = /\b(r)etry this execution \(it calls nobody twice\)/gi;
const SENTENCE = /(?:Then retry|Retry|Retrying) this execution\b[^.]*\.\s*/g;

const CANNOT_RETRY =
  'n8n cannot retry this execution: the settings of the workflow do not save it. A new execution does everything again.';
const CALLS_AGAIN = 'It calls the same people again, unless Prevent Duplicates was already on.';

/** Whether n8n deletes this execution when it fails. The node does not see n8n's own defaults for that. */
function isDeleted(context: IExecuteFunctions): boolean {
  const { saveManualExecutions, saveDataErrorExecution } = context.getWorkflowSettings();
  const isManual = context.getMode() === 'manual';
  return isManual ? saveManualExecutions === false : saveDataErrorExecution === 'none';
}

function possible(context: IExecuteFunctions, advice: string): string {
  if (advice.search(TO_RETRY) === -1) return advice;
  if (isDeleted(context)) {
    const others = advice.replace(PART, '$1un the workflow again').replace(SENTENCE, '').trim();
    const calls = context.getNodeParameter('resource', 0) === 'call';
    return [others, CANNOT_RETRY, calls ? CALLS_AGAIN : ''].join(' ').trim();
  }
  if (!isSubWorkflow(context)) return advice;
  return advice.replace(TO_RETRY, '$1 (that of the sub-workflow, not the one that started it)');
}

/** Lets an error speak of this node alone where nobody knows whom the sub-workflows of the execution have called. */
function speakOfNode(context: IExecuteFunctions, error: NodeError): void {
  const end = error.message.slice(NOBODY_CALLED.length);
  if (!error.message.startsWith(NOBODY_CALLED) || !/^[.,]/.test(end)) return;
  if (!mayHaveRelatives(context)) return;
  error.message = NOBODY_CALLED_HERE + end;
  error.description = retrying(error.description ?? '');
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
      speakOfNode(context, error);
      error.description &&= possible(context, error.description);
    }
    throw error;
  });
}
