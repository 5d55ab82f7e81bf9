/**
 * Read switches, numbers and lists from any form in which a person or an expression gives them.
 * Unreadable values give undefined, so that no setting is silently off.
 */

/** Whether nothing was given: no value, or a text without characters. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** Whether nothing was given, or spaces only. */
export function isBlank(value: unknown): boolean {
  return isEmpty(typeof value === 'string' ? value.trim() : value);
}

/** A value as text. An object becomes JSON, because it may define its own `toString`. */
export function textOrJson(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const SWITCHES = new Map<unknown, boolean>([
  [1, true],
  ['1', true],
  ['true', true],
  ['yes', true],
  ['on', true],
  [0, false],
  ['0', false],
  ['false', false],
  ['no', false],
  ['off', false],
]);

/** @returns undefined for a value that says neither true nor false */
export function readSwitch(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return SWITCHES.get(typeof value === 'string' ? value.trim().toLowerCase() : value);
}

export interface Bounds {
  min: number;
  max: number;
  whole?: boolean;
}

/** @returns undefined unless the value is a number within the bounds */
export function readNumber(
  value: unknown,
  { min, max, whole = false }: Bounds,
): number | undefined {
  const isText = typeof value === 'string' && value.trim() !== '';
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !(number >= min && number <= max)) return undefined;
  return whole && !Number.isInteger(number) ? undefined : number;
}

/** The bounds in words, to be read after "is not". */
export function boundsInWords({ min, max, whole = false }: Bounds): string {
  const kind = whole ? 'a whole number' : 'a number';
  return max === Infinity ? `${kind} of at least ${min}` : `${kind} from ${min} to ${max}`;
}

/**
 * The entries of an array, or of a text with commas, semicolons or new lines.
 *
 * @returns undefined for an object, or an array that holds one
 */
export function readList(value: unknown): string[] | undefined {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object' && !Array.isArray(value)) return undefined;
  const parts: unknown[] = Array.isArray(value) ? value : String(value).split(/[,;\n]/);
  if (parts.some((part) => typeof part === 'object' && part !== null)) return undefined;
  return parts.map((part) => String(part ?? '').trim()).filter((part) => part !== '');
}
