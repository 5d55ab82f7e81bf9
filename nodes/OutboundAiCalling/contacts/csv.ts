import { CsvError, parse } from 'csv-parse/sync';
import type { RawContact } from './contact';
import { inSlices } from './inSlices';

/** Rows of a CSV text by the names of its header, or where and why it could not be read. */
export type CsvReading = { rows: RawContact[]; columns: string[] } | { objection: string };

const DELIMITERS = [',', ';', '\t', '|'];
/** A slice of so many characters is read in a few milliseconds. */
const SLICE_LENGTH = 32_768;
/** No row is longer: a quote that is never closed is found out here, not at the end of the file. */
const LONGEST_ROW = 1_000_000;
const BYTES_AT_ONCE = 2 ** 20;

/** A piece of a CSV that begins and ends with whole rows. */
interface Slice {
  text: string;
  /** Lines of the file before it. */
  linesBefore: number;
}

/** Where line breaks end rows: those outside of quotes, which an even number of quotes precedes. */
function* endsOfRows(text: string, lineBreak: string): Generator<number> {
  let isQuoted = false;
  let quote = text.indexOf('"');
  let end = text.indexOf(lineBreak);
  while (end !== -1) {
    for (; quote !== -1 && quote < end; quote = text.indexOf('"', quote + 1)) isQuoted = !isQuoted;
    if (!isQuoted) yield end + lineBreak.length;
    end = text.indexOf(lineBreak, end + lineBreak.length);
  }
}

/** How the rows of a text end: by the first line break outside of quotes. */
function lineBreakOf(text: string): string {
  const firstEnds = ['\r\n', '\n', '\r'].map((lineBreak) => {
    const [end = Infinity] = endsOfRows(text, lineBreak);
    return { lineBreak, start: end - lineBreak.length };
  });
  return firstEnds.reduce((best, next) => (next.start < best.start ? next : best)).lineBreak;
}

function* slicesOf(text: string, lineBreak: string, length: number): Generator<Slice> {
  let start = 0;
  let linesBefore = 0;
  for (const end of endsOfRows(text, lineBreak)) {
    if (end - start < length) continue;
    const slice = text.slice(start, end);
    yield { text: slice, linesBefore };
    linesBefore += slice.match(/\r\n|\r|\n/g)?.length ?? 0;
    start = end;
  }
  if (start < text.length) yield { text: text.slice(start), linesBefore };
}

/** The first row that is not empty. */
function headerOf(text: string, lineBreak: string): string {
  let start = 0;
  for (const end of endsOfRows(text, lineBreak)) {
    const row = text.slice(start, end);
    if (row.trim() !== '') return row;
    start = end;
  }
  return text.slice(start);
}

/** The delimiter that takes the header row apart into the most columns. */
function delimiterOf(header: string, lineBreak: string): string {
  const columnsBy = DELIMITERS.map((delimiter) => {
    const [row = []] = parse(header, {
      delimiter,
      record_delimiter: lineBreak,
      to: 1,
      relax_quotes: true,
    });
    return { delimiter, columns: row.length };
  });
  return columnsBy.reduce((best, next) => (next.columns > best.columns ? next : best)).delimiter;
}

function objectionOf(error: unknown, linesBefore: number): string {
  const isCsvError = error instanceof CsvError;
  const line = isCsvError && typeof error.lines === 'number' ? error.lines : 1;
  const why = error instanceof Error ? error.message.replace(/ (at|on) line \d+/g, '') : 'no CSV';
  return `The CSV cannot be read at line ${linesBefore + line}: ${why}`;
}

/**
 * Reads CSV text with a header row: quotes, line breaks within quotes, a byte order mark, CRLF, and
 * comma, semicolon, tab or bar as delimiter. It reads in slices, so that n8n goes on meanwhile.
 *
 * @param sliceLength characters that are read at once
 */
export async function readCsv(text: string, sliceLength = SLICE_LENGTH): Promise<CsvReading> {
  const csv = text.replace(/^\ufeff/, '');
  if (!/\S/.test(csv)) return { objection: 'The CSV is empty' };
  const lineBreak = lineBreakOf(csv);
  let columns: string[] | undefined;
  const rows: RawContact[] = [];
  let linesBefore = 0;
  try {
    const delimiter = delimiterOf(headerOf(csv, lineBreak), lineBreak);
    await inSlices(slicesOf(csv, lineBreak, sliceLength), (slice) => {
      linesBefore = slice.linesBefore;
      const records: RawContact[] = parse(slice.text, {
        delimiter,
        record_delimiter: lineBreak,
        columns: columns ?? ((header: string[]) => (columns = header.map((name) => name.trim()))),
        skip_empty_lines: true,
        trim: true,
        max_record_size: LONGEST_ROW,
      });
      for (const record of records) rows.push(record);
    });
  } catch (error) {
    return { objection: objectionOf(error, linesBefore) };
  }
  const names = columns ?? [];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return { objection: `The CSV has two columns named "${twice}"` };
  return { rows, columns: names };
}

async function decode(
  bytes: Uint8Array,
  decoder: InstanceType<typeof TextDecoder>,
): Promise<string> {
  const starts = Array.from(
    { length: Math.ceil(bytes.length / BYTES_AT_ONCE) },
    (_, index) => index * BYTES_AT_ONCE,
  );
  const pieces: string[] = [];
  await inSlices(starts, (start) => {
    pieces.push(decoder.decode(bytes.subarray(start, start + BYTES_AT_ONCE), { stream: true }));
  });
  return pieces.join('') + decoder.decode();
}

/**
 * Decodes the bytes of a CSV file: UTF-8, UTF-16 by its byte order mark, and what is neither as
 * Windows-1252, in which spreadsheets save CSV.
 */
export async function decodeCsvFile(bytes: Uint8Array): Promise<string> {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return await decode(bytes, new TextDecoder('utf-16le'));
  if (first === 0xfe && second === 0xff) return await decode(bytes, new TextDecoder('utf-16be'));
  return await decode(bytes, new TextDecoder('utf-8', { fatal: true })).catch(
    async () => await decode(bytes, new TextDecoder('windows-1252')),
  );
}
