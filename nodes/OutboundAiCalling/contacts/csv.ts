import { parse, type CsvError, type InfoRecord, type Options } from 'csv-parse/sync';
import type { RawContact } from './contact';
import { inSlices } from '../eventLoopSlices';
import { alike, visible } from '../alike';
import { otherFormatOf } from './otherFormat';
import { cleaned } from './writtenNumber';

/** Reads each row when it is asked for. Returns why the next one cannot be read; else undefined. */
export type CsvRows = Generator<RawContact, string | undefined>;

/** Rows by the names in the header. A generator, so that memory never holds the list twice. */
type CsvReading = { rows: CsvRows; columns: string[] } | { objection: string };

const DELIMITERS = [',', ';', '\t', '|'];
/** One list may have several kinds: a program appends rows to the file of another. */
const LINE_BREAKS = ['\r\n', '\n', '\r'];
/** In characters: a slice of this length is read in a few milliseconds. */
const SLICE_LENGTH = 32_768;
/** In characters: an unclosed quote is an error after this length, not at the end of the file. */
const LONGEST_ROW = 1_000_000;
/** A line that Excel reads and writes before the header. */
const DELIMITER_LINE = /^"?sep=([^"\r\n])"?[ \t]*(?=[\r\n])/i;
const BYTES_AT_ONCE = 2 ** 18;
/** Seven digits that no letter parts, as every telephone number has: of any script, anywhere in a cell. */
const DIGITS = /(?:\p{Nd}[^\p{L}\p{Nd}]*){7}/u;
/** A cell that begins with such digits, perhaps after a word that ends in a sign. */
const NUMBER = /^[^\p{L}\d]*(?:\p{L}+[:.][^\p{L}\d]*)?(?:\d[^\p{L}\d]*){7}/u;
/** In characters: a number stands at the beginning of its cell. */
const LONGEST_NUMBER = 100;
/** What stands in place of a number that is not known. */
const NO_NUMBER = /^[^\p{L}\d]*(?:n[^\p{L}\d]?a)?[^\p{L}\d]*$/iu;
const HIDES_ROWS =
  'a cell that begins with a quote holds lines that look like contacts. Remove the quote, or write the cell in one line';

/** A piece of a CSV that begins and ends with whole rows. */
interface Slice {
  text: string;
  /** Lines of the file before it. */
  linesBefore: number;
}

/** How the rows of a list are written. */
interface Shape {
  delimiter: string;
  /** In cells. */
  width: number;
}

/** Where rows end: after each line break, of any kind, that is outside of quotes. */
function* endsOfRows(text: string): Generator<number> {
  let isQuoted = false;
  for (const { 0: sign, index } of text.matchAll(/"|\r\n|\r|\n/g)) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted) yield index + sign.length;
  }
  yield text.length;
}

function isNumber(cell: string): boolean {
  return DIGITS.test(cell) && NUMBER.test(cleaned(cell.slice(0, LONGEST_NUMBER)));
}

/** A cell in quotes; a quote within it is written twice. */
const QUOTED = /"((?:[^"]|"")*)"/g;

/**
 * Whether a cell of several lines hides rows: a quote at its end is written twice (`24""`), so that it goes on
 * until the next stray quote, and one of its lines has cells of its own with a number.
 */
function hidesRowsInCell(row: string, delimiter: string): boolean {
  return [...row.matchAll(QUOTED)].some(([, cell = '']) => {
    const lines = cell.split(/[\r\n]+/);
    const goesOn = lines.some((line) =>
      line.split(delimiter).some((part) => part.trimEnd().endsWith('""')),
    );
    const isRow = (line: string) => {
      const cells = line.split(delimiter);
      return cells.length > 1 && cells.some(isNumber);
    };
    return lines.length > 1 && goesOn && lines.some(isRow);
  });
}

/** Where the cells stand that a test finds: counted from the start and, below 0, from the end. */
function placesOf(cells: string[], test: (cell: string) => boolean): number[] {
  return cells.flatMap((cell, index) => (test(cell) ? [index, index - cells.length] : []));
}

/**
 * Whether a row hides others. A stray quote (`"Bo`) and a later one (`24"`) make one row of several
 * lines, each of which may be a row: it has all cells, and a number where a line above has one or lacks it,
 * counted from the start or, behind a comma that only seems to be quoted (`"Lee, Bo`), from the end.
 */
function hidesRows(row: string, { delimiter, width }: Shape, isHeader = false): boolean {
  const [firstLine = '', ...others] = row.trimEnd().split(/[\r\n]+/);
  if (others.length === 0) return false;
  if (hidesRowsInCell(row, delimiter)) return true;
  const first = firstLine
    .replace(/"[^"]*"/g, (quoted) => quoted.replaceAll(delimiter, ' '))
    .split(delimiter);
  if (first.length < width) return false;
  const numbers = new Set(placesOf(first, isNumber));
  const lacking = new Set(placesOf(first, (cell) => NO_NUMBER.test(cell)));
  return others.some((line) => {
    const cells = line.split(delimiter);
    if (cells.length < width) return false;
    // A number behind the quoted cell may be that of the only row.
    const quoted = line.replace(/".*/, '').split(delimiter).length;
    const places = placesOf(cells, isNumber);
    const isQuoted = (place: number) => (place < 0 ? place + cells.length : place) < quoted;
    const isRow = places.some(
      (place) => isHeader || numbers.has(place) || (isQuoted(place) && lacking.has(place)),
    );
    for (const place of places) numbers.add(place);
    return isRow;
  });
}

/** Where a row begins that hides others; undefined when there is none. */
function startOfHiding(text: string, shape: Shape): number | undefined {
  if (!text.includes('"')) return undefined;
  let start = 0;
  for (const end of endsOfRows(text)) {
    if (hidesRows(text.slice(start, Math.min(end, start + LONGEST_ROW)), shape)) return start;
    start = end;
  }
  return undefined;
}

function countLineBreaks(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}

/** The header, which is the first row that is not empty, and then slices of at least `length`. */
function* slicesOf(text: string, length: number): Generator<Slice> {
  let start = 0;
  let linesBefore = 0;
  let isHeader = true;
  for (const end of endsOfRows(text)) {
    if (!isHeader && end - start < length) continue;
    const slice = text.slice(start, end);
    if (!isHeader || /\S/.test(slice)) {
      yield { text: slice, linesBefore };
      isHeader = false;
    }
    linesBefore += countLineBreaks(slice);
    start = end;
  }
  if (start < text.length) yield { text: text.slice(start), linesBefore };
}

/**
 * The cells of rows. The parser counts a CRLF within quotes twice. When it cannot read the rows, or one of them has
 * another number of cells than `columns`, it reads them again with line breaks of one sign, so that its error names the
 * right line. To find the line of a row costs the parser as much as to parse it.
 */
function cellsOf(rows: string, options: Options, columns?: number): string[][] {
  const read = (text: string, more: Options = {}): string[][] =>
    parse(text, { ...options, ...more });
  try {
    const records = read(rows);
    if (records.every(({ length }) => length === (columns ?? length))) return records;
  } catch {
    // The second reading fails, too.
  }
  const refuse = (cells: string[], { lines }: InfoRecord) =>
    refuseMisfit(cells, columns ?? cells.length, lines);
  return read(rows.replace(/\r\n?/g, '\n'), { on_record: refuse });
}

/** The delimiter that splits the header row into the most columns. */
function delimiterOf(header: string): string {
  const columnsBy = DELIMITERS.map((delimiter) => {
    const [row = []] = cellsOf(header, {
      delimiter,
      record_delimiter: LINE_BREAKS,
      to: 1,
      relax_quotes: true,
      max_record_size: LONGEST_ROW,
    });
    return { delimiter, columns: row.length };
  });
  return columnsBy.reduce((best, next) => (next.columns > best.columns ? next : best)).delimiter;
}

function firstTwice(names: string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(alike(name)).size);
}

function objectionAt(line: number, why: string): string {
  return `The CSV cannot be read at line ${line}: ${why}`;
}

function objectionOf(error: unknown, linesBefore: number): string {
  const { lines, message } = error as CsvError;
  const line = typeof lines === 'number' ? lines : 1;
  return objectionAt(linesBefore + line, message.replace(/ (at|on) line \d+/g, ''));
}

/** The cells of a row by the names of their columns, but for those without a name. */
function rowOf(names: Array<string | null>, cells: string[]): RawContact {
  const named: Array<[string, string | undefined]> = [];
  names.forEach((name, index) => name !== null && named.push([name, cells[index]]));
  return Object.fromEntries(named);
}

/**
 * Refuses a row with another number of cells than the header: nobody can tell which cell is missing, or which one
 * a delimiter has split, and another column's number would be called.
 */
function refuseMisfit(cells: string[], columns: number, lines: number): string[] {
  if (cells.length === columns) return cells;
  const counts = `this row has ${cells.length} cells instead of ${columns}`;
  const advice =
    cells.length < columns
      ? 'Put quotes around a cell that holds a line break, or add the delimiters of empty cells'
      : 'Put quotes around a cell that holds a delimiter, or remove the delimiter at the end of the row';
  throw Object.assign(new Error(`${counts}. ${advice}`), { lines });
}

function* rowsOf(
  slices: Iterable<Slice>,
  shape: Shape,
  read: (text: string) => RawContact[],
): CsvRows {
  for (const { text, linesBefore } of slices) {
    const hiding = startOfHiding(text, shape);
    const readable = text.slice(0, hiding);
    try {
      yield* read(readable);
    } catch (error) {
      return objectionOf(error, linesBefore);
    }
    if (hiding === undefined) continue;
    return objectionAt(linesBefore + countLineBreaks(readable) + 1, HIDES_ROWS);
  }
  return undefined;
}

/**
 * Reads CSV text with a header row: quotes, line breaks within quotes, a byte order mark, line
 * breaks of every kind, and comma, semicolon, tab or bar as delimiter, or the one that `sep=` names.
 * It leaves out columns without a name and rows without a value.
 */
export function readCsv(csvFile: string | DecodedCsv, sliceLength = SLICE_LENGTH): CsvReading {
  const { text, isGuessed } =
    typeof csvFile === 'string' ? { text: csvFile, isGuessed: false } : csvFile;
  const whole = text.replace(/^\ufeff/, '');
  const otherFormat = otherFormatOf(whole, isGuessed);
  if (otherFormat !== undefined) return { objection: otherFormat };
  const [line = '', named] = DELIMITER_LINE.exec(whole) ?? [];
  const csv = whole.slice(line.length);
  const slices = slicesOf(csv, sliceLength);
  const header = slices.next().value as Slice | undefined;
  if (header === undefined || !/\S/.test(header.text)) return { objection: 'The CSV is empty' };
  const format = {
    record_delimiter: LINE_BREAKS,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
    max_record_size: LONGEST_ROW,
    relax_column_count: true,
  };
  try {
    const delimiter = named ?? delimiterOf(header.text);
    const [cells = []] = cellsOf(header.text, { ...format, delimiter });
    // The parser leaves out columns of null. Spreadsheets write columns without a name.
    // A Mac may write ü as u and a sign, which nobody sees. Nor does anybody see marks of direction.
    const names = cells.map((cell) => visible(cell) || null);
    const columns = names.filter((name) => name !== null);
    const twice = firstTwice(columns);
    if (twice !== undefined) return { objection: `The CSV has two columns named "${twice}"` };
    const shape = { delimiter, width: names.length };
    if (hidesRows(header.text, shape, true)) {
      return { objection: objectionAt(header.linesBefore + 1, HIDES_ROWS) };
    }
    const read = (rows: string): RawContact[] =>
      cellsOf(rows, { ...format, delimiter }, names.length).map((row) => rowOf(names, row));
    return { columns, rows: rowsOf(slices, shape, read) };
  } catch (error) {
    return { objection: objectionOf(error, header.linesBefore) };
  }
}

export interface DecodedCsv {
  text: string;
  /** Whether nothing in the bytes says that they are of this encoding. */
  isGuessed: boolean;
}

async function decode(
  bytes: Uint8Array,
  decoder: InstanceType<typeof TextDecoder>,
  isGuessed = false,
): Promise<DecodedCsv> {
  const starts = Array.from(
    { length: Math.ceil(bytes.length / BYTES_AT_ONCE) },
    (_, index) => index * BYTES_AT_ONCE,
  );
  const pieces: string[] = [];
  await inSlices(starts, (start) => {
    pieces.push(decoder.decode(bytes.subarray(start, start + BYTES_AT_ONCE), { stream: true }));
  });
  return { text: pieces.join('') + decoder.decode(), isGuessed };
}

/** UTF-16 with a byte order mark, UTF-8 or, when invalid as that, Windows-1252, in which spreadsheets save CSV. */
export async function decodeCsvFile(bytes: Uint8Array): Promise<DecodedCsv> {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return await decode(bytes, new TextDecoder('utf-16le'));
  if (first === 0xfe && second === 0xff) return await decode(bytes, new TextDecoder('utf-16be'));
  return await decode(bytes, new TextDecoder('utf-8', { fatal: true })).catch(
    async () => await decode(bytes, new TextDecoder('windows-1252'), true),
  );
}
