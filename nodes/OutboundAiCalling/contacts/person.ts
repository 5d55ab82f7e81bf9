import type { Contact } from '../service/campaign';
import { bareOrderNumber } from './orderNumber';

/**
 * The person whom a number in E.164 rings, for comparing numbers. Argentina dials a 9 before some mobile
 * numbers: +54 9 11 2345 6789 is +54 11 2345 6789. The call itself keeps its spelling.
 */
export function personOf(e164: string): string {
  return e164.replace(/^\+549(?=\d{10}$)/, '+54');
}

/** All spellings in E.164 of a person's number. */
export function e164sOf(e164: string): string[] {
  const person = personOf(e164);
  return [...new Set([person, person.replace(/^\+54(?=\d{10}$)/, '+549')])];
}

/** Names a person and order: calls with the same name are one call, whatever their spellings. */
export function callOf({ customerPhone, orderNumber }: Contact): string {
  return JSON.stringify([personOf(customerPhone), bareOrderNumber(orderNumber)]);
}
