import type { BooksByHand } from './books';
import { numberOf, phoneIn, type DeedOf } from './history';
import { DO_NOT_CALL, type LogRow } from './logRows';
import { ABOUT_TO_RING_MS } from './laws/questions';
import type { Stage } from './stage';

const MINUTE_MS = 60_000;
/**
 * A node reads a row, and the answer is on its way, then the change that puts the call back. n8n's API compares
 * no times of day, so a time that a person writes in between is overwritten, at once.
 */
const WAYS_TO_OVERWRITE = 2;
/** The cells of rows that wait, by which a person finds them. */
const WAITING = { status: 'scheduled' };
const RINGING = { status: 'in_progress' };

/** What people do by hand in the tables. */
export class People {
  readonly books: BooksByHand = {
    doNotCall: new Map(),
    phonesByHand: new Map(),
    renumbered: new Set(),
    dueByHand: new Map(),
    cancelledByHand: new Map(),
    scheduledByHand: new Map(),
    deletedByHand: new Set(),
    emptiedAt: undefined,
  };

  constructor(private readonly stage: Stage) {}

  /** Puts the phone of an order on the do-not-call list. */
  forbid({ order }: DeedOf<'doNotCall'>): void {
    const { history, servers, world } = this.stage;
    const phone = phoneIn(history, order);
    this.tell(`puts ${phone} on the do-not-call list`);
    this.books.doNotCall.set(phone, world.now);
    servers.addRow(DO_NOT_CALL, { phone });
  }

  /**
   * Writes cells into rows of an order.
   *
   * @returns whether a row was changed whose call waits to be placed
   */
  edit({ order, cells, where = {} }: Omit<DeedOf<'edit'>, 'do'>): boolean {
    const rows = this.rowsOf(order);
    // A late copy of a row whose call was placed stands for nothing.
    const isCopy = (row: LogRow) =>
      rows.some(
        ({ callId, attempt, status }) =>
          callId === row.callId && attempt === row.attempt && status !== 'scheduled',
      );
    const waits = rows.some((row) => row.status === 'scheduled' && !isCopy(row));
    const { log, world } = this.stage;
    const changed = log.update({ ...log.cellOf(order), ...where }, cells);
    this.tell(`edits ${changed} rows of ${numberOf(order)}: ${JSON.stringify(cells)}`);
    // An end that a person writes is one that nobody calls for. Who takes up the next attempt may have read the one before.
    if (waits && changed > 0 && 'outcome' in cells) {
      const takenUpMs = where.status === WAITING.status ? 0 : ABOUT_TO_RING_MS;
      this.books.cancelledByHand.set(order, world.now + takenUpMs);
    }
    if (changed > 0 && typeof cells.customerPhone === 'string') {
      const { phonesByHand, renumbered } = this.books;
      if (waits) phonesByHand.set(order, { at: world.now, phone: cells.customerPhone });
      // A next attempt may go by what was written into the row of this one.
      else phonesByHand.delete(order);
      if (rows.some(({ status }) => status !== 'scheduled')) renumbered.add(order);
    }
    return waits && changed > 0;
  }

  /** Writes another time into a row that waits, and looks whether it stands. */
  move({ order, minutes }: DeedOf<'editDueAt'>): void {
    const { world, network } = this.stage;
    const { dueByHand } = this.books;
    const written = { at: world.now, dueAt: world.now + minutes * MINUTE_MS };
    const cells = { dueAt: new Date(written.dueAt).toISOString() };
    if (!this.edit({ order, cells, where: WAITING })) return;
    dueByHand.set(order, written);
    world.after(WAYS_TO_OVERWRITE * network.longestDelayMs, () => {
      const waiting = this.rowsOf(order).filter(({ status }) => status === 'scheduled');
      const stands = waiting.every(({ dueAt }) => dueAt === written.dueAt);
      if (stands || dueByHand.get(order) !== written) return;
      this.tell(`sees that the time of ${numberOf(order)} was overwritten`);
      dueByHand.delete(order);
    });
  }

  /** Cancels a call that waits, or else one that goes on. */
  cancel({ order }: DeedOf<'cancelByHand'>): void {
    const { cancelledByHand } = this.books;
    const { now } = this.stage.world;
    const cells = { status: spelled('cancelled', order) };
    if (this.edit({ order, cells, where: WAITING })) return void cancelledByHand.set(order, now);
    const ringing = () =>
      this.rowsOf(order).filter(({ status }) => status === 'in_progress').length;
    const before = ringing();
    this.edit({ order, cells, where: RINGING });
    // n8n may have refused it.
    if (ringing() < before) cancelledByHand.set(order, now);
  }

  /** Has the first attempt that has ended placed once more. */
  scheduleAgain({ order }: DeedOf<'scheduleByHand'>): void {
    const ended = this.rowsOf(order).filter(({ hasEnded }) => hasEnded);
    const [first] = ended.sort((a, b) => a.attempt - b.attempt);
    if (first === undefined) return;
    const cells = { status: spelled('scheduled', order), finishedAt: null };
    this.stage.log.update({ id: first.id }, cells);
    const { scheduledByHand } = this.books;
    scheduledByHand.set(order, [...(scheduledByHand.get(order) ?? []), first.attempt]);
    this.tell(`schedules attempt ${first.attempt} at ${numberOf(order)} again`);
  }

  /** Copies a row of an order. */
  copyRow({ order }: DeedOf<'copyRow'>): void {
    if (this.stage.log.copyRow(order)) this.tell(`copies the row of ${numberOf(order)}`);
  }

  /** Deletes the rows of an order. */
  deleteRows({ order }: DeedOf<'deleteRows'>): void {
    this.tell(`deletes the rows of ${numberOf(order)}`);
    this.books.deletedByHand.add(order);
    this.stage.log.delete(this.stage.log.cellOf(order));
  }

  /** Deletes all rows of the log. */
  emptyLog(): void {
    const { log, world } = this.stage;
    const rows = log.rows();
    this.tell(`deletes all ${rows.length} rows of the log`);
    for (const { order } of rows) this.books.deletedByHand.add(order);
    this.books.emptiedAt = world.now;
    log.empty();
  }

  /** Gives the log another name. */
  renameLog({ name }: DeedOf<'renameLog'>): void {
    this.tell(`renames the log to "${name}"`);
    this.stage.log.rename(name);
  }

  private rowsOf(order: number): LogRow[] {
    return this.stage.log.rows().filter((row) => row.order === order);
  }

  private tell(what: string): void {
    this.stage.teller.tell('a person', what);
  }
}

/** A status as a person writes it. */
const spelled = (status: string, order: number): string =>
  order % 2 === 0 ? status : `${status.charAt(0).toUpperCase()}${status.slice(1)} `;
