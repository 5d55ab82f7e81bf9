/** At least this many characters of a secret in a row are cut out: they are not there by chance. */
export const SHORTEST_RUN = 12;
/** A shorter part that is words may be one, as in a key that begins with a company's name. */
const LONGER_THAN_WORDS = 20;
/** Words in small letters or in capitals, also written in one: `order_confirmed`, `OrderConfirmed`. */
const WORDS = /^(?:[a-z]*(?:[A-Z][a-z]{2,})*|[A-Z]+)$/;
const mayBeWords = (text: string): boolean =>
  text.split(/[^A-Za-z\d]+/).every((part) => WORDS.test(part));
/** Runs are looked for by this many of their characters. */
const GRAM = 4;
/** A whole gram of every run begins at one of the places that are this far apart. */
const STEP = SHORTEST_RUN - GRAM + 1;
/** Blanks, hyphens, control characters and all beyond Latin-1 stand within runs. Base64 in a URL has hyphens, too. */
const isBetween = (code: number): boolean =>
  code <= 0x20 || (code >= 0x7f && code <= 0xa0) || [0x2b, 0x2d, 0x5c, 0xad].includes(code);
const BACKSLASH = 0x5c;

/** A number for each character of Latin-1. Capitals and the two forms of base64 have the same one; 0 is no part of a run. */
const NUMBERS = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code).replace('/', '_').toLowerCase();
  return isBetween(code) ? 0 : character.charCodeAt(0);
});
/** After a backslash they are a blank. */
const ESCAPED = new Set([...'nrt'].map((letter) => letter.charCodeAt(0)));

function numberAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (ESCAPED.has(code) && text.charCodeAt(at - 1) === BACKSLASH) return 0;
  return NUMBERS[code] ?? 0;
}

/** A number for the last four characters, of which the last one is `number`, from the one before. */
const nextGram = (gram: number, number: number): number => ((gram << 4) ^ number) & 0xffff;
const GRAMS = 0x10000;

/** How many characters of a text and a secret are the same, from two places on. */
function sameFrom(
  [text, place, end]: [text: string, place: number, end: number],
  [secret, of]: [secret: Uint8Array, of: number],
  by: 1 | -1,
): { same: number; last: number } {
  let [same, last] = [0, place - by];
  for (let at = place; at !== end; at += by) {
    const number = numberAt(text, at);
    if (number === 0) continue;
    if (number !== secret[of + same * by]) break;
    same++;
    last = at;
  }
  return { same, last };
}

/** Where in a text a run begins, and where it ends. */
type Run = [start: number, end: number];

/** Finds the runs of secrets in texts; undefined when all secrets are shorter than a run. */
export function runFinder(secrets: readonly string[]): ((text: string) => Run[]) | undefined {
  const long = secrets
    .map((secret) =>
      Uint8Array.from({ length: secret.length }, (_, at) => numberAt(secret, at)).filter(Boolean),
    )
    .filter(({ length }) => length >= SHORTEST_RUN);
  if (long.length === 0) return undefined;
  const isGram = new Uint8Array(GRAMS);
  /** By gram: the secrets, and the places of its last character. */
  const grams = new Map<number, Array<[secret: Uint8Array, of: number]>>();
  for (const secret of long) {
    let gram = 0;
    secret.forEach((number, of) => {
      gram = nextGram(gram, number);
      if (of < GRAM - 1) return;
      isGram[gram] = 1;
      grams.set(gram, [...(grams.get(gram) ?? []), [secret, of]]);
    });
  }
  return (text) => {
    const runs: Run[] = [];
    let done = 0;
    let gram = 0;
    let left = GRAM;
    // Local, because this loop is most of the work on an answer.
    const numbers = NUMBERS;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const number = code < 256 ? numbers[code] : 0;
      if (number === undefined || number === 0) {
        if (code === BACKSLASH && ESCAPED.has(text.charCodeAt(at + 1))) at++;
        continue;
      }
      gram = nextGram(gram, number);
      if (--left > 0) continue;
      left = STEP;
      if (isGram[gram] === 0) continue;
      let best = { length: SHORTEST_RUN - 1, start: 0, end: done };
      for (const [secret, of] of grams.get(gram) ?? []) {
        const before = sameFrom([text, at, done - 1], [secret, of], -1);
        const after = sameFrom([text, at + 1, text.length], [secret, of + 1], 1);
        const length = before.same + after.same;
        if (length <= best.length) continue;
        const [start, end] = [before.last, after.last + 1];
        const isWord = length < LONGER_THAN_WORDS && mayBeWords(text.slice(start, end));
        if (isWord && length < secret.length) continue;
        best = { length, start, end };
      }
      if (best.end === done) continue;
      runs.push([best.start, best.end]);
      done = best.end;
      left = GRAM;
      at = done - 1;
    }
    return runs;
  };
}

/** Replaces the runs in a text. */
export function withoutRuns(text: string, runs: Run[], mark: string): string {
  const starts = [0, ...runs.map(([, end]) => end)];
  return starts.map((start, index) => text.slice(start, runs[index]?.[0])).join(mark);
}
