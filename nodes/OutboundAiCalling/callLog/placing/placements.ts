import type { IDataObject } from 'n8n-workflow';
import type { Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { preventNext } from '../ends/preventNext';
import { Lock } from '../lock';
import { callKey, saysCancelled } from '../states';
import { contentOf, NOT_CALLED_YET, spread } from '../table/rowColumns';
import { writeWithRetry } from '../table/writeWithRetry';
import type { RowToPlace } from './rowToPlace';

/** How long a placed call that is written into its old row waits for those who count calls. */
const COUNTED_WITHIN_MS = 30_000;

/** What this process could not write of its calls, by log and account. */
const unwritten = new Map<string, PlacementToWrite[]>();

/** A call whose row says `placing`, and the columns of its result. */
export interface PlacementToWrite {
  call: RowToPlace;
  result: IDataObject;
}

/** Writes the results of calls as new rows, and deletes the rows that say `placing`. */
export async function writePlacements(
  log: CallLog,
  some: PlacementToWrite[],
  held: Row[],
): Promise<void> {
  const rows = some.map(({ call, result }) => ({ ...call.row, ...NOT_CALLED_YET, ...result }));
  const replaced = some.flatMap(({ call }) => (call.row.id === 0 ? [] : [call.row]));
  await writeWithRetry(async () => await log.insertRows(spread(rows.map(contentOf)))).then(
    // A replaced row that stays does no harm: a later look deletes it.
    async () => {
      const edited = await log.deleteLocked(replaced, held).catch(() => []);
      const cancelled = new Set(edited.filter(saysCancelled).map(callKey));
      const isCancelled = (row: Row) => cancelled.has(callKey(row));
      await preventNext(log, rows.filter(isCancelled)).catch(() => []);
    },
    async (failure: unknown) => {
      // n8n may accept no new rows, and the ids of calls must not be lost.
      if (await rewrite(log, some)) return;
      unwritten.set(log.key, [...(unwritten.get(log.key) ?? []), ...some]);
      throw failure;
    },
  );
}

/** Writes the results that this process could not write before, e.g. because n8n's tables were full. */
export async function writeUnwritten(log: CallLog): Promise<void> {
  const some = unwritten.get(log.key);
  unwritten.delete(log.key);
  if (some !== undefined) await writePlacements(log, some, []).catch(() => {});
}

/** Writes the results into the old rows, so that whoever counts calls reads these again. Returns whether it could. */
async function rewrite(log: CallLog, some: PlacementToWrite[]): Promise<boolean> {
  if (some.some(({ call }) => call.row.id === 0)) return false;
  const locker = { name: 'daily caps', workflow: '' } as const;
  const lock = await Lock.whenFree(log, locker, COUNTED_WITHIN_MS).catch(() => undefined);
  try {
    for (const { call, result } of some) {
      await log.noteRow(call.row, { ...NOT_CALLED_YET, ...result, finishedAt: null });
    }
    return true;
  } catch {
    return false;
  } finally {
    if (lock instanceof Lock) await lock.release({ rewrittenAt: Date.now() }).catch(() => {});
  }
}
