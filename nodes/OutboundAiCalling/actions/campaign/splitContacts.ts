import { defined } from '../../http/json';
import type { Contact } from '../../service/campaign';
import type { Plan } from './plan';

/** Splits a list evenly, in order, into parts of at most `size` contacts. */
export function splitContacts(contacts: Contact[], size: number): Contact[][] {
  const parts = Math.max(1, Math.ceil(contacts.length / size));
  const startOf = (part: number) => Math.floor((part * contacts.length) / parts);
  return Array.from({ length: parts }, (_, part) =>
    contacts.slice(startOf(part), startOf(part + 1)),
  );
}

/** The name of a part that is counted from 1. */
export function nameOfPart({ name }: Plan, part: number, parts: number): { name?: string } {
  if (parts > 1) return { name: `${name ?? 'Campaign'} (${part}/${parts})` };
  return defined({ name });
}
