import {
  Metadata,
  type NumberingPlan as CountryPlan,
  type NumberType,
  type PhoneNumber,
} from 'libphonenumber-js/core';
// Only the largest metadata know every range of a country: by the smaller ones 12025550123 is a
// valid number of India, and no premium-rate number can be told from another.
import metadata from 'libphonenumber-js/max/metadata';

export { metadata };

/** In the order in which they are tried. Numbers that may be both count as `FIXED_LINE`. */
const TYPES = [
  'FIXED_LINE',
  'MOBILE',
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
] as const;

type Type = (typeof TYPES)[number];

/** What the library has and leaves out of its types. */
interface Described {
  nationalNumberPattern(): string;
  type(name: NumberType): { pattern(): string; possibleLengths(): number[] } | undefined;
}

interface Range {
  name: Type;
  pattern: RegExp | undefined;
  lengths: number[];
}

/** The numbers of a country, or of a calling code that no country has for itself. */
interface NumberingPlan {
  all: RegExp;
  ranges: Range[];
}

const entirely = (pattern: string) => new RegExp(`^(?:${pattern})$`);

/** Each plan is read once: to read the patterns of one takes longer than to read a number by it. */
const plans = new Map<string, NumberingPlan>();

function planOf({ country, countryCallingCode }: PhoneNumber): NumberingPlan {
  const key = country ?? countryCallingCode;
  const known = plans.get(key);
  if (known !== undefined) return known;
  const selected = new Metadata(metadata);
  selected.selectNumberingPlan(key as NonNullable<typeof country>);
  const described = selected.numberingPlan as CountryPlan & Described;
  const plan: NumberingPlan = {
    all: entirely(described.nationalNumberPattern()),
    ranges: TYPES.flatMap((name) => {
      const type = described.type(name);
      if (type === undefined) return [];
      // A pattern that is left out is that of another type.
      const pattern = type.pattern() ? entirely(type.pattern()) : undefined;
      return [{ name, pattern, lengths: type.possibleLengths() }];
    }),
  };
  plans.set(key, plan);
  return plan;
}

/**
 * The type of a number as `getType` of the library finds it, which compiles up to eleven patterns
 * anew for each number; undefined when the number is in no range that is in use.
 */
export function typeOf(number: PhoneNumber): Type | undefined {
  const { nationalNumber } = number;
  const { all, ranges } = planOf(number);
  if (!all.test(nationalNumber)) return undefined;
  return ranges.find(
    ({ pattern, lengths }) =>
      lengths.includes(nationalNumber.length) && pattern?.test(nationalNumber),
  )?.name;
}

/**
 * Whether a number in a range that the metadata do not know, or that is kept for examples, could
 * be that of a telephone: short codes and misread numbers have other lengths.
 */
export function hasLengthOfTelephone(number: PhoneNumber): boolean {
  return planOf(number).ranges.some(
    ({ name, lengths }) =>
      (name === 'FIXED_LINE' || name === 'MOBILE') &&
      lengths.includes(number.nationalNumber.length),
  );
}
