import { inSlices } from '../../contacts/inSlices';
import type { Contact } from '../../service/campaign';
import type { ItemParameters } from '../itemParameters';
import { hashOf } from './loadedContacts';

/** Whom the lists of an execution name. Two campaigns of the same person and order would call twice. */
export class ListedPeople {
  /** The item whose list names a person and order. */
  private readonly items = new Map<string, number>();

  /** Adds a list; one that names people of another list is refused instead. */
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
