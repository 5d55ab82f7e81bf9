import { holds, type Row } from '../../dataTables/dataTables';
import { DAY_MS, MINUTE_MS } from '../../clocks';
import { pause } from '../../http/pause';
import type { CallLog } from '../callLog';
import { preventNext } from '../ends/nextAttempt';
import { Lock } from '../lock';
import { callKey, says, saysCancelled } from '../states';
import { contentOf, NOT_CALLED_YET, spread } from '../table/rowColumns';
import { writeWithRetry } from '../table/writeWithRetry';
import type { RowToPlace } from './rowToPlace';

/** How long a placed call that is written into its old row waits for those who count calls. */
const COUNTED_WITHIN_MS = 30_000;

/** How often, and how many times, this process tries again to write what it could not: for a day. */
const AGAIN_AFTER_MS = MINUTE_MS;
const TIMES = DAY_MS / AGAIN_AFTER_MS;

/** What this process could not write of its calls in one log. */
interface Unwritten {
  some: RowToPlace[];
  /** As it was opened last: the n8n API key of the execution that placed them may have been replaced. */
  log: CallLog;
  timesLeft: number;
  writing?: Promise<void> | undefined;
}

/** By log and account. */
const unwritten = new Map<string, Unwritten>();

/** Writes the results of calls as new rows, and deletes the rows that say `placing`. */
export async function writePlacements(
  log: CallLog,
  some: RowToPlace[],
  held: Row[],
): Promise<void> {
  await writeWithRetry(async () => await insert(log, some)).then(
    async () => await settleReplaced(log, some, async (rows) => await log.deleteLocked(rows, held)),
    async (failure: unknown) => {
      // n8n may accept no new rows, and the ids of calls must not be lost.
      if (await rewrite(log, some)) return;
      keep(log, some);
      throw failure;
    },
  );
}

function keep(log: CallLog, some: RowToPlace[]): void {
  const before = unwritten.get(log.key);
  const left: Unwritten = before ?? { some: [], log, timesLeft: TIMES };
  left.some.push(...some);
  Object.assign(left, { log, timesLeft: TIMES });
  unwritten.set(log.key, left);
  if (before === undefined) void keepTrying(left);
}

/** Goes on after the execution: its process may not work with this log again. */
async function keepTrying(left: Unwritten): Promise<void> {
  const { key } = left.log;
  for (; unwritten.get(key) === left && left.timesLeft > 0; left.timesLeft--) {
    await pause(AGAIN_AFTER_MS);
    await writeUnwritten(left.log);
  }
  if (unwritten.get(key) === left) unwritten.delete(key);
}

/** The rows of calls of which this process knows more than it could write: nobody else is to end them. */
export function unwrittenRows({ key }: CallLog): Row[] {
  return (unwritten.get(key)?.some ?? []).map(({ row }) => row);
}

/** Writes what this process could not write before, e.g. because n8n's tables were full. Tries once. */
export async function writeUnwritten(log: CallLog): Promise<void> {
  const left = unwritten.get(log.key);
  if (left === undefined) return;
  left.log = log;
  left.writing ??= writeNow(left).finally(() => (left.writing = undefined));
  await left.writing;
}

async function writeNow({ log, some }: Unwritten): Promise<void> {
  const now = [...some];
  try {
    await insert(log, now);
  } catch {
    return;
  }
  // Others may have been added meanwhile.
  some.splice(0, now.length);
  if (some.length === 0) unwritten.delete(log.key);
  // Other calls, which are still being placed, may have the same lock.
  await settleReplaced(log, now, async (rows) => (await log.deleteRows(rows)).edited);
}

function rowsOf(some: RowToPlace[]): Row[] {
  return some.map(({ row, result }) => ({ ...row, ...NOT_CALLED_YET, ...result }));
}

async function insert(log: CallLog, some: RowToPlace[]): Promise<void> {
  await log.insertRows(spread(rowsOf(some).map(contentOf)));
}

/** Deletes replaced rows; later looks delete what stays. No attempt follows one that a person has cancelled meanwhile. */
async function settleReplaced(
  log: CallLog,
  some: RowToPlace[],
  remove: (rows: Row[]) => Promise<Row[]>,
): Promise<void> {
  const replaced = some.flatMap(({ row }) => (row.id === 0 ? [] : [row]));
  const edited = await remove(replaced).catch(() => []);
  const cancelled = new Set(edited.filter(saysCancelled).map(callKey));
  const going = rowsOf(some).filter((row) => cancelled.has(callKey(row)));
  await preventNext(log, going)
    .then(async () => await log.deleteRows(edited))
    .catch(() => {});
}

/** Writes the results into the old rows, so that the counting of calls reads these again. Returns whether it could. */
async function rewrite(log: CallLog, some: RowToPlace[]): Promise<boolean> {
  if (some.some(({ row }) => row.id === 0)) return false;
  const locker = { name: 'daily caps', workflow: '' } as const;
  const lock = await Lock.whenFree(log, locker, COUNTED_WITHIN_MS).catch(() => undefined);
  try {
    for (const { row, result } of some) {
      const itself = [holds('id', 'eq', row.id), says('placing')];
      const columns = { ...NOT_CALLED_YET, ...result, finishedAt: null };
      const rows = await log.updateAndReturn(itself, columns);
      if (rows.length === 0) return false;
    }
    return true;
  } catch {
    return false;
  } finally {
    if (lock instanceof Lock) await lock.release({ rewrittenAt: Date.now() }).catch(() => {});
  }
}
