import { MINUTE_MS } from '../../clocks';
import { holds } from '../../dataTables/dataTables';
import type { Outcome } from '../../service/outcome';
import { recordEnds, type WrittenEnd } from '../ends/ends';
import { attemptsOf, hasEnded } from '../states';
import { outcomeColumns } from '../table/rowColumns';
import type { RowToPlace } from './rowToPlace';

/** The execution locks a call for this long while it writes the end. */
const LOCKED_FOR_MS = MINUTE_MS;

/**
 * Writes the end of a call that this execution has placed and waited for, unless another process has written it.
 * Returns undefined when no end could be written or read.
 */
export async function endAwaited(
  call: RowToPlace,
  outcome: Outcome,
): Promise<WrittenEnd | undefined> {
  const { callId, attempt, rows } = call;
  const { log } = rows;
  const { orderId } = outcome;
  const now = Date.now();
  const lock = { now, lockedUntil: now + LOCKED_FOR_MS };
  try {
    const row = await log.lockOpen({ callId, attempt, orderId }, lock);
    if (row !== undefined) {
      const ended = [{ row, columns: outcomeColumns(outcome, now) }];
      const { written, failure } = await recordEnds(log, ended);
      if (failure !== undefined) throw failure;
      return written[0];
    }
    // By its order id, because the row may be that of another request of an agent for the same call.
    const placed = holds('orderId', 'eq', String(orderId));
    const attempts = attemptsOf(await log.allRows(placed));
    const [first] = attempts.values();
    const counting = attempts.get(call.key) ?? first;
    if (counting === undefined)
      throw new Error('its row was deleted, or its call was scheduled again');
    return hasEnded(counting) ? { end: counting } : undefined;
  } catch (error) {
    return call.noteFailure(error);
  }
}
