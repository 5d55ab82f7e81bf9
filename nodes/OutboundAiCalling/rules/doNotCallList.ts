import { DAY_MS, HOUR_MS, QUARTER_MS } from '../clocks';
import { DataTableError } from '../dataTables/dataTableError';
import { holds, where, type DataTable, type DataTables, type Row } from '../dataTables/dataTables';
import { everyRow } from '../dataTables/everyRow';
import { inSlices } from '../eventLoopSlices';
import { numbersIn } from '../contacts/numbersIn';
import { writingsOf } from '../contacts/writings';
import { personOf } from '../contacts/person';
import type { DefaultCountry } from '../contacts/phoneNumber';
import { isBlank, quoted } from '../values';

/** A day ends in the last time zone this long after it ends in UTC. */
const LATEST_ZONE_MS = 12 * HOUR_MS;
/** Clocks may be set back on a day. */
const LONGEST_DAY_MS = DAY_MS + HOUR_MS;
/** Earlier times cannot be read: programs write 1970-01-01 or 0001-01-01 where there is no date. */
const FIRST_MILLISECOND = Date.UTC(2000);
/** Columns of a list in which no numbers are looked for: its own, and those that n8n adds. */
const COLUMNS = new Set(['phone', 'until', 'id', 'createdAt', 'updatedAt']);
/** So many numbers of such a column tell whether it names others. */
const MOST_ELSEWHERE = 20;
/** A hint quotes at most this many characters of a text. */
const TEXT_TOLD = 40;

const END = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;
const MIDNIGHT = /^00:00(?::00(?:\.0+)?)?$/;
const IN_UTC = /^(?:Z|[+-]00:?00)$/i;

/**
 * Reads when an entry ends: a day (`2026-12-31`), a time in ISO 8601, or milliseconds since 1970. A day
 * counts to its end, in the last time zone that reaches it when the text names none. A time in UTC that is
 * midnight anywhere may be a day that somebody chose there in a calendar, so that day counts too.
 *
 * @returns milliseconds since 1970; undefined when it cannot be read
 */
export function readUntil(value: unknown): number | undefined {
  if (typeof value === 'number') return readUntil(new Date(value).toJSON());
  if (typeof value !== 'string') return undefined;
  const [, day, time = '00:00', offset] = END.exec(value.trim()) ?? [];
  const at = Date.parse(`${day}T${time}${offset ?? 'Z'}`);
  if (!(at >= FIRST_MILLISECOND)) return undefined;
  const isInUtc = offset !== undefined && IN_UTC.test(offset);
  const isMidnight = MIDNIGHT.test(time);
  const mayBeDay = isMidnight || (isInUtc && at % QUARTER_MS === 0);
  const isOfAnyZone = offset === undefined || (isInUtc && isMidnight);
  if (!mayBeDay) return at + (isOfAnyZone ? LATEST_ZONE_MS : 0);
  return at + (isOfAnyZone ? DAY_MS + LATEST_ZONE_MS : LONGEST_DAY_MS);
}

/** Counts unreadable entries, and stores one example. */
class Unreadable {
  private count = 0;
  private example = '';

  get isEmpty(): boolean {
    return this.count === 0;
  }

  note(value: unknown): void {
    this.count++;
    const text = isBlank(value) ? '' : String(value).slice(0, TEXT_TOLD);
    if (this.example === '') this.example = text;
  }

  /** @param say makes the sentence of the number of rows and the example */
  hint(clean: (text: string) => string, say: (rows: string, example: string) => string): string[] {
    if (this.count === 0) return [];
    const rows = this.count === 1 ? '1 row' : `${this.count} rows`;
    return [say(rows, this.example === '' ? 'an empty one' : `"${clean(this.example)}"`)];
  }
}

/** What keeps a number silent. */
interface Entry {
  /** Empty when the table gives none. */
  reason: string;
  /** Milliseconds since 1970; Infinity without an end. */
  until: number;
  /** The row that ends last. */
  rowId: number;
}

/** Of two entries of a number, the one that ends last; with the first reason that is given. */
function later(one: Entry | undefined, other: Entry): Entry {
  if (one === undefined) return other;
  const { until, rowId } = other.until > one.until ? other : one;
  return { reason: one.reason || other.reason, until, rowId };
}

/** The people who are not to be called, as a data table named them when it was read. */
export class DoNotCallList {
  /** By person, as {@link personOf}, or by bare digits when its country is unknown. */
  private readonly entries = new Map<string, Entry>();
  /** One copy of each reason that many rows repeat. */
  private readonly texts = new Map<string, string>();
  private readonly notRead = new Unreadable();
  private readonly noEnds = new Unreadable();
  /** The first numbers that stand in columns of the person's own. */
  private readonly elsewhere = new Map<string, Set<string>>();

  /** How many rows were read. */
  length = 0;
  private hasDigits = false;
  /** Whether it names nobody else; after {@link readOn}, also people of changed or deleted rows. */
  isExact = true;

  private constructor(
    private readonly name: string,
    private readonly defaultCountry: DefaultCountry,
  ) {}

  /** Reads the whole table; throws a DataTableError when it cannot be read, or has its numbers elsewhere. */
  static async read(
    tables: DataTables,
    { id, name }: DataTable,
    defaultCountry: DefaultCountry,
  ): Promise<DoNotCallList> {
    const list = new DoNotCallList(name, defaultCountry);
    const now = Date.now();
    const take = async (rows: Row[]) => await inSlices(rows, (row) => list.add(row, now));
    await everyRow({ tables, tableId: id, column: 'phone' }, [], take);
    list.refuseOtherColumns();
    return list;
  }

  /** A list that names nobody would protect nobody, although a person has entered people. */
  private refuseOtherColumns(): void {
    if (this.entries.size > 0 || this.elsewhere.size === 0) return;
    const others = quoted([...this.elsewhere.keys()]);
    throw new DataTableError(
      'columnMissing',
      `The data table "${this.name}" has no phone number in the column "phone", but in ${others}`,
      'Move the numbers into the column "phone": only that one counts.',
    );
  }

  /** Adds rows that were added or changed since the table was read. */
  readOn(rows: Row[]): void {
    this.isExact = false;
    for (const row of rows) this.add(row, Date.now());
  }

  get isReadable(): boolean {
    return this.notRead.isEmpty && this.noEnds.isEmpty;
  }

  /** Why a number is not to be called; empty without a reason, undefined when it is not listed. */
  reasonFor(e164: string): string | undefined {
    return this.entryFor(e164)?.reason;
  }

  /** Whether a row that may have changed since it was read still names a number that it named. */
  async isConfirmed(tables: DataTables, { id }: DataTable, e164: string): Promise<boolean> {
    const entry = this.entryFor(e164);
    if (entry === undefined) return false;
    const alone = new DoNotCallList(this.name, this.defaultCountry);
    const itself = where(holds('id', 'eq', entry.rowId));
    alone.readOn(await tables.rows(id, itself, { sortBy: 'id:asc', limit: 1 }));
    return alone.entryFor(e164) !== undefined;
  }

  private entryFor(e164: string): Entry | undefined {
    const writings = this.hasDigits ? writingsOf(e164) : [personOf(e164)];
    const now = Date.now();
    return writings
      .map((writing) => this.entries.get(writing))
      .find((entry) => entry !== undefined && entry.until >= now);
  }

  private add(row: Row, now: number): void {
    const { id, phone, reason, until } = row;
    this.length++;
    const end = isBlank(until) ? Infinity : readUntil(until);
    if (end !== undefined && end < now) return;
    const { people, digits, isRead } = numbersIn(phone, this.defaultCountry);
    if (!isRead) this.notRead.note(phone);
    const numbers = [...people, ...digits];
    this.noteOtherColumns(row, numbers.length > 0);
    if (numbers.length === 0) return;
    this.hasDigits ||= digits.length > 0;
    if (end === undefined) this.noEnds.note(until);
    const text = isBlank(reason) ? '' : String(reason).trim();
    const shared = this.texts.get(text) ?? text;
    this.texts.set(shared, shared);
    const entry = { reason: shared, until: end ?? Infinity, rowId: id };
    for (const number of numbers) this.entries.set(number, later(this.entries.get(number), entry));
  }

  /** Notes what may be numbers in other columns of a row. Where `phone` names somebody, only those with a plus. */
  private noteOtherColumns(row: Row, isNamed: boolean): void {
    for (const [column, value] of Object.entries(row)) {
      const isCell = typeof value === 'string' || typeof value === 'number';
      if (COLUMNS.has(column) || !isCell) continue;
      const noted = this.elsewhere.get(column) ?? new Set();
      const hasPlus = /^\s*\+/.test(String(value));
      const isDay = typeof value === 'string' && readUntil(value) !== undefined;
      const mayBeNumber = isNamed ? hasPlus && column !== 'reason' : !isDay;
      if (!mayBeNumber || noted.size >= MOST_ELSEWHERE) continue;
      const { people, digits } = numbersIn(value, this.defaultCountry);
      for (const one of [...people, ...digits]) noted.add(one);
      if (hasPlus || noted.size > 0) this.elsewhere.set(column, noted);
    }
  }

  /** Sentences about rows that could not be read; `clean` removes secrets from a row's text. */
  hints(clean: (text: string) => string): string[] {
    const list = `the do-not-call list "${this.name}"`;
    const isUnlisted = (one: string) => !this.entries.has(one) && this.entryFor(one) === undefined;
    const unread = [...this.elsewhere].filter(([, people]) => [...people].some(isUnlisted));
    const others = quoted(unread.map(([column]) => column));
    const unheeded = `Numbers in ${others} of ${list} are not heeded, so people whom they name can still be called: only the column "phone" counts.`;
    return [
      ...(others === '' ? [] : [unheeded]),
      ...this.notRead.hint(
        clean,
        (rows, example) =>
          `${rows} of ${list} cannot be read as phone numbers in full, so people whom they name can still be called: e.g. ${example}. Write numbers like +12025550123, or set "Default Country".`,
      ),
      ...this.noEnds.hint(
        clean,
        (rows, example) =>
          `The "until" of ${rows} of ${list} cannot be read, e.g. ${example}: who is named there is never called. Write it like 2026-12-31, from 2000 on, or empty the cell.`,
      ),
    ];
  }
}
