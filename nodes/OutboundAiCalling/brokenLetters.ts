/** All bytes, in the order of their values. */
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
/** All bytes as programs read them that take UTF-8 for another encoding. */
const READINGS = [
  // Not as a stream, Node.js 20 reads Windows-1252 as ISO 8859-1.
  new TextDecoder('windows-1252').decode(BYTES, { stream: true }),
  new TextDecoder('windows-1254').decode(BYTES),
  String.fromCharCode(...BYTES),
];
const ENCODINGS = READINGS.map(
  (reading) => new Map([...reading].map((character, byte) => [character, byte])),
);
const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const NOT_ASCII = /[\u0080-\uffff]{2,}/g;
/** UTF-8 of Western letters: `JosÃ©`, `Iâ€™m`, and a byte that was lost. */
const USUAL =
  /\ufffd|Ã[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u2018-\u2026\u2030\u2039\u203a\u20ac\u2122]|â€/u;
/** What no language writes behind an accent. Bytes of `MATÚŠ`, `ANDRÉ’S`, `„Groß“`, `NESCAFÉ®` are UTF-8 by chance. */
const UNUSUAL =
  /[\u0080-\u009f\u00a2-\u00a8\u00af\u00b1-\u00b9\u00bc-\u00be\u02c6\u02dc\u2020\u2021\u2030]|[‚„‹›“”•…](?=\p{Ll})|(?<=[ÄÅ])[ŸžœŒƒ»]/u;

function isMisread(characters: string): boolean {
  return ENCODINGS.some((bytes) => {
    const read = [...characters].map((character) => bytes.get(character));
    if (!read.every((byte) => byte !== undefined)) return false;
    try {
      return UTF_8.decode(Uint8Array.from(read)) !== '';
    } catch {
      return false;
    }
  });
}

/**
 * Whether letters of a text are what a program makes of UTF-8 when it reads another encoding, as `JosÃ©`, `AyÅŸe` or
 * `Ð˜Ð²Ð°Ð½`: their bytes are UTF-8, and no language writes them.
 */
export function hasBrokenLetters(text: string): boolean {
  if (USUAL.test(text)) return true;
  return [...text.matchAll(NOT_ASCII)].some(({ 0: characters, index }) => {
    const withNext = text.slice(index, index + characters.length + 1);
    return UNUSUAL.test(withNext) && isMisread(characters);
  });
}
