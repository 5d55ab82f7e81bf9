import type { Contact } from '../service/campaign';
import { bareOrderNumber } from './orderNumber';

/** Numbers that ring one telephone: before the `rest` of a number, `usual` is written for a person, or `other`. */
const ALIASES = [
  // Argentina dials a 9 before some mobile numbers.
  { usual: '+54', other: '+549', rest: /^\d{10}$/ },
  // Palestine is also reached under the code of Israel, and San Marino under that of Italy.
  { usual: '+970', other: '+972', rest: /^(?:5[69]\d{7}|[2489]2\d{6})$/ },
  { usual: '+378', other: '+39', rest: /^0549\d{6}$/ },
  // The Republic of Ireland has an area of its own for Northern Ireland.
  { usual: '+4428', other: '+35348', rest: /^\d{8}$/ },
];

function replaced(e164: string, from: string, to: string, rest: RegExp): string | undefined {
  const isMeant = e164.startsWith(from) && rest.test(e164.slice(from.length));
  return isMeant ? to + e164.slice(from.length) : undefined;
}

/** The person whom a number in E.164 rings, for comparing numbers. The call itself keeps its spelling. */
export function personOf(e164: string): string {
  for (const { usual, other, rest } of ALIASES) {
    const named = replaced(e164, other, usual, rest);
    if (named !== undefined) return named;
  }
  return e164;
}

/** All spellings in E.164 of a person's number. */
export function e164sOf(e164: string): string[] {
  const person = personOf(e164);
  const others = ALIASES.flatMap(
    ({ usual, other, rest }) => replaced(person, usual, other, rest) ?? [],
  );
  return [person, ...others];
}

/** Names a person and order: calls with the same name are one call, whatever their spellings. */
export function callOf({ customerPhone, orderNumber }: Contact): string {
  return JSON.stringify([personOf(customerPhone), bareOrderNumber(orderNumber)]);
}
