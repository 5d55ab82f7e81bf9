import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/** The phone number of each customer, made up. */
export const phoneOf = (index: number) => `+1202555${String(1000 + index)}`;

/** Call Customer with a call log, for the person and order of each item. */
export const loggedCall: IDataObject = {
  resource: 'call',
  operation: 'trigger',
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  additionalFields: { orderNumber: '={{ $json.number }}' },
  callLog: 'dataTable',
  callLogTable: { mode: 'name', value: 'Calls' },
};

/** Items of orders, each by another customer. */
export const itemsOf = (count: number): INodeExecutionData[] =>
  Array.from({ length: count }, (_, index) => ({
    json: { phone: phoneOf(index), number: `A-${index}` },
  }));

/** Items of orders, each with its phone, and its number if it has one. */
export const itemsOfOrders = (
  ...orders: Array<[phone: string, number?: string]>
): INodeExecutionData[] => orders.map(([phone, number = '']) => ({ json: { phone, number } }));
