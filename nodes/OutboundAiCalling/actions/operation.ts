import {
  updateDisplayOptions,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeProperties,
  type INodePropertyOptions,
} from 'n8n-workflow';

/** One operation: its entry in the list, its fields, and what it does with all items. */
export interface Operation {
  option: INodePropertyOptions & { value: string; action: string };
  fields: INodeProperties[];
  /** Whether people can choose an output for those who were not called. */
  hasNotCalledOutput?: boolean;
  execute(context: IExecuteFunctions): Promise<INodeExecutionData[]>;
}

/** A resource: its entry in the list, the list of its operations, and the operations. */
export interface Resource {
  option: INodePropertyOptions & { value: string };
  operationList: INodeProperties;
  operations: Operation[];
}

/** The panel of a resource: the list of its operations, then the fields of each of them. */
export function panelOf({ option, operationList, operations }: Resource): INodeProperties[] {
  const show = { resource: [option.value] };
  return [
    ...updateDisplayOptions({ show }, [operationList]),
    ...operations.flatMap((operation) =>
      updateDisplayOptions(
        { show: { ...show, operation: [operation.option.value] } },
        operation.fields,
      ),
    ),
  ];
}
