import type { IDataObject } from 'n8n-workflow';
import { readIdentifier } from '../../service/identifier';
import { OpenCalls } from './openCalls';
import type { TriggerKey, WatchedCall, Watchlist } from './watch';

/** What the trigger's static data holds: n8n saves it with the execution that a poll starts. */
interface Saved {
  /** Ids that were handed over or given up, as keys. */
  done: Record<string, true>;
  /** When each id was first seen, in milliseconds since 1970. */
  since: Record<string, number>;
}

function savedIn(staticData: IDataObject): Saved {
  staticData.done ??= {};
  staticData.since ??= {};
  return staticData as unknown as Saved;
}

/** When to look again is known to the process only: after a restart every id is looked at once. */
const openByTrigger = new Map<TriggerKey, OpenCalls>();

/**
 * Reads a list of order ids: an array, or text with commas, semicolons, spaces or new lines.
 *
 * @returns the ids without repetition, and what is none
 */
export function readOrderIds(value: unknown): { orderIds: number[]; nonsense: string[] } {
  const parts = (Array.isArray(value) ? value : String(value ?? '').split(/[\s,;]+/))
    .map((part) => String(part).trim())
    .filter((part) => part !== '');
  const orderIds = new Set<number>();
  const nonsense: string[] = [];
  for (const part of parts) {
    const id = readIdentifier(part);
    if (id === undefined) nonsense.push(part);
    else orderIds.add(id);
  }
  return { orderIds: [...orderIds], nonsense };
}

/** A list of order ids, each of which ends once. */
export class OrderIdsWatchlist implements Watchlist {
  private readonly saved: Saved;
  private readonly open: OpenCalls;

  /** @param trigger undefined in the editor, which must not touch what production waits for */
  constructor(
    trigger: TriggerKey | undefined,
    private readonly orderIds: number[],
    staticData: IDataObject,
    now = Date.now(),
  ) {
    this.saved = savedIn(staticData);
    this.open = (trigger && openByTrigger.get(trigger)) || new OpenCalls();
    if (trigger !== undefined) openByTrigger.set(trigger, this.open);
    const listed = new Set(orderIds);
    for (const part of [this.saved.done, this.saved.since]) {
      for (const id of Object.keys(part)) if (!listed.has(Number(id))) delete part[id];
    }
    this.open.keepOnly(({ orderId }) => listed.has(orderId) && !(orderId in this.saved.done));
    for (const orderId of orderIds) {
      if (orderId in this.saved.done || this.open.has(orderId)) continue;
      this.open.add(this.watched(orderId, now));
    }
  }

  async take(now: number, limit: number): Promise<WatchedCall[]> {
    return this.open.take(now, limit, this);
  }

  putBack(call: WatchedCall): void {
    delete this.saved.done[call.orderId];
    this.open.putBack(call);
  }

  leaving(calls: WatchedCall[]): void {
    for (const { orderId } of calls) {
      this.saved.done[orderId] = true;
      delete this.saved.since[orderId];
    }
  }

  async settle(call: WatchedCall): Promise<void> {
    if (!(call.orderId in this.saved.done)) this.leaving([call]);
    this.open.remove(call.orderId);
  }

  nextDueAt(): number | undefined {
    return this.open.nextDueAt();
  }

  async close(): Promise<void> {
    this.open.release(this);
  }

  async examples(limit: number): Promise<WatchedCall[]> {
    const now = Date.now();
    return this.orderIds.slice(0, limit).map((orderId) => ({
      orderId,
      placedAt: now,
      looks: 0,
      nextLookAt: now,
    }));
  }

  private watched(orderId: number, now: number): WatchedCall {
    const placedAt = (this.saved.since[orderId] ??= now);
    return { orderId, placedAt, looks: 0, nextLookAt: now };
  }
}
