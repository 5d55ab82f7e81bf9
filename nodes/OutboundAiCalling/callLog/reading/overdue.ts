import { HOUR_MS, isoIn } from '../../clocks';
import { holds, LARGEST_PAGE } from '../../dataTables/dataTables';
import { PAGE_BY_ID } from '../../dataTables/rowPages';
import type { CallLog } from '../callLog';
import { lastLocked } from '../lock';
import { notEnded } from '../states';

/** Place Scheduled Calls runs every minute, perhaps in some hours of the day only. */
const AT_WORK_FOR_MS = HOUR_MS;

/**
 * Finds out whether scheduled calls of the account have been due for an hour while nothing places them. With
 * a workflow that does, they wait for a channel, an allowed hour or a cap.
 *
 * @param timezone of the times in the sentence
 * @returns a sentence for a person; undefined when nobody is forgotten
 * @throws DataTableError
 */
export async function whyNobodyIsCalled(
  log: CallLog,
  timezone: string,
): Promise<string | undefined> {
  const lately = Date.now() - AT_WORK_FOR_MS;
  const overdue = log.where(
    ...notEnded('scheduled'),
    // Calls that an execution places itself wait for their turn there.
    holds('batch', 'eq', ''),
    holds('runAt', 'lte', lately),
  );
  const { length } = await log.tables.rows(log.tableId, overdue, PAGE_BY_ID);
  if (length === 0) return undefined;
  const placing = (await lastLocked(log, 'place scheduled calls')).get(log.account);
  if (placing !== undefined && placing.at > lately) return undefined;
  const count = length < LARGEST_PAGE ? String(length) : `${length} or more`;
  const calls = length === 1 ? '1 scheduled call has' : `${count} scheduled calls have`;
  const nothing =
    placing === undefined
      ? 'nothing places them'
      : `nothing has placed calls since ${isoIn(placing.at, timezone)}`;
  return `${calls} been due for an hour, and ${nothing}: publish a workflow that runs Place Scheduled Calls every minute.`;
}
