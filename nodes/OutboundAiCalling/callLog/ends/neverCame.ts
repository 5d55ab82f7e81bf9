import { NOBODY_CALLED } from '../../nodeError';
import { groupBy } from '../../collections';
import { holds, type Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { storedIn } from '../placing/loggedRequest';
import { attemptsOf, callStateOf, goesOn, mayHaveBeenCalled } from '../states';
import { textIn } from '../table/cells';

export const NEVER_CAME = `${NOBODY_CALLED}: the execution ended before it came to this call`;

/** Whether the execution of a row died before it came to its call, and nobody has written the end. */
function isLeft({ lastError, batch }: Row): boolean {
  return lastError === NEVER_CAME && textIn(batch) !== undefined;
}

/** Whether another call waits for its turn: it may still be withdrawn. */
function isUndecided(other: Row): boolean {
  return callStateOf(other) === 'ahead' && !isLeft(other);
}

/**
 * Whether the end of another call is the last word of the order of a row to which nobody came: the same was asked
 * for later, as by a retry, or its rule would have withdrawn the row. Of several to which nobody came, the last one counts.
 */
function speaksFor(row: Row, other: Row): boolean {
  if (other.callId === row.callId) return false;
  if (other.id > row.id && other.scriptId === row.scriptId) return true;
  const isCalled = (goesOn(other) || mayHaveBeenCalled(other)) && !isLeft(other);
  return isCalled && storedIn(row)?.asksForOthers === true;
}

/**
 * Withdraws calls to which nobody came, where another call of the same order tells its last word.
 *
 * @param decided rows of the account that say how their attempts ended
 * @returns the rows whose ends are to be written now: some have to wait until others are decided
 */
export async function withdrawTakenOver(log: CallLog, decided: Row[]): Promise<Row[]> {
  const left = decided.filter((row) => isLeft(row) && textIn(row.duplicateKey) !== undefined);
  const keys = new Set(left.map(({ duplicateKey }) => String(duplicateKey)));
  const found = await log.rowsOfAny([...keys].map((key) => holds('duplicateKey', 'eq', key)));
  const ours = found.filter(({ account }) => account === log.account);
  const byKey = groupBy(attemptsOf(ours).values(), ({ duplicateKey }) => String(duplicateKey));
  const takenOver: Row[] = [];
  const waiting: Row[] = [];
  for (const row of left) {
    const same = byKey.get(String(row.duplicateKey)) ?? [];
    const others = same.filter((other) => speaksFor(row, other));
    if (others.some((other) => !isUndecided(other))) takenOver.push(row);
    else if (others.length > 0) waiting.push(row);
  }
  await log.deleteRows(takenOver);
  const settled = new Set([...takenOver, ...waiting]);
  return decided.filter((row) => !settled.has(row));
}
