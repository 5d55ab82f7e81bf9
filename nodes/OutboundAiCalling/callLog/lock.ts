import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { MINUTE_MS } from '../clocks';
import { equals, holds, where, type Condition, type Row } from '../dataTables/dataTables';
import { pause } from '../http/pause';
import { Stopwatch } from '../stopwatch';
import type { CallLog } from './callLog';
import { PAGE_BY_ID } from '../dataTables/rowPages';
import { findBeside, openBeside, type BesideKind } from './table/besideTable';
import { numberIn, timeIn } from './table/cells';

const LOCK = 'lock' satisfies BesideKind;
/** The lock of a killed process is free again after this time. */
const LOCKED_FOR_MS = 30_000;
const RENEWED_EVERY_MS = 8_000;
/** A lock for longer was written by a person, and counts as free: no clock is wrong by more. */
const LONGEST_LOCK_MS = 10 * MINUTE_MS;
/** Pauses between tries are at most this long while another process holds the lock. */
const LONGEST_PAUSE_MS = 250;

/** What only one execution may do at a time, and the holder, as a person sees both in the row of the lock. */
export interface Locker {
  name: 'place scheduled calls' | 'daily caps';
  workflow: string;
}

/** The only row of a lock, as this process has found it; its id is 0 until then. */
type LockRow = { tableId: string; rowId: number };

/** The rows that this process has found, by log, account and lock. */
const found = new Map<string, LockRow>();

/**
 * A lock on an account in a call log: a row in the table next to the log. One change makes the row
 * held if it is still free. A row of a call has a lock of its own: `PlacingRows`. The process that made this change holds the lock until it releases it,
 * or has not renewed it for half a minute.
 *
 * A paused process may lose its lock without a sign, and a process with a fast clock may take it
 * too early. Only {@link release} says whether another process had the lock meanwhile. Then the
 * caller undoes its work under the lock.
 */
export class Lock {
  /** Drawn for each acquisition, so that a row shows whose change it has. */
  private readonly id = randomUUID();
  private readonly released = new AbortController();
  /** Since the lock was acquired or renewed; undefined when another process may hold it. */
  private held: Stopwatch | undefined;
  private renewing = Promise.resolve();
  /** When an old row was last changed in place, as read with the lock; 0 for never. */
  rewrittenAt = 0;

  private constructor(
    private readonly log: CallLog,
    private readonly locker: Locker,
    private row: LockRow,
  ) {}

  /** Acquires a lock, and renews it until it is released. Returns as `heldBy` the workflow that has it now. */
  static async acquire(log: CallLog, locker: Locker): Promise<Lock | { heldBy: string }> {
    const key = `${log.key} ${locker.name}`;
    const existing = found.get(key);
    const row = existing ?? { tableId: (await openBeside(log)).id, rowId: 0 };
    const lock = new Lock(log, locker, row);
    const heldBy = await lock.begin().catch((error: unknown) => {
      if (existing === undefined) throw error;
      // A person may have deleted the table or restored another.
      found.delete(key);
      return undefined;
    });
    if (!lock.isHeld) {
      if (heldBy !== undefined) return { heldBy };
      return await Lock.acquire(log, locker);
    }
    found.set(key, lock.row);
    void lock.keep();
    return lock;
  }

  /** As {@link acquire}, as soon as the lock is free; waits at most `patienceMs` for it. */
  static async whenFree(
    log: CallLog,
    locker: Locker,
    patienceMs: number,
  ): Promise<Lock | { heldBy: string }> {
    const waited = new Stopwatch();
    for (let longest = LONGEST_PAUSE_MS / 8; ; longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
      const lock = await Lock.acquire(log, locker);
      if (lock instanceof Lock || waited.passedMs >= patienceMs) return lock;
      await pause(longest * (0.5 + Math.random() / 2));
    }
  }

  /** Whether this process still holds the lock, by its own clocks: it was renewed in time. */
  get isHeld(): boolean {
    const heldMs = this.held?.passedMs ?? Infinity;
    return !this.released.signal.aborted && heldMs < LOCKED_FOR_MS;
  }

  /**
   * Frees the lock at once, and writes `columns` into its row.
   *
   * @returns whether no other process can have held it since it was acquired
   */
  async release(columns: { rewrittenAt?: number } = {}): Promise<boolean> {
    this.released.abort();
    await this.renewing;
    this.held = undefined;
    const free = { ...columns, lockedBy: `released by ${this.id}`, lockedUntil: 0 };
    const released = await this.changeOwn(free);
    if (released.length > 0) return true;
    // An earlier try may have made the change, with its answer lost.
    return (await this.rows()).some(({ lockedBy }) => lockedBy === free.lockedBy);
  }

  /** @returns the workflow that holds the lock, if another one does */
  private async begin(): Promise<string | undefined> {
    const begun = new Stopwatch();
    const now = Date.now();
    const whileFree = [holds('id', 'eq', this.row.rowId), holds('lockedUntil', 'lte', now)];
    const columns = this.columnsAt(now);
    const changed = this.row.rowId > 0 ? await this.change(whileFree, columns) : [];
    this.rewrittenAt = numberIn(changed[0]?.rewrittenAt) ?? 0;
    const heldBy = changed.length > 0 ? undefined : await this.beginUnknown(now);
    if (heldBy === undefined) this.held = begun;
    return heldBy;
  }

  /**
   * Acquires a lock whose row is unknown. Two processes that come first at the same time may each
   * insert a row. Therefore each must hold all rows, and then deletes all but the first.
   */
  private async beginUnknown(now: number, triesLeft = 5): Promise<string | undefined> {
    let rows = await this.rows();
    if (rows.length === 0) {
      const { name } = this.locker;
      const { account, tables } = this.log;
      const free = { kind: LOCK, name, account, lockedBy: '', lockedUntil: 0 };
      await tables.insert(this.row.tableId, [free]);
      rows = await this.rows();
    }
    const isOurs = ({ lockedBy }: Row) => lockedBy === this.id;
    if (rows.every((row) => isOurs(row) || isFree(row, now))) {
      for (const { id, lockedBy, lockedUntil } of rows.filter((one) => !isOurs(one))) {
        const isAsRead = equals({ id, lockedBy, lockedUntil });
        await this.change(isAsRead, this.columnsAt(now));
      }
      rows = await this.rows();
    }
    const other = rows.find((row) => !isOurs(row));
    const [first] = rows;
    if (other !== undefined || first === undefined) {
      const isShared = rows.some(isOurs);
      if (isShared) await this.changeOwn({ lockedBy: '', lockedUntil: 0 });
      if (!isShared || triesLeft === 0) return String(other?.workflow ?? '');
      await pause(LONGEST_PAUSE_MS * Math.random());
      return await this.beginUnknown(Date.now(), triesLeft - 1);
    }
    if (rows.length > 1) {
      const superfluous = [holds('lockedBy', 'eq', this.id), holds('id', 'neq', first.id)];
      await this.log.tables.delete(this.row.tableId, this.where(...superfluous));
    }
    this.row = { ...this.row, rowId: first.id };
    this.rewrittenAt = numberIn(first.rewrittenAt) ?? 0;
    return undefined;
  }

  private async keep(): Promise<void> {
    for (;;) {
      await pause(RENEWED_EVERY_MS, this.released.signal);
      if (this.released.signal.aborted) return;
      this.renewing = this.renew().catch(() => {});
      await this.renewing;
    }
  }

  private async renew(): Promise<void> {
    const begun = new Stopwatch();
    const renewed = await this.changeOwn(this.columnsAt(Date.now()));
    // A process that finds its lock held by another does not take it back.
    this.held = renewed.length > 0 ? begun : undefined;
  }

  private columnsAt(now: number): IDataObject {
    const { workflow } = this.locker;
    return { workflow, lockedBy: this.id, lockedUntil: now + LOCKED_FOR_MS };
  }

  private async rows(): Promise<Row[]> {
    return await this.log.tables.rows(this.row.tableId, this.where(), PAGE_BY_ID);
  }

  private async changeOwn(columns: IDataObject): Promise<Row[]> {
    return await this.change([holds('lockedBy', 'eq', this.id)], columns);
  }

  private async change(conditions: Condition[], columns: IDataObject): Promise<Row[]> {
    const filter = this.where(...conditions);
    return await this.log.tables.updateAndReturn(this.row.tableId, filter, columns);
  }

  private where(...conditions: Condition[]) {
    const { name } = this.locker;
    return this.log.where(...equals({ kind: LOCK, name }), ...conditions);
  }
}

/** By account: the workflow that last placed scheduled calls, since when and when: milliseconds since 1970 on n8n's clock. */
export async function lastPlacing(
  log: CallLog,
): Promise<ReadonlyMap<unknown, { since: number; at: number; workflow: string }>> {
  const table = await findBeside(log);
  if (table === undefined) return new Map();
  const name = 'place scheduled calls' satisfies Locker['name'];
  const rows = await log.tables.rows(table.id, where(...equals({ kind: LOCK, name })), PAGE_BY_ID);
  const placing = rows.map(({ account, createdAt, updatedAt, workflow }) => {
    const times = { since: timeIn(createdAt) ?? 0, at: timeIn(updatedAt) ?? 0 };
    return [account, { ...times, workflow: String(workflow ?? '') }] as const;
  });
  return new Map(placing);
}

function isFree({ lockedUntil }: Row, now: number): boolean {
  const until = numberIn(lockedUntil) ?? 0;
  return until <= now || until > now + LONGEST_LOCK_MS;
}
