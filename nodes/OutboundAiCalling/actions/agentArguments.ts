import type { IDataObject, IExecuteFunctions, IRunExecutionData } from 'n8n-workflow';
import { isRecord } from '../http/json';
import type { ItemParameters } from './itemParameters';

/** What n8n gives to an expression as the item of this node. */
const OWN_ITEM = String.raw`\$(?:json|input\.(?:item|(?:first|last)\(\)|all\(\)\[\d+\])\.json)`;

const escaped = (key: string) => key.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Whether an expression reads a field of the item, which the agent may not give to it. */
function readsFromItem(expression: string, key: string): boolean {
  const name = escaped(key);
  const field = String.raw`(?:\??\.${name}(?![\w$])|(?:\?\.)?\[\s*(['"\x60])${name}\1\s*\])`;
  const asksAgent = new RegExp(String.raw`\$fromAI\(\s*(['"\x60])${name}\1`, 'i');
  return new RegExp(OWN_ITEM + field).test(expression) && !asksAgent.test(expression);
}

/** The texts of all parameters that hold expressions, by the name of the parameter or the entry. */
function expressionsIn(value: unknown, name = ''): Array<[string, string]> {
  if (typeof value === 'string') return value.startsWith('=') ? [[name, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  const nameOf = (key: string) => (Array.isArray(value) ? name : key);
  return Object.entries(value).flatMap(([key, one]) => expressionsIn(one, nameOf(key)));
}

/** What an AI agent gives with this request, by the names that it has chosen. */
export function argumentsOf(context: IExecuteFunctions): IDataObject {
  // n8n has no public function for it: `$fromAI` gives only what has a usual name.
  const { runExecutionData } = context as Partial<{ runExecutionData: IRunExecutionData }>;
  const runs = runExecutionData?.resultData.runData[context.getNode().name];
  const { $runIndex } = context.getWorkflowDataProxy(0);
  const given = runs?.[Number($runIndex)]?.inputOverride?.ai_tool?.[0]?.[0]?.json;
  return isRecord(given) ? given : {};
}

/**
 * Refuses what an AI agent gives in place of the data: n8n puts all that the agent says over the fields of the item, so
 * `$json.phone` is the agent's `phone`, also where nobody has asked the agent for one.
 */
export function refuseReplacedData(context: IExecuteFunctions, parameters: ItemParameters): void {
  const keys = Object.keys(argumentsOf(context));
  for (const [name, expression] of expressionsIn(context.getNode().parameters)) {
    const key = keys.find((one) => readsFromItem(expression, one));
    if (key === undefined) continue;
    parameters.refuse(
      `"${name}"`,
      `takes "${key}" from the data, and the AI agent has given another one`,
      `Ask again without "${key}". If the agent is to choose it, write $fromAI('${key}') into the field.`,
    );
  }
}
