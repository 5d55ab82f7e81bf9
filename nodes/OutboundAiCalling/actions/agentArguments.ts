import {
  nodeNameToToolName,
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type IPairedItemData,
  type ISupplyDataFunctions,
} from 'n8n-workflow';
import { isRecord } from '../http/json';
import { literal } from '../http/redaction';
import type { ItemParameters } from './itemParameters';
import { runDataOf } from './memory/rounds';

/** The item of this node in an expression without spaces, up to its field. */
const OWN_ITEM = String.raw`(?:\$json|\$data|\$(?:input|items\()[^]*?\.json)`;
const WHOLE_ITEM = String.raw`${OWN_ITEM}(?![\w$.[])`;
const USES_WHOLE_ITEM = new RegExp(WHOLE_ITEM);
const BEGINS_ITEM = /\$(?:json|data|input|items)\b/;

const withoutSpaces = (text: string) => text.replace(/\s+/g, '');

/** Whether an expression reads a field of the item of its node. */
function readsFromItem(expression: string, key: string): boolean {
  const text = withoutSpaces(expression).replace(/\?\.(\[?)/g, (_, bracket) => bracket || '.');
  const name = literal(withoutSpaces(key));
  const inQuotes = String.raw`(['"\x60])${name}\1`;
  const field = new RegExp(String.raw`${OWN_ITEM}(?:\.${name}(?![\w$])|\[${inQuotes}\])`);
  const queried = new RegExp(String.raw`\$jmespath\(${OWN_ITEM},['"\x60]${name}(?![\w$])`);
  const taken = new RegExp(String.raw`[{,]${name}[^}]*\}=${WHOLE_ITEM}`);
  return [field, queried, taken].some((pattern) => pattern.test(text));
}

/** Whether an expression asks the agent for an argument. n8n knows three ways to write `$fromAI`. */
function asksAgent(expression: string, key: string): boolean {
  const pattern = String.raw`\$from(?:AI|Ai|ai)\(\s*(['"\x60])${literal(key)}\1`;
  return new RegExp(pattern).test(expression);
}

/** Whether an expression uses a field of the item, where the agent is not to be asked first. */
function usesOfItem(expression: string, key: string, isAsked: boolean): boolean {
  const [before = ''] = expression.split(BEGINS_ITEM);
  if (asksAgent(before, key)) return false;
  const usesWhole = !isAsked && USES_WHOLE_ITEM.test(withoutSpaces(expression));
  return usesWhole || readsFromItem(expression, key);
}

/** The expressions of all parameters, by the name of the parameter or the entry. The description is read before the agent is. */
function expressionsIn(value: unknown, name = ''): Array<[string, string]> {
  if (name === 'toolDescription') return [];
  if (typeof value === 'string') return value.startsWith('=') ? [[name, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  const nameOf = (key: string) => (Array.isArray(value) || '__rl' in value ? name : key);
  return Object.entries(value).flatMap(([key, one]) => expressionsIn(one, nameOf(key)));
}

/** What n8n puts into this run in place of data; undefined when it does not say. `$fromAI` gives only what has a usual name. */
function givenIn(context: IExecuteFunctions): INodeExecutionData | undefined {
  const runs = runDataOf(context)[context.getNode().name];
  const { $runIndex } = context.getWorkflowDataProxy(0);
  const given = runs?.[Number($runIndex)]?.inputOverride?.ai_tool?.[0]?.[0];
  return isRecord(given?.json) ? given : undefined;
}

/** What an AI agent gives with this request, by the names that it has chosen; undefined when n8n does not say. */
export function argumentsOf(context: IExecuteFunctions): IDataObject | undefined {
  const given = givenIn(context);
  if (given === undefined || !('toolCallId' in given.json)) return given?.json;
  // n8n 1 gives the arguments together with the item of the agent. What is as in that item was not replaced.
  const isSame = ([key, value]: [string, unknown]) =>
    JSON.stringify(given.json[key]) === JSON.stringify(value);
  const own = itemsOfAgent(context, given).find(({ json }) => Object.entries(json).every(isSame));
  const isOwn = (key: string) => key === 'toolCallId' || key in (own?.json ?? {});
  return Object.fromEntries(Object.entries(given.json).filter(([key]) => !isOwn(key)));
}

function itemsOfAgent(
  context: IExecuteFunctions,
  { pairedItem }: INodeExecutionData,
): INodeExecutionData[] {
  const from = (pairedItem as IPairedItemData | undefined)?.sourceOverwrite;
  const runs = runDataOf(context)[from?.previousNode ?? ''] ?? [];
  // After a review n8n counts runs that there are not.
  const run = runs[from?.previousNodeRun ?? 0] ?? runs.at(-1);
  return run?.data?.main?.[from?.previousNodeOutput ?? 0] ?? [];
}

const ONE_BY_ONE = 'Put a Loop Over Items with a Batch Size of 1 before the agent';

/**
 * n8n's human review asks a person about the first request alone when the agent has several items, and gives its
 * arguments, as reviewed, to the others too. To what was reviewed n8n adds the name of the tool.
 */
function refuseReviewOfFirst(context: IExecuteFunctions, parameters: ItemParameters): void {
  const given = givenIn(context);
  if (given?.json.tool !== nodeNameToToolName(context.getNode())) return;
  const count = itemsOfAgent(context, given).length;
  if (count <= 1) return;
  parameters.refuse(
    'The human review',
    `is that of one of ${count} items, and n8n takes it for all of them`,
    `${ONE_BY_ONE}.`,
  );
}

/** The context of a node that n8n runs within its AI agent, as older agents and the MCP Server Trigger have it. */
export type SubNodeContext = IExecuteFunctions &
  Pick<ISupplyDataFunctions, 'addOutputData' | 'cloneWith' | 'getNextRunIndex'>;

export function isSubNode(context: IExecuteFunctions): context is SubNodeContext {
  return 'cloneWith' in context && 'getNextRunIndex' in context;
}

/** What an expression may name that is the same for each item, and what asks the agent. */
const SAME_FOR_ALL =
  /\$(?:from(?:AI|Ai|ai)|now|today|vars|env|secrets|workflow|execution|jmespath|if|ifEmpty|min|max)\b|\$\((?:[^()]|\([^()]*\))*\)\s*\.(?:first|last|all)\(/g;

function changesByItem(expression: string): boolean {
  return /\$[a-z(]/i.test(expression.replace(SAME_FOR_ALL, ''));
}

/** Older agents, and nodes of other models, build a tool once: it sees the first of their items alone. */
function refuseFirstItem(context: SubNodeContext, parameters: ItemParameters): void {
  const { connectionInputData: items } = context as Partial<{ connectionInputData: unknown[] }>;
  const count = items?.length ?? 1;
  if (count <= 1) return;
  for (const [name, expression] of expressionsIn(context.getNode().parameters)) {
    if (!changesByItem(expression)) continue;
    parameters.refuse(
      `"${name}"`,
      `is that of the first of ${count} items for all of them`,
      `${ONE_BY_ONE}, or use the AI Agent in version 3.`,
    );
  }
}

/** What n8n puts over the item for an agent: its arguments, or all of the item when a retry no longer has them. */
function keysOverItem(context: IExecuteFunctions): string[] {
  const item = context.getInputData()[0]?.json ?? {};
  return Object.keys(argumentsOf(context) ?? ('toolCallId' in item ? item : {}));
}

/**
 * Refuses what an AI agent gives in place of the data. Where n8n runs a tool as a node of its own, it puts all that the
 * agent says over the fields of the item: `$json.phone` is the agent's `phone`, also where nobody has asked for one.
 */
export function refuseReplacedData(context: IExecuteFunctions, parameters: ItemParameters): void {
  if (isSubNode(context)) return refuseFirstItem(context, parameters);
  refuseReviewOfFirst(context, parameters);
  const keys = keysOverItem(context);
  if (keys.length === 0) return;
  const expressions = expressionsIn(context.getNode().parameters);
  const asked = keys.filter((key) => expressions.some(([, text]) => asksAgent(text, key)));
  for (const [name, expression] of expressions) {
    const key = keys.find((one) => usesOfItem(expression, one, asked.includes(one)));
    if (key === undefined) continue;
    parameters.refuse(
      `"${name}"`,
      `takes "${key}" from the data, and the AI agent may have given another one`,
      asked.includes(key)
        ? `In this node, give $fromAI('${key}') another name: n8n puts the answer of the agent over the field of the data.`
        : `Ask again without "${key}". If the agent is to choose it, write $fromAI('${key}') into the field.`,
    );
  }
}
