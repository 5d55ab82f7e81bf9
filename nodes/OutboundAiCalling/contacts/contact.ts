import type { Contact } from '../service/campaign';
import { objectionToVariableName } from '../service/scriptVariables';
import { readPhoneNumber, type PhoneNumberReading } from './phoneNumber';

type CountryCode = Parameters<typeof readPhoneNumber>[1];

/** A contact as it came: from an item, a JSON list or a CSV row. */
export type RawContact = Record<string, unknown>;

/** A row that cannot be called, and why. */
export interface UnusableContact {
  /** Counted from 1, as people count rows. */
  row: number;
  phone: string;
  reason: string;
}

/** The forms in which the interface shows each field of a contact ("Contact", conflict). */
const FORMS = {
  customerPhone: ['customerPhone', 'phone_number', 'phone'],
  customerName: ['customerName', 'name'],
  orderNumber: ['orderNumber'],
  orderNotes: ['orderNotes'],
} as const;
const NAMED_FIELDS = new Set<string>(Object.values(FORMS).flat());

function textIn(raw: RawContact, forms: readonly string[]): string | undefined {
  const value = forms.map((form) => raw[form]).find((found) => !isBlank(found));
  return value === undefined ? undefined : asText(value);
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || String(value).trim() === '';
}

function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Brings a contact into its primary form. Keys that the interface does not name go along as context
 * for the script.
 *
 * @param phoneColumn the key that holds the phone number, when it is none of the usual ones
 * @returns the contact, or the objection to its phone number or to one of its keys
 */
export function readContact(
  raw: RawContact,
  options: { phoneColumn?: string | undefined; defaultCountry?: CountryCode } = {},
): { contact: Contact } | { objection: string; phone: string } {
  const { phoneColumn, defaultCountry } = options;
  const phoneForms = phoneColumn === undefined ? FORMS.customerPhone : [phoneColumn];
  const phone = phoneForms.map((form) => raw[form]).find((found) => !isBlank(found));
  const reading: PhoneNumberReading = readPhoneNumber(phone, defaultCountry);
  if ('objection' in reading) {
    return { objection: `The phone number ${reading.objection}`, phone: asText(phone ?? '') };
  }
  const contact: Contact = { customerPhone: reading.e164 };
  for (const field of ['customerName', 'orderNumber', 'orderNotes'] as const) {
    const value = textIn(raw, FORMS[field]);
    if (value !== undefined) contact[field] = value;
  }
  for (const [key, value] of Object.entries(raw)) {
    if (NAMED_FIELDS.has(key) || key === phoneColumn || isBlank(value)) continue;
    const objection = objectionToVariableName(key);
    if (objection !== undefined) return { objection, phone: reading.e164 };
    contact[key] = asText(value);
  }
  return { contact };
}
