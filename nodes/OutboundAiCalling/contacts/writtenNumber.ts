/** How people and sheets write phone numbers, whatever these mean. */

/** A sheet cannot hold a number with more digits. */
const MOST_DIGITS = 15;
/** Digits of other scripts that the language does not turn into ours, by their zeros. */
const OTHER_DIGITS = /[٠-٩۰-۹०-९০-৯]/g;
const OTHER_ZEROS = [...'٠۰०০'].map((zero) => zero.charCodeAt(0));
/** Nothing is to be removed from most numbers. */
const PLAIN = /^[+\d(][\d ()-]*$/;
/** A number as a sheet shows it that has no room for its digits. */
const SCIENTIFIC = /^\+?(\d)(?:[.,](\d+))?e\+?(\d+)$/i;

/** What stands between two numbers and never within one. */
export const BETWEEN_NUMBERS =
  /[,;|&\r\n\t\v\f\u2028\u2029]|(?<!\p{L})(?:or|and|oder|und|ou|et|o|y)(?!\p{L})/iu;
/** What stands within one number or between two of them. */
export const WITHIN_OR_BETWEEN = /[/\\~()[\]\u2044\u2215\u223c]/g;
/** An extension, which is dialled after the number. */
export const EXTENSION =
  /[\s.,;(-]*(?:(?<!\p{L})(?:ext(?:ension|n)?|x|app|dw|durchwahl|poste|anexo|isub|доб)(?!\p{L})|#).*$/isu;

function inOurDigits(digit: string): string {
  const code = digit.charCodeAt(0);
  return String(code - (OTHER_ZEROS.find((zero) => code >= zero && code <= zero + 9) ?? code));
}

/** Removes what sheets and people put around a number. */
export function cleaned(value: string): string {
  if (PLAIN.test(value)) return value;
  return value
    .normalize('NFKC')
    .replace(OTHER_DIGITS, inOurDigits)
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .trim()
    .replace(/^'+/, '')
    .replace(/^tel:/i, '')
    .trim()
    .replace(/^(\+?\d{4,})\.0+$/, '$1');
}

/** Whether a sheet has written a number as `9.19E+11`, which may have lost digits. */
export function isShortened(text: string): boolean {
  return SCIENTIFIC.test(text);
}

/**
 * Gives the digits back to a number that a sheet has written as `9.1987654321E+11`.
 *
 * @returns the text as it is when it is no such number, or when digits are lost
 */
export function inDigits(text: string): string {
  const [, first = '', more = '', power = ''] = SCIENTIFIC.exec(text) ?? [];
  const length = Number(power) + 1;
  // Only a zero at the end is left out.
  const isWhole = first !== '' && length <= MOST_DIGITS && more.length + 2 >= length;
  return isWhole ? `${first}${more}`.padEnd(length, '0').slice(0, length) : text;
}
