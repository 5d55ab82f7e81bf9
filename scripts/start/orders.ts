import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { CsvError, parse as parseCsv } from 'csv-parse/sync';
import { UsageError } from './options';

/** A row of a file, with the place where a person finds it. */
interface Row {
  place: string;
  values: Record<string, unknown>;
}

/** What an order may say: the columns of CSV, the fields of JSON. */
const FIELDS = ['orderNumber', 'customerName', 'phone', 'amount', 'brand', 'notes'] as const;
const NEEDED = ['orderNumber', 'phone'] as const;

/** An order as the example workflow's webhook takes it. */
export type Order = Record<(typeof FIELDS)[number], string>;

/**
 * Area codes of the numbers that are made up. In each of them 555-0100 to 555-0199 are kept for
 * fiction: they belong to nobody.
 */
const AREA_CODES = [202, 206, 213, 303, 312, 415, 512, 617, 702, 773];

/**
 * Reads orders from a JSON list or from CSV with a header row.
 *
 * @throws UsageError naming the file and every row that cannot be called
 */
export async function readOrders(file: string): Promise<Order[]> {
  const text = await readText(file);
  const rows = extname(file).toLowerCase() === '.csv' ? csvRows(text, file) : jsonRows(text, file);
  if (rows.length === 0) throw new UsageError(`${file} holds no orders.`);

  const faults = rows.flatMap(faultsOf);
  if (faults.length > 0) {
    throw new UsageError(`Nobody was called. ${file} has mistakes:\n  ${faults.join('\n  ')}`);
  }
  return rows.map(({ values }) => orderFrom(values));
}

/** Makes up orders, each with a telephone number of its own that belongs to nobody. */
export function madeUpOrders(count: number): Order[] {
  return Array.from({ length: count }, (_, index) => {
    const areaCode = AREA_CODES[index % AREA_CODES.length] ?? 202;
    const line = 100 + (Math.floor(index / AREA_CODES.length) % 100);
    return {
      orderNumber: `M-${String(index + 1).padStart(4, '0')}`,
      phone: `+1${areaCode}5550${line}`,
      customerName: `Customer ${index + 1}`,
      amount: `${(10 + ((index * 37) % 190)).toFixed(2)} dollars`,
      brand: 'Northwind Kitchen',
      notes: '',
    };
  });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${message}`,
    );
  }
}

function jsonRows(text: string, file: string): Row[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${String(error)}`);
  }
  if (!Array.isArray(content)) throw new UsageError(`${file} must be a list of orders: [ … ]`);
  return content.map((values: unknown, index) => {
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new UsageError(`${file}, row ${index + 1}: not an order with fields: { … }`);
    }
    const named = Object.entries(values).map(([name, value]) => [fieldOf(name), value] as const);
    refuseTwice(
      named.map(([name]) => name),
      `${file}, row ${index + 1},`,
    );
    return { place: `row ${index + 1}`, values: Object.fromEntries(named) };
  });
}

/** The field that is meant, however its capitals are written. */
function fieldOf(name: string): string {
  const trimmed = name.trim();
  return FIELDS.find((field) => field.toLowerCase() === trimmed.toLowerCase()) ?? trimmed;
}

function refuseTwice(names: string[], place: string): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return;
  throw new UsageError(`Nobody was called. ${place} has two columns or fields named ${twice}.`);
}

function csvRows(text: string, file: string): Row[] {
  try {
    let header: string[] = [];
    const records = parseCsv(text, {
      columns: (names: string[]) => (header = names).map(fieldOf),
      bom: true,
      trim: true,
      skip_empty_lines: true,
      info: true,
    }) as unknown as Array<{ record: Record<string, string>; info: { lines: number } }>;
    const known = header.map(fieldOf);
    refuseTwice(known, file);
    const missing = NEEDED.filter((name) => !known.includes(name));
    if (missing.length > 0) {
      throw new UsageError(
        `Nobody was called. ${file} has no column ${missing.join(' and no column ')}.\n` +
          `  Its columns are: ${header.join(', ')}\n  Orders can have: ${FIELDS.join(', ')}`,
      );
    }
    return records.map(({ record, info }) => ({ place: `line ${info.lines}`, values: record }));
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`${file} is not CSV: ${error.message}`);
    throw error;
  }
}

function faultsOf(row: Row, index: number, rows: Row[]): string[] {
  const faults = NEEDED.filter((name) => textOf(row.values[name]) === '').map(
    (name) => `${row.place}: ${name} is missing`,
  );
  const number = textOf(row.values.orderNumber);
  const first = rows.findIndex(({ values }) => textOf(values.orderNumber) === number);
  if (number !== '' && first < index) {
    faults.push(`${row.place}: order ${number} is already in ${rows[first]?.place}`);
  }
  return faults;
}

function orderFrom(values: Record<string, unknown>): Order {
  return Object.fromEntries(FIELDS.map((name) => [name, textOf(values[name])])) as Order;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
