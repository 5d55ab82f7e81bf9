import { NodeConnectionTypes, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { argumentsOf, isSubNode, type SubNodeContext } from './agentArguments';

/** Whether n8n has under the number of this run what the agent has asked for with this call: `$fromAI` reads it there. */
function isAskedFor(context: SubNodeContext): boolean {
  const asked = context.getInputData()[0]?.json ?? {};
  return JSON.stringify(argumentsOf(context)) === JSON.stringify(asked);
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
  if (!isSubNode(context) || isAskedFor(context)) return await operate(context);
  const runIndex = context.getNextRunIndex();
  const inputData = [context.getInputData()];
  const own = context.cloneWith({ runIndex, inputData }) as unknown as SubNodeContext;
  const output = await operate(own);
  own.addOutputData(NodeConnectionTypes.AiTool, runIndex, [output]);
  return output;
}
