import { mayName, spelledLike } from '../contacts/numbersIn';
import type { DefaultCountry } from '../contacts/phoneNumber';
import { holds, type Condition, type Row } from '../dataTables/dataTables';
import { notEnded, type CallLog } from './callLog';
import { cancelledAttemptRow, cancelledColumns, WAS_CANCELLED } from './cancelledRow';
import { textIn } from './cells';
import { drawnId } from './drawnId';
import { writeDecided } from './ends';
import { attemptIn, mayBeFollowed } from './nextAttempt';
import { attemptKey, callKey, type OwnStatus } from './states';

/** Which calls are cancelled: the phone in E.164, and the country of national numbers in the log. */
export type CancelBy =
  { orderNumber: string } | { callId: string } | { phone: string; country?: DefaultCountry };

/** Calls whose phone is read: others are not touched. */
const OPEN = ['scheduled', 'placing', 'in_progress'] satisfies OwnStatus[];

const NO_FURTHER = 'Cancelled while the attempt before went on: nobody is called again';

/** One condition for each text that means what is cancelled. */
async function conditionsOf(log: CallLog, by: CancelBy): Promise<Condition[]> {
  if ('orderNumber' in by) return [holds('orderNumber', 'eq', by.orderNumber.trim())];
  if ('callId' in by) return [holds('callId', 'eq', by.callId.trim())];
  const { phone, country } = by;
  const spellings = new Set([phone]);
  const addSpellings = (rows: Row[]) => {
    for (const row of rows) {
      const written = String(row.customerPhone);
      if (!spellings.has(written) && mayName(written, phone, country)) spellings.add(written);
    }
  };
  for (const status of OPEN) {
    for (const spelling of spelledLike(phone)) {
      const isSpelledLike = holds('customerPhone', 'like', spelling);
      await log.eachPageById([holds('status', 'eq', status), isSpelledLike], addSpellings);
    }
  }
  return [...spellings].map((spelling) => holds('customerPhone', 'eq', spelling));
}

/**
 * Cancels the scheduled calls of an order, a call or a person. A call that goes on is not touched, but
 * no further attempt at it is made; one that is being placed is not placed later when it comes back.
 *
 * @returns how many calls have been kept from being placed, or placed again
 * @throws DataTableError
 */
export async function cancelScheduled(log: CallLog, by: CancelBy): Promise<number> {
  const callIds = new Set<string>();
  for (const about of await conditionsOf(log, by)) {
    for (const callId of await cancelAbout(log, about)) callIds.add(callId);
  }
  return callIds.size;
}

async function cancelAbout(log: CallLog, about: Condition): Promise<string[]> {
  // Before and after: a call may begin, or end, while this goes on.
  const stopped = await stopFurtherAttempts(log, about);
  await unlockPlacing(log, about);
  const cancelled = await cancelRows(log, about);
  const stoppedSince = await stopFurtherAttempts(log, about);
  await writeEnds(log, about).catch(() => {});
  return [...stopped, ...cancelled, ...stoppedSince];
}

/** Whoever comes next writes them when this cannot: nobody is called by then. */
async function writeEnds(log: CallLog, about: Condition): Promise<void> {
  const cancelled = holds('status', 'eq', 'cancelled' satisfies OwnStatus);
  await writeDecided(log, await log.allRows(about, cancelled, holds('finishedAt', 'eq', null)));
}

function idOf(row: Row): string {
  return textIn(row.callId) ?? callKey(row);
}

/** A call that is about to be placed is not put back: that holds only for its own lock. */
async function unlockPlacing(log: CallLog, about: Condition): Promise<void> {
  const placing = holds('status', 'eq', 'placing' satisfies OwnStatus);
  await log.tables.update(log.tableId, log.where(about, placing), { lockedBy: drawnId() });
}

/** Also rows that an execution has taken but not begun to place. */
async function cancelRows(log: CallLog, about: Condition): Promise<string[]> {
  const lockedBy = drawnId();
  const scheduled = holds('status', 'eq', 'scheduled' satisfies OwnStatus);
  const columns = { ...cancelledColumns(WAS_CANCELLED), lockedBy };
  const cancelled = await log.tables.updateAndReturn(
    log.tableId,
    log.where(about, scheduled),
    columns,
  );
  // The answer to an earlier try of the same change may have been lost.
  const rows =
    cancelled.length > 0 ? cancelled : await log.allRows(about, holds('lockedBy', 'eq', lockedBy));
  return rows.map(idOf);
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
