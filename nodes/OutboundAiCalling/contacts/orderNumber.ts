/**
 * An order number for comparing: spaces around it, capitals, and how Unicode writes an accent make no
 * difference.
 */
export function bareOrderNumber(orderNumber: string): string {
  return orderNumber.trim().normalize().toLowerCase();
}
