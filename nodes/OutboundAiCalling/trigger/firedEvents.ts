import type { IDataObject } from 'n8n-workflow';
import type { TriggerSettings } from './settings';

type Watched = TriggerSettings['watch'];

/** At most this many events of all triggers are remembered; the oldest go first. */
export const MOST_EVENTS = 10_000;

/** By trigger and event: what the trigger watched when it fired the event. */
const watchedThen = new Map<string, Watched>();

/** What a trigger has fired in this process: the log and this instance may both tell of an end. */
export class FiredEvents {
  constructor(
    private readonly trigger: string,
    private readonly watched: Watched,
  ) {}

  /** Whether the trigger has fired the event of an item while it watched something else. */
  hasFromElsewhere(item: IDataObject): boolean {
    return (watchedThen.get(this.nameOf(item)) ?? this.watched) !== this.watched;
  }

  note(items: IDataObject[]): void {
    for (const item of items) watchedThen.set(this.nameOf(item), this.watched);
    for (const name of watchedThen.keys()) {
      if (watchedThen.size <= MOST_EVENTS) return;
      watchedThen.delete(name);
    }
  }

  forget(items: IDataObject[]): void {
    for (const item of items) watchedThen.delete(this.nameOf(item));
  }

  private nameOf({ eventId }: IDataObject): string {
    return `${this.trigger} ${String(eventId)}`;
  }
}
