import type { Contact } from '../service/campaign';
import { objectionToVariableName } from '../service/scriptVariables';
import { isBlank } from '../values';
import { readPhoneNumber, type DefaultCountry } from './phoneNumber';

/** A row of a JSON list or of a CSV, by its keys. */
export type RawContact = Record<string, unknown>;

/** What is known of a contact, before any of it is checked. */
export interface ContactFields {
  /** The one number that is called; nothing else is ever taken for it. */
  phone: unknown;
  /** What else the row names as its phone number: nobody is called when they differ. */
  otherPhones?: unknown[];
  customerName?: unknown;
  orderNumber?: unknown;
  orderNotes?: unknown;
  /** Further facts for the script, by name. */
  more: Array<[string, unknown]>;
}

/** A row that cannot be called, and why. */
export interface UnusableContact {
  /** Counted from 1, as people count rows. */
  row: number;
  phone: string;
  reason: string;
}

type NamedField = 'customerName' | 'orderNumber' | 'orderNotes';
const NAMED_FIELDS = ['customerName', 'orderNumber', 'orderNotes'] as const;

/** The forms in which the interface shows each field of a contact ("Contact", conflict). */
const FIELD_OF_FORM = new Map<string, NamedField | 'name'>([
  ['customername', 'customerName'],
  ['name', 'name'],
  ['ordernumber', 'orderNumber'],
  ['ordernotes', 'orderNotes'],
]);
const PHONE_FORMS = ['customerphone', 'phonenumber', 'phone'];

/**
 * Which field of a contact a key means, in any case and with any spaces. `name`: the customer's, unless
 * another key says so; a list of orders may have the product's name.
 */
function meaningOf(key: string): 'phone' | NamedField | 'name' | 'more' {
  const plain = key.normalize('NFKC').toLowerCase();
  if (PHONE_FORMS.includes(plain.replace(/[^\p{L}\p{N}]/gu, ''))) return 'phone';
  return FIELD_OF_FORM.get(plain.replace(/\s/g, '')) ?? 'more';
}

/** Whether a field is blank, or a list without entries. */
function holdsNothing(value: unknown): boolean {
  return isBlank(value) || (Array.isArray(value) && value.length === 0);
}

/** A value as the script is told it; undefined when it cannot be written down. */
function asText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    const json: unknown = JSON.stringify(value);
    if (typeof json !== 'string') return undefined;
    // A date writes itself as a text, which needs no quotes.
    return json.startsWith('"') ? String(JSON.parse(json)) : json;
  } catch {
    return undefined;
  }
}

/** What a row's field is used for; `more`: the script hears it under its own name. */
export type FieldUse = 'phone' | NamedField | 'more' | 'ignored';

/**
 * What the keys of a row, or the columns of a list, are used for.
 *
 * @param phoneColumn the key that holds the phone number, when it is none of the usual ones; then
 * no other key is read as one
 */
export function usesOf(keys: string[], phoneColumn?: string): FieldUse[] {
  const meanings = keys.map(meaningOf);
  const isNameFree = !meanings.includes('customerName');
  return meanings.map((meaning, index) => {
    if (keys[index] === phoneColumn) return 'phone';
    if (meaning === 'phone') return phoneColumn === undefined ? 'phone' : 'ignored';
    if (meaning === 'name') return isNameFree ? 'customerName' : 'ignored';
    return meaning;
  });
}

/**
 * Makes the reader of the rows of one list. What their keys are used for is found out once for all rows
 * that have the same.
 *
 * @param phoneColumn as {@link usesOf} has it
 */
export function rowReader(phoneColumn?: string): (raw: RawContact) => ContactFields {
  let keys: string[] = [];
  let uses: FieldUse[] = [];
  return (raw) => {
    const ownKeys = Object.keys(raw);
    if (ownKeys.length !== keys.length || ownKeys.some((key, index) => key !== keys[index])) {
      keys = ownKeys;
      uses = usesOf(keys, phoneColumn);
    }
    const fields: ContactFields = { phone: undefined, more: [] };
    for (const [index, key] of keys.entries()) {
      const use = uses[index];
      const value = raw[key];
      if (use === undefined || use === 'ignored' || holdsNothing(value)) continue;
      if (use === 'more') fields.more.push([key, value]);
      else if (use !== 'phone') fields[use] ??= value;
      else if (fields.phone === undefined) fields.phone = value;
      else (fields.otherPhones ??= []).push(value);
    }
    return fields;
  };
}

/** Why a name cannot be that of a further field; undefined when it can. */
function objectionToName(name: string): string | undefined {
  if (meaningOf(name) === 'more') return objectionToVariableName(name);
  return `"${name.trim()}" is a field of every contact and cannot be another one`;
}

/** Makes the check of the names of further fields, which finds out about each name once. */
function nameChecker(): (name: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, objectionToName(name));
    return known.get(name);
  };
}

/** A contact in its primary form, or the objection to its phone number or to one of its fields. */
export type ContactReading = { contact: Contact } | { objection: string; phone: string };

/**
 * Makes the reader of contacts, which brings them into their primary form. Further fields go along
 * as context for the script; a name that the interface uses itself is refused, so that none of
 * them can take the place of the number.
 */
export function contactReader(
  defaultCountry?: DefaultCountry,
): (fields: ContactFields) => ContactReading {
  const objectionToField = nameChecker();
  return (fields) => {
    const reading = readPhoneNumber(fields.phone, defaultCountry);
    if ('objection' in reading) {
      const phone = holdsNothing(fields.phone) ? '' : (asText(fields.phone) ?? '');
      return { objection: `The phone number ${reading.objection}`, phone };
    }
    const phone = reading.e164;
    const differs = fields.otherPhones?.some((value) => {
      const other = readPhoneNumber(value, defaultCountry);
      return !('e164' in other) || other.e164 !== phone;
    });
    if (differs === true) return { objection: 'The row has two phone numbers that differ', phone };
    const contact: Contact = { customerPhone: phone };
    const named = NAMED_FIELDS.map((name): [string, unknown] => [name, fields[name]]);
    for (const [name, value] of named.filter(([, given]) => !holdsNothing(given))) {
      const text = asText(value);
      if (text === undefined) return { objection: `"${name}" cannot be written as text`, phone };
      contact[name] = text;
    }
    for (const [name, value] of fields.more) {
      const objection = objectionToField(name);
      if (objection !== undefined) return { objection, phone };
      if (holdsNothing(value)) continue;
      if (Object.hasOwn(contact, name)) return { objection: `"${name}" is given twice`, phone };
      const text = asText(value);
      if (text === undefined) return { objection: `"${name}" cannot be written as text`, phone };
      contact[name] = text;
    }
    return { contact };
  };
}
