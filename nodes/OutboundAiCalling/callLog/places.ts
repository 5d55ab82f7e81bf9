import type { IDataObject } from 'n8n-workflow';
import { HOUR_MS } from '../clocks';
import {
  holds,
  LARGEST_PAGE,
  where,
  type DataTable,
  type DataTables,
  type Row,
} from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import { PLACE_COLUMNS, type BesideKind } from './columns';
import { openTable } from './logTable';
import { callKey, hasEnded } from './states';

/**
 * Rows of several processes become visible out of order: so far back a trigger looks for ends that it
 * has not handed over.
 */
const WINDOW_MS = 120_000;
/** A trigger that has not polled for so long no longer says how long calls are waited for. */
const COUNTS_FOR_MS = 40 * 24 * 3_600_000;
const CURSOR = 'cursor' satisfies BesideKind;

/** How long the outcomes of a log's calls are waited for when it has no trigger that says so. */
export const USUAL_PATIENCE_MS = 24 * HOUR_MS;
/** A trigger as its place names it. */
export interface Reader {
  /** The workflow's name, for people. */
  workflow: string;
  /** The same for one trigger through all polls and publications. */
  trigger: string;
  giveUpAfterMs: number;
  /** Whether it is known to have had a place in this log before. */
  wasHere?: boolean;
  /** Tells the person that a place was lost. */
  warn?: (message: string) => void;
}

/** How far one trigger has come in the ends of a log. */
export interface Place {
  /** Ends written before are not this trigger's. Milliseconds since 1970, like `position`. */
  since: number;
  /** Every end written until then was handed over, but those that become visible late. */
  position: number;
  /** Keys of the calls handed over that were written after `position`, less the window. */
  handedOver: Map<string, number>;
}

/** From when on ends may still have to be handed over. */
export function firstUnsure({ since, position }: Place): number {
  return Math.max(since, position - WINDOW_MS);
}

function readHandedOver(text: unknown): Map<string, number> {
  try {
    const entries: unknown = JSON.parse(String(text ?? '[]'));
    return new Map(Array.isArray(entries) ? (entries as Array<[string, number]>) : []);
  } catch {
    return new Map();
  }
}

function readPlace(row: Row, now: number): Place {
  return {
    since: Number(row.since ?? now),
    position: Number(row.position ?? now),
    handedOver: readHandedOver(row.handedOver),
  };
}

/** What is kept in the name of the table beside a log, after the name of the log. */
function suffixOf(log: CallLog): string {
  return `(${log.tableId})`;
}

function rowsOf(tables: DataTables, tableId: string, log: CallLog): Promise<Row[]> {
  const triggers = where(holds('account', 'eq', log.account), holds('kind', 'eq', CURSOR));
  return tables.rows(tableId, triggers, { sortBy: 'polledAt:desc', limit: LARGEST_PAGE });
}

/** Opens the table beside a log, making it when it is not there. */
export async function openBeside(tables: DataTables, log: CallLog): Promise<DataTable> {
  const suffix = suffixOf(log);
  const known = await tables.find(({ name }) => name.endsWith(suffix));
  const { table } = await openTable(
    tables,
    known === undefined
      ? { mode: 'name', value: `Triggers of ${log.name.slice(0, 80)} ${suffix}` }
      : { mode: 'id', value: known.id },
    PLACE_COLUMNS,
    { create: true },
  );
  return table;
}

/** How long the triggers of these places wait for a call, in milliseconds. */
function patienceOf(places: Row[], now: number): number[] {
  return places
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
  const table = await tables.find(({ name }) => name.endsWith(suffixOf(log)));
  const places = table === undefined ? [] : await rowsOf(tables, table.id, log);
  const patience = patienceOf(places, now);
  return patience.length === 0 ? usual : Math.max(...patience);
}

/**
 * Finds out which ends of a log some trigger still has to hand over; changes nothing. A trigger that
 * has handed over nothing for 40 days is not waited for longer than 40 days after an end was written.
 *
 * @returns the name of the workflow that waits for the end of a row, undefined when none does
 */
export async function endsToHandOver(
  log: CallLog,
): Promise<(row: Row, now: number) => string | undefined> {
  const { tables } = log;
  const table = await tables.find(({ name }) => name.endsWith(suffixOf(log)));
  const rows = table === undefined ? [] : await rowsOf(tables, table.id, log);
  const places = rows.map((row) => ({
    ...readPlace(row, 0),
    polledAt: Number(row.polledAt),
    workflow: String(row.workflow ?? ''),
  }));
  return (row, now) => {
    const writtenAt = Number(row.runAt);
    if (!hasEnded(row) || !Number.isFinite(writtenAt)) return undefined;
    return places.find(
      (place) =>
        writtenAt >= firstUnsure(place) &&
        // The newest end goes before all that is written while a clock is behind it.
        (writtenAt > now || !place.handedOver.has(callKey(row))) &&
        Math.max(writtenAt, place.polledAt) > now - COUNTS_FOR_MS,
    )?.workflow;
  };
}

/**
 * The table beside a call log in which each trigger keeps its place, so that an unpublished, slow or
 * new trigger changes nothing for the others, and a restart hands over nothing again.
 */
export class Places {
  private constructor(
    private readonly tables: DataTables,
    private readonly tableId: string,
    private readonly log: CallLog,
    private readonly reader: Reader,
    private rows: Row[],
  ) {}

  /** Opens the table beside a log, making it when it is not there. */
  static async open(log: CallLog, reader: Reader): Promise<Places> {
    const { tables } = log;
    const table = await openBeside(tables, log);
    const rows = await rowsOf(tables, table.id, log);
    const isOwn = ({ trigger }: Row) => trigger === reader.trigger;
    if (rows.length === LARGEST_PAGE && !rows.some(isOwn)) {
      const account = holds('account', 'eq', log.account);
      const own = where(account, holds('trigger', 'eq', reader.trigger));
      rows.push(...(await tables.rows(table.id, own, { sortBy: 'id:asc', limit: 1 })));
    }
    return new Places(tables, table.id, log, reader, rows);
  }

  /**
   * This trigger's place; a new trigger begins with the ends that come from now on.
   *
   * @param known the place as this process knows it, which goes on when a person has deleted the row
   */
  async own(known?: Place): Promise<Place> {
    const row = this.rows.find(({ trigger }) => trigger === this.reader.trigger);
    if (row !== undefined) return readPlace(row, Date.now());
    if (known !== undefined) this.tellDeleted('it goes on where it was');
    const place = known ?? (await this.newPlace());
    const { trigger, workflow } = this.reader;
    const { account } = this.log;
    const columns = { kind: CURSOR, trigger, workflow, account, since: place.since };
    await this.tables.insert(this.tableId, [{ ...columns, ...this.columnsOf(place) }]);
    return place;
  }

  private async newPlace(): Promise<Place> {
    if (this.reader.wasHere === true) {
      this.tellDeleted('it begins anew, and outcomes written since its last poll do not come');
    }
    const now = await this.log.timeOfEnds();
    return { since: now, position: now, handedOver: new Map() };
  }

  private tellDeleted(consequence: string): void {
    const { name } = this.log;
    this.reader.warn?.(
      `The place of this trigger beside the call log "${name}" was deleted: ${consequence}.`,
    );
  }

  /** How long the triggers of this log wait for a call: as long as the most patient one. */
  giveUpAfterMs(now = Date.now()): number {
    const others = this.rows.filter(({ trigger }) => trigger !== this.reader.trigger);
    return Math.max(this.reader.giveUpAfterMs, ...patienceOf(others, now));
  }

  /** Writes this trigger's place down. */
  async save(place: Place): Promise<void> {
    await this.tables.update(
      this.tableId,
      where(holds('trigger', 'eq', this.reader.trigger), holds('account', 'eq', this.log.account)),
      this.columnsOf(place),
    );
  }

  private columnsOf(place: Place): IDataObject {
    const from = firstUnsure(place);
    const handedOver = [...place.handedOver].filter(([, time]) => time >= from);
    return {
      position: place.position,
      handedOver: JSON.stringify(handedOver),
      giveUpAfterHours: this.reader.giveUpAfterMs / HOUR_MS,
      polledAt: Date.now(),
    };
  }
}
