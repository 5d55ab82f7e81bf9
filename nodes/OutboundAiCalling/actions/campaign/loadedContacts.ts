import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Contact } from '../../service/campaign';

const HASH_LENGTH = 10;

/** Whom a contact is about: the same person and order must not be loaded twice. */
function hashOf({ customerPhone, orderNumber = '' }: Contact): string {
  const text = JSON.stringify([customerPhone, orderNumber.trim()]);
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
}

/** What a later try needs to know of the contacts of a campaign. */
export function noteOf(contacts: Contact[]): IDataObject {
  return { contacts: contacts.map(hashOf) };
}

/**
 * The contacts that earlier tries of the execution have loaded into campaigns. Each is left out once,
 * so that a list that names a person twice stays as it was meant.
 */
export class LoadedContacts {
  /** The campaigns that hold a contact, once for each time that they hold it. */
  private readonly campaigns = new Map<string, number[]>();

  /** @param notes of campaigns that exist, or may */
  constructor(notes: IDataObject[]) {
    notes.forEach(({ contacts }, campaign) => {
      for (const hash of Array.isArray(contacts) ? contacts.map(String) : []) {
        const holders = this.campaigns.get(hash);
        if (holders === undefined) this.campaigns.set(hash, [campaign]);
        else holders.push(campaign);
      }
    });
  }

  /**
   * Parts a list into the contacts that have not been loaded, and the campaigns that hold the others,
   * by their place among the notes.
   */
  part(contacts: Contact[]): { fresh: Contact[]; holders: number[] } {
    if (this.campaigns.size === 0) return { fresh: contacts, holders: [] };
    const holders = new Set<number>();
    const fresh = contacts.filter((contact) => {
      const holder = this.campaigns.get(hashOf(contact))?.shift();
      if (holder !== undefined) holders.add(holder);
      return holder === undefined;
    });
    return { fresh, holders: [...holders].sort((a, b) => a - b) };
  }
}
