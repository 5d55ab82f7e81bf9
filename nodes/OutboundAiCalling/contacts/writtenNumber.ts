/** How people and spreadsheets write phone numbers; which number is meant is decided elsewhere. */

import { inOurDigits, inUsualSigns, otherScripts } from '../alike';

/** A spreadsheet keeps no more digits of a number. */
const MOST_DIGITS = 15;
/** Marks that people and spreadsheets put around digits, so that they stay as they are: `'1001`, `="1001"`. */
const MARKS_BEFORE = /^=?["'`´«»\u2018-\u201f\s]+/;
const MARKS_AFTER = /(?<!["'`´«»\u2018-\u201f\s;,])["'`´«»\u2018-\u201f\s;,]+$/;
/** Labels that programs put before a number. */
const LABEL_BEFORE = /^(?:tel|phone|callto|sms|whatsapp|p):\s*(?:\/\/)?\s*/i;
/** Kinds of numbers. Any other word may say whose number it is, or that nobody is to call it. */
const LABELS =
  'call ?to|cell|cellulare|celular|handy|home|m|mob|mobil|mobile|móvil|office|p|ph|phone|private?|sms|t|tel|telefon|telefono|teléfono|téléphone|telephone|wa|whats ?app|work';
const PICTURES = String.raw`®\u2800\ufffc☎☏✆📞📱📲🏠🏢👤💬✓✔✅`;
const HARMLESS = String.raw`\s\p{C}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{RI}\p{Variation_Selector}"'\x60*,.:·•‣=>|→●${PICTURES}`;
/** Signs before a number that say nothing of it. Any other may say that it is not to be called, as 🚫, †, ? and // do. */
const SIGN = `(?:[${HARMLESS}]|<(?!>)|-(?!-))`;
/** Any other sign: it may be a wish not to be called. */
export const DOUBTFUL_SIGN = new RegExp(
  `(?<!\\d)(?:--|<>|[^${HARMLESS}\\p{L}\\p{M}\\p{N}+<-]+)|(?!${SIGN})[†‡\\p{So}]`,
  'u',
);
/** What closes a number. Whatever else stands behind it may stand for its last digits, and none of these opens a gap. */
const CLOSING = String.raw`[\s\p{Cc}\p{Cf}\p{Pe}\p{Pi}\p{Pf}\p{RI}\p{Variation_Selector}"'\x60>|${PICTURES}]*`;
/** At most one mark may stand there: more are open digits, as in +49 30 1234... */
const BEHIND = `${CLOSING}(?:[.,;:!،。、]${CLOSING})?`;
const LABEL_AFTER = `${CLOSING}(?:[.,;:!/-]${CLOSING})?(?:[([{<]\\s*)?(?<!\\d)(?:${LABELS})`;
/** A number with a plus between such words and signs: neither leaves a doubt about it. */
const LABELLED = new RegExp(
  `^${SIGN}*(?:(?:${LABELS})${SIGN}+)?(\\+[^\\p{L}+]*\\d)(?:${LABEL_AFTER})?${BEHIND}$`,
  'iu',
);
/** The same for a number without a plus: in brackets only, and behind it. */
const LABEL_BEHIND = /\s*\((?:whatsapp|mobile|cell)\)$/i;
/** Most numbers: they need no cleaning. */
const PLAIN = /^(?!\+ *0)[+\d(][\d ()-]*$/;
/** A number as a spreadsheet shows it in a column that is too narrow. */
const SCIENTIFIC = /^\+?(\d)(?:[.,](\d+))?e\+?(\d+)$/i;
/** What is left of 919877123456 when its cell was shown as 9.19877E+11; never of eight digits. */
const SIX_ZEROS = /^[1-9]\d{2,}0{6}$/;
/** Commas between groups of thousands, or of hundreds as in India. */
const AMOUNT = /^\+?\d{1,4}(?:,\d{2,4})+(?:\.\d+)?$/;
/** No spreadsheet writes a decimal number with a leading zero: the final zeros may be digits. */
const ZERO_DECIMAL = /^\s*0\d{3,}\.0+\s*$/;
/** A letter by itself, which somebody typed for a digit. An x begins an extension. */
const LETTER = /(?<!\p{L})[^\P{L}xX](?=\d)|(?<=\d)[^\P{L}xX](?!\p{L})/u;

const DATES = [
  /^(?:19|20)\d\d[-./](\d{1,2})[-./](\d{1,2})(?:[T ].*)?$/,
  /^(\d{1,2})[-./](\d{1,2})[-./](?:19|20)?\d\d(?:[T ].*)?$/,
  // With blanks, other groups of two digits are numbers, as of France.
  /^(?:19|20)\d\d[-./ ]+(\d{1,2})[-./ ]+(\d{1,2})$/,
  /^(\d{1,2})[-./ ]+(\d{1,2})[-./ ]+(?:19|20)\d\d$/,
];
/** In digits: shorter numbers may count up by chance. */
const SHORTEST_PLACEHOLDER = 7;

/** Separators between two numbers that never occur within one. */
export const BETWEEN_NUMBERS =
  /[,;|&\p{Cc}\u2028\u2029]|(?<!\p{L})(?:or|and|oder|und|ou|et|o|y)(?!\p{L})/iu;
/** Signs that occur within one number, and between two. */
export const WITHIN_OR_BETWEEN = /[/\\~()[\]\u2044\u2215\u223c]/g;
/** An extension, which is dialled after the number. */
export const EXTENSION =
  /[\s.,;(-]*(?:(?<!\p{L})(?:ext(?:ension|n)?|x|app|dw|durchwahl|poste|anexo|isub|доб)(?!\p{L})|#).*$/isu;

export function withoutMarks(text: string): string {
  return text.replace(MARKS_BEFORE, '').replace(MARKS_AFTER, '');
}

/**
 * Removes marks and labels around a number, and unifies the signs within it. A dot on the line, or an underscore, is a
 * separator only between digits: behind them it stands for one.
 */
export function cleaned(value: string): string {
  if (PLAIN.test(value)) return value;
  const text = inOurDigits(inUsualSigns(value))
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/[\u2010-\u2015\u2212\u30fc]/g, '-')
    .replace(/[\u00b7\u2022\u2027\u2219](?=\D*\d)/g, '.')
    .replace(/(?<=\d)_(?=\d)/g, ' ')
    .replaceAll('[', '(')
    .replaceAll(']', ')');
  return withoutMarks(text)
    .replace(LABEL_BEFORE, '')
    .replace(LABEL_BEHIND, '')
    .replace(LABELLED, '$1')
    .replace(/^(\+\d{4,}|[1-9]\d{3,})\.0+$/, '$1')
    .replace(/^\+\s*00\s*(?=[1-9])/, '+');
}

/** Writes digits in every script that {@link cleaned} reads. */
export function inEveryScript(digits: string): string[] {
  const inScript = (script: string) =>
    digits.replace(/\d/g, (digit) => script.charAt(Number(digit)));
  return [digits, ...otherScripts().digits.map(inScript)];
}

/** Whether a text is a day: 2026-11-22, 22.11.2026, 11/22/2026, 22.11.26. */
function isDate(text: string): boolean {
  return DATES.some((date) => {
    const [, first, second] = date.exec(text) ?? [];
    const parts = [Number(first), Number(second)];
    return Math.min(...parts) >= 1 && Math.min(...parts) <= 12 && Math.max(...parts) <= 31;
  });
}

/** Whether a spreadsheet may have replaced the last digits of a number by zeros. */
export function mayLackDigits(text: string): boolean {
  return SIX_ZEROS.test(text);
}

/** Why a text cannot be a phone number as it is written; undefined when it may be one. */
export function objectionToWriting(text: string): string | undefined {
  if (ZERO_DECIMAL.test(text)) {
    return 'ends in .0, which may be part of the number or not (enter it without)';
  }
  if (SCIENTIFIC.test(text)) {
    return 'was shortened by a spreadsheet, and its last digits may be lost (format the column as text, then enter the numbers again)';
  }
  if (mayLackDigits(text)) {
    return 'ends with six zeros: a spreadsheet may have lost its last digits (look the number up; if it really ends so, write it with a plus and its country code where it is kept, not in an expression)';
  }
  if (isDate(text)) return 'is a date';
  if (AMOUNT.test(text)) {
    return 'has commas between its digits, as amounts have (format the column as text, then enter the numbers again)';
  }
  const [letter] = LETTER.exec(text) ?? [];
  return letter && `has the letter "${letter}" next to a digit (enter digits only)`;
}

/** Whether the digits of a number are all the same, or count up from 1. */
export function isPlaceholder(national: string): boolean {
  if (national.length < SHORTEST_PLACEHOLDER) return false;
  return /^(\d)\1*$/.test(national) || '12345678901234567890'.startsWith(national);
}

/**
 * Restores the digits of a number that a spreadsheet wrote as `9.1987654321E+11`, or as an amount.
 *
 * @returns the unchanged text when it is no such number, or when digits are lost
 */
export function inDigits(text: string): string {
  if (AMOUNT.test(text)) return text.replace(/,|\.0+$/g, '');
  const [, first = '', more = '', power = ''] = SCIENTIFIC.exec(text) ?? [];
  const length = Number(power) + 1;
  // One digit fewer is fine: a spreadsheet omits a final zero.
  const isWhole = first !== '' && length <= MOST_DIGITS && more.length + 2 >= length;
  return isWhole ? `${first}${more}`.padEnd(length, '0').slice(0, length) : text;
}
