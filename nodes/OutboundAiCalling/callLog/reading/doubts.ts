import { isoIn, MINUTE_MS } from '../../clocks';
import { holds, LARGEST_PAGE, type Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { textIn, timeIn } from '../table/cells';
import { callStateOf, says } from '../states';

/** Nobody waits longer than this for a call that shows whether the service accepts calls again. */
const LONGEST_PAUSE_MS = 60 * MINUTE_MS;

/** The newest calls of a log that may have been placed, when the service has accepted none since. */
interface Doubts {
  calls: number;
  /** The next call is tried then, in milliseconds since 1970. */
  until: number;
}

/** Nobody knows whether the last calls were placed, so nobody else is called for a while. */
export class ServiceInDoubt extends Error {
  readonly advice =
    'Calls that are due wait. Look in the dashboard of the calling service whether it places calls, and for the calls with the status maybe_placed.';

  constructor({ calls, until }: Doubts, timezone: string) {
    const last = calls === 1 ? 'The last call' : `Each of the last ${calls} calls`;
    const at = `${isoIn(until, timezone).slice(11, 16)} (${timezone})`;
    super(
      `${last} may have been placed, and the calling service has confirmed none since. One call is tried at ${at}`,
    );
  }
}

/**
 * How many of the newest calls are in doubt. A service that is down answers none, and every call that it gets
 * meanwhile is lost: nobody may call it again. So the next call is tried alone, and later each time.
 *
 * @param mostAtOnce how many calls may be in doubt at once, before the pause grows by a minute each
 * @throws DataTableError
 */
export async function doubtsIn(log: CallLog, mostAtOnce: number): Promise<Doubts | undefined> {
  const begun = [
    says('scheduled', 'neq'),
    says('placing', 'neq'),
    holds('triggeredAt', 'neq', null),
  ];
  const rows = await log.rows(begun, { sortBy: 'id:desc', limit: LARGEST_PAGE });
  const timeOf = ({ triggeredAt }: Row) => timeIn(triggeredAt) ?? 0;
  const accepted = rows.filter(({ orderId }) => textIn(orderId) !== undefined);
  const acceptedAt = Math.max(0, ...accepted.map(timeOf));
  const inDoubt = rows.filter(
    (row) => callStateOf(row) === 'maybePlaced' && timeOf(row) > acceptedAt,
  );
  if (inDoubt.length === 0) return undefined;
  const minutes = Math.max(0, inDoubt.length - mostAtOnce);
  const pauseMs = Math.min(LONGEST_PAUSE_MS, minutes * MINUTE_MS);
  return { calls: inDoubt.length, until: Math.max(...inDoubt.map(timeOf)) + pauseMs };
}
