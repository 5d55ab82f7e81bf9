const WORKBOOK = 'It is an Excel workbook, or another archive. Save the sheet as CSV UTF-8';
const PAGE =
  'It is an HTML page, or XML. Save the list as CSV UTF-8. If a node downloaded it, check the address and the sign-in';
const JSON_TEXT = 'It is JSON. Choose Contacts Source > JSON, or save the list as CSV UTF-8';
const NO_TEXT =
  'It holds NUL characters, as UTF-16 without a byte order mark does. Save it as CSV UTF-8';
const OTHER_ENCODING =
  'It is in an encoding other than UTF-8, UTF-16 and Windows-1252, or has control characters. Save it as CSV UTF-8 without them';

/** How files begin that are no text, read as one: a ZIP archive, and an Excel file before 2007. */
const ARCHIVES = ['PK\u0003\u0004', 'ÐÏ\u0011à'];

/**
 * Control characters but white space: those of ISO-2022 encodings, and what the bytes become that Windows-1252 has no
 * sign for. DOS, Mac OS and East Asia use them.
 */
const CONTROL = /[^\P{Cc}\s]/u;

/**
 * What text in another encoding becomes when it is read as Windows-1252, and no language writes. Letters that are
 * letters in both cannot be told: `Jiří` becomes `Jiøí`, which might be Danish.
 */
const IN_OTHER_ENCODING = new RegExp(
  [
    // Four different letters with accents in a row: `Èâàí`, from Windows-1251.
    '(?:([\\u00c0-\\u00ff])(?!\\1)){3}[\\u00c0-\\u00ff]',
    // A sign within a word: `Micha³owski`, from Windows-1250, or `Gro§e`, from Mac OS. At its end: `Pawe³`, not `cm³`.
    '\\p{L}[³¹¿†‡§¶±¬¦¤]\\p{Ll}|\\p{L}{3}³',
    // A sign behind a letter with an accent: `Íõ°`, from GBK, or `ÊÁªÒÂ`, from Windows-874.
    '[\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u00ff][ªº°±¶¬¦¤§¯¹³¼½¾]',
    // A capital within a word, or at its end: `MŸller` and `JosŽ`, from Mac OS. Croatian has `DŽ`.
    '(?!D)\\p{L}[ŠŽŸ]\\p{Ll}|\\p{Ll}[ŠŽŸ]',
    // A sign behind a quote: `“c’†`, from Shift JIS.
    '[‘’“”][†‡ˆ‰]',
  ].join('|'),
  'u',
);

/**
 * What a text is that is no CSV, and what to do; undefined when it may be a CSV.
 *
 * @param isGuessed whether its bytes were read as Windows-1252 for want of a better encoding
 */
export function otherFormatOf(text: string, isGuessed: boolean): string | undefined {
  if (ARCHIVES.some((start) => text.startsWith(start))) return WORKBOOK;
  if (/^\s*<(?:!--|(?:!doctype|\?xml|html|head|body|table)\b)/i.test(text)) return PAGE;
  if (/^\s*[[{]\s*["[{]/.test(text)) return JSON_TEXT;
  if (text.includes('\0')) return NO_TEXT;
  const isOther = CONTROL.test(text) || (isGuessed && IN_OTHER_ENCODING.test(text));
  return isOther ? OTHER_ENCODING : undefined;
}
