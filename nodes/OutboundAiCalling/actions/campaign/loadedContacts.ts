import { createHash } from 'crypto';
import { inSlices } from '../../contacts/eventLoopSlices';
import { callOf, personOf } from '../../contacts/person';
import type { CampaignRequest } from '../../service/callingService';
import type { Contact } from '../../service/campaign';
import { groupBy } from '../../values';
import type { RequestNote } from '../notes';

const HASH_LENGTH = 10;

/** The hash of a contact's person and order, which must not be loaded twice. */
export function hashOf(contact: Contact): string {
  return shortHash(callOf(contact));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
}

/** The data that all people of a campaign hear, in addition to the data of their contacts. */
type Heard = Pick<CampaignRequest, 'scriptId' | 'kind' | 'variables'>;

function textOf(contact: Contact): string {
  return JSON.stringify(Object.entries(contact).sort());
}

/** A hash of people and what they hear, whatever their order in the list. */
function digestOf({ scriptId, kind, variables }: Heard, texts: string[]): string {
  const heard = [scriptId, kind, Object.entries(variables).sort()];
  return shortHash(JSON.stringify([heard, texts.sort()]));
}

/**
 * Makes the note of a campaign for later tries. Its contacts are one text, not a list: n8n stores
 * every text of an execution by itself, and stands still for 100,000 of them.
 */
export async function noteOf(
  heard: Heard,
  contacts: Contact[],
): Promise<Required<Pick<RequestNote, 'contacts' | 'digest' | 'people'>>> {
  const hashes: string[] = [];
  const texts: string[] = [];
  const people: string[] = [];
  await inSlices(contacts, (contact) => {
    hashes.push(hashOf(contact));
    texts.push(textOf(contact));
    people.push(shortHash(personOf(contact.customerPhone)));
  });
  return {
    contacts: hashes.join(''),
    digest: digestOf(heard, texts),
    people: people.join(''),
  };
}

/** A campaign also holds people who are not asked for now, or its people hear something else. */
export type Difference = 'people' | 'data';

/** The hashes of contacts, or of people, in a note. */
export function* hashesIn(text = ''): Generator<string> {
  for (let at = 0; at < text.length; at += HASH_LENGTH) yield text.slice(at, at + HASH_LENGTH);
}

/**
 * The contacts that earlier tries of the execution have loaded into campaigns. Each loaded contact
 * is left out once: a list may name a person twice on purpose.
 */
export class LoadedContacts {
  /** @param campaigns by the hash of a contact, the campaigns that hold it, once for each time */
  private constructor(
    private readonly notes: RequestNote[],
    private readonly campaigns: Map<string, number[]>,
  ) {}

  /** @param notes of campaigns that exist, or may */
  static async of(notes: RequestNote[]): Promise<LoadedContacts> {
    const campaigns = new Map<string, number[]>();
    for (const [campaign, note] of notes.entries()) {
      await inSlices(hashesIn(note.contacts), (hash) => {
        const holders = campaigns.get(hash);
        if (holders === undefined) campaigns.set(hash, [campaign]);
        else holders.push(campaign);
      });
    }
    return new LoadedContacts(notes, campaigns);
  }

  /**
   * Splits a list into contacts that were not loaded, and the campaigns that hold the others, by their index
   * among the notes. A campaign that is what is asked for has no difference.
   */
  async part(contacts: Contact[], heard: Heard) {
    if (this.campaigns.size === 0) return { fresh: contacts, holders: [] };
    const fresh: Contact[] = [];
    const loaded: Array<{ campaign: number; text: string }> = [];
    await inSlices(contacts, (contact) => {
      const campaign = this.campaigns.get(hashOf(contact))?.shift();
      if (campaign === undefined) fresh.push(contact);
      else loaded.push({ campaign, text: textOf(contact) });
    });
    const held = [...groupBy(loaded, ({ campaign }) => campaign)].sort(([a], [b]) => a - b);
    const holders = held.map(([campaign, some]) => {
      const texts = some.map(({ text }) => text);
      return { campaign, difference: this.difference(campaign, texts, heard) };
    });
    return { fresh, holders };
  }

  /** @param texts of the contacts that the campaign holds and that are asked for now */
  private difference(campaign: number, texts: string[], heard: Heard): Difference | undefined {
    const { contacts = '', digest } = this.notes[campaign] ?? {};
    if (texts.length * HASH_LENGTH < contacts.length) return 'people';
    return digestOf(heard, texts) === digest ? undefined : 'data';
  }
}
