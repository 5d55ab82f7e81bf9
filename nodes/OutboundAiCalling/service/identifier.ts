/**
 * Reads an order, campaign or script id: a positive whole number, however it was written.
 *
 * @returns undefined for everything else, so that nothing else becomes part of a path
 */
export function readIdentifier(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (!/^\d+$/.test(String(value).trim())) return undefined;
  const id = Number(value);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** The different ids among the values of an id's several names, without what is no id. */
export function identifiersIn(...values: unknown[]): number[] {
  return [...new Set(values.flatMap((value) => readIdentifier(value) ?? []))];
}
