import { DAY_MS } from '../clocks';
import type { DataTable, DataTables, Row } from '../dataTables/dataTables';
import { everyRow } from '../dataTables/everyRow';
import { inSlices } from '../contacts/inSlices';
import { digitsOf, numbersIn } from '../contacts/numbersIn';
import type { DefaultCountry } from '../contacts/phoneNumber';
import { isBlank } from '../values';

/** A day ends in the last time zone this long after it ends in UTC. */
const LATEST_ZONE_MS = 12 * 3_600_000;
/** Smaller numbers are not milliseconds of this century, and cannot be read. */
const FIRST_MILLISECOND = Date.UTC(2000);
/** A hint quotes at most this many characters of a text. */
const TEXT_TOLD = 40;

/** A day, alone or in the form of a date column: midnight in UTC. */
const DAY = /^(\d{4}-\d\d-\d\d)(?:T00:00:00(?:\.0+)?Z)?$/;
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * Reads when an entry ends: a day (`2026-12-31`), a time in ISO 8601, or milliseconds since 1970.
 * The end of a day, and a time without an offset, count in the last time zone that reaches them.
 *
 * @returns milliseconds since 1970; undefined when it cannot be read
 */
export function readUntil(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= FIRST_MILLISECOND ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const [, day, time, offset] = TIME.exec(text) ?? [];
  const [, wholeDay] = DAY.exec(text) ?? [];
  const end =
    wholeDay !== undefined
      ? Date.parse(`${wholeDay}T00:00:00Z`) + DAY_MS + LATEST_ZONE_MS
      : Date.parse(`${day}T${time}${offset ?? 'Z'}`) + (offset === undefined ? LATEST_ZONE_MS : 0);
  return Number.isNaN(end) ? undefined : end;
}

/** Counts unreadable entries, and stores one example. */
class Unreadable {
  private count = 0;
  private example = '';

  note(value: unknown): void {
    this.count++;
    const text = isBlank(value) ? '' : String(value).slice(0, TEXT_TOLD);
    if (this.example === '') this.example = text;
  }

  /**
   * @param clean removes secrets from a row's text
   * @param say makes the sentence of the number of rows and the example
   */
  told(clean: (text: string) => string, say: (rows: string, example: string) => string): string[] {
    if (this.count === 0) return [];
    const rows = this.count === 1 ? '1 row' : `${this.count} rows`;
    return [say(rows, this.example === '' ? 'an empty one' : `"${clean(this.example)}"`)];
  }
}

/** The people who are not to be called, as a data table named them when it was read. */
export class DoNotCallList {
  /**
   * The reason for each number; empty when the table gives none. A number is in E.164, or bare
   * digits when its country is unknown.
   */
  private readonly reasons = new Map<string, string>();
  /** One copy of each reason that many rows repeat. */
  private readonly texts = new Map<string, string>();
  private readonly notRead = new Unreadable();
  private readonly noEnds = new Unreadable();

  /** When each entry ends, in milliseconds since 1970; endless entries are left out. */
  private readonly ends = new Map<string, number>();
  /** How many rows were read. */
  private rows = 0;
  /** Whether some numbers are bare digits. */
  private hasDigits = false;

  private constructor(private readonly name: string) {}

  /**
   * Reads the whole table. Changes nothing.
   *
   * @throws DataTableError when it cannot be read
   */
  static async read(
    tables: DataTables,
    { id, name }: DataTable,
    defaultCountry: DefaultCountry,
  ): Promise<DoNotCallList> {
    const list = new DoNotCallList(name);
    const now = Date.now();
    await everyRow(tables, id, 'phone', async (rows) => {
      await inSlices(rows, (row) => list.add(row, defaultCountry, now));
    });
    return list;
  }

  /** How many rows the table had. */
  get length(): number {
    return this.rows;
  }

  /**
   * Why a number is not to be called.
   *
   * @returns empty when the list gives no reason; undefined when the number is not on it
   */
  reasonFor(e164: string): string | undefined {
    const writings = this.hasDigits ? [e164, ...digitsOf(e164)] : [e164];
    const now = Date.now();
    const listed = writings.find(
      (writing) => this.reasons.has(writing) && (this.ends.get(writing) ?? Infinity) >= now,
    );
    return listed === undefined ? undefined : this.reasons.get(listed);
  }

  private add({ phone, reason, until }: Row, defaultCountry: DefaultCountry, now: number): void {
    this.rows++;
    const end = isBlank(until) ? Infinity : readUntil(until);
    if (end !== undefined && end < now) return;
    const { e164, digits, isRead } = numbersIn(phone, defaultCountry);
    if (!isRead) this.notRead.note(phone);
    const numbers = [...e164, ...digits];
    if (numbers.length === 0) return;
    this.hasDigits ||= digits.length > 0;
    if (end === undefined) this.noEnds.note(until);
    const text = isBlank(reason) ? '' : String(reason).trim();
    const known = this.texts.get(text) ?? text;
    this.texts.set(known, known);
    for (const number of numbers) this.keep(number, known, end ?? Infinity);
  }

  /** When a number has several entries, the one that ends last counts. */
  private keep(number: string, reason: string, end: number): void {
    const isKnown = this.reasons.has(number);
    if (!this.reasons.get(number)) this.reasons.set(number, reason);
    const last = Math.max(end, isKnown ? (this.ends.get(number) ?? Infinity) : 0);
    if (last === Infinity) this.ends.delete(number);
    else this.ends.set(number, last);
  }

  /**
   * Sentences about rows that could not be read.
   *
   * @param clean removes secrets from a row's text
   */
  hints(clean: (text: string) => string): string[] {
    const list = `the do-not-call list "${this.name}"`;
    return [
      ...this.notRead.told(
        clean,
        (rows, example) =>
          `${rows} of ${list} cannot be read as phone numbers in full, so people whom they name can still be called: e.g. ${example}. Write numbers like +12025550123, or set "Default Country".`,
      ),
      ...this.noEnds.told(
        clean,
        (rows, example) =>
          `${rows} of ${list} have an "until" that cannot be read and stay on the list: e.g. ${example}. Write it like 2026-12-31.`,
      ),
    ];
  }
}
