import parsePhoneNumberFromString, {
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
  type CountryCode,
  type MetadataJson,
  type PhoneNumber,
} from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/min/metadata';

/** +1 with its main country only. */
const mainCountryOfOne: MetadataJson = {
  ...metadata,
  country_calling_codes: { ...metadata.country_calling_codes, '1': ['US'] },
};

/** A number that can be dialled, in E.164, or the reason why there is none. */
export type PhoneNumberReading = { e164: string } | { objection: string };

const OBJECTIONS: Record<string, string> = {
  NOT_A_NUMBER: 'is not a phone number',
  INVALID_COUNTRY:
    'has no country code (write it like +12025550123, or set "Default Country" in the options)',
  TOO_SHORT: 'is too short for a phone number',
  TOO_LONG: 'is too long for a phone number',
  INVALID_LENGTH: 'does not have the length of a phone number of its country',
};

/** A plus sign and 15 digits. */
const LONGEST_E164 = 16;

/** Whether a text is an ISO 3166 country code that numbers can be read for, e.g. `IN`. */
export function isCountry(code: string): code is CountryCode {
  return isSupportedCountry(code as CountryCode, metadata);
}

/** Removes what sheets and people put around a number. */
function cleaned(value: string): string {
  return value
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .trim()
    .replace(/^'+/, '')
    .replace(/^tel:/i, '')
    .trim()
    .replace(/^00(?=[1-9])/, '+');
}

/**
 * To which of the 25 countries of +1 a number belongs changes nothing about a number that its main
 * country finds possible, for ten digits are possible in all of them; but it takes longer to find
 * out than all else.
 *
 * @throws ParseError
 */
function parse(text: string, defaultCountry: CountryCode | undefined): PhoneNumber {
  const options = { extract: false, ...(defaultCountry === undefined ? {} : { defaultCountry }) };
  if (text.startsWith('+1')) {
    const number = parsePhoneNumberFromString(text, options, mainCountryOfOne);
    if (number?.isPossible() === true) return number;
  }
  return parsePhoneNumberWithError(text, options, metadata);
}

/**
 * Reads a phone number as people and sheets write it and gives it as the service wants it ("Trigger
 * a single call": with country code, E.164).
 *
 * @param value text or number as it came from an item, a JSON list or a CSV cell
 * @param defaultCountry ISO code of the country that national numbers belong to
 */
export function readPhoneNumber(value: unknown, defaultCountry?: CountryCode): PhoneNumberReading {
  if (value === null || value === undefined) return { objection: 'is missing' };
  const isWhole = Number.isSafeInteger(value) && Number(value) > 0;
  if (typeof value !== 'string' && !isWhole) {
    return { objection: 'is not a phone number' };
  }
  const text = cleaned(String(value));
  if (text === '') return { objection: 'is missing' };
  if (/^\+?\d+([.,]\d+)?e\+?\d+$/i.test(text)) {
    return {
      objection:
        'was shortened by a spreadsheet, and its last digits may be lost (format the column as text, then enter the numbers again)',
    };
  }
  try {
    const number = parse(text, defaultCountry);
    if (number.ext !== undefined) return { objection: 'has an extension, which cannot be dialled' };
    if (!number.isPossible() || number.number.length > LONGEST_E164) {
      return { objection: OBJECTIONS.INVALID_LENGTH ?? 'is not a phone number' };
    }
    return { e164: number.number };
  } catch (error) {
    const code = error instanceof ParseError ? error.message : 'NOT_A_NUMBER';
    return { objection: OBJECTIONS[code] ?? 'is not a phone number' };
  }
}
