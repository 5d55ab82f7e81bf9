import {
  isSupportedCountry,
  Metadata,
  ParseError,
  parsePhoneNumberWithError,
  type CountryCode,
  type MetadataJson,
  type NumberType,
  type PhoneNumber,
} from 'libphonenumber-js/core';
// Only the largest metadata know every range of a country: by the smaller ones 12025550123 is a
// valid number of India, and no premium-rate number can be told from another.
import metadata from 'libphonenumber-js/max/metadata';
import { planOfNumber } from './numberingPlan';
import { LONGEST_E164, readPlainNumber } from './plainNumber';

/** The countries of +1 that have area codes of their own, and those that share what is left. */
const [ownAreas, sharedAreas] = (() => {
  const plans = new Metadata(metadata);
  const own: string[] = [];
  const shared = metadata.country_calling_codes['1']?.filter((country) => {
    plans.selectNumberingPlan(country);
    const areas = plans.numberingPlan?.leadingDigits();
    if (areas) own.push(areas);
    return !areas;
  });
  return [new RegExp(`^(?:${own.join('|')})`), shared ?? []];
})();

/** For each country that shares area codes of +1, what would be known if +1 were its alone. */
const metadataOfSharedAreas = sharedAreas.map((country): MetadataJson => {
  const codes = { ...metadata.country_calling_codes, '1': [country] };
  return { ...metadata, country_calling_codes: codes };
});

/** The country that national numbers belong to; none when they are not read. */
export type DefaultCountry = CountryCode | undefined;

/** A number that can be dialled, in E.164, or the reason why there is none. */
export type PhoneNumberReading = { e164: string } | { objection: string };

const NOT_A_NUMBER = 'is not a phone number';
const WRONG_LENGTH = 'does not have the length of a phone number of its country';
const TWO_NUMBERS = 'looks like two numbers in one field (keep one of them)';
const EXTENSION = 'has an extension, which cannot be dialled';
const NO_PERSON = 'belongs to a worldwide service and to no country, so it is not called';
const AMBIGUOUS =
  'is not a valid number of "Default Country", but could be one of another country (if it begins with a country code, write it with a plus, like +12025550123)';

const OBJECTIONS: Record<string, string> = {
  NOT_A_NUMBER,
  INVALID_COUNTRY:
    'has no country code (write it like +12025550123, or set "Default Country" in the options)',
  TOO_SHORT: 'is too short for a phone number',
  TOO_LONG: 'is too long for a phone number',
  INVALID_LENGTH: WRONG_LENGTH,
};

/** Numbers at which a call costs more than a call to a person, or reaches no person. */
const NOT_CALLED: Partial<Record<NonNullable<NumberType>, string>> = {
  PREMIUM_RATE: 'is a premium-rate number, which is not called',
  SHARED_COST: 'is a shared-cost number, which is not called',
  PERSONAL_NUMBER: 'is a personal (follow-me) number at a higher rate, which is not called',
  UAN: 'is a company number at a rate of its own, which is not called',
  PAGER: 'is the number of a pager, which is not called',
  VOICEMAIL: 'is the number of a voicemail box, which is not called',
};

/** A telephone number has more digits than this; an area code never does. */
const LONGEST_AREA_CODE = 5;
/** With fewer digits, the second of two numbers is an extension. */
const SHORTEST_SECOND_NUMBER = 5;

const SURELY_ONE = /^\+?[\d .-]*$/;
/** What stands between two numbers and never within one. */
export const BETWEEN_NUMBERS =
  /[,;|&\r\n\t\v\f\u2028\u2029]|(?<!\p{L})(?:or|and|oder|und|ou|et|o|y)(?!\p{L})/iu;
/** What stands within one number or between two of them. */
export const WITHIN_OR_BETWEEN = /[/\\~()[\]\u2044\u2215\u223c]/g;

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
    .replace(/^00\s*(?=[1-9])/, '+')
    .replace(/^(\+?\d{7,})\.0$/, '$1');
}

function countDigits(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0;
}

/** A number and its type; numbers without a type are valid in no country. */
interface Parsed {
  number: PhoneNumber;
  type: NumberType;
}

/**
 * Most numbers of +1 are in the two countries that share its area codes; to look in all 25 takes
 * longer than all else.
 *
 * @throws ParseError
 */
function parse(text: string, defaultCountry?: CountryCode): Parsed {
  const options = { extract: false, ...(defaultCountry === undefined ? {} : { defaultCountry }) };
  const parseWith = (known: MetadataJson): Parsed => {
    const number = parsePhoneNumberWithError(text, options, known);
    return { number, type: number.getType() };
  };
  if (!text.startsWith('+1')) return parseWith(metadata);
  const reads: Parsed[] = [];
  for (const known of metadataOfSharedAreas) {
    const read = parseWith(known);
    if (ownAreas.test(read.number.nationalNumber)) return parseWith(metadata);
    if (read.type !== undefined) return read;
    reads.push(read);
  }
  return reads[0] ?? parseWith(metadata);
}

function parsed(text: string, defaultCountry?: CountryCode): Parsed | undefined {
  try {
    return parse(text, defaultCountry);
  } catch {
    return undefined;
  }
}

/** Whether a text, taken alone, is the number of a line and not just the code of an area. */
function isWholeNumber(text: string, defaultCountry: DefaultCountry): boolean {
  const read = parsed(text, defaultCountry);
  const digits = read?.number.nationalNumber.length ?? 0;
  if (read === undefined || digits <= LONGEST_AREA_CODE) return false;
  return read.type !== undefined || (read.number.isPossible() && digits > LONGEST_AREA_CODE + 1);
}

/**
 * Whether a text holds two numbers, or a number and another ending of it. A slash or a bracket that
 * comes after an area code belongs to one number, and one that comes after a whole number to two.
 */
function holdsTwoNumbers(text: string, defaultCountry: DefaultCountry): boolean {
  if (/\d.*\+/s.test(text)) return true;
  const [, ...others] = text.split(BETWEEN_NUMBERS);
  if (others.some((other) => countDigits(other) >= SHORTEST_SECOND_NUMBER)) return true;
  return [...text.matchAll(WITHIN_OR_BETWEEN)].some(
    ({ index }) =>
      countDigits(text.slice(index)) > 0 &&
      countDigits(text.slice(0, index)) > LONGEST_AREA_CODE &&
      isWholeNumber(text.slice(0, index), defaultCountry),
  );
}

/** Whether a text without a plus, which is no valid number, may have been meant to have one. */
function isAmbiguous(text: string): boolean {
  return !text.startsWith('+') && parsed(`+${text}`)?.number.isPossible() === true;
}

/**
 * Whether a number in a range that the metadata do not know, or that is kept for examples, could
 * be that of a telephone: short codes and misread numbers have other lengths.
 */
function hasLengthOfTelephone(number: PhoneNumber) {
  const plan = planOfNumber(number);
  return (['FIXED_LINE', 'MOBILE'] as const).some((type) =>
    plan?.type(type)?.possibleLengths().includes(number.nationalNumber.length),
  );
}

/** Why a number that was read is not dialled; undefined when it is. */
function objectionTo({ number, type }: Parsed): string | undefined {
  if (number.ext !== undefined) return EXTENSION;
  if (!number.isPossible() || number.number.length > LONGEST_E164) return WRONG_LENGTH;
  if (number.isNonGeographic()) return NO_PERSON;
  if (type !== undefined) return NOT_CALLED[type];
  if (!hasLengthOfTelephone(number)) return WRONG_LENGTH;
  // 0 0 30 123456 loses one zero each time it is read.
  const [known = metadata] = number.countryCallingCode === '1' ? metadataOfSharedAreas : [];
  const again = parsePhoneNumberWithError(number.number, { extract: false }, known);
  return again.number === number.number ? undefined : NOT_A_NUMBER;
}

/**
 * Reads a phone number as people and sheets write it and gives it as the service wants it ("Trigger
 * a single call": with country code, E.164). Nothing is guessed: two numbers in one field, a number
 * that could be of two countries, and numbers that no person answers are refused.
 *
 * @param value text or number as it came from an item, a JSON list or a CSV cell
 * @param defaultCountry ISO code of the country that national numbers belong to
 */
export function readPhoneNumber(value: unknown, defaultCountry?: CountryCode): PhoneNumberReading {
  if (value === null || value === undefined) return { objection: 'is missing' };
  const isWhole = Number.isSafeInteger(value) && Number(value) > 0;
  if (typeof value !== 'string' && !isWhole) return { objection: NOT_A_NUMBER };
  const text = cleaned(String(value));
  const plain = readPlainNumber(text, defaultCountry);
  return plain === undefined ? readAnyNumber(text, defaultCountry) : { e164: plain };
}

/**
 * Reads a number with the library; {@link readPhoneNumber} does so for what is not plain.
 *
 * @param text without what sheets and people put around a number
 */
export function readAnyNumber(text: string, defaultCountry?: CountryCode): PhoneNumberReading {
  if (text === '') return { objection: 'is missing' };
  if (/^\+?\d+([.,]\d+)?e\+?\d+$/i.test(text)) {
    return {
      objection:
        'was shortened by a spreadsheet, and its last digits may be lost (format the column as text, then enter the numbers again)',
    };
  }
  if (!SURELY_ONE.test(text) && holdsTwoNumbers(text, defaultCountry)) {
    return { objection: TWO_NUMBERS };
  }
  try {
    const read = parse(text, defaultCountry);
    if (read.type === undefined && isAmbiguous(text)) return { objection: AMBIGUOUS };
    const objection = objectionTo(read);
    return objection === undefined ? { e164: read.number.number } : { objection };
  } catch (error) {
    if (defaultCountry !== undefined && isAmbiguous(text)) return { objection: AMBIGUOUS };
    const code = error instanceof ParseError ? error.message : 'NOT_A_NUMBER';
    return { objection: OBJECTIONS[code] ?? NOT_A_NUMBER };
  }
}
