import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Contact } from '../../service/campaign';

const HASH_LENGTH = 10;

/** Whom a contact is about: the same person and order must not be loaded twice. */
function hashOf({ customerPhone, orderNumber = '' }: Contact): string {
  const text = JSON.stringify([customerPhone, orderNumber]);
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
}

/** What a later try needs to know of the contacts of a campaign. */
export function noteOf(contacts: Contact[], itemIndex: number): IDataObject {
  return { contacts: contacts.map(hashOf), itemIndex };
}

/**
 * The contacts that earlier tries of the execution have loaded into campaigns. Each is left out once,
 * so that a list that names a person twice stays as it was meant.
 */
export class LoadedContacts {
  private readonly left = new Map<string, number>();

  /** @param notes of campaigns that exist, or may */
  constructor(notes: IDataObject[]) {
    for (const { contacts } of notes) {
      for (const hash of Array.isArray(contacts) ? contacts.map(String) : []) {
        this.left.set(hash, (this.left.get(hash) ?? 0) + 1);
      }
    }
  }

  /** The contacts that have not been loaded. */
  without(contacts: Contact[]): Contact[] {
    if (this.left.size === 0) return contacts;
    return contacts.filter((contact) => {
      const hash = hashOf(contact);
      const count = this.left.get(hash) ?? 0;
      if (count > 0) this.left.set(hash, count - 1);
      return count === 0;
    });
  }
}
