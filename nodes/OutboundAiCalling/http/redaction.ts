/** What stands in the place of a secret. */
const MARK = '[API key]';
/**
 * A secret shorter than this is cut out only where it stands alone. As a part of longer words and
 * numbers it is most likely no secret: the key `4001` must not change the order `14001`.
 */
const SURELY_A_SECRET = 8;

/** How a secret may be written in a text: as it is, within JSON, within an address. */
function spellingsOf(secret: string): string[] {
  const inAddress = isWellFormed(secret) ? encodeURIComponent(secret) : secret;
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    inAddress,
    inAddress.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    inAddress.replaceAll('%20', '+'),
  ];
}

/** Whether a text can be written into an address: half a surrogate pair cannot. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

function asPattern(spelling: string): string {
  const literal = spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return spelling.length < SURELY_A_SECRET
    ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`
    : literal;
}

/** A pattern takes as long to build as an answer to search. */
const patterns = new WeakMap<readonly string[], RegExp | undefined>();

function patternOf(secrets: readonly string[]): RegExp | undefined {
  if (!patterns.has(secrets)) patterns.set(secrets, buildPattern(secrets));
  return patterns.get(secrets);
}

/** Finds every spelling of the secrets, the longest first; undefined when there are none. */
function buildPattern(secrets: readonly string[]): RegExp | undefined {
  const spellings = [...new Set(secrets.filter((secret) => secret !== '').flatMap(spellingsOf))];
  if (spellings.length === 0) return undefined;
  spellings.sort((a, b) => b.length - a.length);
  return new RegExp(spellings.map(asPattern).join('|'), 'gu');
}

/** A number that happens to hold the digits of a secret is no repetition of it. */
function redacted(text: string, pattern: RegExp, secrets: readonly string[]): string {
  if (/^\d+$/.test(text) && !secrets.includes(text)) return text;
  return text.replace(pattern, MARK);
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
 * Whether {@link withoutSecrets} might find something in what a JSON text says. To copy an answer of
 * thousands of rows takes longer than all else that is done with it.
 */
export function mayHoldSecrets(json: string, secrets: readonly string[]): boolean {
  const pattern = patternOf(secrets);
  if (pattern === undefined) return false;
  // What is written with escapes may spell a secret otherwise.
  return json.includes('\\') || json.search(pattern) !== -1;
}

/**
 * A JSON value without any repetition of secrets in its texts. Field names, numbers and switches
 * stay, so that a result remains what it was.
 *
 * @param value may hold itself, and may be nested to any depth
 * @param secrets a list that is not changed afterwards; empty ones are ignored
 * @returns the value itself when no secret is in it, otherwise a copy
 */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  const pattern = patternOf(secrets);
  if (pattern === undefined) return value;
  const clean = (text: string) => redacted(text, pattern, secrets);
  if (typeof value === 'string') return clean(value);
  if (!isContainer(value)) return value;

  // A list of what is still to be copied: nesting as deep as a text allows would overflow the stack.
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
    for (const [name, entry] of Object.entries(original)) {
      const kept = typeof entry === 'string' ? clean(entry) : entry;
      found ||= kept !== entry;
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
