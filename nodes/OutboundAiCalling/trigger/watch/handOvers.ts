import pLimit from 'p-limit';
import type { CallLog } from '../../callLog/callLog';
import type { Cursor, Cursors } from '../../callLog/ends/cursors';
import { IdRanges } from '../../callLog/ends/idRanges';
import { VISIBLE_WITHIN_MS, writtenAt } from '../../callLog/table/cells';
import type { Row } from '../../dataTables/dataTables';

export interface NamedEnd {
  id: number;
  /** Ends with the same key are handed over once: an attempt has one for its outcome and one for none. */
  key: string;
  /** A person may schedule an attempt again that nobody was called by: its next end is a newer row. */
  mayComeAgain?: boolean;
}

/** One reading of the ends in a log, page by page. */
export interface Pass {
  /** The next page holds ends with higher ids. */
  from: number;
  /** All ends up to this id are visible by now; undefined when no such id is known. */
  settles: number | undefined;
  /** Ends that pending ones supersede: a person may change those before they are handed over. */
  readonly superseded: Set<number>;
}

/** The ends of one trigger in all its polls: n8n may answer when the next poll has begun. */
export class HandOvers {
  /** Ends not handed over yet: under way, refused by n8n, or not readable yet. */
  private readonly pending = new Set<number>();
  private readonly underWay = new Set<number>();
  /** As the last pass has found them. */
  private superseded: ReadonlySet<number> = new Set();
  /** Ids that were done and no longer are, whatever a stored cursor of before says. */
  private takenBack = new IdRanges();
  /** When the stored cursor last included `takenBack`; Infinity: not yet. */
  private takenBackStoredAt = -Infinity;
  /** By id of an end: when its outcome first could not be read. */
  private readonly unreadableSince = new Map<number, number>();
  /** By key: the id of the end that was taken lately. */
  private readonly taken = new Map<string, number>();
  /** Ends up to this id were read. */
  private readTo = 0;
  /** When ends were read, and up to which id; the oldest first. */
  private sightings: Array<{ at: number; id: number }> = [];
  /** Saves run one after the other, so that an older cursor never overwrites a newer one. */
  private readonly saves = pLimit(1);
  /** A save that has not begun yet. Everybody who asks for a save until then shares it. */
  private nextSave: Promise<void> | undefined;
  private isUnsaved = false;
  private askedForReusedAt = -Infinity;

  constructor(
    private cursors: Cursors,
    /** The trigger's cursor as this process knows it. */
    readonly cursor: Cursor,
  ) {}

  /** Merges the stored cursor of any process. Ends of either are done, unless taken back since or under way here. */
  merge(cursors: Cursors, { done, seenUntil }: Cursor): void {
    this.cursors = cursors;
    if (cursors.readAt > this.takenBackStoredAt) this.takenBack = new IdRanges();
    this.cursor.seenUntil = Math.max(this.cursor.seenUntil, seenUntil);
    for (const [from, to] of done.all()) this.cursor.done.add(from, to);
    for (const [from, to] of this.takenBack.all()) this.cursor.done.delete(from, to);
    for (const id of this.underWay) this.cursor.done.delete(id);
    for (const id of this.pending) if (this.cursor.done.has(id)) this.pending.delete(id);
  }

  /**
   * Finds new ends whose row ids were handed over before: SQLite reuses the id of a deleted newest
   * row. Such an end was written after every end that this trigger has seen. It must be found
   * before a newer end is {@link see}n. While none is, this reads now and then.
   *
   * @param page ends that are to be seen next, if any
   * @returns whether ends must be read again that were read before
   */
  async heedReusedIds(
    log: Pick<CallLog, 'endsUpTo'>,
    now: number,
    page: Row[] = [],
  ): Promise<boolean> {
    const isOld = (row: Row) => writtenAt(row) <= this.cursor.seenUntil;
    const isLately = Math.abs(now - this.askedForReusedAt) < VISIBLE_WITHIN_MS;
    if (isLately && page.every(isOld)) return false;
    this.askedForReusedAt = now;
    let before = await log.endsUpTo(this.cursor.done.highest);
    if (before[0] === undefined || isOld(before[0])) return false;
    for (;;) {
      const old = before.find(isOld);
      const last = before.at(-1);
      if (old !== undefined || last === undefined) {
        this.forgetAfter(old?.id ?? 0);
        return true;
      }
      before = await log.endsUpTo(last.id - 1);
    }
  }

  private forgetAfter(id: number): void {
    this.takeBack(id + 1, Infinity);
    this.readTo = Math.min(this.readTo, id);
    this.sightings = this.sightings.filter((sighting) => sighting.id <= id);
    for (const [key, taken] of this.taken) if (taken > id) this.taken.delete(key);
  }

  /** Marks ids as not handed over; the next save stores this. */
  private takeBack(from: number, to = from): void {
    this.cursor.done.delete(from, to);
    this.takenBack = new IdRanges([...this.takenBack.all(), [from, to]]);
    this.takenBackStoredAt = Infinity;
  }

  /** Notes when n8n wrote the newest of the ends that were read. */
  see(rows: Row[]): void {
    this.cursor.seenUntil = Math.max(this.cursor.seenUntil, ...rows.map(writtenAt));
  }

  /** Begins a pass over new ends and those to be tried again; now and then over all after the position. */
  beginPass(now: number): Pass {
    const settled = this.sightings.findLast(({ at }) => at <= now - VISIBLE_WITHIN_MS);
    const waiting = this.unfinished.filter((id) => !this.underWay.has(id));
    const { position } = this.cursor.done;
    const read = Math.max(this.readTo, position);
    const from = settled === undefined ? Math.min(read, ...waiting.map((id) => id - 1)) : position;
    return { from, settles: settled?.id, superseded: new Set() };
  }

  /**
   * Ends a pass: every end was read, and those to hand over were taken.
   *
   * @param readAt when the last answer had come; a row in it may not have been visible long before
   */
  endPass({ from: last, settles, superseded }: Pass, readAt: number): void {
    this.superseded = superseded;
    if (last > this.readTo) this.sightings.push({ at: readAt, id: last });
    this.readTo = Math.max(this.readTo, last);
    if (settles === undefined) return;
    this.cursor.done.add(0, settles);
    for (const id of this.unfinished) this.cursor.done.delete(id);
    this.sightings = this.sightings.filter(({ id }) => id > settles);
    for (const [key, id] of this.taken) if (id <= settles) this.taken.delete(key);
  }

  private get unfinished(): number[] {
    return [...this.pending, ...this.superseded];
  }

  isNew(id: number): boolean {
    return !this.cursor.done.has(id) && !this.underWay.has(id);
  }

  /** Whether an end was taken before and could not be handed over. */
  isPending(id: number): boolean {
    return this.pending.has(id);
  }

  /** Takes a new end until {@link postpone} or {@link undone}; false for a key that was taken, unless that end waits. */
  take({ id, key, mayComeAgain }: NamedEnd): boolean {
    const other = this.taken.get(key);
    if (other !== undefined && other !== id) {
      const waits = this.pending.has(other) && !this.underWay.has(other);
      if (waits) this.pending.delete(other);
      else if (!mayComeAgain || id < other) return false;
    }
    this.taken.set(key, id);
    this.underWay.add(id);
    this.pending.add(id);
    return true;
  }

  /** Marks an end as finished: it was handed over, or there is nothing to hand over. */
  finish(id: number): void {
    this.underWay.delete(id);
    this.pending.delete(id);
    this.unreadableSince.delete(id);
    this.takenBack.delete(id);
    this.cursor.done.add(id);
  }

  /** Leaves an end that cannot be handed over now. */
  postpone(id: number): void {
    this.underWay.delete(id);
  }

  /** For how many milliseconds an end could not be read, since it was found so first. */
  unreadableFor(id: number, now: number): number {
    const since = this.unreadableSince.get(id) ?? now;
    this.unreadableSince.set(id, since);
    return now - since;
  }

  async done(ends: NamedEnd[]): Promise<void> {
    for (const { id } of ends) this.finish(id);
    await this.save();
  }

  /** n8n has refused these ends, maybe after they were {@link done}. */
  async undone(ends: NamedEnd[]): Promise<void> {
    for (const { id, key } of ends) {
      this.underWay.delete(id);
      this.takeBack(id);
      this.taken.delete(key);
      this.pending.add(id);
    }
    await this.save();
  }

  /** Repeats a save that failed, and one of long ago. When it fails, the next poll repeats it. */
  async saveAgain(): Promise<void> {
    const isToSave = this.isUnsaved || this.takenBackStoredAt === Infinity;
    if (isToSave || this.cursors.isOutdated()) await this.save().catch(() => {});
  }

  private async save(): Promise<void> {
    this.nextSave ??= this.saves(async () => {
      this.nextSave = undefined;
      this.isUnsaved = true;
      const { takenBack } = this;
      await this.cursors.save(this.cursor);
      this.isUnsaved = false;
      // What was taken back meanwhile is another list.
      if (this.takenBack === takenBack) this.takenBackStoredAt = Date.now();
    });
    await this.nextSave;
  }
}

const handOversByTrigger = new Map<string, HandOvers>();

/** The hand-overs of one trigger in one log, merged with the stored cursor. */
export async function handOversOf(key: string, cursors: Cursors): Promise<HandOvers> {
  const existing = handOversByTrigger.get(key);
  const cursor = await cursors.own(existing?.cursor);
  const handOvers = existing ?? new HandOvers(cursors, cursor);
  handOversByTrigger.set(key, handOvers);
  handOvers.merge(cursors, cursor);
  await handOvers.saveAgain();
  return handOvers;
}
