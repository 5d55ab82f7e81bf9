import type { INodeExecutionData } from 'n8n-workflow';
import { isTool, type OperationExecution } from './execution';

/** As n8n reads the settings of a node. */
const FEWEST_TRIES = 2;
const USUAL_TRIES = 3;
const MOST_TRIES = 5;

/** Counts a try of the node, which n8n does not tell it. */
export function noteTry({ context, memory }: OperationExecution): void {
  const execution = context.getExecutionId();
  const { tries } = memory.notes;
  // A tool of n8n's MCP Server Trigger runs without an execution id.
  const before = tries !== undefined && tries.execution === execution ? tries.count : 0;
  memory.notes.tries = { execution, count: before + 1 };
}

export function hasTriesLeft({ context, memory }: OperationExecution): boolean {
  const { retryOnFail, maxTries } = context.getNode();
  if (retryOnFail !== true) return false;
  const tries = Math.min(MOST_TRIES, Math.max(FEWEST_TRIES, maxTries || USUAL_TRIES));
  return (memory.notes.tries?.count ?? 0) < tries;
}

/** As n8n reads the `error` of an item: an empty one, which a raw answer may have, is an error too. */
function isErrorValue(error: unknown): boolean {
  return error !== undefined && error !== null && error !== false;
}

/**
 * Whether a further try of the same execution follows this one, or may: n8n tries again when the node fails, or when
 * the first item of its first output has an error. An agent may always ask again.
 *
 * @param output the items of the first output; undefined when the node fails
 */
export function isTriedAgain(
  execution: OperationExecution,
  output: INodeExecutionData[] | undefined,
): boolean {
  if (isTool(execution.context)) return true;
  if (execution.cancelled.aborted || !hasTriesLeft(execution)) return false;
  return output === undefined || isErrorValue(output[0]?.json.error);
}
