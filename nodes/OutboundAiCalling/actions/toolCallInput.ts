import {
  NodeConnectionTypes,
  type IExecuteFunctions,
  type INodeExecutionData,
  type ISupplyDataFunctions,
} from 'n8n-workflow';

/** The context of a node that an AI agent calls as a tool. */
type ToolContext = IExecuteFunctions &
  Pick<ISupplyDataFunctions, 'addOutputData' | 'cloneWith' | 'getNextRunIndex'>;

function isToolContext(context: IExecuteFunctions): context is ToolContext {
  return 'cloneWith' in context && 'getNextRunIndex' in context;
}

/** Whether `$fromAI` gives what the agent has asked for with this call. */
function isAskedFor(context: ToolContext): boolean {
  const asked = context.getInputData()[0]?.json ?? {};
  const { $fromAI: given } = context.getWorkflowDataProxy(0);
  if (typeof given !== 'function') return true;
  const name = (key: string): unknown => (given as (key: string) => unknown)(key);
  return Object.entries(asked).every(
    ([key, value]) => JSON.stringify(name(key)) === JSON.stringify(value),
  );
}

/**
 * Runs an operation with the request of the agent. n8n finds a request by the number of its run,
 * and tool calls that were prepared together share that number. Without a run of its own, a second
 * tool call would call the customer of the first.
 */
export async function withOwnInput(
  context: IExecuteFunctions,
  operate: (context: IExecuteFunctions) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
  if (!isToolContext(context) || isAskedFor(context)) return await operate(context);
  const runIndex = context.getNextRunIndex();
  const inputData = [context.getInputData()];
  const own = context.cloneWith({ runIndex, inputData }) as unknown as ToolContext;
  const output = await operate(own);
  own.addOutputData(NodeConnectionTypes.AiTool, runIndex, [output]);
  return output;
}
