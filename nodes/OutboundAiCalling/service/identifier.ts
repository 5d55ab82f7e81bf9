/**
 * Reads an order, campaign or script id: a positive whole number, as number or text.
 *
 * @returns undefined for any other value, so that only ids become part of a path
 */
export function readIdentifier(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (!/^\d+$/.test(String(value).trim())) return undefined;
  const id = Number(value);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
