import { writtenAt, type Cursor, type Cursors } from '../../callLog/ends/cursors';
import type { IdRanges } from '../../callLog/ends/idRanges';
import { VISIBLE_WITHIN_MS } from '../../callLog/table/visibility';
import type { Row } from '../../dataTables/dataTables';

/** An end as the log names it. */
export interface NamedEnd {
  /** The id of its row. */
  id: number;
  /** The call and its attempt. */
  key: string;
}

/** One reading of the ends in a log, page by page. */
export interface Pass {
  /** Ends with higher ids are read. */
  from: number;
  beganAt: number;
  /** Every end up to this id can be seen by now; undefined when that is not known of any. */
  settles: number | undefined;
}

/**
 * What one trigger of this process hands over and has handed over, through all its polls: a poll may
 * end, and the next begin, before n8n says whether it took what was handed over.
 */
export class HandOvers {
  /** To be handed over: being handed over, refused by n8n, or not readable yet. */
  private readonly pending = new Set<number>();
  private readonly underWay = new Set<number>();
  /** Refused by n8n: not handed over, whatever an older state of the table says. */
  private readonly refused = new Set<number>();
  /** Since when the outcomes of ends could not be read. */
  private readonly unreadableSince = new Map<number, number>();
  /** Which end of an attempt was taken lately. */
  private readonly taken = new Map<string, number>();
  /** Ends up to there were read. */
  private readTo = 0;
  /** When all ends up to an id were read, in the order of time. */
  private sightings: Array<{ at: number; id: number }> = [];
  /** Cursors are saved one after the other, so that an older one never overwrites a newer one. */
  private saved: Promise<void> = Promise.resolve();
  /** The next save, which has not begun: it serves everybody who asks meanwhile. */
  private nextSave: Promise<void> | undefined;
  private isUnsaved = false;
  private askedForReusedAt = -Infinity;

  constructor(
    private cursors: Cursors,
    /** How far this process knows the trigger to have come. */
    readonly cursor: Cursor,
  ) {}

  private get finished(): IdRanges {
    return this.cursor.done;
  }

  /** Another process may have polled since: what either knows as handed over is. */
  merge(cursors: Cursors, { done, seenUntil }: Cursor): void {
    this.cursors = cursors;
    this.cursor.seenUntil = Math.max(this.cursor.seenUntil, seenUntil);
    for (const [from, to] of done.all()) this.finished.add(from, to);
    for (const id of [...this.refused, ...this.underWay]) this.finished.delete(id);
    for (const id of this.pending) if (this.finished.has(id)) this.pending.delete(id);
  }

  /**
   * Ends that were written after all that this trigger has seen are new, though rows with their ids were
   * handed over and deleted. They are asked for before a newer end is {@link see}n, and now and then.
   *
   * @param page of ends that is to be seen next, if any
   * @param endsUpTo gives a page of ends with ids up to that one, the highest first
   * @returns whether ends are to be read that were read before
   */
  async heedReusedIds(
    endsUpTo: (id: number) => Promise<Row[]>,
    now: number,
    page: Row[] = [],
  ): Promise<boolean> {
    const isOld = (row: Row) => writtenAt(row) <= this.cursor.seenUntil;
    const isLately = Math.abs(now - this.askedForReusedAt) < VISIBLE_WITHIN_MS;
    if (isLately && page.every(isOld)) return false;
    this.askedForReusedAt = now;
    let before = await endsUpTo(this.finished.highest);
    if (before[0] === undefined || isOld(before[0])) return false;
    for (;;) {
      const old = before.find(isOld);
      const last = before.at(-1);
      if (old !== undefined || last === undefined) {
        this.forgetAfter(old?.id ?? 0);
        return true;
      }
      before = await endsUpTo(last.id - 1);
    }
  }

  private forgetAfter(id: number): void {
    this.finished.cutAfter(id);
    this.readTo = Math.min(this.readTo, id);
    this.sightings = this.sightings.filter((sighting) => sighting.id <= id);
    for (const [key, taken] of this.taken) if (taken > id) this.taken.delete(key);
  }

  /** These ends were read. */
  see(rows: Row[]): void {
    this.cursor.seenUntil = Math.max(this.cursor.seenUntil, ...rows.map(writtenAt));
  }

  /** Begins to read ends: those that came since the last pass, or now and then all that are not settled. */
  beginPass(now: number): Pass {
    const settled = this.sightings.findLast(({ at }) => at <= now - VISIBLE_WITHIN_MS);
    const waiting = [...this.pending].filter((id) => !this.underWay.has(id));
    const read = Math.max(this.readTo, this.position);
    const from =
      settled === undefined ? Math.min(read, ...waiting.map((id) => id - 1)) : this.position;
    return { from, beganAt: now, settles: settled?.id };
  }

  /** Every end was read, and those that are to be handed over were taken. */
  endPass({ from: last, beganAt, settles }: Pass): void {
    if (last > this.readTo) this.sightings.push({ at: beganAt, id: last });
    this.readTo = Math.max(this.readTo, last);
    if (settles === undefined) return;
    this.finished.add(0, settles);
    for (const id of this.pending) this.finished.delete(id);
    this.sightings = this.sightings.filter(({ id }) => id > settles);
    for (const [key, id] of this.taken) if (id <= settles) this.taken.delete(key);
  }

  isNew(id: number): boolean {
    return !this.finished.has(id) && !this.underWay.has(id);
  }

  /**
   * Takes a new end; it is given once, until it is {@link undone} or {@link postpone}d.
   *
   * @returns false when another end of the same attempt was taken, which was seen before this one
   */
  take({ id, key }: NamedEnd): boolean {
    const other = this.taken.get(key);
    if (other !== undefined && other !== id) return false;
    this.taken.set(key, id);
    this.underWay.add(id);
    this.pending.add(id);
    return true;
  }

  /** There is nothing to hand over. */
  skip(id: number): void {
    this.underWay.delete(id);
    this.pending.delete(id);
    this.refused.delete(id);
    this.unreadableSince.delete(id);
    this.finished.add(id);
  }

  /**
   * Cannot be handed over now: the cursor stays before it.
   *
   * @returns for how long it could not, in milliseconds
   */
  postpone(id: number, now: number): number {
    this.underWay.delete(id);
    const since = this.unreadableSince.get(id) ?? now;
    this.unreadableSince.set(id, since);
    return now - since;
  }

  async done(ends: NamedEnd[]): Promise<void> {
    for (const { id } of ends) this.skip(id);
    await this.save();
  }

  /** n8n has not taken them, which may become known after they were {@link done}. */
  async undone(ends: NamedEnd[]): Promise<void> {
    for (const { id, key } of ends) {
      this.underWay.delete(id);
      this.finished.delete(id);
      this.taken.delete(key);
      this.pending.add(id);
      this.refused.add(id);
    }
    await this.save();
  }

  private get position(): number {
    const [first] = this.finished.all();
    return first?.[0] === 0 ? first[1] : -1;
  }

  /** Saves what could not be saved before; when it fails again, the next poll tries it. */
  async saveAgain(): Promise<void> {
    if (this.isUnsaved) await this.save().catch(() => {});
  }

  private async save(): Promise<void> {
    this.nextSave ??= this.saved
      .catch(() => {})
      .then(async () => {
        this.nextSave = undefined;
        this.isUnsaved = true;
        await this.cursors.save(this.cursor);
        this.isUnsaved = false;
      });
    this.saved = this.nextSave;
    await this.saved;
  }
}

const handOversByTrigger = new Map<string, HandOvers>();

/** What a trigger has handed over of one log, with what other processes have written since. */
export async function handOversOf(key: string, cursors: Cursors): Promise<HandOvers> {
  const known = handOversByTrigger.get(key);
  const cursor = await cursors.own(known?.cursor);
  if (known === undefined) {
    const handOvers = new HandOvers(cursors, cursor);
    handOversByTrigger.set(key, handOvers);
    return handOvers;
  }
  known.merge(cursors, cursor);
  await known.saveAgain();
  return known;
}
