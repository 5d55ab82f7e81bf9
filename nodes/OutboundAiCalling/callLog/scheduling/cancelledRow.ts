import type { IDataObject } from 'n8n-workflow';
import type { Row } from '../../dataTables/dataTables';
import { anew, attemptIn } from '../ends/nextAttempt';
import { scheduledColumns, UNLOCKED } from '../table/rowColumns';
import type { OwnStatus } from '../states';

/** Why nobody was called, in the row of a cancelled call. */
export const WAS_CANCELLED = 'Cancelled: nobody is called';

export function cancelledColumns(reason: string): IDataObject {
  const status = 'cancelled' satisfies OwnStatus;
  return { status, lastError: reason, runAt: null, ...UNLOCKED };
}

/** The row that prevents the next attempt of an open call by standing in its place. */
export function cancelledAttemptRow(row: Row, reason: string, now: number): IDataObject {
  const attempt = (attemptIn(row) ?? 1) + 1;
  return { ...anew(row, attempt), ...scheduledColumns(now), ...cancelledColumns(reason) };
}
