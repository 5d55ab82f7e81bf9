import type { INodeExecutionData } from 'n8n-workflow';

/** The phone number of each customer, made up. */
export const phoneOf = (index: number) => `+1202555${String(1000 + index)}`;

/** Items of orders, each by another customer. */
export const itemsOf = (count: number): INodeExecutionData[] =>
  Array.from({ length: count }, (_, index) => ({
    json: { phone: phoneOf(index), number: `A-${index}` },
  }));
