import type { IExecuteFunctions } from 'n8n-workflow';
import { parentExecutionOf } from '../../rules/manualExecutions';

/** At most this many executions of this process are known with their families. */
const MOST_EXECUTIONS = 1_000;

/**
 * An execution and its sub-workflows, which n8n runs as executions of their own, are a family. This is its name, by the
 * id of each of these executions; the one used last comes last.
 */
const families = new Map<string, string>();

function remember(executionId: string, family: string): void {
  families.delete(executionId);
  families.set(executionId, family);
  const [oldest] = families.keys();
  if (families.size > MOST_EXECUTIONS && oldest !== undefined) families.delete(oldest);
}

/** Whether another workflow has started this one. */
export function isSubWorkflow(context: IExecuteFunctions): boolean {
  return parentExecutionOf(context) !== undefined;
}

/** The name of an execution's family: the same for all of its members that run in this process. */
export function familyOf(context: IExecuteFunctions): string | undefined {
  const parent = parentExecutionOf(context);
  const grandparentId = parent?.executionContext?.parentExecutionId;
  const all = [grandparentId, parent?.executionId, context.getExecutionId()];
  const ids = all.flatMap((id) => id ?? []);
  const family = ids.map((id) => families.get(id)).find((one) => one !== undefined) ?? ids[0];
  if (family !== undefined) for (const id of ids) remember(id, family);
  return family;
}
