import { readContact } from '../../nodes/OutboundAiCalling/contacts/contact';
import { readContactList, splitContacts } from '../../nodes/OutboundAiCalling/contacts/contactList';

describe('a contact', () => {
  it.each([
    { customerPhone: '+12025550123', customerName: 'Ann' },
    { phone_number: '+1 202 555 0123', name: 'Ann' },
    { phone: '+12025550123', customerName: 'Ann' },
  ])('%j is brought into its primary form', (raw) => {
    expect(readContact(raw)).toEqual({
      contact: { customerPhone: '+12025550123', customerName: 'Ann' },
    });
  });

  it('keeps further fields as context for the script', () => {
    expect(readContact({ phone: '+12025550123', amount: 12, gift: true, empty: '' })).toEqual({
      contact: { customerPhone: '+12025550123', amount: '12', gift: 'true' },
    });
  });

  it('takes the phone number from the named column only', () => {
    const raw = { mobile: '+12025550123', phone: '+12025550199' };
    expect(readContact(raw, { phoneColumn: 'mobile' })).toEqual({
      contact: { customerPhone: '+12025550123' },
    });
  });

  it('cannot smuggle in fields of the interface', () => {
    expect(readContact({ phone: '+12025550123', scriptId: 3 })).toEqual({
      objection: expect.stringContaining('scriptId'),
      phone: '+12025550123',
    });
  });
});

describe('a list of contacts', () => {
  const rows = [{ phone: '+12025550123' }, { phone: 'x' }, { phone: '+1 202 555 0123' }];

  it('tells its unusable rows by number, phone and reason', () => {
    const list = readContactList(rows, { removeDuplicates: false });
    expect(list.contacts).toHaveLength(2);
    expect(list.unusable).toEqual([
      { row: 2, phone: 'x', reason: 'The phone number is not a phone number' },
    ]);
  });

  it('calls a number once when duplicates are removed', () => {
    const list = readContactList(rows, { removeDuplicates: true });
    expect(list.contacts).toHaveLength(1);
    expect(list.duplicates).toEqual([
      { row: 3, phone: '+12025550123', reason: 'The number is listed before' },
    ]);
  });

  it.each([
    [0, 2000, [0]],
    [2000, 2000, [2000]],
    [2001, 2000, [1000, 1001]],
    [5000, 2000, [1666, 1667, 1667]],
  ])('of %p in parts of at most %p is split evenly', (count, size, lengths) => {
    const contacts = Array.from({ length: count }, (_, index) => ({
      customerPhone: String(index),
    }));
    const parts = splitContacts(contacts, size);
    expect(parts.map((part) => part.contacts.length)).toEqual(lengths);
    expect(parts.flatMap((part) => part.contacts)).toEqual(contacts);
  });
});
