import { alike } from '../alike';

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
