import type { IDataObject } from 'n8n-workflow';
import { readIdentifier } from '../../service/identifier';
import { textOrJson } from '../../values';
import { MemoryWatch, OpenCalls } from './openCalls';
import { callsWithId, type EndedCall, type OpenCall, type Watch } from './watch';

/** The progress under one account. n8n saves it with an execution that a poll starts. */
interface Saved {
  account: string;
  /** Ids that were handed over or given up, as keys. They may have left the list since. */
  done: Record<string, true>;
  /** When each id was first seen, in milliseconds since 1970. */
  since: Record<string, number>;
  /** Progress under earlier accounts of the credential, the newest last. It may use them again. */
  others?: Saved[];
}

const MOST_OTHERS = 5;
/** At most this many ids that have left the list are remembered: n8n saves them with the workflow. */
export const MOST_UNLISTED = 10_000;

function progressIn(staticData: IDataObject, account: string): Saved {
  const saved = staticData as Partial<Saved>;
  if (saved.account !== account) {
    const { account: before, done = {}, since = {}, others = [] } = saved;
    const own = others.find((other) => other.account === account);
    const left = before === undefined ? [] : [{ account: before, done, since }];
    const newest = [...others.filter((other) => other !== own), ...left].slice(-MOST_OTHERS);
    Object.assign(saved, { account, done: {}, since: {}, ...own, others: newest });
  }
  return staticData as unknown as Saved;
}

/**
 * What this process knows of each trigger's ids: by id, whether it has handed it over; false when n8n has
 * refused it. Outlives publications: n8n saves static data before it starts the execution, and gives a new
 * publication what is in its database, by the node's name. The time of the next look is only here: after a
 * restart, every id is due at once.
 */
const memoryByTrigger = new Map<string, { open: OpenCalls; isDone: Map<number, boolean> }>();

/** One number with separators of thousands, or several short ids: nobody knows. */
const THOUSANDS = /^\d{1,2}(?:[,\s]\d{3})+$/;
/** What surely stands between two ids of a list, in one reading or the other. */
const BETWEEN = [/[;\r\n]|,\s/, /[;\s]+/];

/** Reads a list of order ids, an array or text: each id once, and the parts that are no ids. */
export function readOrderIds(value: unknown): { orderIds: number[]; nonsense: string[] } {
  const text = Array.isArray(value) ? '' : textOrJson(value ?? '');
  const readings = BETWEEN.flatMap((between) => text.split(between).map((part) => part.trim()));
  const doubtful = new Set(readings.filter((part) => THOUSANDS.test(part)));
  if (doubtful.size > 0) return { orderIds: [], nonsense: [...doubtful] };
  const parts = (Array.isArray(value) ? value : text.split(/[\s,;]+/))
    .map((part) => textOrJson(part).trim())
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

interface OrderIdsWatchOptions {
  trigger: string;
  /** The fingerprint of the account that the ids belong to. */
  account: string;
  orderIds: number[];
  staticData: IDataObject;
}

/** Watches a list of order ids, each of which ends once. */
export class OrderIdsWatch extends MemoryWatch implements Watch {
  private readonly saved: Saved;
  private readonly isDone: Map<number, boolean>;

  constructor({ trigger, account, orderIds, staticData }: OrderIdsWatchOptions) {
    const key = `${trigger} ${account}`;
    const memory = memoryByTrigger.get(key) ?? { open: new OpenCalls(), isDone: new Map() };
    memoryByTrigger.set(key, memory);
    super(memory.open);
    this.isDone = memory.isDone;
    this.saved = progressIn(staticData, account);
    const listed = new Set(orderIds);
    const { done, since } = this.saved;
    for (const [id, isDone] of this.isDone) {
      if (isDone) done[id] = true;
      else delete done[id];
    }
    const unlisted = (ids: object) => Object.keys(ids).filter((id) => !listed.has(Number(id)));
    for (const id of unlisted(since)) delete since[id];
    // An id may come back into the list. The lowest go first, which the service gave first.
    for (const id of unlisted(done).slice(0, -MOST_UNLISTED)) delete done[id];
    for (const id of this.isDone.keys()) {
      if (!listed.has(id) && !(id in done)) this.isDone.delete(id);
    }
    this.open.keepOnly(({ orderId }) => listed.has(orderId) && !(orderId in done));
    const now = Date.now();
    for (const orderId of orderIds) {
      if (orderId in done || this.open.has({ orderId })) continue;
      const placedAt = (since[orderId] ??= now);
      this.open.add({ orderId, placedAt, checks: 0, nextCheckAt: now });
    }
  }

  handingOver(ended: EndedCall[]): void {
    for (const call of callsWithId(ended)) {
      this.isDone.set(call.orderId, true);
      this.saved.done[call.orderId] = true;
      delete this.saved.since[call.orderId];
      this.open.remove(call);
    }
  }

  async handedOver(ended: EndedCall[]): Promise<void> {
    this.handingOver(ended);
  }

  override async notHandedOver(ended: EndedCall[]): Promise<void> {
    for (const { orderId, placedAt } of callsWithId(ended)) {
      this.isDone.set(orderId, false);
      delete this.saved.done[orderId];
      this.saved.since[orderId] = placedAt;
    }
    await super.notHandedOver(ended);
  }
}

/** Orders of a list for a sample in the editor. Nothing is stored. */
export function sampleOrders(orderIds: number[], limit: number): OpenCall[] {
  const now = Date.now();
  const fresh = { placedAt: now, checks: 0, nextCheckAt: now };
  return orderIds.slice(0, limit).map((orderId) => ({ orderId, ...fresh }));
}
