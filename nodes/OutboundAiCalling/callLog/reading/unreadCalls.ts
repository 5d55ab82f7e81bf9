import { MINUTE_MS } from '../../clocks';
import type { Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { textIn, timeIn } from '../table/cells';
import { notEnded } from '../states';

/** The outcome of a call that was placed this long ago can usually be read. */
const READABLE_AFTER_MS = 15 * MINUTE_MS;

/** Calls in progress hold all channels, and the outcome of none can be read. A person must act. */
class OutcomesUnread extends Error {
  readonly advice =
    'Calls that are due wait until this is solved. The column lastError of the call log has the reason for each call in progress.';

  constructor(calls: number, lastError: string) {
    const are = calls === 1 ? 'The call in progress holds' : `The ${calls} calls in progress hold`;
    super(
      `${are} all channels of "Max in Progress", and no outcome of them can be read: ${lastError}`,
    );
  }
}

/**
 * The error about calls in progress when all were placed a while ago and the last look at each has failed;
 * undefined when any may go on.
 *
 * @throws DataTableError
 */
export async function whyNoneIsRead(log: CallLog): Promise<OutcomesUnread | undefined> {
  const before = Date.now() - READABLE_AFTER_MS;
  const isUnread = ({ lastError, triggeredAt }: Row) =>
    textIn(lastError) !== undefined && (timeIn(triggeredAt) ?? 0) < before;
  const open = await log.allRows(...notEnded('in_progress'));
  const [first] = open;
  if (first === undefined || !open.every(isUnread)) return undefined;
  return new OutcomesUnread(open.length, textIn(first.lastError) ?? '');
}
