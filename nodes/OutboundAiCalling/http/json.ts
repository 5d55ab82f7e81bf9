import type { IDataObject } from 'n8n-workflow';

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A text or number as text; null for everything else. Do not convert objects: their `toString` may
 * be a number.
 */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** A finite number of an answer, also one that is written as text; null for everything else. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
