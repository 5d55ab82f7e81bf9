import { CsvError, parse } from 'csv-parse/sync';
import type { RawContact } from './contact';

/** Rows of a CSV text by the names of its header, or where and why it could not be read. */
export type CsvReading = { rows: RawContact[]; columns: string[] } | { objection: string };

const DELIMITERS = [',', ';', '\t', '|'];

/** The delimiter that takes the header row apart into the most columns. */
function delimiterOf(text: string): string {
  const columnsBy = DELIMITERS.map((delimiter) => {
    const [header = []] = parse(text, { bom: true, delimiter, to: 1, relax_quotes: true });
    return { delimiter, columns: header.length };
  });
  return columnsBy.reduce((best, next) => (next.columns > best.columns ? next : best)).delimiter;
}

/**
 * Reads CSV text with a header row: quotes, line breaks within quotes, a byte order mark, CRLF, and
 * comma, semicolon, tab or bar as delimiter.
 */
export function readCsv(text: string): CsvReading {
  if (text.trim() === '') return { objection: 'The CSV is empty' };
  try {
    let columns: string[] = [];
    const rows: RawContact[] = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      columns: (header: string[]) => (columns = header.map((name) => name.trim())),
      skip_empty_lines: true,
      trim: true,
    });
    const twice = columns.find((name, index) => columns.indexOf(name) !== index);
    if (twice !== undefined) return { objection: `The CSV has two columns named "${twice}"` };
    return { rows, columns };
  } catch (error) {
    const line = error instanceof CsvError && typeof error.lines === 'number' ? error.lines : 1;
    const why = error instanceof Error ? error.message : 'it is not CSV';
    return { objection: `The CSV cannot be read at line ${line}: ${why}` };
  }
}

/**
 * Decodes the bytes of a CSV file: UTF-8, UTF-16 by its byte order mark, and what is neither as
 * Windows-1252, in which spreadsheets save CSV.
 */
export function decodeCsvFile(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
