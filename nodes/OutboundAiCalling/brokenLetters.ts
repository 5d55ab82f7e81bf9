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
/** A capital and a sign behind it at the end of a word, as in `CAFÉ®` and `«CAFÉ»`. */
const CAPITAL_WITH_SIGN = /^[^ÂÃ][®™»]$/;

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
 * `Ð˜Ð²Ð°Ð½`: their bytes are UTF-8. A byte may be lost, as \ufffd or a space in place of it.
 */
export function hasBrokenLetters(text: string): boolean {
  if (/\ufffd|â€/.test(text)) return true;
  return [...text.matchAll(NOT_ASCII)].some(({ 0: characters, index }) => {
    const isEnd = !/\p{L}/u.test(text.charAt(index + characters.length));
    return isMisread(characters) && !(isEnd && CAPITAL_WITH_SIGN.test(characters));
  });
}
