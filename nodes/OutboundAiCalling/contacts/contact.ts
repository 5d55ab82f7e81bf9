import type { Contact } from '../service/campaign';
import { objectionToVariableName } from '../service/scriptVariables';
import { memoized } from '../collections';
import {
  givesNothing,
  namesNothing,
  objectionToCustomerName,
  objectionToValueOf,
  readScriptValue,
  tellsNothingApart,
} from '../objections';
import { textOrJson } from '../values';
import { alike, visible } from '../alike';
import { personOf } from './person';
import { readPhoneNumber, type DefaultCountry } from './phoneNumber';

/** A row of a JSON list or of a CSV. */
export type RawContact = Record<string, unknown>;

/** The values that a row has for a contact, unchecked. */
export interface ContactFields {
  /** The one number that is called; no other field replaces it. */
  phone: unknown;
  /** More values that the row has for its phone number: when they differ, it is not called. */
  otherPhones?: unknown[];
  customerName?: unknown;
  /** The key of the row that means the customer's name. */
  nameKey?: string;
  orderNumber?: unknown;
  orderNotes?: unknown;
  /** More values that the row has for such a field: when they differ, it is not called. */
  otherValues?: Array<[NamedField, unknown]>;
  /** Further facts for the script, by name. */
  more: Array<[string, unknown]>;
}

export interface UnusableContact {
  /** Counted from 1, as people count rows. */
  row: number;
  phone: string;
  reason: string;
}

const NAMED_FIELDS = ['customerName', 'orderNumber', 'orderNotes'] as const;
type NamedField = (typeof NAMED_FIELDS)[number];

/** The spellings that the interface has for the phone of a contact ("Contact", conflict). */
const PHONE_FORMS = ['customerphone', 'phonenumber', 'phone'];

function plainFormOf(key: string): string {
  return alike(key.normalize('NFKC')).toLowerCase();
}

function withoutSigns(key: string): string {
  return key.replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Which field of a contact a key means, in any case and with any spaces. `name` is the customer's
 * name unless the row also has a key for that: in a list of orders, `name` may be the product's.
 */
function meaningOfColumn(key: string): 'phone' | NamedField | 'name' | 'more' {
  const plain = plainFormOf(key);
  if (PHONE_FORMS.includes(withoutSigns(plain))) return 'phone';
  const form = plain.replace(/\s/g, '');
  return form === 'name' ? 'name' : (namedField(form) ?? 'more');
}

function namedField(form: string): NamedField | undefined {
  return NAMED_FIELDS.find((name) => name.toLowerCase() === form);
}

/** Names that exports have for the order number, the likeliest first: `Order No` may count the rows. */
const NAMES_OF_ORDER = [
  ...['orderid', 'order#', 'ordernum', 'orderno', 'ordernr', 'ordername', 'amazonorderid'],
  ...['auftragsnummer', 'bestellnummer', 'bestellnr', 'númerodepedido', 'numérodecommande'],
  ...['n°commande', 'numeroordine', "numerod'ordine", 'siparişnumarası', 'siparişno'],
  ...['orderreference', 'orderref'],
];

/** The key that names the order in other words. `orderId` is how the service and these nodes name a call. */
function keyOfOrder(keys: string[]): string | undefined {
  const named = keys.filter((key) => visible(key) !== 'orderId');
  const form = (key: string) => plainFormOf(key).replace(/[\s_.-]/g, '');
  const found = NAMES_OF_ORDER.map((name) => named.find((key) => form(key) === name));
  return found.find((key) => key !== undefined);
}

const objectionToOrder = objectionToValueOf('orderNumber');

function namesNoOrder(value: unknown): boolean {
  return objectionToOrder(value) !== undefined || tellsNothingApart(value);
}

/** A value as people see it; empty for none. */
export function asText(value: unknown): string {
  try {
    return givesNothing(value) ? '' : textOrJson(value);
  } catch {
    return '';
  }
}

/** What a field of a row is used for; `more`: the script gets it under its own name. */
export type FieldUse = 'phone' | NamedField | 'more' | 'ignored';

/**
 * What the keys of a row, or the columns of a list, are used for. The phone is in `phoneColumn`, if
 * given; all other phone keys are then ignored. A key with signs between its words (`order_number`) may be
 * of the script too, so that it has two uses. So has a key that names the order in other words, where no key is
 * `orderNumber`: an export with a row for each article would have a customer called for each row.
 */
export function usesOf(keys: string[], phoneColumn?: string): FieldUse[][] {
  const meanings = keys.map(meaningOfColumn);
  const fields = keys.map((key) => namedField(withoutSigns(plainFormOf(key))));
  const isNameFree = !fields.includes('customerName');
  const ofOrder = fields.includes('orderNumber')
    ? undefined
    : keyOfOrder(keys.filter((key) => key !== phoneColumn));
  return meanings.map((meaning, index) => {
    if (keys[index] === phoneColumn) return ['phone'];
    if (meaning === 'phone') return [phoneColumn === undefined ? 'phone' : 'ignored'];
    if (meaning === 'name') return [isNameFree ? 'customerName' : 'ignored'];
    if (keys[index] === ofOrder) return ['orderNumber', 'more'];
    const field = fields[index];
    return meaning === 'more' && field !== undefined ? [field, meaning] : [meaning];
  });
}

/** Reads rows on demand, as {@link usesOf}. It finds the uses again only when a row has other keys than before. */
export function* readRows(
  rows: Iterable<RawContact>,
  phoneColumn?: string,
): Generator<ContactFields> {
  let keys: string[] = [];
  let uses: Array<[string, FieldUse]> = [];
  let ofOrder: string | undefined;
  for (const raw of rows) {
    const ownKeys = Object.keys(raw);
    if (ownKeys.length !== keys.length || ownKeys.some((key, index) => key !== keys[index])) {
      keys = ownKeys;
      uses = usesOf(keys, phoneColumn).flatMap((some, index) =>
        some.map((use): [string, FieldUse] => [ownKeys[index] ?? '', use]),
      );
      ofOrder = keyOfOrder(keys.filter((key) => key !== phoneColumn));
    }
    const fields: ContactFields = { phone: undefined, more: [] };
    for (const [key, use] of uses) {
      const value = raw[key];
      if (use === 'ignored' || givesNothing(value)) continue;
      // Nobody has said that this column is the order number: `N/A` there is no broken cell.
      if (use === 'orderNumber' && key === ofOrder && namesNoOrder(value)) continue;
      if (use === 'more') fields.more.push([key, value]);
      else if (fields[use] === undefined) {
        fields[use] = value;
        if (use === 'customerName') fields.nameKey = key;
      } else if (use === 'phone') (fields.otherPhones ??= []).push(value);
      else (fields.otherValues ??= []).push([use, value]);
    }
    yield fields;
  }
}

/** Why a script variable cannot have this name; undefined when it can. */
function objectionToName(name: string): string | undefined {
  if (meaningOfColumn(name) === 'more') return objectionToVariableName(name);
  return `"${name.trim()}" is the name of a field that every contact has`;
}

/** A contact as it is sent, or the objection to its phone number or to one of its fields. */
type ContactReading =
  | { contact: Contact }
  | {
      objection: string;
      phone: string;
      /** How to mend the whole list. */
      advice?: string;
    };

/** What to do about a list whose names are no names, as in a shop's list of orders. */
function adviceOnNames(key: string | undefined): string {
  return key === undefined
    ? 'Give this value as Order Number, and the name of the customer as Customer Name.'
    : `If "${key.trim()}" holds order numbers, rename it to "orderNumber" in the list. Rename what holds the customers' names to "customerName".`;
}

/**
 * Makes a reader that checks a row's values and turns them into a contact as it is sent. All other
 * fields of the row become context for the script. It objects to names that the interface itself
 * uses, so that no such field can replace the number.
 */
export function contactReader(
  defaultCountry?: DefaultCountry,
): (fields: ContactFields) => ContactReading {
  const objectionToField = memoized(objectionToName);
  return (fields) => {
    const reading = readPhoneNumber(fields.phone, defaultCountry);
    if ('objection' in reading) {
      return { objection: `The phone number ${reading.objection}`, phone: asText(fields.phone) };
    }
    const phone = reading.e164;
    const differs = fields.otherPhones?.some((value) => {
      const other = readPhoneNumber(value, defaultCountry);
      return !('e164' in other) || personOf(other.e164) !== personOf(phone);
    });
    if (differs === true) return { objection: 'The row has two phone numbers that differ', phone };
    const contact: Contact = { customerPhone: phone };
    for (const name of NAMED_FIELDS) {
      const value = readScriptValue(fields[name], objectionToValueOf(name));
      if (value === undefined) continue;
      if ('objection' in value) return { objection: `"${name}" ${value.objection}`, phone };
      if (name === 'customerName' && namesNothing(value.text)) continue;
      const noName = name === 'customerName' ? objectionToCustomerName(value.text) : undefined;
      if (noName !== undefined) {
        const mayBeOrder = /\p{N}/u.test(value.text);
        const advice = mayBeOrder ? { advice: adviceOnNames(fields.nameKey) } : {};
        return { objection: `"${name}" ${noName}`, phone, ...advice };
      }
      contact[name] = value.text;
    }
    const twice = fields.otherValues?.find(
      ([name, value]) =>
        contact[name] !== undefined && contact[name].trim() !== asText(value).trim(),
    );
    if (twice !== undefined) {
      return { objection: `The row has two values for "${twice[0]}" that differ`, phone };
    }
    for (const [name, value] of fields.more) {
      const objection = objectionToField(name);
      if (objection !== undefined) return { objection, phone };
      const reading = readScriptValue(value);
      if (reading === undefined) continue;
      if (Object.hasOwn(contact, name)) return { objection: `"${name}" is given twice`, phone };
      if ('objection' in reading) return { objection: `"${name}" ${reading.objection}`, phone };
      contact[name] = reading.text;
    }
    return { contact };
  };
}
