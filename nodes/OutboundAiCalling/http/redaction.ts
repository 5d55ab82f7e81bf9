import { runFinder, SHORTEST_RUN, withoutRuns } from './secretRuns';

/** Stands in the place of a key. `withoutKeys.ts` says which texts are searched. */
const MARK = '[API key]';
/**
 * A shorter secret is cut out only where it stands alone, and never from field names. Within a
 * longer word or number it is probably no secret: the key `4001` must not change the order `14001`.
 */
const SURELY_A_SECRET = 8;

const isLong = ({ length }: string): boolean => length >= SURELY_A_SECRET;

/** The characters that HTML escapes by name. */
const NAMED: Record<string, string> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};
/** JSON within JSON escapes repeatedly. The bound keeps the search of many backslashes fast. */
const BACKSLASHES = '\\\\{1,8}';
/** A line break or a blank, as it is or escaped for JSON. */
const BLANK = '\\s|\\\\{1,8}[nrt]';
/** By which a program breaks a long word. */
const BREAK = `(?:${BLANK}){0,4}`;
/**
 * Control characters, joiners, marks of direction and accents, and the place in HTML where a word may be
 * broken: nobody sees them between the characters of a secret. Not a class of Unicode: compiling it
 * holds up n8n for 0.3 s.
 */
const HIDDEN_RANGES = [
  ...[0x00, 0x08, 0x0e, 0x1f, 0x7f, 0x9f, 0xad, 0xad, 0x0300, 0x036f, 0x061c, 0x061c],
  ...[0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x200b, 0x200f, 0x202a, 0x202e],
  ...[0x2060, 0x206f, 0xfe00, 0xfe0f, 0xfeff, 0xfeff],
].map((code, index) => `${index % 2 === 0 ? '' : '-'}\\u${code.toString(16).padStart(4, '0')}`);
const HIDDEN = new RegExp(`[${HIDDEN_RANGES.join('')}]|<wbr\\s*/?>`, 'i');
const ALL_HIDDEN = new RegExp(HIDDEN, 'gi');
/** Between bytes that are written in hexadecimal, and between those in decimal. */
const BETWEEN_HEX = `(?:${BLANK}|[:,-]|0[xX]|\\\\{1,8}[xX]){0,6}`;
const BETWEEN_DECIMAL = `(?:${BLANK}){0,8},(?:${BLANK}){0,8}`;
const HYPHENS = '[-\\u2010-\\u2015\\u2212]';

/** A text as a part of a regular expression. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const hex = (code: number, digits: number): string =>
  code
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** Matches a character as it is, or in a readable escape of JSON or a web form. */
function plainForm(character: string): string {
  if (character.startsWith('\\')) return `\\\\{${character.length},${8 * character.length}}`;
  if (character === '/') return `(?:${BACKSLASHES})?${literal(character)}`;
  if (character === ' ') return '[ +]';
  if (character === '-') return HYPHENS;
  const escape = JSON.stringify(character).slice(1, -1);
  if (!/^\\[^u]/.test(escape)) return literal(character);
  return `(?:${literal(character)}|${BACKSLASHES}${escape.slice(1)})`;
}

const inAddress = (byte: number): string => `%(?:25){0,4}${hex(byte, 2)}`;

/** Matches a character, or backslashes in a row: plain, or escaped for JSON, URLs or HTML. */
function anyForm(characters: string): string {
  const units = Array.from({ length: characters.length }, (_, at) => characters.charCodeAt(at));
  const bytes = [...new TextEncoder().encode(characters)];
  const codes = [...characters].map((character) => character.codePointAt(0) ?? 0);
  const name = NAMED[characters];
  const html = '&(?:amp;){0,3}';
  const forms = [
    plainForm(characters),
    units.map((unit) => `${BACKSLASHES}u${hex(unit, 4)}`).join(''),
    // JSON in an address has backslashes before it.
    (/^["\\]/.test(characters) ? `(?:${inAddress(0x5c)}){0,8}` : '') +
      bytes.map(inAddress).join(''),
    codes.map((code) => `${html}#0{0,6}${code};?`).join(''),
    codes.map((code) => `${html}#[xX]0{0,6}${hex(code, 1)};?`).join(''),
    ...(name === undefined ? [] : [`${html}${name};`]),
  ];
  return `(?:${forms.join('|')})`;
}

/** A smaller number is too short for {@link SURELY_A_SECRET}. */
const LEAST_NUMBER = 10 ** (SURELY_A_SECRET - 1);

/** A secret whose plain form and base64 are found as runs. */
const ONE_RUN = /^(?:[\w.]-*){11,}[\w.]$/;

type Form = (character: string) => string;

function inAnyCase(form: Form): Form {
  return (character) => {
    const cases = new Set([character.toLowerCase(), character.toUpperCase()]);
    return cases.size === 1 ? form(character) : `(?:${[...cases].map(form).join('|')})`;
  };
}

/** The beginning of each form that {@link anyForm} finds and {@link plainForm} does not. */
const ENCODED = /%[\da-f]{2}|&(?:#|amp;|lt;|gt;|quot;|apos;)|\\u[\da-f]{4}/i;

/** Matches a character of base64. URLs write `-` for `+`, and `_` for `/`. */
function base64Form(character: string): string {
  if (character === '+') return `(?:${anyForm('+')}|-)`;
  if (character === '/') return `(?:${anyForm('/')}|_)`;
  return character;
}

/** The base64 of bytes within a longer text: one form for each offset of the first byte. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(first, end);
  });
}

/** Matches a text of base64, with `separator` between its characters. */
const base64Pattern = (text: string, separator: string): string =>
  [...text].map(base64Form).join(separator);

/** Patterns of a secret with each character in the given form; also of the base64 of a short one. */
function patternsOf(secret: string, form: Form): string[] {
  // Backslashes in a row are one unit: escaping changes their number.
  const characters = secret.match(/\\+|./gsu) ?? [];
  if (isLong(secret)) return [characters.map(inAnyCase(form)).join(BREAK)];
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [characters.map(form).join(''), base64Pattern(base64, '')].map(
    (pattern) => `(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`,
  );
}

/** The base64 of a long secret, in two encodings, and at each offset. */
function base64sOf(secret: string): string[] {
  return [...base64Of(Buffer.from(secret)), ...base64Of(Buffer.from(secret, 'utf16le'))];
}

/** A pattern, and its beginning: V8 compiles a long one again and again, which holds up n8n for 0.07 s. */
interface LongPattern {
  beginning: RegExp;
  whole: RegExp;
}

/** Patterns of the bytes of a long secret: in hexadecimal and decimal. */
function bytePatternsOf(secret: string): LongPattern[] {
  const bytes = [...Buffer.from(secret)];
  const inHex = bytes.map((byte) => hex(byte, 2));
  const inDecimal = bytes.map((byte, index) => (index === 0 ? `(?<!\\d)${byte}` : String(byte)));
  const pattern = (forms: string[], between: string, end: string): LongPattern => ({
    beginning: new RegExp(forms.slice(0, SURELY_A_SECRET).join(between), 'u'),
    whole: new RegExp(forms.join(between) + end, 'gu'),
  });
  return [pattern(inHex, BETWEEN_HEX, ''), pattern(inDecimal, BETWEEN_DECIMAL, '(?!\\d)')];
}

/** The patterns to search a text for, one after the other. */
type Finder = (text: string) => RegExp[];

interface Patterns {
  /** Finds all secrets in a text. */
  all: Finder;
  /** Finds the secrets that are also cut out of field names. */
  long: Finder | undefined;
  runs: ReturnType<typeof runFinder>;
  hasShort: boolean;
  secrets: readonly string[];
}

/** Cached: building a pattern takes as long as searching an answer. */
const patterns = new WeakMap<readonly string[], Patterns | undefined>();

function patternsFor(secrets: readonly string[]): Patterns | undefined {
  if (!patterns.has(secrets)) patterns.set(secrets, buildPatterns(secrets));
  return patterns.get(secrets);
}

/** Searches most texts for the plain forms only, which is many times faster. */
function finderOf(secret: string, others: string[]): Finder {
  const bytes = isLong(secret) ? bytePatternsOf(secret) : [];
  const base64s = isLong(secret) ? base64sOf(secret) : [];
  const build = (form: Form) =>
    [...patternsOf(secret, form), ...base64s.map((base64) => base64Pattern(base64, BREAK))].map(
      (pattern) => new RegExp(pattern, 'gu'),
    );
  // Runs are cut out last: until then, nothing may be left of a secret that holds another.
  const isRun = ONE_RUN.test(secret) && !others.some((other) => secret.includes(other));
  let plain: RegExp[] | undefined = isRun ? [] : undefined;
  let any: RegExp[] | undefined;
  return (text) => {
    // No form of a secret is shorter than the secret itself.
    if (text.length < secret.length) return [];
    return [
      ...(ENCODED.test(text) ? (any ??= build(anyForm)) : (plain ??= build(plainForm))),
      ...bytes.flatMap(({ beginning, whole }) => (beginning.test(text) ? whole : [])),
    ];
  };
}

/** Finds several secrets, the longest first: one may hold another. */
function finderOfAll(secrets: string[]): Finder | undefined {
  if (secrets.length === 0) return undefined;
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const othersThan = (one: string) => secrets.filter((other) => other !== one);
  const finders = longestFirst.map((one) => finderOf(one, othersThan(one)));
  return (text) => finders.flatMap((find) => find(text));
}

function buildPatterns(secrets: readonly string[]): Patterns | undefined {
  const given = [...new Set(secrets.filter((secret) => secret !== ''))];
  const long = given.filter(isLong);
  const all = finderOfAll(given);
  if (all === undefined) return undefined;
  const base64s = given.filter((one) => ONE_RUN.test(one)).flatMap(base64sOf);
  const runs = runFinder([...given, ...base64s]);
  return { all, long: finderOfAll(long), runs, hasShort: long.length < given.length, secrets };
}

/** A number that is shorter than a secret, or only contains the digits of a short one, stays as it is. */
function redacted(text: string, find: Finder, { runs, secrets }: Patterns): string {
  const maybe = (secret: string) =>
    text === secret || (secret.length >= SHORTEST_RUN && text.length >= secret.length);
  if (/^\d+$/.test(text) && !secrets.some(maybe)) return text;
  const search = (one: string) => {
    const left = find(one).reduce((rest, pattern) => rest.replace(pattern, MARK), one);
    return withoutRuns(left, runs?.(left) ?? [], MARK);
  };
  const left = search(text);
  if (!HIDDEN.test(left)) return left;
  const shown = left.replace(ALL_HIDDEN, '');
  const rest = search(shown);
  return rest === shown ? left : rest;
}

/** The text that may hold a secret: also of a whole number, and of a list of bytes. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && value >= LEAST_NUMBER) return String(value);
  const isBytes = Array.isArray(value) && value.length >= SURELY_A_SECRET;
  return isBytes && value.every((one) => typeof one === 'number') ? value.join(',') : undefined;
}

type Container = Record<string, unknown> | unknown[];

/** Arrays and plain objects: what JSON consists of. Nothing else is entered. */
function isContainer(value: unknown): value is Container {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether {@link withoutSecrets} might find a secret in a JSON text. Copying every long answer takes too long. */
export function mayHoldSecrets(json: string, secrets: readonly string[]): boolean {
  const pattern = patternsFor(secrets);
  if (pattern === undefined) return false;
  // Escapes may hide that a secret stands alone, or hide its letters from the patterns.
  if (json.includes(pattern.hasShort ? '\\' : '\\u') || HIDDEN.test(json)) return true;
  if (pattern.all(json).some((one) => json.search(one) !== -1)) return true;
  return (pattern.runs?.(json) ?? []).length > 0;
}

/**
 * Cuts secrets out of the texts and field names of a JSON value. A number is cut out when it is a
 * secret, and a list of numbers when a secret is among its bytes.
 *
 * @param value may hold itself, and may be nested to any depth
 * @param secrets must not be changed afterwards, because their patterns are cached; empty ones are
 * ignored
 * @returns the value itself when no secret is in it, otherwise a copy
 */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  const pattern = patternsFor(secrets);
  if (pattern === undefined) return value;
  const clean = (text: string) => redacted(text, pattern.all, pattern);
  const { long } = pattern;
  const cleanName = (name: string) => (long === undefined ? name : redacted(name, long, pattern));
  if (typeof value === 'string') return clean(value);
  if (!isContainer(value)) return value;

  // A list instead of recursion: deep nesting would overflow the stack.
  const copies = new Map<Container, Container>();
  const waiting: Container[] = [];
  const copyOf = (original: Container): Container => {
    const made = copies.get(original);
    if (made !== undefined) return made;
    const copy: Container = Array.isArray(original) ? [] : {};
    copies.set(original, copy);
    waiting.push(original);
    return copy;
  };
  const result = copyOf(value);
  let found = false;
  for (let original = waiting.pop(); original !== undefined; original = waiting.pop()) {
    const copy = copyOf(original);
    for (const [field, entry] of Object.entries(original)) {
      const name = Array.isArray(original) ? field : cleanName(field);
      const text = textIn(entry);
      const cleaned = text === undefined ? undefined : clean(text);
      const shown = cleaned === text ? entry : Array.isArray(entry) ? MARK : cleaned;
      found ||= shown !== entry || name !== field;
      // Not an assignment: one to `__proto__` would change the copy's prototype instead.
      Object.defineProperty(copy, name, {
        value: isContainer(shown) ? copyOf(shown) : shown,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return found ? result : value;
}
