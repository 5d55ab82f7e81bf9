import type {
  IDataObject,
  IExecuteFunctions,
  IRunExecutionData,
  ISupplyDataFunctions,
} from 'n8n-workflow';
import { isRecord } from '../http/json';
import type { ItemParameters } from './itemParameters';

/** The item of this node in an expression without spaces, up to its field. */
const OWN_ITEM = String.raw`(?:\$json|\$data|\$(?:input|items\()[^]*?\.json)`;

const escaped = (key: string) => key.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Whether an expression reads a field of the item of its node. */
function readsFromItem(expression: string, key: string): boolean {
  const bare = (text: string) => text.replace(/\s+/g, '');
  const text = bare(expression).replace(/\?\.(\[?)/g, (_, bracket) => bracket || '.');
  const name = escaped(bare(key));
  const inQuotes = String.raw`(['"\x60])${name}\1`;
  const field = new RegExp(String.raw`${OWN_ITEM}(?:\.${name}(?![\w$])|\[${inQuotes}\])`);
  const queried = new RegExp(String.raw`\$jmespath\(${OWN_ITEM},['"\x60]${name}(?![\w$])`);
  const taken = new RegExp(String.raw`[{,]${name}[^}]*\}=${OWN_ITEM}(?![\w$.[])`);
  return [field, queried, taken].some((pattern) => pattern.test(text));
}

/** Whether an expression asks the agent for an argument itself. n8n knows three ways to write `$fromAI`. */
function asksAgent(expression: string, key: string): boolean {
  return new RegExp(String.raw`\$fromAI\(\s*(['"\x60])${escaped(key)}\1`, 'i').test(expression);
}

/** The expressions of all parameters, by the name of the parameter or the entry. */
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

/** The context of a node that n8n runs within its AI agent, as older agents and the MCP Server Trigger have it. */
export type SubNodeContext = IExecuteFunctions &
  Pick<ISupplyDataFunctions, 'addOutputData' | 'cloneWith' | 'getNextRunIndex'>;

export function isSubNode(context: IExecuteFunctions): context is SubNodeContext {
  return 'cloneWith' in context && 'getNextRunIndex' in context;
}

/**
 * Refuses what an AI agent gives in place of the data. Where n8n runs a tool as a node of its own, it puts all that the
 * agent says over the fields of the item: `$json.phone` is the agent's `phone`, also where nobody has asked for one.
 */
export function refuseReplacedData(context: IExecuteFunctions, parameters: ItemParameters): void {
  if (isSubNode(context)) return;
  const keys = Object.keys(argumentsOf(context));
  for (const [name, expression] of expressionsIn(context.getNode().parameters)) {
    const isReplaced = (key: string) =>
      readsFromItem(expression, key) && !asksAgent(expression, key);
    const key = keys.find(isReplaced);
    if (key === undefined) continue;
    parameters.refuse(
      `"${name}"`,
      `takes "${key}" from the data, and the AI agent has given another one`,
      `Ask again without "${key}". If the agent is to choose it, write $fromAI('${key}') into the field.`,
    );
  }
}
