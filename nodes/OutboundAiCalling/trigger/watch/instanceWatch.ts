import type { IDataObject } from 'n8n-workflow';
import { OpenCalls } from './openCalls';
import { LONGEST_AGE_MS, placedCalls, type NotedCall, type PlacedCalls } from '../../placedCalls';
import { firstLookAt } from '../schedule';
import type { TriggerKey, WatchedCall, Watchlist } from './watch';

/** How far one trigger has come in the calls of one credential. */
interface Place {
  readonly open: OpenCalls;
  /** The last call that it has taken over; undefined before its first poll. */
  sequence: number | undefined;
  usedAt: number;
}

/** Places outlive polls and publications, as long as the process lives. */
const places = new Map<string, Place>();

/** So many open calls, the newest, are saved with an execution: it is no place for a large list. */
export const MOST_SAVED = 1_000;

/** The calls that were open when n8n last saved the trigger's static data. */
function savedIn({ staticData, credentialId }: InstanceWatchOptions): WatchedCall[] {
  const open = staticData.open as { credentialId: string; calls: WatchedCall[] } | undefined;
  return open?.credentialId === credentialId ? open.calls : [];
}

function placeOf(key: string, now: number): Place {
  for (const [other, { usedAt }] of places) {
    if (usedAt < now - LONGEST_AGE_MS) places.delete(other);
  }
  const place = places.get(key) ?? { open: new OpenCalls(), sequence: undefined, usedAt: now };
  places.set(key, place);
  place.usedAt = now;
  return place;
}

export interface InstanceWatchOptions {
  trigger: TriggerKey;
  credentialId: string;
  firstCheckAfterMs: number;
  giveUpAfterMs: number;
  /** n8n saves it with every execution that the trigger starts; empty in the editor. */
  staticData: IDataObject;
}

/**
 * Every call that this process placed with one credential. Each trigger keeps its own place, so
 * that several get every outcome. A trigger that is new also gets the calls placed before whose end
 * nobody has seen. Of a process that died, those come back that were open when n8n saved its last
 * outcome.
 */
export class InstanceWatchlist implements Watchlist {
  private readonly place: Place;
  /** On their way to n8n. */
  private readonly left = new Set<number>();

  constructor(
    private readonly options: InstanceWatchOptions,
    private readonly calls: PlacedCalls = placedCalls,
    now = Date.now(),
  ) {
    this.place = placeOf(`${options.trigger} ${options.credentialId}`, now);
  }

  async take(now: number, limit: number): Promise<WatchedCall[]> {
    this.takeOver(now);
    return this.place.open.take(now, limit, this);
  }

  putBack(call: WatchedCall): void {
    this.place.open.putBack(call);
    if (this.left.delete(call.orderId)) this.save();
  }

  leaving(calls: WatchedCall[]): void {
    for (const { orderId } of calls) this.left.add(orderId);
    this.save();
  }

  async settle({ orderId }: WatchedCall): Promise<void> {
    this.calls.noteEnd(this.options.credentialId, orderId);
    this.place.open.remove(orderId);
  }

  nextDueAt(): number | undefined {
    return this.place.open.nextDueAt();
  }

  async close(): Promise<void> {
    this.place.open.release(this);
  }

  async examples(limit: number): Promise<WatchedCall[]> {
    const noted = this.calls.after(this.options.credentialId, 0);
    // The newest may still be talking; of two calls that have ended, either is a good example.
    return noted
      .reverse()
      .slice(0, limit)
      .map((call) => this.watched(call));
  }

  private save(): void {
    const open = this.place.open.all().filter(({ orderId }) => !this.left.has(orderId));
    const newest = open.sort((a, b) => a.placedAt - b.placedAt).slice(-MOST_SAVED);
    const { credentialId, staticData } = this.options;
    staticData.open = { credentialId, calls: newest } as unknown as IDataObject;
  }

  private takeOver(now: number): void {
    const { place, options } = this;
    const isNew = place.sequence === undefined;
    // The process may have died and come back.
    if (isNew) for (const call of savedIn(options)) place.open.add(call);
    const noted = this.calls.after(options.credentialId, place.sequence ?? 0);
    for (const call of noted) {
      place.sequence = call.sequence;
      const isWanted = !isNew || (!call.hasEnded && call.placedAt > now - options.giveUpAfterMs);
      if (isWanted && !place.open.has(call.orderId)) place.open.add(this.watched(call));
    }
    place.sequence ??= 0;
    place.open.keepOnly(({ placedAt }) => placedAt > now - LONGEST_AGE_MS - options.giveUpAfterMs);
  }

  private watched(noted: NotedCall): WatchedCall {
    const { orderId, customerPhone, customerName, orderNumber, scriptId, placedAt } = noted;
    return {
      orderId,
      customerPhone,
      customerName,
      orderNumber,
      scriptId,
      placedAt,
      looks: 0,
      nextLookAt: firstLookAt(placedAt, this.options.firstCheckAfterMs),
    };
  }
}
