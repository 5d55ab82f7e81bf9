import { inOurDigits } from './writtenNumber';

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
 * An order number for comparing: what looks alike is alike. Nor do capitals, full-width letters, a `#` before it
 * and `.0` behind its digits make a difference. Shops name one order `#1001` in one place and `1001` in another,
 * mails and agents `Order #1001`, and spreadsheets `1001.0`.
 */
export function bareOrderNumber(orderNumber = ''): string {
  return alike(orderNumber.replaceAll('№', '#').normalize('NFKC'))
    .replace(/^order(?: (?:number|no\.?|id))?(?:: ?| )(?=.)/i, '')
    .replace(/^# ?(?=.)/, '')
    .replace(/^(\d+)\.0+$/, '$1')
    .toLowerCase();
}
