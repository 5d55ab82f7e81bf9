/** A call as the action node placed it. */
export interface PlacedNote {
  orderId: number;
  customerPhone: string;
  customerName?: string;
  orderNumber?: string;
  scriptId: number;
  /** Which attempt at the call it is, where it is not the first and only one. */
  attempt?: number;
  /** After which outcomes it is placed again, and how many minutes after each attempt. */
  retry?: { outcomes: string[]; afterMinutes: number[] };
  /** Milliseconds since 1970. */
  placedAt: number;
}

/** A noted call, in the order of noting. */
export interface NotedCall extends PlacedNote {
  /** Grows with every note. */
  sequence: number;
  /** Whether some trigger has seen its end. */
  hasEnded: boolean;
}

/** So many calls are kept for each origin; the oldest go first. */
export const MOST_CALLS = 10_000;
/** So many origins are kept; the one that was longest without a call goes first. */
const MOST_ORIGINS = 200;
/** A call is kept so long at most: longer than a month, for triggers that poll once a month. */
export const LONGEST_AGE_MS = 40 * 24 * 3_600_000;

/**
 * Names the calls of one credential and account: ids of orders mean something only under the key that
 * made them, and a credential may be pointed at another account.
 *
 * @param credentialId n8n's id of the credential
 * @param account its fingerprint
 */
export function originOf(credentialId: string, account: string): string {
  return `${credentialId} ${account}`;
}

/** The calls of one origin. */
interface Calls {
  byOrderId: Map<number, NotedCall>;
  /** So many were forgotten whose end nobody had seen. */
  forgotten: number;
}

/** The calls that this process placed, by their {@link originOf}. */
export class PlacedCalls {
  private readonly byOrigin = new Map<string, Calls>();
  private readonly listeners = new Set<() => void>();
  private sequence = 0;

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  note(origin: string, call: PlacedNote): void {
    const calls = this.byOrigin.get(origin) ?? { byOrderId: new Map(), forgotten: 0 };
    this.byOrigin.delete(origin);
    this.byOrigin.set(origin, calls);
    // A retried execution notes the calls again that its first try had placed.
    if (calls.byOrderId.has(call.orderId)) return;
    calls.byOrderId.set(call.orderId, { ...call, sequence: ++this.sequence, hasEnded: false });
    this.forgetOldest(calls);
    for (const listener of this.listeners) listener();
    for (const other of this.byOrigin.keys()) {
      if (this.byOrigin.size <= MOST_ORIGINS) return;
      this.byOrigin.delete(other);
    }
  }

  /** The calls noted after that sequence, oldest first. */
  after(origin: string, sequence: number): NotedCall[] {
    const oldest = this.now() - LONGEST_AGE_MS;
    const calls = [...(this.byOrigin.get(origin)?.byOrderId.values() ?? [])];
    return calls.filter((call) => call.sequence > sequence && call.placedAt >= oldest);
  }

  /** Has a function called whenever a call is noted, of whatever origin, until the function that it gives is called. */
  onNote(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  noteEnd(origin: string, orderId: number): void {
    const call = this.byOrigin.get(origin)?.byOrderId.get(orderId);
    if (call !== undefined) call.hasEnded = true;
  }

  /** So many calls were too many or too old to keep, and nobody had seen their end. */
  forgotten(origin: string): number {
    return this.byOrigin.get(origin)?.forgotten ?? 0;
  }

  private forgetOldest(calls: Calls): void {
    const oldest = this.now() - LONGEST_AGE_MS;
    for (const [orderId, { placedAt, hasEnded }] of calls.byOrderId) {
      if (calls.byOrderId.size <= MOST_CALLS && placedAt >= oldest) return;
      calls.byOrderId.delete(orderId);
      if (!hasEnded) calls.forgotten++;
    }
  }
}

/** The one list of this process, which the action node writes and the trigger reads. */
export const placedCalls = new PlacedCalls();
