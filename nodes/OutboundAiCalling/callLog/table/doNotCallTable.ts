import { dayIn } from '../../clocks';
import { DataTableError, mayBeDone } from '../../dataTables/dataTableError';
import {
  DataTables,
  equals,
  holds,
  LARGEST_PAGE,
  where,
  type DataTable,
} from '../../dataTables/dataTables';
import {
  findTable,
  readTableLocator,
  type TableLocator,
  type TablePurpose,
} from '../../dataTables/findTable';
import { isRecord } from '../../http/json';
import { namesOutcome, readOutcomeList } from '../../service/outcomeList';
import { isBlank } from '../../values';

export const DO_NOT_CALL_LIST = 'Do-Not-Call List';

const PURPOSE: TablePurpose = {
  name: 'the do-not-call list',
  parameter: DO_NOT_CALL_LIST,
  moreAdvice: ', or remove the rule',
};

/** A table without readable phone numbers would protect nobody. */
function refuseOtherTables({ name, columns }: DataTable): void {
  const phone = columns.find((column) => column.name === 'phone');
  if (phone === undefined) {
    const names = columns.map((column) => column.name).join(', ');
    throw new DataTableError(
      'columnMissing',
      `The data table "${name}" has no column "phone", so it is no do-not-call list`,
      `It has ${names === '' ? 'no columns' : `the columns ${names}`}. Name the column with the phone numbers "phone", or choose another table under "${DO_NOT_CALL_LIST}".`,
    );
  }
  if (phone.type === 'string' || phone.type === 'number') return;
  throw new DataTableError(
    'columnTypeDiffers',
    `The column "phone" of the data table "${name}" holds no phone numbers: its type is ${phone.type}`,
    `Give it the type string, or choose another table under "${DO_NOT_CALL_LIST}".`,
  );
}

/** Finds the table of a do-not-call list, or throws DataTableError when there is no such list. */
export async function findDoNotCallTable(
  tables: DataTables,
  locator: TableLocator,
): Promise<DataTable> {
  const table = await findTable(tables, locator, PURPOSE);
  if (table instanceof DataTableError) throw table;
  refuseOtherTables(table);
  return table;
}

interface EndedCallWithRules {
  rules: unknown;
  /** E.164. */
  phone: string | undefined;
  orderNumber: string | undefined;
  /** As `labelOfEnd` in `service/outcome.ts` gives it. */
  outcome: string;
}

/** When this process last wrote an entry into any list, in milliseconds since 1970. */
let newestEntryAt = 0;

/** Whether this process may have written an entry since then, in milliseconds since 1970. */
export function mayHaveEntrySince(time: number): boolean {
  return newestEntryAt >= time;
}

/**
 * Puts a person on the list for good when the rules of the call ask for it after this end: an entry with an
 * end date loses that date, and keeps its reason if it has one. Doing it twice has the effect of doing it once.
 *
 * @returns the reason why a person must act before this can be done; undefined when there is nothing to do
 * @throws DataTableError when it may be done all the same, or soon: the caller tries again
 */
export async function putOnListAfter(
  { rules, phone, orderNumber, outcome }: EndedCallWithRules,
  openTables: () => Promise<DataTables>,
): Promise<string | undefined> {
  if (!isRecord(rules) || phone === undefined) return undefined;
  const list = readTableLocator(rules.doNotCallTable);
  const outcomes = readOutcomeList(rules.doNotCallOutcomes) ?? [];
  if (list === undefined || !namesOutcome(outcomes, outcome)) return undefined;
  const order = orderNumber === undefined ? '' : `, order ${orderNumber}`;
  const tables = await openTables();
  const day = dayIn(Date.now(), tables.timezone);
  return await write(tables, list, phone, `${outcome}, ${day}${order}`).catch((error: unknown) => {
    if (!(error instanceof DataTableError) || mayBeDone(error)) throw error;
    // Tables are full for a while only; this end may be all that tells of the person's wish.
    if (error.kind === 'full') throw error;
    return `${phone} could not be put on the do-not-call list: ${error.message}`;
  });
}

async function write(tables: DataTables, list: TableLocator, phone: string, reason: string) {
  const { id, columns } = await findDoNotCallTable(tables, list);
  const isNumber = columns.some(({ name, type }) => name === 'phone' && type === 'number');
  const number = isNumber ? Number(phone) : phone;
  const has = new Set(columns.map(({ name }) => name));
  const content = Object.entries({ phone: number, reason, until: null });
  const row = Object.fromEntries(content.filter(([name]) => has.has(name)));
  const own = where(holds('phone', 'eq', number));
  const entries = async () => await tables.rows(id, own, { sortBy: 'id:asc', limit: LARGEST_PAGE });
  const before = await entries();
  if (before.some(({ until }) => isBlank(until))) return undefined;
  const hasReason = before.some((one) => !isBlank(one.reason));
  if (before.length === 0) await tables.insert(id, [row]);
  else await tables.update(id, own, hasReason ? { until: null } : row);
  newestEntryAt = Date.now();
  // Another process, or a repeated request, may have inserted the same entry.
  const [first, ...more] = (await entries()).filter((one) => one.reason === row.reason);
  if (first !== undefined && more.length > 0) {
    await tables.delete(id, where(...equals(row), holds('id', 'gt', first.id)));
  }
  return undefined;
}
