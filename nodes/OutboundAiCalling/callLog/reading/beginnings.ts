import { groupBy } from '../../collections';

/** So many numbers that differ in their last digit are found by what they have in common. */
const ENOUGH = 3;
/** How many last digits are left out: what is left stands for up to 100 numbers. */
const MOST_LEFT_OUT = 2;
/** A last digit after at least four others. With fewer left, a beginning is part of too many numbers. */
const LAST_DIGIT = /(?<=\d{4})\d$/;

/**
 * What running numbers begin with. n8n compares every row with every condition, so a search for a thousand orders takes
 * a tenth of the time by what they begin with, and finds few others.
 *
 * @returns the beginnings of those numbers for which a search by them is worth it
 */
export function beginningsOf(numbers: string[]): Map<string, string> {
  const found = new Map<string, string>();
  let left = [...new Set(numbers)];
  for (let leftOut = 1; leftOut <= MOST_LEFT_OUT; leftOut++) {
    const current = [...new Set(left.map((number) => found.get(number) ?? number))];
    const alike = groupBy(
      current.filter((one) => LAST_DIGIT.test(one)),
      (one) => one.replace(LAST_DIGIT, ''),
    );
    left = left.filter((number) => {
      const beginning = (found.get(number) ?? number).replace(LAST_DIGIT, '');
      const isShared = (alike.get(beginning)?.length ?? 0) >= ENOUGH;
      if (isShared) found.set(number, beginning);
      return isShared;
    });
  }
  return found;
}
