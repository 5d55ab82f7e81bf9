import type { IDataObject } from 'n8n-workflow';

export function isRecord(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields that have a value. In items, a field without one is left out. */
export function defined<Fields extends object>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Fields>;
}

/** A text or number as text; null for a rounded number, and for all else: `toString` of an object may be a number. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' && !hasAllDigits(value)) return null;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

export function hasAllDigits(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** A finite number of an answer, also one that is written as text; null for everything else. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
