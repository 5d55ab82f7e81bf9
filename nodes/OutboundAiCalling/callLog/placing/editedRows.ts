import { errorMessage } from '../../nodeError';
import { holds, type Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { UNENDED } from '../states';
import { timeIn } from '../table/cells';
import { readStoredCall } from './loggedRequest';
import { NoLongerScheduled } from './rowToPlace';

/** Why a call is not placed as it was read. */
export function wasEdited(): NoLongerScheduled {
  return new NoLongerScheduled('a person has changed its row meanwhile');
}

/** Whether a row asks for the same call, at the same time, as when it was read or written. */
export function asksTheSame(one: Row, other: Row): boolean {
  const asked = (row: Row) => JSON.stringify([readStoredCall(row), timeIn(row.dueAt)]);
  return asked(one) === asked(other);
}

/** Says of a row why its call is not placed: what was decided was about the call before the change. */
export async function tellOfEdit(log: CallLog, { id }: Row): Promise<Row[]> {
  const lastError = errorMessage(wasEdited());
  return await log.updateAndReturn([holds('id', 'eq', id), UNENDED], { lastError });
}
