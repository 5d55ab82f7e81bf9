/**
 * An order number for comparing: spaces around it, a `#` before it, capitals, and how Unicode writes an
 * accent make no difference. Shops name one order `#1001` in one place and `1001` in another.
 */
export function bareOrderNumber(orderNumber: string): string {
  return orderNumber
    .trim()
    .replace(/^#\s*(?=.)/, '')
    .normalize()
    .toLowerCase();
}
