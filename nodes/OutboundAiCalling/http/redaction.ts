/** Replaces a secret. */
const MARK = '[API key]';
/**
 * A shorter secret is cut out only where it stands alone, and never from field names. Within a
 * longer word or number it is probably no secret: the key `4001` must not change the order `14001`.
 */
const SURELY_A_SECRET = 8;

/** The characters that HTML escapes by name. */
const NAMED: Record<string, string> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};
/**
 * JSON within JSON escapes several times over. The bound keeps the search of a text of backslashes
 * fast.
 */
const BACKSLASHES = '\\\\{1,8}';
/** A line break, a blank or an invisible character, by which a program breaks a long word. */
const BREAK = '[\\s\\u00ad\\u200b-\\u200f\\u2060\\ufeff]{0,4}';
const HYPHENS = '[-\\u2010-\\u2015\\u2212]';

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
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

/**
 * Matches a character, or backslashes in a row, in every form: plain, or escaped once or several
 * times for JSON, URLs or HTML.
 */
function anyForm(characters: string): string {
  const units = Array.from({ length: characters.length }, (_, at) => characters.charCodeAt(at));
  const bytes = [...new TextEncoder().encode(characters)];
  const codes = [...characters].map((character) => character.codePointAt(0) ?? 0);
  const name = NAMED[characters];
  const html = '&(?:amp;){0,3}';
  const forms = [
    plainForm(characters),
    units.map((unit) => `${BACKSLASHES}u${hex(unit, 4)}`).join(''),
    bytes.map((byte) => `%(?:25){0,4}${hex(byte, 2)}`).join(''),
    codes.map((code) => `${html}#0{0,6}${code};?`).join(''),
    codes.map((code) => `${html}#[xX]0{0,6}${hex(code, 1)};?`).join(''),
    ...(name === undefined ? [] : [`${html}${name};`]),
  ];
  return `(?:${forms.join('|')})`;
}

type Form = (character: string) => string;

/** Matches a letter in capitals too. */
function inAnyCase(form: Form): Form {
  return (character) => {
    const cases = new Set([character.toLowerCase(), character.toUpperCase()]);
    return cases.size === 1 ? form(character) : `(?:${[...cases].map(form).join('|')})`;
  };
}

/** The beginning of each form that {@link anyForm} finds and {@link plainForm} does not. */
const ENCODED = /%[\da-f]{2}|&(?:#|amp;|lt;|gt;|quot;|apos;)|\\u[\da-f]{4}/i;

/** Matches a character of base64. URLs write `-` for `+`, and `_` for `/`. */
function base64Form(character: string, form: Form): string {
  if (character === '+') return `(?:${form('+')}|-)`;
  if (character === '/') return `(?:${form('/')}|_)`;
  return character;
}

/**
 * The base64 of a secret within a longer text, in three forms: one for each offset of its first
 * byte.
 */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(first, end);
  });
}

/** Patterns of a secret and of its base64, with each character in the given form. */
function patternsOf(secret: string, form: Form): string[] {
  const isLong = secret.length >= SURELY_A_SECRET;
  const whole = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  // Backslashes in a row are one unit: escaping changes their number.
  const characters = secret.match(/\\+|./gsu) ?? [];
  const found = [
    isLong ? characters.map(inAnyCase(form)).join(BREAK) : characters.map(form).join(''),
    ...(isLong ? base64Of(secret) : [whole]).map((text) =>
      [...text].map((character) => base64Form(character, form)).join(''),
    ),
  ];
  const bytes = Buffer.from(secret).toString('hex');
  if (isLong) return [...found, [...bytes].map(inAnyCase(literal)).join('')];
  return found.map((pattern) => `(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`);
}

type Finder = (text: string) => RegExp;

interface Patterns {
  /** Finds all secrets in a text. */
  all: Finder;
  /** Finds the secrets that are also cut out of field names. */
  long: Finder | undefined;
  hasShort: boolean;
}

/** Cached: building a pattern takes as long as searching an answer. */
const patterns = new WeakMap<readonly string[], Patterns | undefined>();

function patternsFor(secrets: readonly string[]): Patterns | undefined {
  if (!patterns.has(secrets)) patterns.set(secrets, buildPatterns(secrets));
  return patterns.get(secrets);
}

/** Searches most texts for the plain forms only, which is many times faster. */
function finderOf(secrets: string[]): Finder | undefined {
  if (secrets.length === 0) return undefined;
  // One secret may contain another.
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const build = (form: Form) =>
    new RegExp(longestFirst.flatMap((secret) => patternsOf(secret, form)).join('|'), 'gu');
  const plain = build(plainForm);
  let any: RegExp | undefined;
  return (text) => (ENCODED.test(text) ? (any ??= build(anyForm)) : plain);
}

function buildPatterns(secrets: readonly string[]): Patterns | undefined {
  const given = [...new Set(secrets.filter((secret) => secret !== ''))];
  const long = given.filter(({ length }) => length >= SURELY_A_SECRET);
  const all = finderOf(given);
  if (all === undefined) return undefined;
  return { all, long: finderOf(long), hasShort: long.length < given.length };
}

/** A number that only contains the digits of a secret stays as it is. */
function redacted(text: string, find: Finder, secrets: readonly string[]): string {
  if (/^\d+$/.test(text) && !secrets.includes(text)) return text;
  return text.replace(find(text), MARK);
}

type Container = Record<string, unknown> | unknown[];

/** Arrays and plain objects: what JSON consists of. Nothing else is entered. */
function isContainer(value: unknown): value is Container {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Whether {@link withoutSecrets} might find a secret in the value of a JSON text. Without this
 * check every answer is copied: with thousands of rows, that takes longer than all other work on
 * it.
 */
export function mayHoldSecrets(json: string, secrets: readonly string[]): boolean {
  const pattern = patternsFor(secrets);
  if (pattern === undefined) return false;
  // Escapes may hide that a secret stands alone, or hide its letters from the patterns.
  if (json.includes(pattern.hasShort ? '\\' : '\\u')) return true;
  return json.search(pattern.all(json)) !== -1;
}

/**
 * Cuts secrets out of the texts and field names of a JSON value. Numbers and booleans stay as they
 * are.
 *
 * @param value may hold itself, and may be nested to any depth
 * @param secrets must not be changed afterwards, because their patterns are cached; empty ones are
 * ignored
 * @returns the value itself when no secret is in it, otherwise a copy
 */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  const pattern = patternsFor(secrets);
  if (pattern === undefined) return value;
  const clean = (text: string) => redacted(text, pattern.all, secrets);
  const { long } = pattern;
  const cleanName = (name: string) => (long === undefined ? name : redacted(name, long, secrets));
  if (typeof value === 'string') return clean(value);
  if (!isContainer(value)) return value;

  // A list instead of recursion: deep nesting would overflow the stack.
  const copies = new Map<Container, Container>();
  const waiting: Container[] = [];
  const copyOf = (original: Container): Container => {
    const known = copies.get(original);
    if (known !== undefined) return known;
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
      const kept = typeof entry === 'string' ? clean(entry) : entry;
      found ||= kept !== entry || name !== field;
      // Not an assignment: one to `__proto__` would change the copy's prototype instead.
      Object.defineProperty(copy, name, {
        value: isContainer(kept) ? copyOf(kept) : kept,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return found ? result : value;
}
