import { findPhoneNumbersInText } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';
import { findRange, partByCode } from './numberingPlan';
import { everyReading, type DefaultCountry } from './phoneNumber';
import { BETWEEN_NUMBERS, cleaned, EXTENSION, inDigits, WITHIN_OR_BETWEEN } from './writtenNumber';

/** What a cell holds that somebody may have meant as phone numbers. */
export interface NumbersInCell {
  /** Numbers in E.164. */
  e164: string[];
  /** Digits of which nobody knows the country, without leading zeros; {@link digitsOf} compares. */
  digits: string[];
}

/** What stands between numbers, first what never stands within one. */
const SEPARATORS = [BETWEEN_NUMBERS, /(?=\+)/, WITHIN_OR_BETWEEN];
/** Digits as people write them, without a plus. */
const DIGITS = /^[\d\s.()/'-]+$/;
const E164 = /^\+[1-9]\d{6,14}$/;
const FEWEST_DIGITS = 6;
const MOST_DIGITS = 16;

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+/, '');
}

function bareDigits(text: string): string[] {
  if (!DIGITS.test(text)) return [];
  const digits = withoutLeadingZeros(text.replace(/\D/g, ''));
  return digits.length < FEWEST_DIGITS || digits.length > MOST_DIGITS ? [] : [digits];
}

function together(found: NumbersInCell[]): NumbersInCell {
  return {
    e164: [...new Set(found.flatMap(({ e164 }) => e164))],
    digits: [...new Set(found.flatMap(({ digits }) => digits))],
  };
}

function holdsAny({ e164, digits }: NumbersInCell): boolean {
  return e164.length + digits.length > 0;
}

function inText(text: string, country: DefaultCountry, from: number): NumbersInCell {
  const e164 = everyReading(text.trim(), country);
  if (e164.length > 0) return { e164, digits: [] };
  const shorter = text.replace(EXTENSION, '');
  if (shorter !== text) {
    const found = inText(shorter, country, from);
    if (holdsAny(found)) return found;
  }
  for (let level = from; level < SEPARATORS.length; level++) {
    const parts = text.split(SEPARATORS[level] ?? '');
    if (parts.length === 1) continue;
    const found = together(parts.map((part) => inText(part, country, level)));
    // Brackets and slashes stand within digits, too.
    const isSure = level < SEPARATORS.length - 1 ? holdsAny(found) : found.e164.length > 0;
    if (isSure) return found;
  }
  return { e164: [], digits: bareDigits(text) };
}

/**
 * Finds every number that a cell may name, where it is better to find one too many: several numbers,
 * numbers with an extension or in the middle of words, and digits of which nobody knows the country.
 *
 * @param value text or number as it came from a table
 * @param defaultCountry ISO code of the country that national numbers belong to
 */
export function numbersIn(value: unknown, defaultCountry?: DefaultCountry): NumbersInCell {
  const text = inDigits(cleaned(String(value ?? '')));
  const e164 = everyReading(text, defaultCountry);
  if (e164.length > 0) return { e164, digits: [] };
  const options = defaultCountry === undefined ? {} : { defaultCountry };
  const amongWords = findPhoneNumbersInText(text, options, metadata).flatMap(
    ({ number, startsAt, endsAt }) => [
      number.number,
      ...everyReading(text.slice(startsAt, endsAt), defaultCountry),
    ],
  );
  return together([inText(text, defaultCountry, 0), { e164: amongWords, digits: [] }]);
}

/**
 * The digits with which a number may be written without a plus: with its country code, and within
 * its country with and without what is dialled before it; leading zeros left out.
 *
 * @param e164 as `readPhoneNumber` gives it
 */
export function digitsOf(e164: string): string[] {
  const digits = e164.slice(1);
  const parted = partByCode(digits);
  if (parted === undefined) return [];
  const { national, plans } = parted;
  const plan = findRange(national, plans)?.plan ?? plans.main;
  const writings = [digits, national, `${plan.nationalPrefix}${national}`];
  return [...new Set(writings.map(withoutLeadingZeros))];
}

/**
 * The texts under which a number is found in what {@link namedIn} gives.
 *
 * @param e164 as `readPhoneNumber` gives it
 */
export function writingsOf(e164: string): string[] {
  return [e164, ...digitsOf(e164)];
}

/**
 * Whom a cell of a table names: numbers in E.164, or digits of which nobody knows the country.
 *
 * @param value text or number as it came from a table
 */
export function namedIn(value: unknown, defaultCountry?: DefaultCountry): string[] {
  if (typeof value === 'string' && E164.test(value)) return [value];
  const { e164, digits } = numbersIn(value, defaultCountry);
  return e164.length > 0 ? e164 : digits;
}

/** Whether a cell of a table may name a number in E.164. */
export function mayName(value: unknown, e164: string, defaultCountry?: DefaultCountry): boolean {
  const named = namedIn(value, defaultCountry);
  return writingsOf(e164).some((writing) => named.includes(writing));
}

/** What every spelling of a number holds in this order: its last digits; no number is shorter. */
export function spelledLike(e164: string): string {
  return `%${[...e164.slice(-4)].join('%')}%`;
}
