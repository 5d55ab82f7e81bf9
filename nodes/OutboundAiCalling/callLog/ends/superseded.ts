import { mayName } from '../../contacts/numbersIn';
import type { Row } from '../../dataTables/dataTables';
import { NOBODY_CALLED } from '../../nodeError';
import type { CallLog } from '../callLog';
import { undialledRequest } from '../placing/loggedRequest';
import { textIn, timeIn } from '../table/cells';
import { LOG_COLUMNS } from '../table/columns';
import { callKey, SCHEDULED, type Attempts } from '../states';
import { contentOf, drawnId, notPlacedColumns } from '../table/rowColumns';

/** Columns of the log that a person may fill, beside the phone. The nodes fill the others. */
const TYPED = new Set(['orderNumber', 'customerName', 'scriptId', 'request']);
const OURS = new Set(LOG_COLUMNS.map(({ name }) => name).filter((name) => !TYPED.has(name)));

/** A spreadsheet drops the milliseconds of a time. */
const secondIn = (time: unknown): number => Math.floor(Number(time ?? NaN) / 1000);

/** The cells of a row that a person may have typed, also in columns that a person has added; not the phone. */
function typedIn(row: Row): string {
  const cells = Object.entries({ ...contentOf(row), request: undialledRequest(row) }).filter(
    ([name, value]) => !OURS.has(name) && value !== null && value !== '',
  );
  const dueAt = secondIn(timeIn(row.dueAt));
  const byHand = row.status === SCHEDULED && dueAt !== secondIn(row.runAt) ? dueAt : undefined;
  return JSON.stringify([cells.sort(([a], [b]) => a.localeCompare(b)), byHand]);
}

/** Whether a person typed the same into both rows. A placed call has its phone in E.164. */
function areTypedAlike(row: Row, counting: Row): boolean {
  const isSamePhone =
    row.customerPhone === counting.customerPhone ||
    mayName(row.customerPhone, textIn(counting.customerPhone) ?? '');
  return isSamePhone && typedIn(row) === typedIn(counting);
}

/** Why a row ends that a person has copied and changed; undefined for a superseded row that the nodes wrote. */
export function whyCopyEnds(row: Row, attempts: Attempts): string | undefined {
  const counting = attempts.get(callKey(row));
  if (counting === undefined || areTypedAlike(row, counting)) return undefined;
  return `it is a copy of row ${counting.id}, which counts. Use Schedule Call for another call`;
}

/**
 * Settles rows that other rows of the same attempt supersede. Rows that the nodes wrote are deleted. A row
 * that a person has copied and changed stays, and says which row counts.
 *
 * @returns why, for each row that stays
 */
export async function settleSuperseded(
  log: CallLog,
  rows: Row[],
  attempts: Attempts,
): Promise<string[]> {
  const left: Row[] = [];
  const reasons: string[] = [];
  for (const row of rows) {
    const reason = whyCopyEnds(row, attempts);
    if (reason === undefined) {
      left.push(row);
      continue;
    }
    reasons.push(reason);
    const asNewCall = { callId: drawnId(), batch: '' };
    const ended = notPlacedColumns(`${NOBODY_CALLED} by this row: ${reason}`);
    await log.noteRow(row, { ...ended, ...asNewCall });
  }
  await log.deleteRows(left);
  return reasons;
}
