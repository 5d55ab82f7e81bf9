import { createHash } from 'crypto';
import { inSlices } from '../../contacts/inSlices';
import type { CampaignRequest } from '../../service/callingService';
import type { Contact } from '../../service/campaign';
import type { RequestNote } from '../notes';

const HASH_LENGTH = 10;

/** Whom a contact is about: the same person and order must not be loaded twice. */
export function hashOf({ customerPhone, orderNumber = '' }: Contact): string {
  return shortHash(JSON.stringify([customerPhone, orderNumber.trim()]));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
}

/** What the people of a campaign hear, beside what their contacts say. */
export type Heard = Pick<CampaignRequest, 'scriptId' | 'kind' | 'variables'>;

/** All that a contact says. */
function textOf(contact: Contact): string {
  return JSON.stringify(Object.entries(contact).sort());
}

/** Of people and what they hear, in whatever order they are listed. */
function digestOf({ scriptId, kind, variables }: Heard, texts: string[]): string {
  const heard = [scriptId, kind, Object.entries(variables).sort()];
  return shortHash(JSON.stringify([heard, texts.sort()]));
}

/**
 * What a later try needs to know of a campaign. Its contacts are one text, not a list: n8n stores
 * every text of an execution by itself, and stands still for 100,000 of them.
 */
export async function noteOf(
  heard: Heard,
  contacts: Contact[],
): Promise<{ contacts: string; digest: string }> {
  const hashes: string[] = [];
  const texts: string[] = [];
  await inSlices(contacts, (contact) => {
    hashes.push(hashOf(contact));
    texts.push(textOf(contact));
  });
  return { contacts: hashes.join(''), digest: digestOf(heard, texts) };
}

/** What a campaign is other than is asked for now: it holds further people, or they hear otherwise. */
export type Difference = 'people' | 'data';

/** A campaign that holds contacts of a list. */
export interface Holder {
  /** Its place among the notes. */
  campaign: number;
  /** Undefined when it is what is asked for. */
  difference: Difference | undefined;
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
  private constructor(
    private readonly notes: RequestNote[],
    private readonly campaigns: Map<string, number[]>,
  ) {}

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
    return new LoadedContacts(notes, campaigns);
  }

  /** Parts a list into the contacts that have not been loaded, and the campaigns that hold the others. */
  async part(contacts: Contact[], heard: Heard): Promise<{ fresh: Contact[]; holders: Holder[] }> {
    if (this.campaigns.size === 0) return { fresh: contacts, holders: [] };
    /** What the contacts say that each campaign holds. */
    const held = new Map<number, string[]>();
    const fresh: Contact[] = [];
    await inSlices(contacts, (contact) => {
      const holder = this.campaigns.get(hashOf(contact))?.shift();
      if (holder === undefined) {
        fresh.push(contact);
        return;
      }
      const texts = held.get(holder) ?? [];
      texts.push(textOf(contact));
      held.set(holder, texts);
    });
    const holders = [...held]
      .sort(([a], [b]) => a - b)
      .map(([campaign, texts]) => ({
        campaign,
        difference: this.difference(campaign, texts, heard),
      }));
    return { fresh, holders };
  }

  /** @param texts of those whom the campaign holds and who are asked for now */
  private difference(campaign: number, texts: string[], heard: Heard): Difference | undefined {
    const { contacts = '', digest } = this.notes[campaign] ?? {};
    if (texts.length * HASH_LENGTH < contacts.length) return 'people';
    return digestOf(heard, texts) === digest ? undefined : 'data';
  }
}
