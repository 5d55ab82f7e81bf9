import {
  NodeHelpers,
  type IDataObject,
  type INode,
  type INodeExecutionData,
  type INodeType,
} from 'n8n-workflow';

const filledIn = new Map<string, INode['parameters']>();

/** The parameters of a node with the defaults of those that the panel shows, as a saved workflow holds them. */
export function withDefaults({ description }: INodeType, given: IDataObject): INode['parameters'] {
  const saved = JSON.stringify(given);
  const key = description.name + saved;
  let filled = filledIn.get(key);
  if (filled === undefined) {
    const parameters = JSON.parse(saved) as INode['parameters'];
    const node = { parameters, typeVersion: 1 } as INode;
    const { properties } = description;
    filled =
      NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description) ?? {};
    filledIn.set(key, filled);
  }
  return filled;
}

const EXPRESSION = /^=\{\{ \$json\.(\w+) \}\}$/;

/** Expressions of this one form are all that histories need. */
function resolved(value: unknown, item: INodeExecutionData | undefined): unknown {
  if (typeof value === 'string') {
    const [, name] = EXPRESSION.exec(value) ?? [];
    return name === undefined ? value : item?.json[name];
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry: unknown) => resolved(entry, item));
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, resolved(entry, item)]),
  );
}

/** A parameter, by its path, as n8n gives it to a node. */
export function parameterOf(
  parameters: IDataObject,
  path: string,
  item: INodeExecutionData | undefined,
  fallback: unknown,
): unknown {
  let value: unknown = parameters;
  for (const name of path.split('.')) {
    value = (value as IDataObject | undefined | null)?.[name];
    if (value === undefined) return fallback;
  }
  return resolved(value, item);
}
