interface OtherScripts {
  /** The digits of each, from its zero on: Unicode has them in a row. */
  digits: string[];
  /** By each digit, ours. */
  ours: Map<string, string>;
}

let found: OtherScripts | undefined;

/**
 * The other scripts. They are looked for when a digit of one is met, because that takes longer than loading most of the
 * package. Digits beyond the first plane are not read: the call log is searched for each script.
 */
export function otherScripts(): OtherScripts {
  if (found !== undefined) return found;
  const plane = Array.from({ length: 0xff80 }, (_, index) => String.fromCharCode(0x80 + index));
  const digits: string[] = plane.join('').match(/\p{Nd}{10}/gu) ?? [];
  const ours = new Map(
    digits.flatMap((script) => [...script].map((digit, value) => [digit, String(value)])),
  );
  return (found = { digits, ours });
}

/** The same text with the digits of other scripts as 0 to 9. */
export function inOurDigits(text: string): string {
  return text.replace(/[^\P{Nd}\d]/gu, (digit) => otherScripts().ours.get(digit) ?? digit);
}

/** Full-width letters and ligatures in usual signs. The mark of a footnote, as ², is no digit. */
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

/** The letters of a word for comparing: `In-Progress` and `in_progress` have the same. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}]/gu, '');
}
