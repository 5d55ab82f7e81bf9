import type { IDataObject } from 'n8n-workflow';
import { MINUTE_MS } from '../../clocks';
import { DataTableError } from '../../dataTables/dataTableError';
import {
  equals,
  holds,
  type Condition,
  type DataTables,
  type Row,
} from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { outcomeOf } from '../rowFacts';
import { isToResume, mendLocks, respell } from '../mending';
import { isoTime, isoTimeIn, numberIn, textIn } from '../table/cells';
import { putOnListAfter } from '../table/doNotCallTable';
import { dialledIn, storedIn } from '../placing/loggedRequest';
import { unwrittenRows, writeUnwritten } from '../placing/placements';
import { cancelNext, mayBeFollowed, nextAttemptOf, nextAttemptRow } from './nextAttempt';
import { outOfReach } from '../reading/outOfReach';
import { inRequests } from '../table/accountRows';
import { contentOf, endColumns, uncalledColumns } from '../table/rowColumns';
import { NEVER_CAME, withdrawTakenOver } from './neverCame';
import { settleSuperseded } from './superseded';
import {
  attemptAfter,
  attemptBefore,
  attemptsOf,
  callKey,
  counts,
  endedUnplaced,
  goesOn,
  GOING_ON,
  hasEnded,
  hasOrderId,
  isDecided,
  ownStatusIn,
  says,
  saysCancelled,
  showsNoCall,
  UNENDED,
  wasMade,
  type Attempts,
  type OwnStatus,
} from '../states';

const DIED = 'Nobody wrote what became of this call: it may have been placed';
/** When n8n has failed at an end for this long and this often, the text of the end may be the cause. */
const FAILING_FOR_MS = 10 * MINUTE_MS;
const FAILING_TIMES = 5;

/** Since when and how often n8n has failed at an end, by log and attempt. */
const failing = new Map<string, { since: number; times: number }>();

interface EndedRow {
  row: Row;
  columns: IDataObject;
}

/**
 * Writes the ends of attempts. Each end is a new row, and the same request writes the attempts that
 * follow. Then the rows that these replace are deleted. Other cells stay, also those of columns that a
 * person has added.
 *
 * First it puts people on the do-not-call list who asked for that.
 *
 * A `cancelled` row in the place of the next attempt prevents that attempt. It is written as an end too.
 *
 * @param ended open calls that the caller has locked, and the columns of their ends
 * @param held all rows that the caller has locked together with these, if there are more
 * @returns the written ends in order, with the ids of the rows that they replace, and why n8n did not store the
 * others, whose calls are to be looked at again
 */
export async function recordEnds(
  log: CallLog,
  ended: EndedRow[],
  held = ended.map(({ row }) => row),
): Promise<Written> {
  const followed = await log.rowsOfCalls(ended.map(({ row }) => row).filter(mayBeFollowed));
  const attempts = attemptsOf(followed);
  const byId = new Map(followed.map((one) => [one.id, one]));
  const current = ended.map(({ row, columns }) => {
    const read = byId.get(row.id);
    if (read === undefined || callKey(read) !== callKey(row)) return { row, columns };
    // What a person has written meanwhile counts for the next attempt. The lock of another process is not ours.
    return { row: { ...read, lockedBy: row.lockedBy ?? null }, columns };
  });
  const replace: Replace = async (rows) => await log.deleteLocked(rows, held);
  return await writeEndings(log, current, attempts, replace);
}

export interface WrittenEnd {
  end: Row;
  /** Why the person, who asked for it, could not be put on the do-not-call list. */
  unlisted?: string | undefined;
}

interface Written {
  written: WrittenEnd[];
  failure?: DataTableError | undefined;
}

/** The end of one attempt, and what is written and deleted with it. */
interface Ending extends WrittenEnd {
  row: Row;
  /** The attempt that follows, or the end of the row that prevents it. */
  beside: IDataObject[];
  /** The row that prevents the attempt that follows. */
  forbidding: Row[];
}

/** An end has our spelling of its status: its readers know no other. */
const inOurWords = (row: Row): Row => ({ ...row, status: ownStatusIn(row) ?? row.status ?? null });

/** The end of one attempt. Only an attempt that was made is followed by another. */
async function endingOf(
  tables: () => Promise<DataTables>,
  row: Row,
  columns: IDataObject,
  attempts: Attempts,
): Promise<Ending> {
  const end = { ...inOurWords(row), ...endColumns(columns) };
  const isMade = wasMade(end);
  const call = {
    rules: storedIn(end)?.rules,
    phone: dialledIn(end),
    orderNumber: textIn(end.orderNumber),
    outcome: outcomeOf(end).label,
  };
  // Before the end is written: if n8n stops in between, the call is looked at again.
  const unlisted = isMade ? await putOnListAfter(call, tables) : undefined;
  if (unlisted !== undefined) end.lastError = unlisted;
  // A person may have cancelled the call while it went on.
  const planned = isMade && !saysCancelled(row) ? nextAttemptOf(end) : null;
  // A person may have scheduled this attempt again, after those that follow were written.
  const next = attemptAfter(row, attempts);
  if (isMade && next !== undefined && saysCancelled(next) && isDecided(next)) {
    const { finishedAt } = end;
    const beside = [contentOf({ ...inOurWords(next), ...endColumns({ finishedAt }) })];
    return { row, end, beside, forbidding: [next], unlisted };
  }
  if (next === undefined) {
    const beside = planned === null ? [] : [nextAttemptRow(end, Date.parse(planned))];
    return { row, end: { ...end, nextAttemptAt: planned }, beside, forbidding: [], unlisted };
  }
  // An attempt that was scheduled again and not placed changes nothing about those that follow.
  const isFollowed =
    goesOn(next) && (planned !== null || (endedUnplaced(end) && !saysCancelled(end)));
  const nextAttemptAt = isFollowed ? (isoTimeIn(next.dueAt) ?? planned) : null;
  return { row, end: { ...end, nextAttemptAt }, beside: [], forbidding: [], unlisted };
}

/** Deletes rows that ends replace. Returns those of which a person has changed the status, as they were when deleted. */
type Replace = (rows: Row[]) => Promise<Row[]>;

/** Writes ends. One whose person cannot be put on the do-not-call list now is left for later, alone. */
async function writeEndings(
  log: CallLog,
  ended: EndedRow[],
  attempts: Attempts,
  replace: Replace,
): Promise<Written> {
  const endings: Ending[] = [];
  let unlistable: DataTableError | undefined;
  // When one list cannot be written, n8n is not asked for each of the others in vain.
  const tables = async () => {
    if (unlistable !== undefined) throw unlistable;
    return log.tables;
  };
  for (const { row, columns } of ended) {
    const ending = await endingOf(tables, row, columns, attempts).catch((error: unknown) => {
      if (!(error instanceof DataTableError)) throw error;
      unlistable = error;
    });
    if (ending !== undefined) endings.push(ending);
  }
  const all: Written = { written: [] };
  for (const some of inRequests(endings, rowsOf)) {
    const { written, failure } = await writeTogether(log, some, replace);
    all.written.push(...written);
    all.failure ??= failure;
  }
  all.failure ??= unlistable;
  return all;
}

/** The rows that one request writes for an end: n8n writes all of them or none. */
function rowsOf({ end, beside }: Ending): IDataObject[] {
  return [contentOf(end), ...beside];
}

/**
 * Writes ends in one request. When n8n refuses it, each half is written alone, so that one end holds back no other.
 * A single end that n8n refuses, or fails at for a long time, is written without its free text.
 */
async function writeTogether(log: CallLog, endings: Ending[], replace: Replace): Promise<Written> {
  const insert = async (some: Ending[]) => {
    await log.tables.insert(log.tableId, some.flatMap(rowsOf));
  };
  const refused = await insert(endings).then(() => undefined, refusalOf);
  if (refused !== undefined && endings.length > 1) {
    const middle = Math.ceil(endings.length / 2);
    const first = await writeTogether(log, endings.slice(0, middle), replace);
    const second = await writeTogether(log, endings.slice(middle), replace);
    const failure = first.failure ?? second.failure;
    return { written: [...first.written, ...second.written], failure };
  }
  if (refused !== undefined && endings.some(({ row }) => mayBeStoredLater(log, row, refused))) {
    return { written: [], failure: refused };
  }
  let written = endings;
  if (refused !== undefined) {
    written = endings.map((one) => ({ ...one, end: withoutSummary(one.end, refused) }));
    const again = await insert(written).then(() => undefined, refusalOf);
    if (again !== undefined) {
      written = written.map((one) => ({ ...one, end: inPlainLabels(one.end) }));
      await insert(written);
    }
  }
  for (const { row } of endings) failing.delete(log.nameOf(row));
  const edited = await replace(endings.map(({ row }) => row));
  // A person has cancelled these calls while their ends were written.
  await cancelNext(log, edited.filter(saysCancelled));
  await log.deleteRows(endings.flatMap(({ forbidding }) => forbidding));
  return { written };
}

/** Returns a failure that may lie in what the rows say, so that n8n may store others; throws any other. */
function refusalOf(failure: unknown): DataTableError {
  const isOfText =
    failure instanceof DataTableError && ['failing', 'refused', 'tooLarge'].includes(failure.kind);
  if (isOfText) return failure;
  throw failure;
}

/** Whether n8n may store the end of this row later as it is: it has not failed at it for long. */
function mayBeStoredLater(log: CallLog, row: Row, { kind }: DataTableError): boolean {
  if (kind !== 'failing') return false;
  const key = log.nameOf(row);
  const { since, times } = failing.get(key) ?? { since: Date.now(), times: 0 };
  failing.set(key, { since, times: times + 1 });
  return times + 1 < FAILING_TIMES || Date.now() < since + FAILING_FOR_MS;
}

function withoutSummary(end: Row, { message }: DataTableError): Row {
  const said = message.replace(/[^ -~]/g, '?').slice(0, 200);
  const left = `n8n did not store the summary of this call, so it was left out. ${said}`;
  const lastError = [textIn(end.lastError) ?? [], left].flat().join('. ');
  return { ...end, summary: null, lastError };
}

/** An end whose labels stay only in plain ASCII, which any database stores. */
function inPlainLabels(end: Row): Row {
  const plain = (value: unknown) => /^[ -~]{1,100}$/.exec(textIn(value) ?? '')?.[0] ?? null;
  const key = plain(end.outcomeKey);
  // Only the label says what the outcome was.
  return { ...end, outcome: plain(end.outcome) ?? key, outcomeKey: key };
}

/**
 * Writes the ends of attempts whose rows say how they ended, because they were refused, cancelled or in
 * doubt, or because a person wrote it. A row that prevents a next attempt stays. If this fails,
 * {@link endAbandoned} writes these ends later.
 */
export async function writeDecided(log: CallLog, decided: Row[]): Promise<void> {
  if (decided.length === 0) return;
  const attempts = attemptsOf([...decided, ...(await log.rowsOfCalls(decided))]);
  const finishedAt = isoTime(Date.now());
  const ended: EndedRow[] = [];
  const superseded: Row[] = [];
  for (const row of decided) {
    if (hasEndedBefore(row)) {
      const itself = equals({ id: row.id, status: row.status });
      await log.update([...itself, UNENDED], { finishedAt, runAt: null });
      continue;
    }
    const before = attemptBefore(row, attempts);
    if (before !== undefined && !hasEnded(before)) continue;
    if (counts(row, attempts)) ended.push({ row, columns: { finishedAt } });
    else superseded.push(row);
  }
  const replace: Replace = async (rows) => (await log.deleteRows(rows)).edited;
  const { failure } = await writeEndings(log, ended, attempts, replace);
  await settleSuperseded(log, superseded, attempts);
  if (failure !== undefined) throw failure;
}

/**
 * Ends the calls of executions that stopped. A call that was being placed may have been placed. The other
 * calls of such an execution are not placed, and are told of unless another call of the order is. Rows that are
 * decided, but not written as ends, become ends. What this process knows of its calls is written first.
 */
export async function endAbandoned(log: CallLog, now: number): Promise<void> {
  await writeUnwritten(log);
  await mendLocks(log, now);
  const endDead = async (conditions: Condition[], columns: IDataObject) => {
    const isDead = [UNENDED, holds('lockedUntil', 'lte', now)];
    await log.update([...isDead, ...conditions], columns);
  };
  const status = 'maybe_placed' satisfies OwnStatus;
  const unwritten = unwrittenRows(log).map(({ id }) => holds('id', 'neq', id));
  await endDead([says('placing'), ...unwritten], { status, lastError: DIED });
  // A person may have emptied the cell since: then the row is of no list, and waits.
  const isOfList = [holds('batch', 'neq', ''), holds('batch', 'neq', null)];
  await endDead([says('scheduled'), ...isOfList], uncalledColumns('not_placed', NEVER_CAME));
  const decided = [UNENDED, ...GOING_ON.map((one) => says(one, 'neq'))];
  const isOver = ({ batch, lockedUntil }: Row) => batch === '' || Number(lockedUntil) <= now;
  // Read page by page: rows that are out of reach stay, and must not hide others. Rows of lists stay
  // until their lock has run out, because a retry may come to their calls.
  await log.eachPageById(decided, async (rows) => {
    const inReach = rows.filter((row) => outOfReach(row, log.account) === undefined);
    const isDecidedNow = ({ status }: Row) => !GOING_ON.some((own) => own === status);
    const ours = (await respell(log, inReach)).filter(isDecidedNow);
    const over = ours.filter((row) => isOver(row) && !isToResume(row));
    await writeDecided(log, await withdrawTakenOver(log, over));
  });
}

/** Whether {@link endAbandoned} has ended the call of a row. Its execution may have stood still only. */
export function isAbandoned({ lastError }: Row): boolean {
  return lastError === DIED || lastError === NEVER_CAME;
}

/**
 * Whether a row tells of a call that has ended before: a person has emptied its `finishedAt`, perhaps to schedule it
 * again, and it is not to be placed. Its end was written and has fired: it gets `finishedAt` again, and nothing else.
 */
function hasEndedBefore(row: Row): boolean {
  if (wasMade(row)) return numberIn(row.runAt) === null;
  return hasOrderId(row) && showsNoCall(row);
}
