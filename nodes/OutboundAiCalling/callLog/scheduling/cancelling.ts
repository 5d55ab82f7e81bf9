import { mayName, spelledLike } from '../../contacts/numbersIn';
import type { DefaultCountry } from '../../contacts/phoneNumber';
import { holds, type Condition, type Row } from '../../dataTables/dataTables';
import { notEnded, type CallLog } from '../callLog';
import { cancelledAttemptRow, cancelledColumns, WAS_CANCELLED } from './cancelledRow';
import { textIn } from '../table/cells';
import { drawnId } from '../table/drawnId';
import { writeDecided } from '../ends/ends';
import { attemptIn, mayBeFollowed } from '../ends/nextAttempt';
import { findOutOfReach, type Meant } from '../reading/outOfReach';
import { attemptKey, attemptsOf, callKey, callStateOf, type OwnStatus } from '../states';

/** Which calls are cancelled: the phone in E.164, and the country of national numbers in the log. */
export type CancelBy =
  { orderNumber: string } | { callId: string } | { phone: string; country?: DefaultCountry };

/** How many calls were cancelled, and what became of the others. */
export interface Cancellation {
  /** Calls that are not placed, or not placed again. */
  cancelled: number;
  /** Of these, calls that go on, or are just being placed. */
  goOn: number;
  /** Calls that could not be stopped: they go on. */
  inProgress: number;
  /** Calls that could not be stopped: they are just being placed. */
  placing: number;
  /** Calls that had ended before. */
  ended: number;
  /** What a person is told of rows that no execution of this account works with. */
  outOfReach: string[];
}

/** Rows whose texts are read, to find other spellings. */
const OPEN = ['scheduled', 'placing', 'in_progress'] satisfies OwnStatus[];

const NO_FURTHER = 'Cancelled while the attempt before went on: nobody is called again';

/** How cells of a column are found that may mean what is cancelled. */
interface Spellings {
  column: 'orderNumber' | 'customerPhone';
  given: string;
  /** Conditions of which one holds for every such cell. */
  alike: Condition[];
  means(written: string): boolean;
}

function spellingsOf(by: Exclude<CancelBy, { callId: string }>): Spellings {
  if ('orderNumber' in by) {
    const given = by.orderNumber.trim();
    const alike = [holds('orderNumber', 'ilike', given)];
    const bare = (text: string) => text.trim().toLowerCase();
    return { column: 'orderNumber', given, alike, means: (text) => bare(text) === bare(given) };
  }
  const { phone, country } = by;
  return {
    column: 'customerPhone',
    given: phone,
    alike: spelledLike(phone).map((one) => holds('customerPhone', 'like', one)),
    means: (text) => mayName(text, phone, country),
  };
}

function meantBy(by: CancelBy): Meant {
  if ('callId' in by) {
    return { about: [holds('callId', 'eq', by.callId.trim())], isMeant: () => true };
  }
  const { column, alike, means } = spellingsOf(by);
  return { about: alike.slice(0, 1), isMeant: (row) => means(String(row[column])) };
}

/** One condition for each text that means what is cancelled. */
async function conditionsOf(log: CallLog, by: CancelBy): Promise<Condition[]> {
  if ('callId' in by) return [holds('callId', 'eq', by.callId.trim())];
  const { column, given, alike, means } = spellingsOf(by);
  const spellings = new Set([given]);
  for (const status of OPEN) {
    for (const isAlike of alike) {
      await log.eachPageById([holds('status', 'eq', status), isAlike], (rows) => {
        for (const row of rows) {
          const written = String(row[column]);
          if (!spellings.has(written) && means(written)) spellings.add(written);
        }
      });
    }
  }
  return [...spellings].map((spelling) => holds(column, 'eq', spelling));
}

/**
 * Cancels the scheduled calls of an order, a call or a person, also of a list that is being written. A
 * call that goes on is not touched, but no further attempt at it is made; one that is being placed is not
 * placed later when it comes back.
 *
 * @throws DataTableError
 */
export async function cancelScheduled(log: CallLog, by: CancelBy): Promise<Cancellation> {
  const cancelled = new Set<string>();
  const stopped = new Set<string>();
  const about: Row[] = [];
  for (const condition of await conditionsOf(log, by)) {
    // Before and after: a call may begin, or end, while this goes on.
    for (const id of await stopFurtherAttempts(log, condition)) stopped.add(id);
    await unlockPlacing(log, condition);
    const stoppedRows = await cancelRows(log, condition);
    for (const id of await stopFurtherAttempts(log, condition)) stopped.add(id);
    const read = await log.allRows(condition);
    const begun = new Set(read.filter(hasBegun).map(callKey));
    // The same row, inserted late once more, stops no call that has begun.
    const copies = stoppedRows.filter((row) => begun.has(callKey(row)));
    await log.deleteRows(copies);
    for (const row of stoppedRows) if (!copies.includes(row)) cancelled.add(idOf(row));
    const rows = read.filter(({ id }) => !copies.some((copy) => copy.id === id));
    const isUnwritten = ({ status, finishedAt }: Row) => status === 'cancelled' && !finishedAt;
    // Whoever comes next writes these ends when this cannot: nobody is called by then.
    await writeDecided(log, rows.filter(isUnwritten)).catch(() => {});
    about.push(...rows);
  }
  const goOn = [...stopped].filter((id) => !cancelled.has(id));
  const all = new Set([...cancelled, ...stopped]);
  const others = { inProgress: 0, placing: 0, ended: 0 };
  for (const state of statesOfCalls(about.filter((row) => !all.has(idOf(row))))) others[state]++;
  const outOfReach = await findOutOfReach(log, { meant: meantBy(by) });
  return { cancelled: all.size, goOn: goOn.length, ...others, outOfReach };
}

/** How far each of the calls is of which rows tell. */
function statesOfCalls(rows: Row[]): Array<'inProgress' | 'placing' | 'ended'> {
  const states = new Map<string, 'inProgress' | 'placing' | 'ended'>();
  for (const { counts } of attemptsOf(rows).values()) {
    const state = callStateOf(counts);
    if (state === 'open') states.set(idOf(counts), 'inProgress');
    else if (state === 'placing') states.set(idOf(counts), 'placing');
    else if (!states.has(idOf(counts))) states.set(idOf(counts), 'ended');
  }
  return [...states.values()];
}

function hasBegun(row: Row): boolean {
  const state = callStateOf(row);
  return state === 'placing' || state === 'open';
}

function idOf(row: Row): string {
  return textIn(row.callId) ?? callKey(row);
}

/** A call that is about to be placed is not put back: that holds only for its own lock. */
async function unlockPlacing(log: CallLog, about: Condition): Promise<void> {
  const placing = holds('status', 'eq', 'placing' satisfies OwnStatus);
  await log.tables.update(log.tableId, log.where(about, placing), { lockedBy: drawnId() });
}

/** Also rows of a list that is not due yet, and of an execution that has not come to them. */
async function cancelRows(log: CallLog, about: Condition): Promise<Row[]> {
  const lockedBy = drawnId();
  const scheduled = holds('status', 'eq', 'scheduled' satisfies OwnStatus);
  const columns = { ...cancelledColumns(WAS_CANCELLED), lockedBy };
  const cancelled = await log.tables.updateAndReturn(
    log.tableId,
    log.where(about, scheduled),
    columns,
  );
  // The answer to an earlier try of the same change may have been lost.
  if (cancelled.length > 0) return cancelled;
  return await log.allRows(about, holds('lockedBy', 'eq', lockedBy));
}

async function stopFurtherAttempts(log: CallLog, about: Condition): Promise<string[]> {
  const open: Row[] = [];
  for (const status of ['placing', 'in_progress'] satisfies OwnStatus[]) {
    open.push(...(await log.allRows(about, ...notEnded(status))));
  }
  const followed = new Map<string, Row>();
  for (const row of open) {
    if (textIn(row.callId) !== undefined && mayBeFollowed(row)) followed.set(callKey(row), row);
  }
  if (followed.size === 0) return [];
  const there = new Set((await log.rowsOfCalls([...followed.values()])).map(callKey));
  const stopped = [...followed.values()].filter(
    (row) => !there.has(attemptKey(String(row.callId), (attemptIn(row) ?? 1) + 1)),
  );
  const now = Date.now();
  await log.insertRows(stopped.map((row) => cancelledAttemptRow(row, NO_FURTHER, now)));
  return stopped.map(idOf);
}
