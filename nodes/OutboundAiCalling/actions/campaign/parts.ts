import type { Contact } from '../../service/campaign';

/** Splits a list evenly, in order, into parts of at most `size` contacts. */
export function splitContacts(contacts: Contact[], size: number): Contact[][] {
  const parts = Math.max(1, Math.ceil(contacts.length / size));
  const startOf = (part: number) => Math.floor((part * contacts.length) / parts);
  return Array.from({ length: parts }, (_, part) =>
    contacts.slice(startOf(part), startOf(part + 1)),
  );
}
