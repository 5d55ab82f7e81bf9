/** Read values in any form that a person or an expression gives. Undefined for others: no setting is silently off. */

/** Whether nothing was given: no value, or a text without characters. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** Whether nothing was given, or spaces only. */
export function isBlank(value: unknown): boolean {
  return isEmpty(typeof value === 'string' ? value.trim() : value);
}

/** A number has this many exact digits: `1.1 * 3` is 3.3000000000000003, which nobody wants to hear. */
const EXACT_DIGITS = 15;

function withoutError(value: unknown): unknown {
  const isExact = typeof value !== 'number' || Number.isInteger(value);
  return isExact ? value : Number(value.toPrecision(EXACT_DIGITS));
}

/**
 * A value as text. An object becomes JSON, because it may define its own `toString`; a date becomes
 * the text in its JSON, without quotes. A number with a fraction loses the error of its computation.
 *
 * @throws TypeError for an object that JSON cannot write
 */
export function textOrJson(value: unknown): string {
  if (typeof value !== 'object') return String(withoutError(value));
  const json = JSON.stringify(value, (_, entry) => withoutError(entry));
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** Cuts a text to at most `longest` characters; a mark shows that there was more. */
export function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** @returns undefined for a value that says neither true nor false */
export function readSwitch(value: unknown): boolean | undefined {
  if (typeof value === 'object') return undefined;
  const text = String(value).trim().toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(text)) return true;
  return ['false', 'no', 'off', '0'].includes(text) ? false : undefined;
}

export interface Bounds {
  min: number;
  max: number;
  whole?: boolean;
}

/** `1.000` is one, or a thousand as Germans write it. */
const MAY_BE_THOUSANDS = /^\s*[+-]?[1-9]\d{0,2}(?:\.\d{3})+\s*$/;

/** @returns undefined unless the value is a number within the bounds, and no text of two meanings */
export function readNumber(
  value: unknown,
  { min, max, whole = false }: Bounds,
): number | undefined {
  const isText = typeof value === 'string' && value.trim() !== '';
  if (isText && MAY_BE_THOUSANDS.test(value)) return undefined;
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !(number >= min && number <= max)) return undefined;
  return whole && !Number.isInteger(number) ? undefined : number;
}

/** The bounds in words, to be read after "is not". */
export function boundsInWords({ min, max, whole = false }: Bounds): string {
  const kind = whole ? 'a whole number' : 'a number';
  return max === Infinity ? `${kind} of at least ${min}` : `${kind} from ${min} to ${max}`;
}

/** Commas and semicolons, also of Arabic, Chinese and Japanese, and ends of lines. */
const BETWEEN_ENTRIES = /[,;،؛，；、\n]/;

/** The entries of a list, or of a text with commas, semicolons or lines; undefined for objects. */
export function readList(value: unknown): string[] | undefined {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object' && !Array.isArray(value)) return undefined;
  const parts: unknown[] = Array.isArray(value) ? value : String(value).split(BETWEEN_ENTRIES);
  if (parts.some((part) => typeof part === 'object' && part !== null)) return undefined;
  return parts.map((part) => String(part ?? '').trim()).filter((part) => part !== '');
}

/** Names in a sentence: each in quotation marks, separated by commas. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
