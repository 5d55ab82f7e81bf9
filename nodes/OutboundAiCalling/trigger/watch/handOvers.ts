import { firstUnsure, type Place, type Places } from '../../callLog/places';

/** An end as the log names it. */
export interface NamedEnd {
  /** The call and its attempt. */
  key: string;
  /** When it was written into the log: milliseconds since 1970. */
  writtenAt: number;
}

/**
 * What one trigger of this process hands over and has handed over, through all its polls: a poll may
 * end, and the next begin, before n8n says whether it took what was handed over.
 */
export class HandOvers {
  /** Being handed over, or to be handed over at a later poll. */
  private readonly pending = new Map<string, NamedEnd>();
  private readonly underWay = new Set<string>();
  /** Refused by n8n: not handed over, whatever an older state of the table says. */
  private readonly refused = new Set<string>();
  /** Since when the outcomes of ends could not be read. */
  private readonly unreadableSince = new Map<string, number>();
  /** From then on the ends in the log have not been read: the place does not move past it. */
  private unreadFrom = Infinity;
  /** Of ends written before, only those that are pending or refused were not handed over. */
  private settledBefore = 0;
  /** Places are saved one after the other, so that an older one never overwrites a newer one. */
  private saved: Promise<void> = Promise.resolve();
  /** The next save, which has not begun: it serves everybody who asks meanwhile. */
  private nextSave: Promise<void> | undefined;

  constructor(
    private places: Places,
    private place: Place,
  ) {}

  /** How far this process knows the trigger to have come. */
  get known(): Place {
    return this.place;
  }

  /** Another process may have polled since: what either knows as handed over is. */
  merge(places: Places, { since, position, handedOver }: Place): void {
    this.places = places;
    this.place = {
      since,
      position: Math.max(position, this.place.position),
      handedOver: new Map([...this.place.handedOver, ...handedOver]),
    };
    for (const key of this.refused) this.place.handedOver.delete(key);
    for (const key of this.pending.keys()) {
      if (!this.underWay.has(key) && !this.refused.has(key)) this.pending.delete(key);
    }
  }

  /** From when on ends in the log may be new to this trigger. */
  get from(): number {
    return firstUnsure({ ...this.place, position: this.beforePending(this.place.position) });
  }

  /**
   * How far the log is read: {@link take} was given every end written before.
   *
   * @param time milliseconds since 1970; Infinity when all are read
   */
  readUntil(time: number): void {
    this.unreadFrom = time;
  }

  isNew({ key, writtenAt }: NamedEnd): boolean {
    if (this.place.handedOver.has(key) || this.underWay.has(key)) return false;
    return writtenAt >= this.settledBefore || this.pending.has(key) || this.refused.has(key);
  }

  /** Takes those that are new; they are given once, until they are {@link undone}. */
  take<End extends NamedEnd>(ends: End[]): End[] {
    return ends.filter((end) => {
      if (!this.isNew(end)) return false;
      this.underWay.add(end.key);
      this.pending.set(end.key, end);
      return true;
    });
  }

  /**
   * Cannot be handed over now: the place stays before it.
   *
   * @returns for how long it could not, in milliseconds
   */
  postpone(end: NamedEnd, now: number): number {
    this.pending.set(end.key, end);
    const since = this.unreadableSince.get(end.key) ?? now;
    this.unreadableSince.set(end.key, since);
    return now - since;
  }

  async done(ends: NamedEnd[]): Promise<void> {
    for (const { key, writtenAt } of ends) {
      this.underWay.delete(key);
      this.pending.delete(key);
      this.refused.delete(key);
      this.unreadableSince.delete(key);
      this.place.handedOver.set(key, writtenAt);
    }
    await this.save();
  }

  /** n8n has not taken them, which may become known after they were {@link done}. */
  async undone(ends: NamedEnd[]): Promise<void> {
    for (const end of ends) {
      this.underWay.delete(end.key);
      this.place.handedOver.delete(end.key);
      this.pending.set(end.key, end);
      this.refused.add(end.key);
    }
    await this.save();
  }

  /** No later than just before the first end that is still to be handed over. */
  private beforePending(position: number): number {
    let earliest = position;
    for (const { writtenAt } of this.pending.values()) earliest = Math.min(earliest, writtenAt - 1);
    return earliest;
  }

  private moveOn(): void {
    const { position, handedOver } = this.place;
    let newest = position;
    for (const time of handedOver.values()) newest = Math.max(newest, time);
    this.place.position = this.beforePending(Math.min(newest, Math.max(position, this.unreadFrom)));
    const { from } = this;
    this.settledBefore = Math.max(this.settledBefore, from);
    for (const [key, time] of handedOver) {
      if (time < from) handedOver.delete(key);
    }
  }

  private async save(): Promise<void> {
    this.moveOn();
    this.nextSave ??= this.saved
      .catch(() => {})
      .then(async () => {
        this.nextSave = undefined;
        await this.places.save(this.place);
      });
    this.saved = this.nextSave;
    await this.saved;
  }
}

const handOversByTrigger = new Map<string, HandOvers>();

/** What a trigger has handed over of one log, with what other processes have written since. */
export async function handOversOf(key: string, places: Places): Promise<HandOvers> {
  const known = handOversByTrigger.get(key);
  const place = await places.own(known?.known);
  if (known === undefined) {
    const handOvers = new HandOvers(places, place);
    handOversByTrigger.set(key, handOvers);
    return handOvers;
  }
  known.merge(places, place);
  return known;
}
