import type { DataTablesOfN8n, TableRow } from '../dataTables/dataTablesOfN8n';
import { orderOf } from './history';

/** What a person reads in a row of the call log. */
export interface LogRow {
  id: number;
  callId: string;
  order: number;
  phone: string;
  status: string;
  attempt: number;
  outcomeKey: string | null;
  /** The label, which a person may have corrected. */
  outcome: string;
  dueAt: number | undefined;
  lastError: string;
  hasEnded: boolean;
  /** The list whose turn has not come. */
  batch: string;
}

export const LOG = 'Calls';
export const DO_NOT_CALL = 'Do not call';

/** All columns of the call log are read here. */
function readRow(row: TableRow): LogRow {
  const dueAt = Date.parse(String(row.dueAt ?? ''));
  return {
    id: row.id,
    callId: String(row.callId ?? ''),
    order: orderOf(row.orderNumber ?? row.customerName),
    phone: String(row.customerPhone ?? ''),
    // A person may spell it otherwise.
    status: String(row.status ?? '')
      .trim()
      .toLowerCase(),
    attempt: Number(row.attempt ?? 1),
    outcomeKey: row.outcomeKey === null ? null : String(row.outcomeKey),
    outcome: String(row.outcome ?? ''),
    dueAt: Number.isNaN(dueAt) ? undefined : dueAt,
    lastError: String(row.lastError ?? ''),
    hasEnded: row.finishedAt !== null,
    batch: String(row.batch ?? ''),
  };
}

/** Rows of the log that a person can see now. */
export function logRows(tables: DataTablesOfN8n, name: string): LogRow[] {
  return tables.rowsOf(name).map(readRow);
}

const GOES_ON = new Set(['scheduled', 'placing', 'in_progress']);

/** Whether something is still to happen to the attempt of a row. A person may write such a word over an end. */
export const goesOn = ({ status, hasEnded }: LogRow): boolean =>
  GOES_ON.has(status) && (!hasEnded || status === 'scheduled');

/** Whether Place Scheduled Calls has to do with a row. */
export const waitsToBePlaced = (row: LogRow): boolean =>
  goesOn(row) && row.status !== 'in_progress';
