import { inSlices } from '../eventLoopSlices';

/** The entries of a JSON list, or why it cannot be read. */
type JsonListReading = { list: unknown[] } | { objection: string };

/** In characters: a piece of this length is read in a few milliseconds. */
const SLICE_LENGTH = 32_768;

/**
 * Splits a list between its entries. It looks only for where strings, lists and objects begin and
 * end; the caller checks the pieces.
 *
 * @returns consecutive entries as JSON, with the commas between them; none has `isLast` when the list has no end, or
 * when text follows its end
 */
function* piecesOf(text: string, length: number): Generator<{ text: string; isLast: boolean }> {
  let start = text.indexOf('[') + 1;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at++;
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    } else if (character === '[' || character === '{') depth++;
    else if (character === ',' && depth === 0 && at - start >= length) {
      yield { text: text.slice(start, at), isLast: false };
      start = at + 1;
    } else if (character === ']' || character === '}') {
      if (depth === 0) {
        if (character === ']' && /^[ \t\r\n]*$/.test(text.slice(at + 1))) {
          yield { text: text.slice(start, at), isLast: true };
        }
        return;
      }
      depth--;
    }
  }
}

/** A text, or a number as JSON writes it. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * Parses JSON, and turns whole numbers beyond 2^53 into texts with all their digits: order numbers
 * may be that long. (`JSON.parse` can show a number's source from Node 21 on; n8n also runs on 20.)
 */
function parseWithAllDigits(json: string): unknown {
  const isLong = (token: string) => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
  return JSON.parse(
    /\d{16}/.test(json)
      ? json.replace(TEXT_OR_NUMBER, (token) => (isLong(token) ? `"${token}"` : token))
      : json,
  );
}

/** A sign that begins, ends or separates values, or a text, with the colon after it if it is a key. */
const TOKEN = /[[\]{},]|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/gs;

/**
 * Objects to an entry with the same key twice in one object: `JSON.parse` would forget a value.
 *
 * @param json a list without mistakes
 * @param before how many entries stand before this list
 */
function objectionToKeys(json: string, before = 0): string | undefined {
  const around: Array<Set<string>> = [];
  let row = before + 1;
  for (const [sign, text = '', colon] of json.matchAll(TOKEN)) {
    if (sign === '{' || sign === '[') around.push(new Set());
    else if (sign === '}' || sign === ']') around.pop();
    else if (sign === ',' && around.length === 1) row++;
    else if (colon !== undefined) {
      const key = JSON.parse(text) as string;
      if (around.at(-1)?.has(key) === true) return `has the key "${key}" twice in row ${row}`;
      around.at(-1)?.add(key);
    }
  }
  return undefined;
}

function whyInvalid(error: unknown): string {
  return `is not valid JSON: ${error instanceof Error ? error.message : ''}`;
}

function readAtOnce(text: string): JsonListReading {
  const list = parseWithAllDigits(text);
  if (!Array.isArray(list)) return { objection: 'is not a list' };
  const objection = objectionToKeys(text);
  return objection === undefined ? { list } : { objection };
}

/**
 * Reads a JSON list without losing anything: whole numbers beyond 2^53 become texts, and a key that
 * one object has twice is refused. It reads in slices, between which n8n does its other work.
 */
export async function readJsonList(
  text: string,
  sliceLength = SLICE_LENGTH,
): Promise<JsonListReading> {
  if (text.trim() === '') return { objection: 'is empty' };
  if (text.length <= sliceLength || !/^[ \t\r\n]*\[/.test(text)) {
    try {
      return readAtOnce(text);
    } catch (error) {
      return { objection: whyInvalid(error) };
    }
  }
  const list: unknown[] = [];
  let objection: string | undefined;
  let isComplete = false;
  try {
    await inSlices(piecesOf(text, sliceLength), (piece) => {
      const json = `[${piece.text}]`;
      const entries = parseWithAllDigits(json) as unknown[];
      // A piece is empty only when the whole list is; otherwise an entry is missing at a comma.
      if (entries.length === 0 && !(list.length === 0 && piece.isLast)) {
        throw new Error('a contact lacks');
      }
      objection ??= objectionToKeys(json, list.length);
      for (const entry of entries) list.push(entry);
      isComplete = piece.isLast;
    });
  } catch (error) {
    return { objection: `${whyInvalid(error)} (after ${list.length} contacts)` };
  }
  if (!isComplete) {
    return {
      objection: `is not valid JSON: it does not end as a list (after ${list.length} contacts)`,
    };
  }
  return objection === undefined ? { list } : { objection };
}
