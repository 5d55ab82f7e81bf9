import type { Contact } from '../../service/campaign';

export interface Part {
  /** Counted from 1. */
  part: number;
  parts: number;
  contacts: Contact[];
}

/** Splits a list evenly, in order, into parts of at most `size` contacts. */
export function splitContacts(contacts: Contact[], size: number): Part[] {
  const parts = Math.max(1, Math.ceil(contacts.length / size));
  return Array.from({ length: parts }, (_, index) => ({
    part: index + 1,
    parts,
    contacts: contacts.slice(
      Math.floor((index * contacts.length) / parts),
      Math.floor(((index + 1) * contacts.length) / parts),
    ),
  }));
}
