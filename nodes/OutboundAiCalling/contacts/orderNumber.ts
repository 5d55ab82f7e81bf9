/**
 * An order number for comparing: what looks alike is alike. Capitals, spaces around it, a `#` before it,
 * invisible characters, the kinds of dashes and spaces, and full-width letters make no difference. Shops
 * name one order `#1001` in one place and `1001` in another, mails and agents `Order #1001`.
 */
export function bareOrderNumber(orderNumber: string): string {
  return orderNumber
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^order(?: (?:number|no\.?|id))?(?:: ?| )(?=.)/i, '')
    .replace(/^# ?(?=.)/, '')
    .toLowerCase();
}
