import { inSlices } from '../../contacts/eventLoopSlices';
import type { Contact } from '../../service/campaign';
import type { ItemParameters } from '../itemParameters';
import type { RequestNote } from '../notes';
import { hashesIn, hashOf } from './loadedContacts';

/**
 * The people whom the lists of an execution name. A person in two campaigns for one order would be
 * called twice.
 */
export class ListedPeople {
  /** For each person and order, the item whose list names them; undefined for another round. */
  private readonly items = new Map<string, number | undefined>();

  /** @param otherRounds of campaigns that other rounds of a loop have created, or may have */
  static async after(otherRounds: RequestNote[]): Promise<ListedPeople> {
    const listed = new ListedPeople();
    for (const { contacts } of otherRounds) {
      await inSlices(hashesIn(contacts), (hash) => void listed.items.set(hash, undefined));
    }
    return listed;
  }

  /** Adds a list, or refuses it when it names people of another list. */
  async add(contacts: Contact[], parameters: ItemParameters): Promise<void> {
    const own = new Set<string>();
    await inSlices(contacts, (contact) => void own.add(hashOf(contact)));
    const refuse = (people: string[], named: string, advice: string) => {
      const count = people.length === 1 ? '1 person' : `${people.length} people`;
      parameters.refuse('Contacts', `name ${count} whom ${named}`, advice);
    };
    const known = [...own].filter((person) => this.items.has(person));
    const again = known.filter((person) => this.items.get(person) === undefined);
    if (again.length > 0) {
      return refuse(
        again,
        'an earlier run of this node has loaded into a campaign in this execution',
        'Give each round of the loop a list of other people, or move this node out of the loop.',
      );
    }
    const [first] = known;
    if (first !== undefined) {
      return refuse(
        known,
        `the list of item ${this.items.get(first)} names for another campaign`,
        'Give each item a list of other people.',
      );
    }
    for (const person of own) this.items.set(person, parameters.itemIndex);
  }
}
