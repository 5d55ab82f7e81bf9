import { inSlices } from '../../eventLoopSlices';
import type { ItemParameters } from '../itemParameters';
import type { RequestNote } from '../notes';
import { hashesIn, hashOfContact, hashOfPerson } from './loadedContacts';
import type { Plan } from './plan';

/** For each hash, the item whose list names it; undefined for another round. */
type Listed = Map<string, number | undefined>;

/** Who is in the lists of an execution: nobody is called twice because two lists name them. */
export class ListedPeople {
  /** By person and order. */
  private readonly contacts: Listed = new Map();
  private readonly people: Listed = new Map();
  /** How many people of a list stand in an earlier one for another order. */
  repeated = 0;

  /** @param otherRounds of campaigns that other rounds of a loop have created, or may have */
  static async after(otherRounds: RequestNote[]): Promise<ListedPeople> {
    const listed = new ListedPeople();
    for (const { contacts, people } of otherRounds) {
      await inSlices(hashesIn(contacts), (hash) => void listed.contacts.set(hash, undefined));
      await inSlices(hashesIn(people), (hash) => void listed.people.set(hash, undefined));
    }
    return listed;
  }

  /** Adds a list, or refuses it when it names people of another list. */
  async add({ contacts, callsOnce }: Plan, parameters: ItemParameters): Promise<void> {
    const own = new Set<string>();
    const ownPeople = new Set<string>();
    await inSlices(contacts, (contact) => {
      own.add(hashOfContact(contact));
      ownPeople.add(hashOfPerson(contact));
    });
    const refuse = (people: string[], named: string, advice: string) => {
      const count = people.length === 1 ? '1 person' : `${people.length} people`;
      parameters.refuse('Contacts', `name ${count} whom ${named}`, advice);
    };
    const repeatedPeople = [...ownPeople].filter((person) => this.people.has(person));
    const others = callsOnce ? this.people : this.contacts;
    const listed = callsOnce ? repeatedPeople : [...own].filter((one) => this.contacts.has(one));
    const again = listed.filter((person) => others.get(person) === undefined);
    if (again.length > 0) {
      return refuse(
        again,
        'an earlier run of this node has loaded into a campaign in this execution',
        'Give each round of the loop a list of other people, or move this node out of the loop.',
      );
    }
    const [first] = listed;
    if (first !== undefined) {
      const named = `the list of item ${others.get(first)} names for another campaign`;
      return refuse(listed, named, 'Give each item a list of other people.');
    }
    this.repeated += repeatedPeople.length;
    for (const one of own) this.contacts.set(one, parameters.itemIndex);
    for (const person of ownPeople) this.people.set(person, parameters.itemIndex);
  }
}
