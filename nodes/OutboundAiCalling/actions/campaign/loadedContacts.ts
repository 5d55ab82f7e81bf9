import { createHash } from 'crypto';
import { inSlices } from '../../contacts/inSlices';
import type { Contact } from '../../service/campaign';
import type { RequestNote } from '../notes';

const HASH_LENGTH = 10;

/** Whom a contact is about: the same person and order must not be loaded twice. */
function hashOf({ customerPhone, orderNumber = '' }: Contact): string {
  const text = JSON.stringify([customerPhone, orderNumber.trim()]);
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
}

/**
 * What a later try needs to know of the contacts of a campaign. It is one text, not a list: n8n
 * stores every text of an execution by itself, and stands still for 100,000 of them.
 */
export async function noteOf(contacts: Contact[]): Promise<{ contacts: string }> {
  const hashes: string[] = [];
  await inSlices(contacts, (contact) => hashes.push(hashOf(contact)));
  return { contacts: hashes.join('') };
}

function* hashesIn({ contacts: text = '' }: RequestNote): Generator<string> {
  for (let at = 0; at < text.length; at += HASH_LENGTH) yield text.slice(at, at + HASH_LENGTH);
}

/**
 * The contacts that earlier tries of the execution have loaded into campaigns. Each is left out once,
 * so that a list that names a person twice stays as it was meant.
 */
export class LoadedContacts {
  /** @param campaigns the ones that hold a contact, once for each time that they hold it */
  private constructor(private readonly campaigns: Map<string, number[]>) {}

  /** @param notes of campaigns that exist, or may */
  static async of(notes: RequestNote[]): Promise<LoadedContacts> {
    const campaigns = new Map<string, number[]>();
    for (const [campaign, note] of notes.entries()) {
      await inSlices(hashesIn(note), (hash) => {
        const holders = campaigns.get(hash);
        if (holders === undefined) campaigns.set(hash, [campaign]);
        else holders.push(campaign);
      });
    }
    return new LoadedContacts(campaigns);
  }

  /**
   * Parts a list into the contacts that have not been loaded, and the campaigns that hold the others,
   * by their place among the notes.
   */
  async part(contacts: Contact[]): Promise<{ fresh: Contact[]; holders: number[] }> {
    if (this.campaigns.size === 0) return { fresh: contacts, holders: [] };
    const holders = new Set<number>();
    const fresh: Contact[] = [];
    await inSlices(contacts, (contact) => {
      const holder = this.campaigns.get(hashOf(contact))?.shift();
      if (holder === undefined) fresh.push(contact);
      else holders.add(holder);
    });
    return { fresh, holders: [...holders].sort((a, b) => a - b) };
  }
}
