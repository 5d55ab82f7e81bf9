import { HOUR_MS, isoIn, MINUTE_MS } from '../../clocks';
import { holds, LARGEST_PAGE, type Row } from '../../dataTables/dataTables';
import { PAGE_BY_ID } from '../../dataTables/rowPages';
import { NothingSent } from '../../service/failure';
import type { CallLog } from '../callLog';
import { lastPlacing } from '../lock';
import { callStateOf, hasOrderId, notEnded, says } from '../states';
import { textIn, timeIn } from '../table/cells';
import { AT_WORK_FOR_MS } from './outOfReach';

/** Nobody waits longer than this for a call that shows whether the service accepts calls again. */
const LONGEST_PAUSE_MS = HOUR_MS;
/** The outcome of a call that was placed this long ago can usually be read. */
const READABLE_AFTER_MS = 15 * MINUTE_MS;
/** No call takes this long. */
const LONGEST_CALL_MS = HOUR_MS;

/** At which time one call is tried alone, so many minutes after the last one, and whether that is still to come. */
export function triedAlone(
  lastAt: number,
  minutes: number,
  timezone: string,
): { at: string; isTooSoon: boolean } {
  const until = lastAt + Math.min(LONGEST_PAUSE_MS, Math.max(0, minutes) * MINUTE_MS);
  const at = `${isoIn(until, timezone).slice(11, 16)} (${timezone})`;
  return { at, isTooSoon: Date.now() < until };
}

/** Why calls may not begin side by side. `isTooSoon`: nobody is called yet; otherwise one call is tried. */
export interface ReasonToWait {
  why: NothingSent;
  isTooSoon: boolean;
}

/**
 * Finds out whether the newest calls are in doubt, and the service has accepted none since. A service that is
 * down answers none, and every call that it gets meanwhile is lost: nobody may call it again. So the next call
 * is tried alone, and later each time once many are in doubt.
 *
 * @param mostAtOnce how many calls may be in doubt at once, before the pause grows by a minute each
 */
export async function doubtsIn(
  log: CallLog,
  mostAtOnce: number,
  timezone: string,
): Promise<ReasonToWait | undefined> {
  const isSent = [says('scheduled', 'neq'), says('placing', 'neq')];
  const rows = await log.newestRows(LARGEST_PAGE, ...isSent, holds('triggeredAt', 'neq', null));
  const timeOf = ({ triggeredAt }: Row) => timeIn(triggeredAt) ?? 0;
  const accepted = rows.filter(hasOrderId);
  const acceptedAt = Math.max(0, ...accepted.map(timeOf));
  const inDoubt = rows.filter(
    (row) => callStateOf(row) === 'maybePlaced' && timeOf(row) > acceptedAt,
  );
  const calls = inDoubt.length;
  if (calls === 0) return undefined;
  const lastAt = Math.max(...inDoubt.map(timeOf));
  const { at, isTooSoon } = triedAlone(lastAt, calls - mostAtOnce, timezone);
  const last = calls === 1 ? 'The last call' : `Each of the last ${calls} calls`;
  const why = new NothingSent(
    `${last} may have been placed, and the calling service has confirmed none since. One call is tried at ${at}`,
    'Calls that are due wait. Look in the dashboard of the calling service whether it places calls, and for the calls with the status maybe_placed.',
  );
  return { why, isTooSoon };
}

/**
 * The error about calls in progress when none of them can be read any more: each was placed a while ago and its last
 * look has failed, or no call takes this long. Undefined when any may go on.
 */
export async function whyNoneIsRead(log: CallLog): Promise<NothingSent | undefined> {
  const now = Date.now();
  const isUnread = ({ lastError, triggeredAt }: Row) => {
    const most = textIn(lastError) === undefined ? LONGEST_CALL_MS : READABLE_AFTER_MS;
    return (timeIn(triggeredAt) ?? 0) < now - most;
  };
  const open = await log.allRows(...notEnded('in_progress'));
  const [first] = open;
  if (first === undefined || !open.every(isUnread)) return undefined;
  const are =
    open.length === 1 ? 'The call in progress holds' : `The ${open.length} calls in progress hold`;
  return new NothingSent(
    `${are} all channels of "Max in Progress", and no outcome of them can be read: ${textIn(first.lastError) ?? 'the calling service says that they still go on'}`,
    'Calls that are due wait until this is solved. The column lastError of the call log has the reason for each call in progress. Into the status of a call that has ended, write failed: another attempt follows where Second Attempts name failed.',
  );
}

/**
 * Finds out whether scheduled calls of the account have been due for an hour while nothing places them. With
 * a workflow that does, they wait for a channel, an allowed hour or a cap.
 *
 * @param timezone of the times in the sentence
 * @returns a sentence for a person; undefined when nobody is forgotten
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
  const placing = (await lastPlacing(log)).get(log.account);
  if (placing !== undefined && placing.at > lately) return undefined;
  const count = length < LARGEST_PAGE ? String(length) : `${length} or more`;
  const calls = length === 1 ? '1 scheduled call has' : `${count} scheduled calls have`;
  const nothing =
    placing === undefined
      ? 'nothing places them'
      : `nothing has placed calls since ${isoIn(placing.at, timezone)}`;
  return `${calls} been due for an hour, and ${nothing}: publish a workflow that runs Place Scheduled Calls every minute.`;
}
