import {
  NodeConnectionTypes,
  type IDataObject,
  type IExecuteFunctions,
  type NodeTypeAndVersion,
} from 'n8n-workflow';
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

/** Whether a node, or a tool of an agent, starts another workflow. */
const STARTS_WORKFLOWS = /\.(?:executeWorkflow|toolWorkflow)$/;

/**
 * Whether another execution of its family may have called somebody, although this process knows of none: a retry of a
 * workflow begins a family of its own, and another process of n8n, or one before a restart, has a memory of its own.
 */
export function mayHaveRelatives(context: IExecuteFunctions): boolean {
  if (isSubWorkflow(context)) return true;
  const wasExecuted = ({ name }: NodeTypeAndVersion) =>
    (context.getWorkflowDataProxy(0).$(name) as IDataObject).isExecuted === true;
  const toolsOf = ({ name }: NodeTypeAndVersion) =>
    context.getParentNodes(name, { connectionType: NodeConnectionTypes.AiTool });
  try {
    const before = context.getParentNodes(context.getNode().name);
    const around = [...before, ...before.flatMap(({ name }) => context.getChildNodes(name))];
    const nodes = [...new Map(around.map((one) => [one.name, one])).values()].filter(wasExecuted);
    return [...nodes, ...nodes.flatMap(toolsOf)].some(({ type }) => STARTS_WORKFLOWS.test(type));
  } catch {
    // n8n fails at a connection to a node that is gone.
    return true;
  }
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
