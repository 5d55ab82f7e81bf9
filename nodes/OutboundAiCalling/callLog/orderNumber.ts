/** An order number for comparing: spaces around it and capitals make no difference. */
export function bareOrderNumber(orderNumber: string): string {
  return orderNumber.trim().toLowerCase();
}
