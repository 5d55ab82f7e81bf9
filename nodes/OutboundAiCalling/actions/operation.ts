import {
  updateDisplayOptions,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeProperties,
  type INodePropertyOptions,
} from 'n8n-workflow';

/**
 * One operation, listed by the `*.resource.ts` of its resource; the type of its output is in `outputs.ts`. Most are
 * made with `eachItem`, `eachCall` or `eachCallLog`, which work on each item.
 */
export interface Operation {
  option: INodePropertyOptions & { value: string; action: string };
  fields: INodeProperties[];
  execute(context: IExecuteFunctions): Promise<INodeExecutionData[]>;
}

/** A resource: its entry in the list, its operations, and which of them is chosen at first. */
export interface Resource {
  option: INodePropertyOptions & { value: string };
  operations: Operation[];
  usual: Operation;
}

/** The subtitle under the node's name on the canvas: what the node does, in words. */
export function subtitleOf(resources: Resource[]): string {
  const words = resources.flatMap(({ option: resource, operations }) =>
    operations.map(({ option }) => [`${resource.value}.${option.value}`, option.action]),
  );
  const chosen = '$parameter["resource"] + "." + $parameter["operation"]';
  return `={{ (${JSON.stringify(Object.fromEntries(words))})[${chosen}] }}`;
}

export function resourceList(resources: Resource[]): INodeProperties {
  return {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: resources.map(({ option }) => option),
    default: 'call',
  };
}

/** The panel of a resource: the list of its operations, then the fields of each of them. */
export function panelOf({ option, operations, usual }: Resource): INodeProperties[] {
  const show = { resource: [option.value] };
  const { value } = usual.option;
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show },
      options: operations.map((one) => one.option),
      default: value,
    },
    ...operations.flatMap(({ option: one, fields }) =>
      updateDisplayOptions({ show: { ...show, operation: [one.value] } }, fields),
    ),
  ];
}
