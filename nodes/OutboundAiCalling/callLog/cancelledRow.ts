import type { IDataObject } from 'n8n-workflow';
import type { Row } from '../dataTables/dataTables';
import { anew, attemptIn } from './nextAttempt';
import { scheduledColumns, type OwnStatus } from './row';

/** What a row says whose call was cancelled. */
export const WAS_CANCELLED = 'Cancelled: nobody is called';
/** What a row says that was about to be placed when its call was cancelled. */
export const CANCELLED_MEANWHILE = 'Cancelled while the call was being placed';

/** The columns of a call that was cancelled. */
export function cancelledColumns(reason: string): IDataObject {
  return { status: 'cancelled' satisfies OwnStatus, lastError: reason, nextCheckAt: null };
}

/** The row that stands where the next attempt of an open call would, so that there is none. */
export function cancelledAttemptRow(row: Row, reason: string, now: number): IDataObject {
  const attempt = (attemptIn(row) ?? 1) + 1;
  return { ...anew(row, attempt), ...scheduledColumns(now), ...cancelledColumns(reason) };
}
