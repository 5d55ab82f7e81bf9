import {
  getCountries,
  Metadata,
  parsePhoneNumberFromString,
  type CountryCode,
  type PhoneNumber,
  type PhoneNumberType,
} from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';
import { readPhoneNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { fc, runs, seed } from '../generators';

/** A country's numbers as the library's metadata know them. */
interface Plan {
  IDDPrefix(): string | 0;
  type(name: PhoneNumberType): { pattern(): string } | undefined;
}

const COUNTRIES = getCountries(metadata);
const CALLED = ['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE', 'VOIP', 'TOLL_FREE'];
const TYPES = [
  ...(['FIXED_LINE', 'MOBILE', 'TOLL_FREE', 'VOIP', 'PREMIUM_RATE', 'SHARED_COST'] as const),
  ...(['PERSONAL_NUMBER', 'UAN', 'PAGER', 'VOICEMAIL'] as const),
];

function planOf(country: CountryCode): Plan {
  const plans = new Metadata(metadata);
  plans.selectNumberingPlan(country);
  return plans.numberingPlan as unknown as Plan;
}

function drawn(pattern: string, count: number): string[] {
  return fc.sample(fc.stringMatching(new RegExp(`^(?:${pattern})$`)), { numRuns: count });
}

/** Numbers of Gabon without their zero: that of the same number within the country is 0 3720323. */
const OLD_OF_GABON = /^\+241\d{7}$/;

/** A plus sign and 15 digits: nothing longer is dialled. */
const LONGEST_E164 = 16;
/** In digits, without its country code: some shorter ones cannot be told from landlines. */
const FEWEST_MOBILE_DIGITS = 8;

/** Some numbers of every type that a country has. */
function examplesOf(country: CountryCode, count: number): PhoneNumber[] {
  const plan = planOf(country);
  return TYPES.flatMap((type) => {
    const pattern = plan.type(type)?.pattern() ?? '';
    if (pattern === '') return [];
    return drawn(pattern, count).flatMap((national) => {
      const number = parsePhoneNumberFromString(national, country, metadata);
      if (number?.country !== country || number.nationalNumber !== national) return [];
      return number.isValid() && !OLD_OF_GABON.test(number.number) ? number : [];
    });
  });
}

const exitCodes = new Map(
  COUNTRIES.map((country) => [country, drawn(planOf(country).IDDPrefix() || '00', 3)]),
);

/** The groups of digits with other signs between them. */
function separated(text: string): string[] {
  return [' ', '-', '.', ''].map((sign) => text.replace(/[ -]+/g, sign));
}

function inGroupsOf(length: number, digits: string): string {
  return digits.match(new RegExp(`.{1,${length}}`, 'g'))?.join(' ') ?? digits;
}

const fullWidth = (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));

/** With a plus, which has one meaning everywhere. */
function withPlus(number: PhoneNumber): string[] {
  const international = number.formatInternational();
  const [code = '', area = '', ...rest] = international.split(' ');
  const whole = rest.length === 0 ? [] : [`${code} (${area}) ${rest.join(' ')}`];
  return [
    ...separated(international),
    ...whole,
    `(${code}) ${[area, ...rest].join(' ')}`,
    `tel:${number.number}`,
    fullWidth(number.number),
  ];
}

/** With a country code, whatever stands before it. */
function withCode(number: PhoneNumber, country: CountryCode | undefined): string[] {
  const full = number.formatInternational().slice(1);
  const digits = number.number.slice(1);
  const [code = '', ...rest] = full.split(' ');
  const codes = new Set(['00', ...(country === undefined ? [] : (exitCodes.get(country) ?? []))]);
  return [
    ...separated(full),
    `${digits}.0`,
    `(${code}) ${rest.join(' ')}`,
    `+${code} (0)${rest.join(' ')}`,
    `${code} (0)${rest.join(' ')}`,
    ...[2, 3, 4, 5].map((length) => inGroupsOf(length, digits)),
    ...[...codes].flatMap((exit) => [
      `${exit}${digits}`,
      `${exit} ${full}`,
      `(${exit}${code}) ${rest.join(' ')}`,
      `${exit} ${code} (0)${rest.join('-')}`,
    ]),
  ];
}

/** Within its own country. */
function national(number: PhoneNumber): string[] {
  const written = number.formatNational();
  const digits = number.nationalNumber;
  return [
    ...separated(written),
    written.replace(/^\(?(\d+)\)?(?=\D)/, '($1)'),
    written.replace(/^\(?(\d+)\)?(?=\D)/, '$1/'),
    digits,
    `${digits}.0`,
    ...[2, 3, 4].map((length) => inGroupsOf(length, digits)),
  ];
}

/** Draws `count` of a list, all if there are no more. */
function some<T>(all: T[], count: number, from: number): T[] {
  if (count >= all.length) return all;
  const step = 7919;
  return Array.from({ length: count }, (_, index) => all[(from + index * step) % all.length] as T);
}

describe(`every number of every type, in every spelling (seed ${seed})`, () => {
  const numbers = COUNTRIES.flatMap((country) => examplesOf(country, runs(1, 2)));
  const strangers: string[] = [];
  let read = 0;
  let asked = 0;

  const check = (text: string, country: CountryCode | undefined, number: PhoneNumber) => {
    const reading = readPhoneNumber(text, country);
    asked++;
    if (!('e164' in reading)) return;
    read++;
    if (reading.e164 === number.number) return;
    strangers.push(`${text} (${country}) rings ${reading.e164} for ${number.number}`);
  };
  const defaults = (index: number) => some([undefined, ...COUNTRIES], runs(2, 10), seed + index);
  beforeEach(() => {
    strangers.length = 0;
    read = 0;
    asked = 0;
  });

  it('is there', () => {
    expect(numbers.length).toBeGreaterThan(900);
    expect(new Set(numbers.map(({ country }) => country)).size).toBeGreaterThan(230);
  });

  it('is read with a plus, whatever the default country, if it is called at all', () => {
    const wrong: string[] = [];
    numbers.forEach((number, index) => {
      const isUsual = number.number.length <= LONGEST_E164;
      const isCalled = isUsual && CALLED.includes(String(number.getType()));
      const texts = withPlus(number);
      for (const country of defaults(index)) {
        for (const text of texts) {
          const reading = readPhoneNumber(text, country);
          const e164 = 'e164' in reading ? reading.e164 : undefined;
          if (e164 !== (isCalled ? number.number : undefined)) wrong.push(`${text}: ${e164}`);
        }
      }
    });
    expect(wrong).toEqual([]);
  });

  it('never rings somebody else with a country code, whatever the default country', () => {
    numbers.forEach((number, index) => {
      for (const country of defaults(index)) {
        for (const text of withCode(number, country)) check(text, country, number);
      }
    });
    expect(strangers).toEqual([]);
    expect(read / asked).toBeGreaterThan(0.5);
  });

  it('rings nobody with one more digit behind it', () => {
    const rung = numbers.flatMap(({ number: e164 }) =>
      [`${e164} 2`, `${e164.slice(1)} 2`].filter((text) => 'e164' in readPhoneNumber(text)),
    );
    expect(rung).toEqual([]);
  });

  it('of a mobile telephone rings no landline with its country code twice', () => {
    const texts = numbers.flatMap((number) => {
      const { number: e164, nationalNumber, countryCallingCode: code } = number;
      const isLong = nationalNumber.length >= FEWEST_MOBILE_DIGITS;
      return isLong && number.getType() === 'MOBILE' ? [`+${code}${e164.slice(1)}`] : [];
    });
    expect(texts.length).toBeGreaterThan(100);
    const rung = texts.filter((text) => 'e164' in readPhoneNumber(text));
    expect(rung).toEqual([]);
  });

  it('never rings somebody else as it is written within its country', () => {
    for (const number of numbers) {
      // Without its zero, a landline may look like a mobile number with the country code.
      const full = parsePhoneNumberFromString(`+${number.nationalNumber}`, metadata);
      if (full?.country === number.country && full?.getType() === 'MOBILE') continue;
      for (const text of national(number)) check(text, number.country, number);
    }
    expect(strangers).toEqual([]);
    expect(read / asked).toBeGreaterThan(0.5);
  });
});
