import { defined } from '../http/json';
import { readPhone } from './phoneFields';
import type { ItemParameters } from './itemParameters';

/** The longest name of an item within an error, in characters. */
const LONGEST_NAME = 40;

const phoneIn = (parameters: ItemParameters) =>
  readPhone(parameters, 'customerPhone', 'Customer Phone') || undefined;

const orderNumberIn = (parameters: ItemParameters) =>
  parameters.text('additionalFields.orderNumber')?.trim() || undefined;

/** The person and the order of an item, whatever its mistakes: a phone in E.164, or as it was given. */
export function subjectOf(parameters: ItemParameters): {
  customerPhone?: string;
  orderNumber?: string;
} {
  const customerPhone = phoneIn(parameters) ?? parameters.text('customerPhone')?.trim();
  return defined({ customerPhone, orderNumber: orderNumberIn(parameters) });
}

/** The name of an item for people: its order number, else its phone if that can be read. */
export function nameOfItem(parameters: ItemParameters): string | undefined {
  const orderNumber = orderNumberIn(parameters);
  return orderNumber === undefined
    ? phoneIn(parameters)
    : `order ${orderNumber}`.slice(0, LONGEST_NAME);
}
