import {
  Metadata,
  type CountryCode,
  type NumberingPlan,
  type NumberType,
  type PhoneNumber,
} from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';

/** What is known of the numbers of a country; the library leaves these methods out of its types. */
export interface KnownPlan extends NumberingPlan {
  callingCode(): string;
  nationalNumberPattern(): string;
  nationalPrefix(): string | undefined;
  /** Zero where a country has none. */
  nationalPrefixForParsing(): string | 0 | undefined;
  type(name: NumberType): { pattern(): string; possibleLengths(): number[] } | undefined;
}

/** The country that gives its plan to a calling code, first of those that share it. */
export function mainCountryOf(callingCode: string): CountryCode | undefined {
  return metadata.country_calling_codes[callingCode]?.[0];
}

export function planOfCountry(country: CountryCode): KnownPlan | undefined {
  const plans = new Metadata(metadata);
  plans.selectNumberingPlan(country);
  return plans.numberingPlan as KnownPlan | undefined;
}

/** The plan of the country of a number, or of the main country of its calling code. */
export function planOfNumber({ country, countryCallingCode }: PhoneNumber): KnownPlan | undefined {
  return planOfCountry(country ?? mainCountryOf(countryCallingCode) ?? 'US');
}
