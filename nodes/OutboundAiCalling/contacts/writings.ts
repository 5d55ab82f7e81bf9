import { findRange, partByCode, type Plan } from './numberingPlan';
import { e164sOf, personOf } from './person';
import { inEveryScript } from './writtenNumber';

/** A range of numbers, as digits with `?` at their end, has at most this many `?`. */
export const MOST_ANY = 4;
/** Shorter digits lack their area. */
export const FEWEST_WITH_AREA = 8;

export function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+/, '');
}

/** Digits with a `?` for each of their last ones, which may be any. */
export function withAny(digits: string, any: number): string {
  return digits.slice(0, digits.length - any) + '?'.repeat(any);
}

/** Prefixes that some countries have beside their usual one: 8 0 in Belarus, 8 in Lithuania. */
const OTHER_PREFIXES = ['8', '80'];
/** Argentina writes 15 behind the area of a mobile number, and 9 before it from abroad. */
const MOBILE_SIGN = '15';
const AREA_LENGTHS = [2, 3, 4];

/** Other ways in which a country writes a number within its borders, if it has any. */
function nationalWritings(national: string, { prefix, prefixBecomes }: Plan): string[] {
  const stripped = (text: string) => prefix?.exec(text) ?? [];
  const prefixed = OTHER_PREFIXES.filter((one) => stripped(one + national)[0] === one);
  const withSign = AREA_LENGTHS.flatMap((length) => {
    const area = national.slice(1, length + 1);
    const writing = area + MOBILE_SIGN + national.slice(length + 1);
    const [before = '', found] = stripped(writing);
    const isMeant = found === area && before === area + MOBILE_SIGN;
    return isMeant && prefixBecomes?.replace('$1', area) === national[0] + area ? [writing] : [];
  });
  return [...prefixed.map((one) => one + national), ...withSign];
}

/** Brazil has put a 9 behind the area of mobile numbers: 11 8765 4321 became 11 98765 4321. */
const NINE_OF_BRAZIL = /^(55\d\d)9(?=[6-9]\d{7}$)/;

/** The last digits of a number, which may lack its area or what a renumbering put before them. */
function endingsOf(digits: string): string[] {
  const count = Math.max(0, digits.length - FEWEST_WITH_AREA);
  return Array.from({ length: count }, (_, index) => digits.slice(index + 1));
}

/** The digits that people may write for one spelling in E.164. */
function digitsOfSpelling(e164: string): string[] {
  const digits = e164.slice(1);
  const parted = partByCode(digits);
  if (parted === undefined) return [];
  const { code, national, plans } = parted;
  const plan = findRange(national, plans)?.plan ?? plans.main;
  const usual = [digits, national, `${plan.nationalPrefix}${national}`];
  const former = digits.replace(NINE_OF_BRAZIL, '$1');
  const endings = [
    ...endingsOf(digits),
    ...endingsOf(national).map((ending) => code + ending),
    ...[former, former.slice(code.length)],
  ].filter((ending) => !ending.startsWith('0'));
  return [...usual, ...nationalWritings(national, plan), ...endings];
}

/**
 * The digits that people may write for a number without a plus, without leading zeros. They begin
 * with its country code, with its national prefix, or with neither, and may lack their beginning.
 */
export function digitsOf(e164: string): string[] {
  const writings = e164sOf(e164).flatMap(digitsOfSpelling);
  return [...new Set(writings.map(withoutLeadingZeros))];
}

/** All texts that `numbersIn` may give: the person, the digits, and those of ranges around it. */
export function writingsOf(e164: string): string[] {
  const digits = digitsOf(e164);
  const inRanges = Array.from({ length: MOST_ANY }, (_, index) => index + 1).flatMap((any) =>
    digits.map((writing) => withAny(writing, any)),
  );
  return [personOf(e164), ...digits, ...inRanges];
}

/**
 * Patterns for a search (`%` is any text). Nearly every spelling of the number matches one or more: it
 * contains the last four digits in one script, or our digits before them, in this order.
 *
 * @returns `rare`: those in the digits of other scripts, which hardly any text matches
 */
export function spelledLike(e164: string): { usual: string[]; rare: string[] } {
  const patternOf = (digits: string) => `%${[...digits].join('%')}%`;
  const [ours = '', ...others] = inEveryScript(e164.slice(-4));
  return { usual: [ours, e164.slice(-8, -4)].map(patternOf), rare: others.map(patternOf) };
}
