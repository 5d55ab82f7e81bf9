import { countriesOf } from '../contacts/countries';
import { e164sOf } from '../contacts/person';
import { inSlices } from '../eventLoopSlices';
import { memoized } from '../collections';

/** A locale with its time zones: a method in this version of the language, once a property. */
interface LocaleWithTimezones {
  getTimeZones?(): string[] | undefined;
  timeZones?: string[];
}

/** Places with their own country codes whose time zones the language does not know. */
const UNKNOWN_TO_LANGUAGE: Record<string, string[]> = {
  AC: ['Atlantic/St_Helena'],
  TA: ['Atlantic/St_Helena'],
  XK: ['Europe/Belgrade'],
};

function timezonesOfCountry(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`) as LocaleWithTimezones;
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? [];
  return zones.length > 0 ? zones : (UNKNOWN_TO_LANGUAGE[country] ?? []);
}

/** @param countries ISO 3166 codes, with a space between two */
const timezonesOfCountries = memoized((countries: string): readonly string[] => [
  ...new Set(countries.split(' ').filter(Boolean).flatMap(timezonesOfCountry)),
]);

/**
 * The time zones in which the person who answers a number may be: all zones of its country, or of
 * each country to which it may belong.
 *
 * @returns IANA names, the same array for the same countries; empty when no country is known
 */
export function customersTimezones(e164: string): readonly string[] {
  return timezonesOfCountries(e164sOf(e164).flatMap(countriesOf).join(' '));
}

/** The {@link customersTimezones} of all people of a list, each group of zones once. */
export async function timezonesOfAll(
  people: Iterable<{ customerPhone: string }>,
): Promise<Array<readonly string[]>> {
  const found = new Set<readonly string[]>();
  await inSlices(people, ({ customerPhone }) => void found.add(customersTimezones(customerPhone)));
  return [...found];
}
