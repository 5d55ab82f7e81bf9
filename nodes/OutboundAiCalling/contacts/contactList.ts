import type { Contact } from '../service/campaign';
import { asText, contactReader, type ContactFields, type UnusableContact } from './contact';
import { isBlank } from '../values';
import { inSlices } from '../eventLoopSlices';
import { callOf, personOf } from './person';
import type { DefaultCountry } from './phoneNumber';

interface ContactListOptions {
  defaultCountry?: DefaultCountry;
  /** Keeps only the first contact of each phone number. */
  removeDuplicates: boolean;
  /** Gives the reason to leave out a number (E.164) that could be called; undefined for none. */
  objectionTo?: ((phone: string) => string | undefined) | undefined;
}

/** The contacts of a list that can be called, the rows that cannot, and the rows left out. */
interface ContactList {
  contacts: Contact[];
  unusable: UnusableContact[];
  /** How to mend the list, when that helps the unusable rows. */
  advice?: string;
  leftOut: UnusableContact[];
  /** Those of both that are not the same call as a contact or, when duplicates are removed, the same person. */
  missed: UnusableContact[];
  /** How many numbers occur in more than one of the contacts. */
  repeatedNumbers: number;
}

/** Reads all rows of a list, in slices, each order of a person once; rows are counted from 1. */
export async function readContactList(
  rows: Iterable<ContactFields>,
  options: ContactListOptions,
): Promise<ContactList> {
  const list: Omit<ContactList, 'repeatedNumbers' | 'missed'> = {
    contacts: [],
    unusable: [],
    leftOut: [],
  };
  const seen = new Set<string>();
  const calls = new Set<string>();
  const repeated = new Set<string>();
  const [keyOf, called] = options.removeDuplicates
    ? [({ customerPhone }: Contact) => personOf(customerPhone), seen]
    : [callOf, calls];
  const omitted: Array<{ key: string; row: UnusableContact }> = [];
  const omit = (rows: UnusableContact[], contact: Contact, row: number, reason: string) => {
    const one = { row, phone: contact.customerPhone, reason };
    rows.push(one);
    omitted.push({ key: keyOf(contact), row: one });
  };
  const read = contactReader(options.defaultCountry);
  await inSlices(rows, (fields, index) => {
    const reading = read(fields);
    if ('objection' in reading) {
      if (reading.advice !== undefined) list.advice ??= reading.advice;
      const orderNumber = asText(fields.orderNumber);
      const contact = { customerPhone: reading.phone, orderNumber };
      omit(list.unusable, contact, index + 1, reading.objection);
      return;
    }
    const { customerPhone, orderNumber } = reading.contact;
    const person = personOf(customerPhone);
    const call = callOf(reading.contact);
    // The order first: who reads the reason may call another order of the number later, but not this one.
    const isOrderTwice = !isBlank(orderNumber) && calls.has(call);
    const isTwice = isOrderTwice || (options.removeDuplicates && seen.has(person));
    const reason =
      options.objectionTo?.(customerPhone) ??
      (isTwice ? `The ${isOrderTwice ? 'order' : 'number'} is listed before` : undefined);
    if (reason !== undefined) {
      omit(list.leftOut, reading.contact, index + 1, reason);
      return;
    }
    if (seen.has(person)) repeated.add(person);
    seen.add(person);
    calls.add(call);
    list.contacts.push(reading.contact);
  });
  const missed = omitted.filter(({ key }) => !called.has(key)).map(({ row }) => row);
  return { ...list, missed, repeatedNumbers: repeated.size };
}
