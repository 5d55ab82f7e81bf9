import type { IDataObject } from 'n8n-workflow';
import { DAY_MS, HOUR_MS } from '../../clocks';
import { equals, LARGEST_PAGE, where, type Condition, type Row } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { lastPlacing } from '../lock';
import { COUNTS_FOR_MS } from '../rowFacts';
import { findBeside, openBeside, type BesideKind } from '../table/besideTable';
import { isOfTestCall } from '../placing/loggedRequest';
import { numberIn, writtenAt } from '../table/cells';
import { IdRanges } from './idRanges';
import { outOfReach } from '../reading/outOfReach';
import { hasEnded, isDecided } from '../states';

const CURSOR = 'cursor' satisfies BesideKind;

/** How long a log without triggers waits for the outcome of a call. */
const USUAL_PATIENCE_MS = 24 * HOUR_MS;
/** Within this time from its first call, an account may still be one whose key is being exchanged, node by node. */
const EXCHANGED_WITHIN_MS = DAY_MS;

export interface Reader {
  /** The workflow's name, for people. */
  workflow: string;
  /** Names the trigger; it stays the same through all polls and publications. */
  trigger: string;
  giveUpAfterMs: number;
  /** Whether the trigger had a cursor in this log before. */
  wasHere?: boolean;
  /** Set when its table was renamed: when it last polled, in milliseconds since 1970. */
  cameFromAnotherAt?: number;
  warn?: (message: string) => void;
}

/** Which ends of a log one trigger has handed over. */
export interface Cursor {
  /** Ids of ends that the trigger has handed over, and of rows that are older than the trigger. */
  done: IdRanges;
  /**
   * When n8n wrote the newest end that the trigger has seen, in milliseconds since 1970 on n8n's clock.
   * SQLite reuses the id of a deleted newest row. So an end that n8n wrote later is new, whatever its id.
   */
  seenUntil: number;
}

/** Reads a cursor: all ids up to `position` are done, and the ranges in `handedOver` above it. */
function readCursor(row: Row): Cursor {
  const done = IdRanges.fromText(row.handedOver);
  done.add(0, numberIn(row.position) ?? 0);
  return { done, seenUntil: numberIn(row.seenUntil) ?? 0 };
}

function ofTrigger({ trigger }: Reader): Condition[] {
  return equals({ kind: CURSOR, trigger });
}

async function rowsOf(log: CallLog, tableId: string): Promise<Row[]> {
  const latest = { sortBy: 'polledAt:desc', limit: LARGEST_PAGE };
  return await log.tables.rows(tableId, log.where(...equals({ kind: CURSOR })), latest);
}

/** The cursors of a log's triggers. Makes no table. */
async function cursorsOf(log: CallLog): Promise<Row[]> {
  const table = await findBeside(log);
  return table === undefined ? [] : await rowsOf(log, table.id);
}

function isPolling(polledAt: unknown, now: number): boolean {
  return Number(polledAt) > now - COUNTS_FOR_MS;
}

/** How long the triggers of these cursors wait for a call, in milliseconds. */
function patienceOf(cursors: Row[]): number[] {
  return cursors
    .filter(({ polledAt }) => isPolling(polledAt, Date.now()))
    .map(({ giveUpAfterHours }) => Number(giveUpAfterHours) * HOUR_MS)
    .filter(Number.isFinite);
}

/** Many place scheduled calls on working days alone. */
const STOPPED_AFTER_MS = 4 * DAY_MS;

/** Whether anybody learns how the calls of a log end: a trigger that polls, or Place Scheduled Calls. */
export async function isRead(log: CallLog): Promise<boolean> {
  if (patienceOf(await cursorsOf(log)).length > 0) return true;
  const placing = (await lastPlacing(log)).get(log.account);
  return placing !== undefined && placing.at > Date.now() - STOPPED_AFTER_MS;
}

/** How long to wait for the outcome of a call in a log: as long as the trigger that waits longest. */
export async function giveUpAfterMsOf(log: CallLog): Promise<number> {
  const patience = patienceOf(await cursorsOf(log));
  return patience.length === 0 ? USUAL_PATIENCE_MS : Math.max(...patience);
}

/** The ends of a log that some trigger still has to hand over. */
export interface EndsToHandOver {
  /** The name of a workflow that waits for the end of a row's attempt; undefined when none does. */
  waitedForBy(row: Row): string | undefined;
  /** No trigger waits for an end with this id or a lower one. */
  doneUpTo: number;
}

/** Finds the ends that some trigger still has to hand over; 40 days long, one that no longer polls. */
export async function endsToHandOver(log: CallLog, now: number): Promise<EndsToHandOver> {
  const polling = (await cursorsOf(log)).filter(({ polledAt }) => isPolling(polledAt, now));
  const waiting = polling.map((row) => ({
    ...readCursor(row),
    workflow: String(row.workflow ?? ''),
  }));
  return {
    waitedForBy: (row) => {
      // Nobody is told how a test call ends.
      if (isOfTestCall(row)) return undefined;
      // The end will be a new row, which no cursor has passed.
      if (isDecided(row) && outOfReach(row, log.account) === undefined) {
        return waiting[0]?.workflow;
      }
      if (!hasEnded(row)) return undefined;
      return waiting.find(({ done, seenUntil }) => !done.has(row.id) || writtenAt(row) > seenUntil)
        ?.workflow;
    },
    doneUpTo: Math.min(...waiting.map(({ done }) => done.position)),
  };
}

/**
 * The table next to a call log in which each trigger stores its cursor. An unpublished, slow or new
 * trigger changes nothing for the others, and a restart hands over nothing again.
 */
export class Cursors {
  private constructor(
    private readonly tableId: string,
    private readonly log: CallLog,
    private readonly reader: Reader,
    private readonly rows: Row[],
    /** When the cursors were asked for, in milliseconds since 1970: what was saved before is in them. */
    readonly readAt: number,
  ) {}

  static async open(log: CallLog, reader: Reader): Promise<Cursors> {
    const table = await openBeside(log);
    const readAt = Date.now();
    const rows = await rowsOf(log, table.id);
    const isOwn = ({ trigger }: Row) => trigger === reader.trigger;
    if (rows.length === LARGEST_PAGE && !rows.some(isOwn)) {
      const own = log.where(...ofTrigger(reader));
      rows.push(...(await log.tables.rows(table.id, own, { sortBy: 'id:asc', limit: 1 })));
    }
    return new Cursors(table.id, log, reader, rows, readAt);
  }

  /**
   * Reads this trigger's cursor, or inserts one. A new trigger begins with the ends that are written from
   * now on. After an exchange of the API key, a trigger goes on where it stood.
   *
   * @param remembered the cursor that this process remembers, for when a person has deleted the row
   */
  async own(remembered?: Cursor): Promise<Cursor> {
    if (this.ownRow !== undefined) return readCursor(this.ownRow);
    if (remembered !== undefined) this.tellDeleted('it goes on where it was');
    const cursor = remembered ?? (await this.newCursor());
    const { trigger } = this.reader;
    const { account } = this.log;
    const columns = { kind: CURSOR, trigger, account };
    await this.log.tables.insert(this.tableId, [{ ...columns, ...this.columnsOf(cursor) }]);
    return cursor;
  }

  private async newCursor(): Promise<Cursor> {
    const own = where(...ofTrigger(this.reader));
    const latest = { sortBy: 'polledAt:desc', limit: 1 };
    const [ofOtherAccount] = await this.log.tables.rows(this.tableId, own, latest);
    if (ofOtherAccount !== undefined) return await this.cursorAfterExchange(ofOtherAccount);
    if (this.reader.wasHere === true) {
      this.tellDeleted('it begins again, and outcomes written since its last poll do not come');
    }
    const { cameFromAnotherAt: since = Infinity } = this.reader;
    const limit = since === Infinity ? 1 : LARGEST_PAGE;
    const { tables, tableId } = this.log;
    const newest = await tables.rows(tableId, where(), { sortBy: 'id:desc', limit });
    const last = newest.find((row) => writtenAt(row) <= since);
    const below = newest.length < limit ? 0 : Math.max(0, (newest.at(-1)?.id ?? 0) - 1);
    const done = new IdRanges([[0, last?.id ?? below]]);
    return { done, seenUntil: last === undefined ? 0 : writtenAt(last) };
  }

  /**
   * After an exchange of the API key. Other nodes and triggers may have had the new key for a while: if all calls of
   * the account are younger than this trigger, their outcomes come too. A trigger that is moved to an account which
   * another one has watched for long goes on where it stood.
   */
  private async cursorAfterExchange(before: Row): Promise<Cursor> {
    const { done, seenUntil } = readCursor(before);
    const [oldest] = await this.log.rows([], { sortBy: 'id:asc', limit: 1 });
    const isWatched = this.rows.length > 0;
    const newSince = Math.max(writtenAt(before), isWatched ? Date.now() - EXCHANGED_WITHIN_MS : 0);
    if (oldest === undefined || writtenAt(oldest) <= newSince) {
      return { done: new IdRanges([[0, done.highest]]), seenUntil };
    }
    const to = Math.min(done.highest, oldest.id - 1);
    return { done: new IdRanges([[0, to]]), seenUntil: Math.min(seenUntil, writtenAt(before)) };
  }

  private tellDeleted(consequence: string): void {
    const { name } = this.log;
    this.reader.warn?.(
      `The cursor of this trigger beside the call log "${name}" was deleted: ${consequence}.`,
    );
  }

  /** How long the triggers of this log wait for a call, in milliseconds: as long as the one that waits longest. */
  giveUpAfterMs(): number {
    const others = this.rows.filter(({ trigger }) => trigger !== this.reader.trigger);
    return Math.max(this.reader.giveUpAfterMs, ...patienceOf(others));
  }

  /** Whether others would soon take the trigger for gone, or go by settings that it had before. */
  isOutdated(): boolean {
    const { ownRow, settings } = this;
    if (ownRow === undefined) return false;
    const isSame = Object.entries(settings).every(([name, value]) => ownRow[name] === value);
    return !isSame || Number(ownRow.polledAt) < Date.now() - DAY_MS;
  }

  private get ownRow(): Row | undefined {
    return this.rows.find(({ trigger }) => trigger === this.reader.trigger);
  }

  async save(cursor: Cursor): Promise<void> {
    const own = this.log.where(...ofTrigger(this.reader));
    const columns = this.columnsOf(cursor);
    await this.log.tables.update(this.tableId, own, columns);
    if (this.ownRow !== undefined) Object.assign(this.ownRow, columns);
  }

  private get settings() {
    const { workflow, giveUpAfterMs } = this.reader;
    return { workflow, giveUpAfterHours: giveUpAfterMs / HOUR_MS };
  }

  private columnsOf({ done, seenUntil }: Cursor): IDataObject {
    return {
      position: done.position,
      handedOver: JSON.stringify(done.all().slice(1)),
      seenUntil,
      ...this.settings,
      polledAt: Date.now(),
    };
  }
}
