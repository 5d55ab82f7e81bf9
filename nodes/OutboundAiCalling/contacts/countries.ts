import { Metadata } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';

/** Country calling codes have one to three digits, and none begins with another. */
const CODE_LENGTHS = [1, 2, 3];

/** The countries of a calling code. */
interface CallingCode {
  /** Those whose numbers are known by how they begin. */
  byArea: Array<{ countries: string[]; areas: RegExp }>;
  /** Those that share all other numbers. */
  others: string[];
}

const codes = new Map<string, CallingCode>();

function readCode(code: string): CallingCode | undefined {
  const countries = metadata.country_calling_codes[code];
  if (countries === undefined) return undefined;
  const plans = new Metadata(metadata);
  const byArea: CallingCode['byArea'] = [];
  const others: string[] = [];
  for (const country of countries) {
    plans.selectNumberingPlan(country);
    const areas = plans.numberingPlan?.leadingDigits();
    if (areas) byArea.push({ countries: [country], areas: new RegExp(`^(?:${areas})`) });
    else others.push(country);
  }
  return { byArea, others: others.length > 0 ? others : countries };
}

/**
 * The countries that a number may belong to. Where several share a calling code (+1, +7, +44), they
 * are all that share it, unless the number begins as those of one of them alone do: +1 202 is of the
 * United States or Canada, +1 671 of Guam.
 *
 * @param e164 as {@link readPhoneNumber} gives it
 * @returns ISO 3166 codes, the same array for the same countries; none for a number of no country
 */
export function countriesOf(e164: string): readonly string[] {
  for (const length of CODE_LENGTHS) {
    const code = e164.slice(1, 1 + length);
    const known = codes.get(code) ?? readCode(code);
    if (known === undefined) continue;
    codes.set(code, known);
    const national = e164.slice(1 + length);
    return known.byArea.find(({ areas }) => areas.test(national))?.countries ?? known.others;
  }
  return NONE;
}

const NONE: readonly string[] = [];
