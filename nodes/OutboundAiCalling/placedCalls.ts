import { randomUUID } from 'crypto';

/** Says after which outcomes a call is placed again, and how long after the end of each attempt. */
export interface RetryPlan {
  outcomes: string[];
  /** Minutes from the end of the first attempt to the second, and so on. */
  afterMinutes: number[];
}

/** A call as the action node placed it. */
export interface PlacedNote {
  orderId: number;
  /** Our own id of the call, when it is in a call log. */
  callId?: string | undefined;
  customerPhone: string;
  customerName?: string;
  orderNumber?: string;
  /** Which attempt at the call it is, where it is not the first and only one. */
  attempt?: number;
  retry?: RetryPlan;
  /** Milliseconds since 1970. */
  placedAt: number;
}

/** A noted call, and its place in the order of notes. */
export interface NotedCall extends PlacedNote {
  /** Our own id of the call: of its row, or made for the note. */
  callId: string;
  /** Grows with every note. */
  sequence: number;
  /** Whether a trigger has seen its end. */
  hasEnded: boolean;
}

/** At most this many calls are stored for each origin; the oldest go first. */
export const MOST_CALLS = 10_000;
/** At most this many origins are stored; the one without a call for longest goes first. */
const MOST_ORIGINS = 200;
/**
 * A call is stored for at most this long: more than a month, for triggers that poll once a month.
 */
export const LONGEST_AGE_MS = 40 * 24 * 3_600_000;

/**
 * Names the calls of one credential and account. An order id is valid only under the API key that
 * made it, and a person may point a credential at another account.
 */
export function originOf(credentialId: string, account: string): string {
  return `${credentialId} ${account}`;
}

/** What a call is about, as far as it is known. */
export type CallSubject = { orderId: number } & Partial<
  Pick<PlacedNote, 'customerPhone' | 'orderNumber' | 'attempt'>
>;

/**
 * Names a call by what it is about. The order id is not enough: a service that was reset gives it
 * again.
 */
export function nameOfCall(call: CallSubject): string {
  const { orderId, attempt = 1, customerPhone, orderNumber } = call;
  return JSON.stringify([orderId, attempt, customerPhone, orderNumber]);
}

/** The calls of one origin. */
interface Calls {
  /** By {@link nameOfCall}; the call noted last comes last. */
  bySubject: Map<string, NotedCall>;
  /** How many calls were forgotten before a trigger saw their end. */
  forgotten: number;
}

/** The calls that this process placed, by their {@link originOf}. */
export class PlacedCalls {
  private readonly byOrigin = new Map<string, Calls>();
  private readonly listeners = new Set<() => void>();
  private sequence = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** A call replaces an earlier one about the same, whose outcome can no longer be read. */
  note(origin: string, call: PlacedNote): void {
    const calls = this.byOrigin.get(origin) ?? { bySubject: new Map(), forgotten: 0 };
    this.byOrigin.delete(origin);
    this.byOrigin.set(origin, calls);
    const subject = nameOfCall(call);
    const noted = calls.bySubject.get(subject);
    const isSame = noted?.placedAt === call.placedAt || noted?.callId === call.callId;
    if (noted !== undefined && isSame) return;
    const { callId = randomUUID() } = call;
    const sequence = ++this.sequence;
    calls.bySubject.delete(subject);
    calls.bySubject.set(subject, { ...call, callId, sequence, hasEnded: false });
    this.forgetOldest(calls);
    for (const listener of this.listeners) listener();
    for (const other of this.byOrigin.keys()) {
      if (this.byOrigin.size <= MOST_ORIGINS) return;
      this.byOrigin.delete(other);
    }
  }

  /** The calls noted after a sequence number, oldest first. */
  after(origin: string, sequence: number): NotedCall[] {
    const oldest = this.now() - LONGEST_AGE_MS;
    const calls = [...(this.byOrigin.get(origin)?.bySubject.values() ?? [])];
    return calls.filter((call) => call.sequence > sequence && call.placedAt >= oldest);
  }

  /**
   * Calls a function after every note, of any origin.
   *
   * @returns removes the function
   */
  onNote(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  noteEnd(origin: string, call: CallSubject): void {
    const noted = this.byOrigin.get(origin)?.bySubject.get(nameOfCall(call));
    if (noted !== undefined) noted.hasEnded = true;
  }

  /** How many calls were too many or too old to store, and no trigger had seen their end. */
  forgotten(origin: string): number {
    return this.byOrigin.get(origin)?.forgotten ?? 0;
  }

  private forgetOldest(calls: Calls): void {
    const oldest = this.now() - LONGEST_AGE_MS;
    for (const [subject, { placedAt, hasEnded }] of calls.bySubject) {
      if (calls.bySubject.size <= MOST_CALLS && placedAt >= oldest) return;
      calls.bySubject.delete(subject);
      if (!hasEnded) calls.forgotten++;
    }
  }
}

/** The one list of this process: the action node writes it, and the trigger reads it. */
export const placedCalls = new PlacedCalls();
