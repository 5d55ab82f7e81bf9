import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { inSlices } from '../../eventLoopSlices';
import { bareOrderNumber } from '../../contacts/orderNumber';
import { callOf, personOf } from '../../contacts/person';
import type { CampaignRequest } from '../../service/callingService';
import type { Contact } from '../../service/campaign';
import { groupBy } from '../../collections';
import type { RequestNote } from '../notes';
import { isTool } from '../execution';

/** The subject under which the memory stores every created campaign. */
export const CREATION = 'create campaign';

const HASH_LENGTH = 10;

/** The hash of a contact's person and order, which must not be loaded twice. */
export function hashOfContact(contact: Contact): string {
  return shortHash(callOf(contact));
}

export function hashOfPerson({ customerPhone }: Contact): string {
  return shortHash(personOf(customerPhone));
}

/** Empty without an order number. */
function hashOfOrder({ orderNumber }: Contact): string {
  const order = bareOrderNumber(orderNumber);
  return order === '' ? '' : shortHash(`order ${order}`);
}

/** By what a contact may be one that was done otherwise: its person with another order, or its order with another phone. */
export type HeldBy = 'people' | 'orders';

/** An agent gives different people the same order number on purpose. */
export function waysHeld(context: IExecuteFunctions): HeldBy[] {
  return isTool(context) ? ['people'] : ['people', 'orders'];
}

/** The campaign that holds a contact, by its index among the notes, or its person or order as another contact. */
export interface Holder {
  campaign: number;
  by?: HeldBy;
}

const HASHES: Record<HeldBy, (contact: Contact) => string> = {
  people: hashOfPerson,
  orders: hashOfOrder,
};

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

/** Not lists: n8n stores each text of a list by itself, and stands still for 100,000 of them. */
export async function noteOf(
  heard: Heard,
  contacts: Contact[],
): Promise<Required<Pick<RequestNote, 'contacts' | 'digest' | HeldBy>>> {
  const note = { contacts: '', digest: '', people: '', orders: '' };
  const texts: string[] = [];
  await inSlices(contacts, (contact) => {
    note.contacts += hashOfContact(contact);
    note.people += hashOfPerson(contact);
    note.orders += hashOfOrder(contact);
    texts.push(textOf(contact));
  });
  return { ...note, digest: digestOf(heard, texts) };
}

/** A campaign also holds people who are not asked for now, or its people hear something else. */
export type Difference = 'people' | 'data';

/** The hashes of contacts, people or orders in a note. */
export function* hashesIn(text = ''): Generator<string> {
  for (let at = 0; at < text.length; at += HASH_LENGTH) yield text.slice(at, at + HASH_LENGTH);
}

/** Campaigns by the hash of a contact, person or order: each holds it as often as it stands there. */
type Holders = Map<string, number[]>;

async function addHolder(holders: Holders, hashes: Iterable<string>, campaign: number) {
  await inSlices(hashes, (hash) => {
    const existing = holders.get(hash);
    if (existing === undefined) holders.set(hash, [campaign]);
    else existing.push(campaign);
  });
}

/** The contacts of earlier tries' campaigns. Each is left out once: a list may name a person twice on purpose. */
export class LoadedContacts {
  /** Contacts that no list of this try has named yet. */
  private readonly contacts: Holders = new Map();
  /** The people and orders of these contacts. */
  private readonly held: Record<HeldBy, Holders> = { people: new Map(), orders: new Map() };
  /** The orders of the lists of this try. */
  private readonly orders = new Set<string>();

  private constructor(private readonly notes: RequestNote[]) {}

  /** @param notes of campaigns that exist, or may */
  static async of(notes: RequestNote[]): Promise<LoadedContacts> {
    const loaded = new LoadedContacts(notes);
    for (const [campaign, { contacts, people, orders }] of notes.entries()) {
      await addHolder(loaded.contacts, hashesIn(contacts), campaign);
      await addHolder(loaded.held.people, hashesIn(people), campaign);
      await addHolder(loaded.held.orders, hashesIn(orders), campaign);
    }
    return loaded;
  }

  /**
   * Splits a list into contacts that were not loaded, and the campaigns that hold the others, by their index
   * among the notes. A campaign that is what is asked for has no difference.
   */
  async part(contacts: Contact[], heard: Heard) {
    if (this.contacts.size === 0) return { fresh: contacts, holders: [] };
    const fresh: Contact[] = [];
    const loaded: Array<{ campaign: number; text: string }> = [];
    await inSlices(contacts, (contact) => {
      const campaign = this.claim(contact);
      if (campaign === undefined) return void fresh.push(contact);
      loaded.push({ campaign, text: textOf(contact) });
    });
    const held = [...groupBy(loaded, ({ campaign }) => campaign)].sort(([a], [b]) => a - b);
    const holders = held.map(([campaign, some]) => {
      const texts = some.map(({ text }) => text);
      return { campaign, difference: this.difference(campaign, texts, heard) };
    });
    return { fresh, holders };
  }

  /** Finds the campaign that holds a contact of this try; undefined when none does, or a contact before it was that one. */
  private claim(contact: Contact): number | undefined {
    const campaign = this.contacts.get(hashOfContact(contact))?.shift();
    const order = hashOfOrder(contact);
    // Its phone is as before, or several people share its order number: nobody has mended the phone of this order.
    if (campaign !== undefined || this.orders.has(order)) this.held.orders.delete(order);
    this.orders.add(order);
    if (campaign === undefined) return undefined;
    const holders = this.held.people.get(hashOfPerson(contact)) ?? [];
    holders.splice(holders.indexOf(campaign), 1);
    return campaign;
  }

  /** For each call: the campaign that holds its person for its order, or else one of both as another contact. */
  holdersOf(calls: Contact[], ways: HeldBy[]): Array<Holder | undefined> {
    const same = new Map<string, number>();
    for (const call of calls) {
      const campaign = this.claim(call);
      if (campaign !== undefined) same.set(hashOfContact(call), campaign);
    }
    return calls.map((call) => {
      const earlier = same.get(hashOfContact(call));
      if (earlier !== undefined) return { campaign: earlier };
      const held = ways.map((by) => ({ by, campaign: this.held[by].get(HASHES[by](call))?.[0] }));
      const found = held.find(({ campaign }) => campaign !== undefined);
      return found as Holder | undefined;
    });
  }

  /** The campaigns that hold people or orders of `fresh` as other contacts; how many these are. */
  async heldAsOthers(
    fresh: Contact[],
    by: HeldBy,
  ): Promise<{ campaigns: number[]; count: number }> {
    const found: number[] = [];
    await inSlices(fresh, (contact) => {
      const [campaign] = this.held[by].get(HASHES[by](contact)) ?? [];
      if (campaign !== undefined) found.push(campaign);
    });
    return { campaigns: [...new Set(found)].sort((a, b) => a - b), count: found.length };
  }

  /** @param texts of the contacts that the campaign holds and that are asked for now */
  private difference(campaign: number, texts: string[], heard: Heard): Difference | undefined {
    const { contacts = '', digest } = this.notes[campaign] ?? {};
    if (texts.length * HASH_LENGTH < contacts.length) return 'people';
    return digestOf(heard, texts) === digest ? undefined : 'data';
  }
}
