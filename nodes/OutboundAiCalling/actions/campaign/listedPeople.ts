import { inSlices } from '../../contacts/eventLoopSlices';
import type { Contact } from '../../service/campaign';
import type { ItemParameters } from '../itemParameters';
import { hashOf } from './loadedContacts';

/**
 * The people whom the lists of an execution name. A person in two campaigns for one order would be
 * called twice.
 */
export class ListedPeople {
  /** For each person and order, the item whose list names them. */
  private readonly items = new Map<string, number>();

  /** Adds a list, or refuses it when it names people of another list. */
  async add(contacts: Contact[], parameters: ItemParameters): Promise<void> {
    const own = new Set<string>();
    await inSlices(contacts, (contact) => {
      own.add(hashOf(contact));
    });
    const twice = [...own].filter((person) => this.items.has(person));
    const [first] = twice;
    if (first !== undefined) {
      parameters.refuse(
        'Contacts',
        `name ${twice.length === 1 ? '1 person' : `${twice.length} people`} whom the list of item ${this.items.get(first)} names for another campaign`,
        'Give each item a list of other people, or switch on "Execute Once" in the settings of the node.',
      );
      return;
    }
    for (const person of own) this.items.set(person, parameters.itemIndex);
  }
}
