import { memoized } from '../collections';
import { partByCode, type CallingCode, type Plan } from './numberingPlan';

const NONE: readonly string[] = [];

/** The country of a plan, or those that share all other numbers of a calling code. */
const countriesIn = memoized((of: CallingCode | Plan): readonly string[] => {
  if ('country' in of) return of.country === undefined ? NONE : [of.country];
  const shared = of.others.length > 0 ? of.others : of.byArea;
  return shared.flatMap(({ country }) => country ?? []);
});

/**
 * The countries that a number may belong to. Several countries share some calling codes (+1, +7,
 * +44). An area code that one country alone has decides: +1 671 is Guam. Any other number may
 * belong to each country without such area codes: +1 202 to the United States or Canada.
 *
 * @returns ISO 3166 codes, the same array for the same countries; none for a number of no country
 */
export function countriesOf(e164: string): readonly string[] {
  const parted = partByCode(e164.slice(1));
  if (parted === undefined) return NONE;
  const { national, plans } = parted;
  const own = plans.byArea.find(({ areas }) => areas?.test(national));
  return countriesIn(own ?? plans);
}
