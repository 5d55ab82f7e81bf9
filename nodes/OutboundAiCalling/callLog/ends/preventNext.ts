import { holds, type Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { attemptIn, callKey, keyOfNext, notEnded } from '../states';
import { textIn } from '../table/cells';
import { cancelledColumns } from '../table/rowColumns';
import { mayBeFollowed, nextAttemptRow } from './nextAttempt';

const NO_FURTHER = 'Cancelled while the attempt before went on: nobody is called again';

/** Cancels the attempts that follow these, and that wait. */
export async function cancelNext(log: CallLog, before: Row[]): Promise<void> {
  for (const row of before) {
    const next = [
      holds('callId', 'eq', textIn(row.callId) ?? ''),
      holds('attempt', 'eq', (attemptIn(row) ?? 1) + 1),
    ];
    await log.update([...next, ...notEnded('scheduled')], cancelledColumns(NO_FURTHER));
  }
}

/**
 * Has no attempt follow these, which go on: a row in the place of the next attempt prevents it.
 *
 * @returns one row for each attempt that another would have followed
 */
export async function preventNext(log: CallLog, open: Row[]): Promise<Row[]> {
  const isFollowed = (row: Row) => textIn(row.callId) !== undefined && mayBeFollowed(row);
  const followed = [...new Map(open.filter(isFollowed).map((row) => [callKey(row), row])).values()];
  const there = new Set((await log.rowsOfCalls(followed)).map(callKey));
  const stopped = followed.filter((row) => !there.has(keyOfNext(row)));
  const now = Date.now();
  await log.insertRows(
    stopped.map((row) => ({ ...nextAttemptRow(row, now), ...cancelledColumns(NO_FURTHER) })),
  );
  return stopped;
}
