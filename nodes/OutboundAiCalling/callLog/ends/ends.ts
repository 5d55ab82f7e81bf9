import type { IDataObject } from 'n8n-workflow';
import { DataTableError } from '../../dataTables/dataTableError';
import { holds, type Condition, type Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { outcomeOf } from '../callState';
import { isoTime, textIn } from '../table/cells';
import { entryAfter, putOnList } from '../table/doNotCallTable';
import { keptIn } from '../placing/loggedRequest';
import { attemptIn, mayBeFollowed, nextAttemptOf, nextAttemptRow } from './nextAttempt';
import { outOfReach } from '../reading/outOfReach';
import { contentOf, endColumns, notPlacedColumns } from '../table/rowColumns';
import { attemptKey, attemptsOf, callKey, callStateOf, hasEnded, type OwnStatus } from '../states';

/** An open call that the caller has locked, and what is to be written about its end. */
export interface EndedRow {
  row: Row;
  columns: IDataObject;
}

/** With the attempts that follow they fit into one request, which is written whole or not at all. */
const ENDS_A_REQUEST = 400;
/** What a row says whose list was not written whole, or whose turn never came. */
const NEVER_CAME = 'Nobody was called: the execution ended before it came to this call';
/** What a row says whose execution died while it placed the call. */
const DIED = 'n8n stopped while the call was being placed: it may have been placed';

function keyOfNext(row: Row): string {
  return attemptKey(String(row.callId), (attemptIn(row) ?? 1) + 1);
}

/**
 * Writes how attempts ended, each as a row of its own among the ends, with the attempts that follow in
 * the same request; then deletes the rows that these replace. What a row says beside stays, also in
 * columns that a person has added.
 *
 * Who has asked for it is put on the do-not-call list first.
 *
 * A row `cancelled` that stands where the next attempt would be keeps it away; it is written as an
 * end too.
 *
 * @returns the ends as they were written, in order; their ids are those of the rows replaced
 */
export async function recordEnds(log: CallLog, ended: EndedRow[]): Promise<Row[]> {
  const written: Row[] = [];
  for (let start = 0; start < ended.length; start += ENDS_A_REQUEST) {
    written.push(...(await recordSome(log, ended.slice(start, start + ENDS_A_REQUEST))));
  }
  return written;
}

/**
 * Puts somebody on the do-not-call list whose call ended so, before its end is written: who dies in between
 * leaves the call to be looked at again. A row says when it cannot be done.
 */
async function withListing(log: CallLog, end: Row): Promise<Row> {
  const entry = entryAfter({
    rules: keptIn(end)?.rules,
    phone: textIn(end.customerPhone),
    orderNumber: textIn(end.orderNumber),
    outcome: outcomeOf(end),
  });
  const lastError = entry && (await putOnList(log.tables, entry));
  return lastError === undefined ? end : { ...end, lastError };
}

/** The end of one attempt as it is to be written. */
interface Ending {
  end: Row;
  /** The attempt that follows, or the end of the row that keeps it away. */
  beside: IDataObject[];
  replaced: Row[];
}

async function recordSome(log: CallLog, ended: EndedRow[]): Promise<Row[]> {
  const ends: Row[] = [];
  for (const { row, columns } of ended) {
    ends.push(await withListing(log, { ...row, ...endColumns(columns) }));
  }
  const followed = ends.filter((row) => textIn(row.callId) !== undefined && mayBeFollowed(row));
  const there = attemptsOf(await log.rowsOfCalls(followed));
  const endings = ends.map((row): Ending => {
    const next = there.get(keyOfNext(row))?.counts;
    const isForbidden = next !== undefined && callStateOf(next) === 'cancelled' && !hasEnded(next);
    const following = nextAttemptOf(row);
    const nextAttemptAt = following === undefined || isForbidden ? null : isoTime(following.dueAt);
    const end = { ...row, nextAttemptAt };
    if (isForbidden) {
      const beside = contentOf({ ...next, ...endColumns({ finishedAt: row.finishedAt }) });
      return { end, beside: [beside], replaced: [row, next] };
    }
    const follows = following !== undefined && next === undefined;
    return { end, beside: follows ? [nextAttemptRow(row, following)] : [], replaced: [row] };
  });
  return await write(log, endings);
}

/**
 * What n8n refuses is written in halves, so that one end holds back no other; an end that it refuses alone
 * is written without its free text.
 */
async function write(log: CallLog, endings: Ending[]): Promise<Row[]> {
  const insert = async (some: Ending[]) => {
    await log.insertRows(some.flatMap(({ end, beside }) => [contentOf(end), ...beside]));
  };
  const refused = await insert(endings).then(() => undefined, refusalOf);
  if (refused !== undefined && endings.length > 1) {
    const middle = Math.ceil(endings.length / 2);
    const first = await write(log, endings.slice(0, middle));
    return [...first, ...(await write(log, endings.slice(middle)))];
  }
  const written = endings.map((one) =>
    refused === undefined ? one : { ...one, end: withoutText(one.end, refused) },
  );
  if (refused !== undefined) await insert(written);
  await log.deleteRows(endings.flatMap(({ replaced }) => replaced));
  return written.map(({ end }) => end);
}

/**
 * The failure when it may lie in what the rows say, so that n8n may store others.
 *
 * @throws every other failure
 */
function refusalOf(failure: unknown): DataTableError {
  const isOfText =
    failure instanceof DataTableError && ['failing', 'refused'].includes(failure.kind);
  if (isOfText) return failure;
  throw failure;
}

/** An end without the service's free text, but for labels that any database stores. */
function withoutText(end: Row, { message }: DataTableError): Row {
  const plain = (value: unknown) => /^[ -~]{1,100}$/.exec(textIn(value) ?? '')?.[0] ?? null;
  const said = message.replace(/[^ -~]/g, '?').slice(0, 200);
  const lastError = `n8n did not store the summary of this call, so it was left out. ${said}`;
  const { outcome, outcomeKey } = end;
  const labels = { outcome: plain(outcome), outcomeKey: plain(outcomeKey) };
  return { ...end, ...labels, summary: null, lastError };
}

/**
 * Writes the ends of attempts that were decided in their rows: refused, cancelled, in doubt. Rows that
 * others supersede go; those that only keep a next attempt away stay.
 */
export async function writeDecided(log: CallLog, decided: Row[]): Promise<void> {
  if (decided.length === 0) return;
  const attempts = attemptsOf([...decided, ...(await log.rowsOfCalls(decided))]);
  const finishedAt = isoTime(Date.now());
  const ends: Row[] = [];
  const replaced: Row[] = [];
  for (const row of decided) {
    const attempt = attemptIn(row) ?? 1;
    const before = attempts.get(attemptKey(String(row.callId), attempt - 1))?.counts;
    if (before !== undefined && !hasEnded(before)) continue;
    replaced.push(row);
    if (attempts.get(callKey(row))?.counts.id === row.id) ends.push(row);
  }
  await log.insertRows(ends.map((row) => contentOf({ ...row, ...endColumns({ finishedAt }) })));
  await log.deleteRows(replaced);
}

/**
 * Ends what others have left: rows whose execution died while it placed their calls may have been
 * placed; calls of a list that it left behind are not placed; and what was decided and not written as an
 * end is written.
 */
export async function endAbandoned(log: CallLog, now: number): Promise<void> {
  const { tables, tableId } = log;
  await log.mendLocks(now);
  const endDead = async (conditions: Condition[], columns: IDataObject) => {
    const isDead = [holds('finishedAt', 'eq', null), holds('lockedUntil', 'lte', now)];
    await tables.update(tableId, log.where(...isDead, ...conditions), columns);
  };
  const says = (own: OwnStatus) => holds('status', 'eq', own);
  const status = 'maybe_placed' satisfies OwnStatus;
  await endDead([says('placing')], { status, lastError: DIED, batch: '' });
  await endDead([says('scheduled'), holds('batch', 'neq', '')], notPlacedColumns(NEVER_CAME));
  const goesOn: OwnStatus[] = ['scheduled', 'placing', 'in_progress'];
  const decided = [
    holds('finishedAt', 'eq', null),
    ...goesOn.map((one) => holds('status', 'neq', one)),
  ];
  const isOver = ({ batch, lockedUntil }: Row) => batch === '' || Number(lockedUntil) <= now;
  // Rows that are out of reach stay, so they must not stand before others. Rows of lists stay until
  // their lock has run out: a retry may come to their calls.
  await log.eachPageById(decided, async (rows) => {
    const ours = rows.filter((row) => outOfReach(row, log.account) === undefined);
    await writeDecided(log, ours.filter(isOver));
  });
}
