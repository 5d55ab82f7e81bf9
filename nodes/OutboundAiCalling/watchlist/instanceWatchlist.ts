import { OpenCalls } from './openCalls';
import { LONGEST_AGE_MS, placedCalls, type NotedCall, type PlacedCalls } from './placedCalls';
import { firstLookAt } from './schedule';
import type { TriggerKey, WatchedCall, Watchlist } from './watchlist';

/** How far one trigger has come in the calls of one credential. */
interface Place {
  readonly open: OpenCalls;
  /** The last call that it has taken over; undefined before its first poll. */
  sequence: number | undefined;
  usedAt: number;
}

/** Places outlive polls and publications, as long as the process lives. */
const places = new Map<string, Place>();

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
}

/**
 * Every call that this process placed with one credential. Each trigger keeps its own place, so
 * that several get every outcome. A trigger that is new also gets the calls placed before whose end
 * nobody has seen.
 */
export class InstanceWatchlist implements Watchlist {
  private readonly place: Place;

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
  }

  leaving(): void {}

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

  private takeOver(now: number): void {
    const { place, options } = this;
    const isNew = place.sequence === undefined;
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
