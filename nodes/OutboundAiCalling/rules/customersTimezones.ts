import { countriesOf } from '../contacts/countries';
import { inSlices } from '../contacts/inSlices';

/** A locale as this or an older version of the language gives its time zones. */
interface LocaleWithTimezones {
  getTimeZones?(): string[] | undefined;
  timeZones?: string[];
}

/** Places with telephones of their own, which the language does not know the time of. */
const UNKNOWN_TO_LANGUAGE: Record<string, string[]> = {
  AC: ['Atlantic/St_Helena'],
  TA: ['Atlantic/St_Helena'],
  XK: ['Europe/Belgrade'],
};

function timezonesOfCountry(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`) as LocaleWithTimezones;
  const known = locale.getTimeZones?.() ?? locale.timeZones ?? [];
  return known.length > 0 ? known : (UNKNOWN_TO_LANGUAGE[country] ?? []);
}

const known = new Map<readonly string[], readonly string[]>();

/**
 * The time zones that the person may be in who answers a number: all those of its country, or of
 * the countries that it may belong to.
 *
 * @param e164 as `readPhoneNumber` gives it
 * @returns IANA names, the same array for the same countries; none when the country is not known
 */
export function customersTimezones(e164: string): readonly string[] {
  const countries = countriesOf(e164);
  const timezones = known.get(countries) ?? [...new Set(countries.flatMap(timezonesOfCountry))];
  known.set(countries, timezones);
  return timezones;
}

/**
 * The same for all people of a list, each zone once.
 *
 * @param unknown the time zone of numbers of no known country
 */
export async function timezonesOfAll(
  people: Iterable<{ customerPhone: string }>,
  unknown: string,
): Promise<string[]> {
  const found = new Set<readonly string[]>();
  await inSlices(people, ({ customerPhone }) => {
    found.add(customersTimezones(customerPhone));
  });
  return [...new Set([...found].flatMap((some) => (some.length > 0 ? some : [unknown])))];
}
