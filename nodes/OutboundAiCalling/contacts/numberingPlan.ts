import {
  getCountries,
  Metadata,
  type CountryCode,
  type NumberingPlan,
  type PhoneNumberType,
} from 'libphonenumber-js/core';
// Only the largest metadata have every range of a country. By the smaller ones, 12025550123 is a
// valid number of India, and premium-rate numbers look like all others.
import metadata from 'libphonenumber-js/max/metadata';
import { memoized } from '../collections';

/** The library's plan, with methods that its types omit. */
interface LibraryPlan extends NumberingPlan {
  callingCode(): string;
  nationalNumberPattern(): string;
  nationalPrefix(): string | undefined;
  /** Zero where a country has none. */
  nationalPrefixForParsing(): string | 0 | undefined;
  nationalPrefixTransformRule(): string | 0 | undefined;
  type(name: PhoneNumberType): { pattern(): string; possibleLengths(): number[] } | undefined;
}

/** The numbers of one type within a plan. */
interface Range {
  type: PhoneNumberType;
  lengths: ReadonlySet<number>;
  pattern: RegExp;
}

/** The numbering plan of a country, or of a service that has a calling code of its own. */
export interface Plan {
  /** ISO 3166; undefined for a service of no country. */
  country: CountryCode | undefined;
  callingCode: string;
  /** Matches the digits that are dialled before a number within the country, e.g. `0`. */
  prefix: RegExp | undefined;
  /** Replaces a prefix; undefined: the prefix is removed. */
  prefixBecomes: string | undefined;
  nationalPrefix: string;
  /** Matches the beginnings that only this country has among those with its calling code. */
  areas: RegExp | undefined;
  lengths: ReadonlySet<number>;
  /** Of landlines and mobile telephones. */
  usualLengths: ReadonlySet<number>;
  general: RegExp;
  ranges: Range[];
}

/** The plans that share a calling code. */
export interface CallingCode {
  /** The plan by which full numbers are dialled. */
  main: Plan;
  /** Plans that have `areas`; next, these areas in one pattern. */
  byArea: Plan[];
  areas: RegExp | undefined;
  /** Plans that share all other numbers. */
  others: Plan[];
}

/** In the library's order, because a number may be in the ranges of several types. */
const TYPES: readonly PhoneNumberType[] = [
  ...(['FIXED_LINE', 'MOBILE', 'PREMIUM_RATE', 'TOLL_FREE', 'SHARED_COST'] as const),
  ...(['VOIP', 'PERSONAL_NUMBER', 'PAGER', 'UAN', 'VOICEMAIL'] as const),
];
/** Prefixes that people still write but no longer dial: +52 1 55 1234 5678. */
const FORMER_PREFIXES: Partial<Record<CountryCode, string>> = { MX: '1' };
/** In digits. No calling code begins with another one. */
const LONGEST_CALLING_CODE = 3;

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

function readRanges(plan: LibraryPlan): Range[] {
  return TYPES.flatMap((type) => {
    const described = plan.type(type);
    // The pattern for mobile telephones is empty where landlines have the same one.
    const pattern = described?.pattern() ?? '';
    if (described === undefined || pattern === '') return [];
    return [{ type, lengths: new Set(described.possibleLengths()), pattern: whole(pattern) }];
  });
}

/** @param name a country, or the calling code of a service */
function libraryPlan(name: string): LibraryPlan {
  const library = new Metadata(metadata);
  library.selectNumberingPlan(name as CountryCode);
  return library.numberingPlan as LibraryPlan;
}

function readPlan(name: string, country: CountryCode | undefined): Plan {
  const plan = libraryPlan(name);
  const former = country && FORMER_PREFIXES[country];
  const prefix = plan.nationalPrefixForParsing() || former;
  const areas = plan.leadingDigits();
  const ranges = readRanges(plan);
  const usual = ranges.filter(({ type }) => type === 'FIXED_LINE' || type === 'MOBILE');
  return {
    country,
    callingCode: plan.callingCode(),
    prefix: prefix ? new RegExp(`^(?:${prefix})`) : undefined,
    prefixBecomes: plan.nationalPrefixTransformRule() || undefined,
    nationalPrefix: plan.nationalPrefix() || '',
    areas: areas ? new RegExp(`^(?:${areas})`) : undefined,
    lengths: new Set(plan.possibleLengths()),
    usualLengths: new Set(usual.flatMap(({ lengths }) => [...lengths])),
    general: whole(plan.nationalNumberPattern()),
    ranges,
  };
}

export const planOf = memoized((country: CountryCode) => readPlan(country, country));

/** The plans of a calling code; undefined when there is no such code. */
export const plansOfCode = memoized((code: string): CallingCode | undefined => {
  const isOfService = Object.hasOwn(metadata.nonGeographic, code);
  const ofService = isOfService ? [readPlan(code, undefined)] : [];
  const all = metadata.country_calling_codes[code]?.map(planOf) ?? ofService;
  const [main] = all;
  if (main === undefined) return undefined;
  const byArea = all.filter(({ areas }) => areas !== undefined);
  const others = all.filter(({ areas }) => areas === undefined);
  const areas = byArea.map((plan) => plan.areas?.source).join('|');
  return { main, byArea, areas: areas === '' ? undefined : new RegExp(areas), others };
});

/** Splits a full number after its calling code; undefined when it begins with none. */
export function partByCode(
  digits: string,
): { code: string; national: string; plans: CallingCode } | undefined {
  for (let length = 1; length <= LONGEST_CALLING_CODE; length++) {
    const code = digits.slice(0, length);
    const plans = plansOfCode(code);
    if (plans !== undefined) return { code, national: digits.slice(length), plans };
  }
  return undefined;
}

function typeWithin(national: string, { general, ranges }: Plan): PhoneNumberType | undefined {
  if (!general.test(national)) return undefined;
  return ranges.find(
    ({ lengths, pattern }) => lengths.has(national.length) && pattern.test(national),
  )?.type;
}

/** Finds the plan and the type of a national number; undefined when it is in no range. */
export function findRange(
  national: string,
  { byArea, areas, others }: CallingCode,
): { plan: Plan; type: PhoneNumberType } | undefined {
  const own =
    areas?.test(national) === true ? byArea.filter((plan) => plan.areas?.test(national)) : [];
  for (const plan of own.length === 0 ? others : own.concat(others)) {
    const type = typeWithin(national, plan);
    if (type !== undefined) return { plan, type };
  }
  return undefined;
}

/** Removes the prefix of a number that is dialled within a country, or replaces it. */
export function withoutPrefix(digits: string, { prefix, prefixBecomes }: Plan): string {
  const match = prefix?.exec(digits);
  if (prefix === undefined || !match) return digits;
  const isChanged = prefixBecomes !== undefined && match.length > 1 && Boolean(match.at(-1));
  return isChanged ? digits.replace(prefix, prefixBecomes) : digits.slice(match[0].length);
}

/**
 * The codes that begin a call abroad, in a country or in all: at the beginning of a text, and alone. People everywhere
 * write `00`, so it is among them.
 */
export const exitCodesIn = memoized((country: CountryCode | undefined) => {
  const countries = country === undefined ? getCountries(metadata) : [country];
  const own = countries.flatMap((one) => libraryPlan(one).IDDPrefix() || []);
  const all = new Set(['00', ...own]);
  const pattern = [...all].join('|');
  return { begin: new RegExp(`^(?:${pattern})`), whole: whole(pattern) };
});
