/** Digits of other scripts that `normalize` does not turn into 0 to 9. */
const OTHER_DIGITS = /[٠-٩۰-۹०-९০-৯]/g;
/** Zero in these scripts. */
export const OTHER_ZEROS = [...'٠۰०০'].map((zero) => zero.charCodeAt(0));

function ourDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  return String(code - (OTHER_ZEROS.find((zero) => code >= zero && code <= zero + 9) ?? code));
}

/** The same text with the digits of other scripts as 0 to 9. */
export function inOurDigits(text: string): string {
  return text.replace(OTHER_DIGITS, ourDigit);
}

/** Full-width letters, ligatures and the like in their usual signs. The mark of a footnote, such as ² or ①, stays: it is no digit. */
export function inUsualSigns(text: string): string {
  return text.replace(/\P{No}+/gu, (part) => part.normalize('NFKC'));
}

/** A text without invisible characters around and within it, but for the joiners that some scripts need. */
export function visible(text: string): string {
  return text
    .normalize('NFC')
    .replace(/(?![\u200c\u200d])\p{Cf}/gu, '')
    .trim();
}

/** A text for comparing: invisible characters, and the kinds of dashes, spaces and digits, make no difference. */
export function alike(text: string): string {
  return inOurDigits(text.normalize('NFC'))
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .trim()
    .replace(/\s+/g, ' ');
}

/**
 * A text for comparing, whatever its capitals: of a pair such as `İ` and `i`, `I` and `ı`, or `ß` and `SS`, nobody can
 * tell which was meant when a program has changed them.
 */
export function folded(text: string): string {
  const capitals = text.toUpperCase().normalize('NFD').replaceAll('I\u0307', 'I');
  return capitals.normalize('NFC').toLowerCase();
}
