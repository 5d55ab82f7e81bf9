/** A call as the action node placed it. */
export interface PlacedCallNote {
  orderId: number;
  customerPhone: string;
  customerName?: string;
  orderNumber?: string;
  scriptId: number;
  /** Milliseconds since 1970. */
  placedAt: number;
}

/** A noted call, in the order of noting. */
export interface NotedCall extends PlacedCallNote {
  /** Grows with every note. */
  sequence: number;
  /** Whether some trigger has seen its end. */
  hasEnded: boolean;
}

/** So many calls are kept for each credential; the oldest go first. */
export const MOST_CALLS = 10_000;
/** So many credentials are kept; the one that was longest without a call goes first. */
const MOST_CREDENTIALS = 200;
/** A call is kept so long at most. */
export const LONGEST_AGE_MS = 7 * 24 * 3_600_000;

/**
 * The calls that this process placed, by credential: ids of orders mean something only under the
 * key that made them.
 */
export class PlacedCalls {
  private readonly byCredential = new Map<string, Map<number, NotedCall>>();
  private sequence = 0;

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  note(credentialId: string, call: PlacedCallNote): void {
    const calls = this.byCredential.get(credentialId) ?? new Map<number, NotedCall>();
    this.byCredential.delete(credentialId);
    this.byCredential.set(credentialId, calls);
    // A retried execution notes the calls again that its first try had placed.
    if (calls.has(call.orderId)) return;
    calls.set(call.orderId, { ...call, sequence: ++this.sequence, hasEnded: false });
    forgetFirst(calls, MOST_CALLS);
    forgetFirst(this.byCredential, MOST_CREDENTIALS);
    const oldest = this.now() - LONGEST_AGE_MS;
    for (const [orderId, { placedAt }] of calls) {
      if (placedAt >= oldest) break;
      calls.delete(orderId);
    }
  }

  /** The calls noted after that sequence, oldest first. */
  after(credentialId: string, sequence: number): NotedCall[] {
    const oldest = this.now() - LONGEST_AGE_MS;
    const calls = [...(this.byCredential.get(credentialId)?.values() ?? [])];
    return calls.filter((call) => call.sequence > sequence && call.placedAt >= oldest);
  }

  noteEnd(credentialId: string, orderId: number): void {
    const call = this.byCredential.get(credentialId)?.get(orderId);
    if (call !== undefined) call.hasEnded = true;
  }
}

/** Maps keep the order of insertion: the first entries are the oldest. */
function forgetFirst<Key, Value>(map: Map<Key, Value>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

/** The one list of this process, which the action node writes and the trigger reads. */
export const placedCalls = new PlacedCalls();

/**
 * Notes a call that was placed, for every trigger of this process that watches its credential.
 *
 * @param credentialId n8n's id of the credential that the call was placed with
 */
export function notePlaced(credentialId: string, call: PlacedCallNote): void {
  placedCalls.note(credentialId, call);
}
