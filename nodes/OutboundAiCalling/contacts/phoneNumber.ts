import { isSupportedCountry, type CountryCode, type PhoneNumberType } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';
import {
  exitCodesIn,
  findRange,
  partByCode,
  planOf,
  plansOfCode,
  withoutPrefix,
  type CallingCode,
  type Plan,
} from './numberingPlan';
import { personOf } from './person';
import {
  BETWEEN_NUMBERS,
  DOUBTFUL_SIGN,
  cleaned,
  EXTENSION,
  isPlaceholder,
  objectionToWriting,
  WITHIN_OR_BETWEEN,
} from './writtenNumber';

/** The country of numbers without a country code; undefined: such numbers are not read. */
export type DefaultCountry = CountryCode | undefined;

/** A number that can be dialled, in E.164, or why the text is none. */
type PhoneNumberReading = { e164: string } | { objection: string };

/** A number in a known range, of any type. */
interface Line {
  e164: string;
  callingCode: string;
  /** ISO 3166; undefined for a service of no country. */
  country: CountryCode | undefined;
  type: PhoneNumberType;
}

/** A number that a text may mean. */
interface Reading extends Line {
  /** Whether people write this number so. Only such a reading is dialled; any other makes the text doubtful. */
  isUsual: boolean;
  /** The count of digits up to the end of its country code; undefined: the text holds no such code. */
  codeEnds?: number;
}

/** What a text is read for: to call the one person, or to find everybody whom it may name. */
type Readers = 'one' | 'everybody';

const NOT_A_NUMBER = 'is not a phone number';
const TOO_LONG = 'is too long';
const WRONG_LENGTH = 'does not have the length of a phone number of its country';

/**
 * Types that cost more than a call to a person, or that reach no person. VOIP and toll-free numbers
 * are called: customers have VOIP numbers, and firms that order have toll-free ones.
 */
const NOT_CALLED: Partial<Record<PhoneNumberType, string>> = {
  PREMIUM_RATE: 'is a premium-rate number, which is not called',
  SHARED_COST: 'is a shared-cost number, which is not called',
  PERSONAL_NUMBER: 'is a personal (follow-me) number at a higher rate, which is not called',
  UAN: 'is a company number at a rate of its own, which is not called',
  PAGER: 'is the number of a pager, which is not called',
  VOICEMAIL: 'is the number of a voicemail box, which is not called',
};

/** A plus sign and 15 digits. */
const LONGEST_E164 = 16;
const FEWEST_DIGITS = 3;
/** Includes an exit code, and a prefix that is not dialled. */
const MOST_DIGITS = 25;
const LONGEST_EXIT_CODE = 8;
/** Without a default country no other one begins a number that is dialled. */
const USUAL_EXIT_CODE = '00';
/** In characters: one number, with everything that people write between its digits. */
const LONGEST_TEXT = 100;
/** In digits: a telephone number is longer. */
const LONGEST_AREA_CODE = 5;
/** In digits, without its area code. */
const LONGEST_LOCAL_NUMBER = 8;
/** In digits, without its country code: shorter mobile ranges are no telephones of people. */
const FEWEST_MOBILE_DIGITS = 8;
/** In digits: a shorter second number is an extension. */
const SHORTEST_SECOND_NUMBER = 5;

/** Digits and what is between them: no tabs or line breaks. */
const MAYBE_WRITTEN = /^[(\s]*\+?[(\s]*\d[\d\p{Zs}./\\()~\u2044\u2215\u223c-]*\s*$/u;
/** The same with at most one sign between two digits, and one dot behind all: more signs leave digits open. */
const WRITTEN =
  /^[(\s]*\+?[(\s]*\d(?:[\p{Zs})]*(?:[./\\~\u2044\u2215\u223c-]\p{Zs}*)?(?:\([\p{Zs}(]*)?\d)*[\p{Zs})]*(?:\.[\p{Zs})]*)?$/u;
/** The number of a row, as people write it before a phone number. */
const ROW_NUMBER = /^\s*[1-9]\d{0,3}(?:\.\s+|\s*\)\s*)(?=[\d(])/;
/** Digits, and at most an area code in brackets: surely one number. */
const SURELY_ONE = /^\+?(?:\d? ?\(\d{1,4}\))?[\d .-]*$/;
/** `(0)`: after a country code, a zero that is dialled only within the country. */
const ZERO_WITHIN = /(?<=\d[^\d(]*)\(\s*0\s*\)/;
/** A digit alone behind a longer group. Behind a group of two, it is the rest of a number written in pairs. */
const BEFORE_LAST_DIGIT = /^(.*\d{3})(\D+)\d\D*$/;
/** The form of all numbers in North America, and of some elsewhere. */
const TEN_DIGITS = /^(?:\(\d{3}\)[\s.-]*|\d{3}[\s.-]+)\d{3}[\s.-]*\d{4}$/;

/** Whether a text is the ISO 3166 code of a country whose numbers can be read, e.g. `IN`. */
export function isCountry(code: string): code is CountryCode {
  return isSupportedCountry(code as CountryCode, metadata);
}

function countDigits(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0;
}

function lineOf(callingCode: string, national: string, plans: CallingCode): Line | undefined {
  const found = findRange(national, plans);
  if (found === undefined) return undefined;
  const { plan, type } = found;
  return { e164: `+${callingCode}${national}`, callingCode, country: plan.country, type };
}

/** Reads digits as a full number, which begins with its country code. */
function fullLine(digits: string): Line | undefined {
  const parted = partByCode(digits);
  if (parted === undefined) return undefined;
  const { code, national, plans } = parted;
  const asItStands = lineOf(code, national, plans);
  // Nobody writes the 1 of North America twice.
  if (asItStands !== undefined || plans.main.nationalPrefix === code) return asItStands;
  return lineOf(code, withoutPrefix(national, plans.main), plans);
}

/** A full number without a plus, and the count of digits up to the end of its country code. */
type ForeignLine = Line & { codeEnds: number };

/**
 * The mobile number that a full number may be when its country code was written before one that had it:
 * +49 4915112345678. Not a landline: many areas begin with the digits of their country code.
 */
function lineWithCodeOnce({ e164, callingCode }: Line): Line | undefined {
  const rest = e164.slice(1 + callingCode.length);
  const isLong = rest.length >= callingCode.length + FEWEST_MOBILE_DIGITS;
  const line = isLong && rest.startsWith(callingCode) ? fullLine(rest) : undefined;
  return line?.type === 'MOBILE' ? line : undefined;
}

/** Reads a full number after `exitCode` digits, also with its country code written twice. */
function foreignLinesOf(digits: string, exitCode: number): ForeignLine[] {
  const line = fullLine(digits.slice(exitCode));
  if (line === undefined) return [];
  const once = lineWithCodeOnce(line);
  const codeEnds = exitCode + line.callingCode.length;
  return (once === undefined ? [line] : [line, once]).map((one) => ({ ...one, codeEnds }));
}

function linesAfterExitCode(digits: string, country: DefaultCountry): ForeignLine[] {
  const { begin, whole } = exitCodesIn(country);
  if (!begin.test(digits)) return [];
  const lines: ForeignLine[] = [];
  for (let length = 1; length <= LONGEST_EXIT_CODE; length++) {
    if (whole.test(digits.slice(0, length))) lines.push(...foreignLinesOf(digits, length));
  }
  return lines;
}

function nationalLines(digits: string, country: CountryCode): Line[] {
  const plan = planOf(country);
  const plans = plansOfCode(plan.callingCode);
  const numbers = new Set([digits, withoutPrefix(digits, plan)]);
  return [...numbers].flatMap((number) => (plans && lineOf(plan.callingCode, number, plans)) ?? []);
}

/**
 * The numbers that may follow the first group of a text; that group may be a row number: "3. 0151 12345678". After
 * a group with the national prefix, only a mobile number counts.
 */
function linesAfterFirst(text: string, country: CountryCode): Line[] {
  const behindRow = text.replace(ROW_NUMBER, '');
  if (behindRow !== text) {
    const digits = behindRow.replace(/\D/g, '');
    return [...nationalLines(digits, country), ...foreignLinesOf(digits, 0)];
  }
  const { nationalPrefix } = planOf(country);
  const [, first = '', rest = ''] = /^\D*(\d+)\D+(\d.*)$/.exec(text) ?? [];
  if (nationalPrefix === '' || !rest.startsWith(nationalPrefix)) return [];
  const isPlain = !first.startsWith(nationalPrefix);
  return nationalLines(rest.replace(/\D/g, ''), country).filter(
    ({ type }) => isPlain || type === 'MOBILE',
  );
}

/**
 * Whether digits may be a number as people of one town write it, without its area code. Read as a whole
 * number of its country, 7654321 of Berlin rings somebody in the Black Forest.
 */
function mayLackArea(digits: string, country: CountryCode): boolean {
  const plan = planOf(country);
  if (plan.nationalPrefix === '' || digits.length > LONGEST_LOCAL_NUMBER) return false;
  if (withoutPrefix(digits, plan) !== digits) return false;
  const landlines = plan.ranges.find(({ type }) => type === 'FIXED_LINE');
  return [...(landlines?.lengths ?? [])].some(
    (length) => length > digits.length && length <= digits.length + LONGEST_AREA_CODE,
  );
}

/** Whether digits are too few for a whole number of a country: they may lack what stands before them. */
function isShorterThanAll(digits: string, country: CountryCode): boolean {
  const lengths = [...planOf(country).usualLengths];
  return mayLackArea(digits, country) || lengths.every((length) => length > digits.length);
}

/** Whether a group of a text ends after this many digits. */
function endsGroup(text: string, digitsBefore: number): boolean {
  const signs = [...text];
  let digits = 0;
  const end = signs.findIndex((sign) => /\d/.test(sign) && ++digits === digitsBefore);
  return !/\d/.test(signs[end + 1] ?? '');
}

/** Whether a national number differs from some digits by one digit: wrong, surplus, or missing. */
function mayBeMistyped(digits: string, country: CountryCode): boolean {
  const plan = planOf(country);
  if (plan.usualLengths.has(withoutPrefix(digits, plan).length)) return true;
  const isNational = (text: string) => nationalLines(text, country).length > 0;
  return Array.from({ length: digits.length + 1 }, (_, place) => place).some((place) => {
    const [before, after] = [digits.slice(0, place), digits.slice(place)];
    const withOneMore = [...'0123456789'].map((digit) => before + digit + after);
    return isNational(before + after.slice(1)) || withOneMore.some(isNational);
  });
}

/**
 * Whether people write a full number without a plus in this way: in one piece, or in groups of
 * which one ends with the country code. A text that may be a mistyped number of the default country
 * is never usual, however it is grouped, nor one that is too short for a whole number there. After an exit code only a
 * mobile number with its zero typed twice is such a mistake: landlines may have almost any digits.
 */
function isUsualWithout(
  text: string,
  { callingCode, codeEnds }: ForeignLine,
  country: DefaultCountry,
): boolean {
  const isGrouped = /\d\D+\d/.test(text);
  if (isGrouped && !endsGroup(text, codeEnds)) return false;
  const exitCode = codeEnds - callingCode.length;
  if (country === undefined) return exitCode === 0 || exitCode === USUAL_EXIT_CODE.length;
  const digits = text.replace(/\D/g, '');
  if (exitCode === 0 && isShorterThanAll(digits, country)) return false;
  if (planOf(country).callingCode === callingCode) return true;
  if (exitCode > 0) {
    return (
      isGrouped || nationalLines(digits.slice(1), country).every(({ type }) => type !== 'MOBILE')
    );
  }
  return !mayBeMistyped(digits, country);
}

/**
 * All numbers that a text may mean. With a plus it is a full number. Without a plus it may be a
 * number of the default country, a full number, or one after an exit code of that country (of any
 * country when there is no default). With no default country, the number of one person begins with
 * a plus or 00.
 *
 * @param text as {@link cleaned} gives it, or a part of that
 */
function readingsOf(text: string, country: DefaultCountry, readers: Readers = 'one'): Reading[] {
  if (!MAYBE_WRITTEN.test(text)) return [];
  const readings = readingsAsItStands(text, country, readers);
  const zero = text.includes('(') ? ZERO_WITHIN.exec(text) : null;
  if (zero !== null) {
    const before = countDigits(text.slice(0, zero.index));
    const without = readingsAsItStands(text.replace(ZERO_WITHIN, ' '), country, readers);
    readings.push(
      ...without.filter(({ codeEnds }) => readers === 'everybody' || codeEnds === before),
    );
  }
  if (readings.length > 0) readings.push(...readingsBeforeLast(text, country, readers));
  if (readings.length < 2) return readings;
  return readings.filter(
    ({ e164 }, index) => index === readings.findIndex((other) => other.e164 === e164),
  );
}

/**
 * The numbers before a last digit that stands alone: +49 170 1234567 2. Behind a hyphen, such a digit may be the
 * extension of a landline, which is dialled with it.
 */
function readingsBeforeLast(text: string, country: DefaultCountry, readers: Readers): Reading[] {
  const [, before, sign = ''] = BEFORE_LAST_DIGIT.exec(text) ?? [];
  if (before === undefined) return [];
  return readingsAsItStands(before, country, readers)
    .filter(({ type }) => type === 'MOBILE' || !sign.includes('-'))
    .map((reading) => ({ ...reading, isUsual: false }));
}

/** All numbers that a text may mean when every digit counts; the list may repeat a number. */
function readingsAsItStands(text: string, country: DefaultCountry, readers: Readers): Reading[] {
  const digits = text.replace(/\D/g, '');
  const full = foreignLinesOf(digits, 0);
  if (text.includes('+')) return full.map((line) => ({ ...line, isUsual: true }));
  const national = country === undefined ? [] : nationalLines(digits, country);
  const isWhole = country === undefined || !mayLackArea(digits, country);
  const isOfAll = country !== undefined || readers === 'everybody';
  const foreign = [
    ...(isOfAll ? full : []),
    ...(isOfAll || digits.startsWith(USUAL_EXIT_CODE) ? linesAfterExitCode(digits, country) : []),
  ];
  const others = [
    ...(country === undefined ? [] : linesAfterFirst(text, country)),
    ...national.flatMap((line) => lineWithCodeOnce(line) ?? []),
  ];
  return [
    ...national.map((line) => ({ ...line, isUsual: isWhole })),
    ...foreign.map((line) => ({ ...line, isUsual: isUsualWithout(text, line, country) })),
    ...others.map((line) => ({ ...line, isUsual: false })),
  ];
}

/** A text as a national number, in a known range or not. */
function withinCountry(
  text: string,
  country: DefaultCountry,
): { national: string; plans: Plan[] } | undefined {
  const digits = text.replace(/\D/g, '');
  if (!text.includes('+')) {
    const plan = country && planOf(country);
    return plan && { national: withoutPrefix(digits, plan), plans: [plan] };
  }
  const parted = partByCode(digits);
  return parted && { ...parted, plans: [...parted.plans.others, ...parted.plans.byArea] };
}

/** Whether a text has a number of digits that is possible in its country. */
function hasLengthOfNumber(text: string, country: DefaultCountry): boolean {
  const { national = '', plans = [] } = withinCountry(text, country) ?? {};
  return plans.some(({ lengths }) => lengths.has(national.length));
}

/** Whether a text, taken alone, is a whole number and more than an area code. */
function isWholeNumber(text: string, country: DefaultCountry): boolean {
  const digits = withinCountry(text, country)?.national.length ?? 0;
  if (digits <= LONGEST_AREA_CODE) return false;
  const isLong = digits > LONGEST_AREA_CODE + 1;
  return readingsOf(text, country).length > 0 || (isLong && hasLengthOfNumber(text, country));
}

/**
 * Whether a text holds two numbers, or a number and another ending of it. After an area code, a
 * slash or a bracket is part of the number; after a whole number, it begins a second one.
 */
function holdsTwoNumbers(text: string, country: DefaultCountry): boolean {
  if (/\d.*\+/s.test(text)) return true;
  const [, ...others] = text.split(BETWEEN_NUMBERS);
  if (others.some((other) => countDigits(other) >= SHORTEST_SECOND_NUMBER)) return true;
  return [...text.matchAll(WITHIN_OR_BETWEEN)].some(
    ({ index }) =>
      countDigits(text.slice(index)) > 0 &&
      countDigits(text.slice(0, index)) > LONGEST_AREA_CODE &&
      isWholeNumber(text.slice(0, index), country),
  );
}

/** Why a number is not dialled; undefined when it is. */
function objectionTo({ e164, callingCode, country, type }: Line): string | undefined {
  if (e164.length > LONGEST_E164) return WRONG_LENGTH;
  if (country === undefined) {
    return 'belongs to a worldwide service and to no country, so it is not called';
  }
  if (isPlaceholder(e164.slice(1 + callingCode.length))) {
    return 'is made up: all its digits are the same, or count up from 1';
  }
  return NOT_CALLED[type];
}

function objectionToSign(sign: string): string {
  return `has the sign "${sign}" beside it, which may be a wish not to be called (enter the number alone)`;
}

/** Why a text without a reading is no number. */
function objectionToText(text: string, country: DefaultCountry): string {
  if (text === '') return 'is missing';
  if (!WRITTEN.test(text)) {
    const [number = ''] = text.split(BETWEEN_NUMBERS);
    const shorter = text.replace(EXTENSION, '');
    const isExtended = [number, shorter].some(
      (part) => countDigits(part) < countDigits(text) && WRITTEN.test(part.trim()),
    );
    if (isExtended) return 'has an extension, which cannot be dialled';
    const [sign] = (countDigits(text) >= FEWEST_DIGITS && DOUBTFUL_SIGN.exec(text)) || [];
    return sign === undefined ? NOT_A_NUMBER : objectionToSign(sign);
  }
  const digits = countDigits(text);
  if (digits < FEWEST_DIGITS) return 'is too short';
  if (digits > MOST_DIGITS) return TOO_LONG;
  if (text.includes('+')) {
    const isPossible = hasLengthOfNumber(text, country);
    return isPossible ? 'is in no range of phone numbers of its country' : WRONG_LENGTH;
  }
  return country === undefined
    ? 'has no country code (write it like +12025550123, or set "Default Country" in the options)'
    : 'is not a phone number of "Default Country", nor a full number of another country (write it with a plus and its country code, like +12025550123)';
}

/**
 * Removes readings that the written form rules out. In (323) 555-0123 no calling code of two digits
 * ends within the brackets: in North America everybody writes so. 4915112345678 is a mobile number of
 * Germany that has lost its plus, not a landline there without its 0.
 */
function asWritten(readings: Reading[], text: string, country: DefaultCountry): Reading[] {
  if (readings.length < 2 || country === undefined) return readings;
  const { callingCode: own, nationalPrefix } = planOf(country);
  const digits = text.replace(/\D/g, '');
  const full = `+${digits}`;
  const isWithCode = readings.some(
    (one) => one.e164 === full && one.country === country && one.type === 'MOBILE',
  );
  if (isWithCode && nationalPrefix !== '') {
    return readings.filter((one) => one.e164 !== `+${own}${digits}` || one.country !== country);
  }
  if (own !== '1' || !TEN_DIGITS.test(text)) return readings;
  return readings.filter(({ e164, callingCode }) => e164 !== full || callingCode.length !== 2);
}

/** What a text may be that has one reading, which people do not write so. */
function otherMeaning(text: string, country: DefaultCountry): string {
  if (country === undefined) return 'a mistyped number';
  const isLocal = mayLackArea(text.replace(/\D/g, ''), country);
  return isLocal ? 'a number without its area code' : 'a mistyped number of "Default Country"';
}

/**
 * Reads a phone number as people and spreadsheets write it, and gives it as the service wants it
 * ("Trigger a single call": with country code, E.164). It never guesses. It objects to two numbers
 * in one field, to a text that may be the number of two people, and to numbers that no person
 * answers.
 *
 * @param value text or number from an item, a JSON list or a CSV cell
 */
export function readPhoneNumber(value: unknown, country?: CountryCode): PhoneNumberReading {
  if (value === null || value === undefined) return { objection: 'is missing' };
  const isWhole = Number.isSafeInteger(value) && Number(value) > 0;
  if (typeof value !== 'string' && !isWhole) return { objection: NOT_A_NUMBER };
  if (String(value).length > LONGEST_TEXT) return { objection: TOO_LONG };
  const text = cleaned(String(value));
  const asWrittenObjection = objectionToWriting(text);
  if (asWrittenObjection !== undefined) return { objection: asWrittenObjection };
  if (!SURELY_ONE.test(text) && holdsTwoNumbers(text, country)) {
    return { objection: 'looks like two numbers in one field (keep one of them)' };
  }
  const readings = asWritten(readingsOf(text, country), text, country);
  const [reading] = readings;
  if (reading === undefined || !WRITTEN.test(text)) {
    return { objection: objectionToText(text, country) };
  }
  if (readings.length > 1 || !reading.isUsual) {
    const names = readings.map(({ e164, country: of }) => (of ? `${e164} (${of})` : e164));
    if (readings.length === 1) names.push(otherMeaning(text, country));
    return { objection: `may be ${names.join(' or ')}: write it with a plus and its country code` };
  }
  const objection = objectionTo(reading);
  return objection === undefined ? { e164: reading.e164 } : { objection };
}

/**
 * Finds all numbers that a text may mean, for lists of people not to call: one too many is better
 * than one too few.
 *
 * @param text as {@link cleaned} gives it
 * @returns the people, as {@link personOf}; `isUsual`: people write all these numbers so; otherwise the text may hold others
 */
export function everyReading(
  text: string,
  country?: CountryCode,
): { people: string[]; isUsual: boolean } {
  const isOther = text.length > LONGEST_TEXT || !MAYBE_WRITTEN.test(text);
  if (isOther || (!SURELY_ONE.test(text) && holdsTwoNumbers(text, country))) {
    return { people: [], isUsual: false };
  }
  const readings = readingsOf(text, country, 'everybody');
  return {
    people: [...new Set(readings.map(({ e164 }) => personOf(e164)))],
    isUsual: readings.length > 0 && readings.every(({ isUsual }) => isUsual) && WRITTEN.test(text),
  };
}
