import type { IExecuteFunctions } from 'n8n-workflow';
import { CallLogError } from '../callLog/callLogError';
import { DataTables, type DataTable, type Row } from '../callLog/dataTables';
import { everyRow } from '../callLog/everyRow';
import { findTable, type TableLocator, type TablePurpose } from '../callLog/table';
import { inSlices } from '../contacts/inSlices';
import { readPhoneNumber } from '../contacts/phoneNumber';

type Country = Parameters<typeof readPhoneNumber>[1];

/** Which table is the list, and how its phone numbers are written. */
export interface DoNotCallSetting {
  locator: TableLocator;
  /** The country that its national numbers belong to. */
  defaultCountry: Country;
}

/** The parameter as the panel names it. */
export const DO_NOT_CALL_LIST = 'Do-Not-Call List';

const PURPOSE: TablePurpose = {
  name: 'the do-not-call list',
  parameter: DO_NOT_CALL_LIST,
  moreAdvice: ', or remove the rule',
};

const DAY_MS = 24 * 3_600_000;
/** Nowhere does a day end later than so long after it has ended in UTC. */
const LATEST_ZONE_MS = 12 * 3_600_000;
/** Smaller numbers are no milliseconds of this century. */
const FIRST_MILLISECOND = Date.UTC(2000);
/** So much of a text is repeated in a hint. */
const TEXT_TOLD = 40;

/** A day, also as a column of dates holds it. */
const DAY = /^(\d{4}-\d\d-\d\d)(?:T00:00:00(?:\.0+)?Z)?$/;
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?$/i;

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && !value.trim());
}

/**
 * Reads the end of an entry: a day (`2026-12-31`: the whole of that day, wherever it ends
 * last), a time in ISO 8601, or milliseconds since 1970. A time without an offset ends where it comes
 * last.
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

/** Entries that cannot be used as they are, and one of them. */
class Unreadable {
  private count = 0;
  private example = '';

  note(value: unknown): void {
    this.count++;
    // The editor shows hints as HTML.
    const text = isBlank(value) ? '' : String(value).replace(/[<>&]/g, ' ').slice(0, TEXT_TOLD);
    if (this.example === '') this.example = text;
  }

  /** @param say gives the sentence for so many rows */
  told(clean: (text: string) => string, say: (rows: string, example: string) => string): string[] {
    if (this.count === 0) return [];
    const rows = this.count === 1 ? '1 row' : `${this.count} rows`;
    return [say(rows, this.example === '' ? 'an empty one' : `"${clean(this.example)}"`)];
  }
}

/** The people who are not to be called, as a data table named them when it was read. */
export class DoNotCallList {
  /** Why, for each number in E.164; empty when the table does not say. */
  private readonly reasons = new Map<string, string>();
  /** One copy of each text that many rows repeat. */
  private readonly texts = new Map<string, string>();
  private readonly noNumbers = new Unreadable();
  private readonly noEnds = new Unreadable();

  private constructor(private readonly name: string) {}

  /**
   * Reads the whole table, and tells with the execution which rows it could not read. Whatever is
   * changed in the table afterwards concerns the next execution. Changes nothing.
   *
   * @throws CallLogError when it cannot be read or is no such list: nobody may be called
   */
  static async read(
    context: IExecuteFunctions,
    { locator, defaultCountry }: DoNotCallSetting,
  ): Promise<DoNotCallList> {
    const tables = await DataTables.open(context);
    const table = await findTable(tables, locator, PURPOSE);
    if (table instanceof CallLogError) throw table;
    refuseOtherTables(table);
    const list = new DoNotCallList(table.name);
    const now = Date.now();
    await everyRow(tables, table.id, 'phone', async (rows) => {
      await inSlices(rows, (row) => list.add(row, defaultCountry, now));
    });
    for (const message of list.hints((text) => tables.withoutSecrets(text))) {
      context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
    }
    return list;
  }

  /**
   * Why somebody is not to be called.
   *
   * @param e164 the phone number
   * @returns empty when the list gives no reason; undefined when the number is not on it
   */
  reasonFor(e164: string): string | undefined {
    return this.reasons.get(e164);
  }

  private add({ phone, reason, until }: Row, defaultCountry: Country, now: number): void {
    const end = isBlank(until) ? Infinity : readUntil(until);
    if (end !== undefined && end < now) return;
    const reading = readPhoneNumber(phone, defaultCountry);
    if (!('e164' in reading)) return this.noNumbers.note(phone);
    if (end === undefined) this.noEnds.note(until);
    const text = isBlank(reason) ? '' : String(reason).trim();
    const known = this.texts.get(text) ?? text;
    this.texts.set(known, known);
    if (!this.reasons.get(reading.e164)) this.reasons.set(reading.e164, known);
  }

  /** @param clean takes secrets out of what a row says */
  private hints(clean: (text: string) => string): string[] {
    const list = `the do-not-call list "${this.name}"`;
    return [
      ...this.noNumbers.told(
        clean,
        (rows, example) =>
          `${rows} of ${list} cannot be read as a phone number, so these people can still be called: e.g. ${example}. Write numbers like +12025550123, or set "Default Country".`,
      ),
      ...this.noEnds.told(
        clean,
        (rows, example) =>
          `${rows} of ${list} have an "until" that cannot be read and stay on the list: e.g. ${example}. Write it like 2026-12-31.`,
      ),
    ];
  }
}

/** A table without readable phone numbers would spare nobody. */
function refuseOtherTables({ name, columns }: DataTable): void {
  const phone = columns.find((column) => column.name === 'phone');
  if (phone === undefined) {
    const names = columns.map((column) => column.name).join(', ');
    throw new CallLogError(
      'columnMissing',
      `The data table "${name}" has no column "phone", so it is no do-not-call list`,
      `It has ${names === '' ? 'no columns' : `the columns ${names}`}. Name the column with the phone numbers "phone", or choose another table under "${DO_NOT_CALL_LIST}".`,
    );
  }
  if (phone.type === 'string' || phone.type === 'number') return;
  throw new CallLogError(
    'columnTypeDiffers',
    `The column "phone" of the data table "${name}" holds no phone numbers: its type is ${phone.type}`,
    `Give it the type string, or choose another table under "${DO_NOT_CALL_LIST}".`,
  );
}

/** The lists of one execution, each of which is read once. */
export class DoNotCallLists {
  private readonly lists = new Map<string, Promise<DoNotCallList>>();

  constructor(private readonly context: IExecuteFunctions) {}

  /** @throws CallLogError when the list cannot be read: nobody may be called */
  async get(setting: DoNotCallSetting): Promise<DoNotCallList> {
    const { locator, defaultCountry } = setting;
    const key = JSON.stringify([locator.mode, locator.value, defaultCountry]);
    const list = this.lists.get(key) ?? this.read(setting);
    this.lists.set(key, list);
    return await list;
  }

  private async read(setting: DoNotCallSetting): Promise<DoNotCallList> {
    return await DoNotCallList.read(this.context, setting).catch((error: unknown) => {
      if (!(error instanceof CallLogError)) throw error;
      const message = `The do-not-call list could not be read: ${error.message}`;
      throw new CallLogError(error.kind, message, error.advice);
    });
  }
}
