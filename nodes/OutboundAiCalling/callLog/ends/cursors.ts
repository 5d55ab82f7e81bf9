import type { IDataObject } from 'n8n-workflow';
import { HOUR_MS } from '../../clocks';
import { besideName, besideSuffix } from '../../dataTables/besideName';
import {
  holds,
  LARGEST_PAGE,
  where,
  type DataTable,
  type DataTables,
  type Row,
} from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';
import { numberIn, timeIn } from '../table/cells';
import { BESIDE_COLUMNS, type BesideKind } from '../table/columns';
import { IdRanges } from './idRanges';
import { outOfReach } from '../reading/outOfReach';
import { hasEnded, isDecided } from '../states';

/** A trigger that has not polled for so long no longer says how long calls are waited for. */
const COUNTS_FOR_MS = 40 * 24 * 3_600_000;
const CURSOR = 'cursor' satisfies BesideKind;

/** How long the outcomes of a log's calls are waited for when it has no trigger that says so. */
export const USUAL_PATIENCE_MS = 24 * HOUR_MS;

/** A trigger as its cursor names it. */
export interface Reader {
  /** The workflow's name, for people. */
  workflow: string;
  /** The same for one trigger through all polls and publications. */
  trigger: string;
  giveUpAfterMs: number;
  /** Whether it is known to have had a cursor in this log before. */
  wasHere?: boolean;
  /** Tells the person that a cursor was lost. */
  warn?: (message: string) => void;
}

/** How far one trigger has come in the ends of a log. */
export interface Cursor {
  /** Ids of rows whose ends it has handed over, or that were written before its time. */
  done: IdRanges;
  /**
   * When n8n wrote the newest end that it has seen, in milliseconds since 1970 on n8n's clock. SQLite gives
   * the id of a deleted newest row again; an end that was written later is new, whatever its id.
   */
  seenUntil: number;
}

/** When n8n has written a row, in milliseconds since 1970; 0 when it does not say. */
export function writtenAt({ createdAt }: Row): number {
  const text = String(createdAt ?? '').replace(' ', 'T');
  return Date.parse(/T[^Z+]*$/.test(text) ? `${text}Z` : text) || 0;
}

/** All ids up to a position are done; above it, single ones are. */
function readCursor(row: Row): Cursor {
  const done = IdRanges.fromText(row.handedOver);
  done.add(0, numberIn(row.position) ?? 0);
  return { done, seenUntil: numberIn(row.seenUntil) ?? 0 };
}

function rowsOf(tables: DataTables, tableId: string, log: CallLog): Promise<Row[]> {
  const triggers = where(holds('account', 'eq', log.account), holds('kind', 'eq', CURSOR));
  return tables.rows(tableId, triggers, { sortBy: 'polledAt:desc', limit: LARGEST_PAGE });
}

async function findBeside({ tables, tableId }: CallLog): Promise<DataTable | undefined> {
  return await tables.find(({ name }) => name.endsWith(besideSuffix(tableId)));
}

/** Opens the table beside a log, making it when it is not there. */
export async function openBeside(tables: DataTables, log: CallLog): Promise<DataTable> {
  const there = await findBeside(log);
  return there ?? (await tables.create(besideName(log.name, log.tableId), BESIDE_COLUMNS));
}

/** How long the triggers of these cursors wait for a call, in milliseconds. */
function patienceOf(cursors: Row[], now: number): number[] {
  return cursors
    .filter(({ polledAt }) => Number(polledAt) > now - COUNTS_FOR_MS)
    .map(({ giveUpAfterHours }) => Number(giveUpAfterHours) * HOUR_MS)
    .filter(Number.isFinite);
}

/**
 * How long whoever looks at the calls of a log waits for their outcomes, in milliseconds: as long as the
 * most patient of its triggers, or `usual` when it has none.
 */
export async function giveUpAfterMsOf(
  log: CallLog,
  usual: number,
  now = Date.now(),
): Promise<number> {
  const { tables } = log;
  const table = await findBeside(log);
  const cursors = table === undefined ? [] : await rowsOf(tables, table.id, log);
  const patience = patienceOf(cursors, now);
  return patience.length === 0 ? usual : Math.max(...patience);
}

/** Which ends of a log some trigger still has to hand over; times are milliseconds since 1970. */
export interface EndsToHandOver {
  /** The name of the workflow that waits for the end that a row is, or will be replaced by; undefined when none does. */
  waitedForBy(row: Row, now: number): string | undefined;
  /** Of ends that were written before a time, none waits that has this id or a lower one. */
  doneUpTo(endedBefore: number, now: number): number;
}

/**
 * Finds out which ends of a log some trigger still has to hand over; changes nothing. A trigger that
 * has handed over nothing for 40 days is not waited for longer than 40 days after an end was written.
 */
export async function endsToHandOver(log: CallLog): Promise<EndsToHandOver> {
  const { tables } = log;
  const table = await findBeside(log);
  const rows = table === undefined ? [] : await rowsOf(tables, table.id, log);
  const cursors = rows.map((row) => ({
    ...readCursor(row),
    polledAt: Number(row.polledAt),
    workflow: String(row.workflow ?? ''),
  }));
  const waiting = (endedAt: number, now: number) =>
    cursors.filter(({ polledAt }) => Math.max(endedAt, polledAt) > now - COUNTS_FOR_MS);
  return {
    waitedForBy: (row, now) => {
      // Its end will be another row, which no cursor has passed.
      if (isDecided(row) && outOfReach(row, log.account) === undefined) {
        return waiting(-Infinity, now)[0]?.workflow;
      }
      const endedAt = timeIn(row.finishedAt);
      if (endedAt === undefined || !hasEnded(row)) return undefined;
      return waiting(endedAt, now).find(
        ({ done, seenUntil }) => !done.has(row.id) || writtenAt(row) > seenUntil,
      )?.workflow;
    },
    doneUpTo: (endedBefore, now) =>
      Math.min(...waiting(endedBefore, now).map(({ done }) => done.all()[0]?.[1] ?? 0)),
  };
}

/**
 * The table beside a call log in which each trigger keeps its cursor, so that an unpublished, slow or
 * new trigger changes nothing for the others, and a restart hands over nothing again.
 */
export class Cursors {
  private constructor(
    private readonly tables: DataTables,
    private readonly tableId: string,
    private readonly log: CallLog,
    private readonly reader: Reader,
    private rows: Row[],
  ) {}

  /** Opens the table beside a log, making it when it is not there. */
  static async open(log: CallLog, reader: Reader): Promise<Cursors> {
    const { tables } = log;
    const table = await openBeside(tables, log);
    const rows = await rowsOf(tables, table.id, log);
    const isOwn = ({ trigger }: Row) => trigger === reader.trigger;
    if (rows.length === LARGEST_PAGE && !rows.some(isOwn)) {
      const account = holds('account', 'eq', log.account);
      const own = where(account, holds('trigger', 'eq', reader.trigger));
      rows.push(...(await tables.rows(table.id, own, { sortBy: 'id:asc', limit: 1 })));
    }
    return new Cursors(tables, table.id, log, reader, rows);
  }

  /**
   * This trigger's cursor; a new trigger begins with the ends that are written from now on, and one whose
   * API key was exchanged where it stood: ids are those of the whole log.
   *
   * @param known the cursor as this process knows it, which goes on when a person has deleted the row
   */
  async own(known?: Cursor): Promise<Cursor> {
    const row = this.rows.find(({ trigger }) => trigger === this.reader.trigger);
    if (row !== undefined) return readCursor(row);
    if (known !== undefined) this.tellDeleted('it goes on where it was');
    const cursor = known ?? (await this.newCursor());
    const { trigger, workflow } = this.reader;
    const { account } = this.log;
    const columns = { kind: CURSOR, trigger, workflow, account };
    await this.tables.insert(this.tableId, [{ ...columns, ...this.columnsOf(cursor) }]);
    return cursor;
  }

  private async newCursor(): Promise<Cursor> {
    const ofTrigger = where(
      holds('kind', 'eq', CURSOR),
      holds('trigger', 'eq', this.reader.trigger),
    );
    const latest = { sortBy: 'polledAt:desc', limit: 1 };
    const [ofOtherAccount] = await this.tables.rows(this.tableId, ofTrigger, latest);
    if (ofOtherAccount !== undefined) {
      const { done, seenUntil } = readCursor(ofOtherAccount);
      return { done: new IdRanges([[0, done.highest]]), seenUntil };
    }
    if (this.reader.wasHere === true) {
      this.tellDeleted('it begins again, and outcomes written since its last poll do not come');
    }
    const [newest] = await this.log.newestRows(1);
    const done = new IdRanges([[0, newest?.id ?? 0]]);
    return { done, seenUntil: newest === undefined ? 0 : writtenAt(newest) };
  }

  private tellDeleted(consequence: string): void {
    const { name } = this.log;
    this.reader.warn?.(
      `The cursor of this trigger beside the call log "${name}" was deleted: ${consequence}.`,
    );
  }

  /** How long the triggers of this log wait for a call: as long as the most patient one. */
  giveUpAfterMs(now = Date.now()): number {
    const others = this.rows.filter(({ trigger }) => trigger !== this.reader.trigger);
    return Math.max(this.reader.giveUpAfterMs, ...patienceOf(others, now));
  }

  /** Writes this trigger's cursor down. */
  async save(cursor: Cursor): Promise<void> {
    await this.tables.update(
      this.tableId,
      where(holds('trigger', 'eq', this.reader.trigger), holds('account', 'eq', this.log.account)),
      this.columnsOf(cursor),
    );
  }

  private columnsOf({ done, seenUntil }: Cursor): IDataObject {
    const [[, position] = [0, 0], ...above] = done.all();
    return {
      position,
      handedOver: JSON.stringify(above),
      seenUntil,
      giveUpAfterHours: this.reader.giveUpAfterMs / HOUR_MS,
      polledAt: Date.now(),
    };
  }
}
