/**
 * What a person or an expression may have given, if anything, for a switch, a number or a list: read
 * for what it says, or not at all, so that nothing is silently off.
 */

/** Whether nothing was given: no value, or a text without characters. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** Whether nothing was given, or spaces only. */
export function isBlank(value: unknown): boolean {
  return isEmpty(typeof value === 'string' ? value.trim() : value);
}

/** What was given as a text; an object as JSON, for it may say itself what its `toString` is. */
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

/** @returns undefined for what says neither true nor false */
export function readSwitch(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return SWITCHES.get(typeof value === 'string' ? value.trim().toLowerCase() : value);
}

export interface Bounds {
  min: number;
  max: number;
  whole?: boolean;
}

/** @returns undefined for what is no number, or none within the bounds */
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
 * Entries of an array, or of a text with commas, semicolons or new lines.
 *
 * @returns undefined for what is neither
 */
export function readList(value: unknown): string[] | undefined {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object' && !Array.isArray(value)) return undefined;
  const parts: unknown[] = Array.isArray(value) ? value : String(value).split(/[,;\n]/);
  if (parts.some((part) => typeof part === 'object' && part !== null)) return undefined;
  return parts.map((part) => String(part ?? '').trim()).filter((part) => part !== '');
}
