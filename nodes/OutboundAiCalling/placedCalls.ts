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
  callId?: string;
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

/** At most this many calls are stored for each account; the oldest go first. */
export const MOST_CALLS = 10_000;
/** At most this many accounts are stored; the one without a call for longest goes first. */
const MOST_ACCOUNTS = 200;
/** More than a month, for triggers that poll once a month. */
export const LONGEST_AGE_MS = 40 * 24 * 3_600_000;

/** What a call is about, as far as it is known. */
export type CallSubject = { orderId: number } & Partial<
  Pick<PlacedNote, 'customerPhone' | 'orderNumber' | 'attempt'>
>;

/** What a call is about. A service that was reset gives an order id again. */
export function nameOfCall(call: CallSubject): string {
  const { orderId, attempt = 1, customerPhone, orderNumber } = call;
  return JSON.stringify([orderId, attempt, customerPhone, orderNumber]);
}

/** The calls of one account. */
interface Calls {
  /** By {@link nameOfCall}; the call noted last comes last. */
  bySubject: Map<string, NotedCall>;
  /** How many calls were forgotten before a trigger saw their end. */
  forgotten: number;
}

/** The calls of this process, by account: an order id is valid only under its API key. */
export class PlacedCalls {
  private readonly byAccount = new Map<string, Calls>();
  private readonly listeners = new Set<() => void>();
  private sequence = 0;

  /** A call replaces an earlier one about the same, whose outcome can no longer be read. */
  note(account: string, call: PlacedNote): void {
    const calls = this.byAccount.get(account) ?? { bySubject: new Map(), forgotten: 0 };
    this.byAccount.delete(account);
    this.byAccount.set(account, calls);
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
    for (const other of this.byAccount.keys()) {
      if (this.byAccount.size <= MOST_ACCOUNTS) return;
      this.byAccount.delete(other);
    }
  }

  /** The calls noted after a sequence number, oldest first. */
  after(account: string, sequence: number): NotedCall[] {
    const oldest = Date.now() - LONGEST_AGE_MS;
    const calls = [...(this.byAccount.get(account)?.bySubject.values() ?? [])];
    return calls.filter((call) => call.sequence > sequence && call.placedAt >= oldest);
  }

  /**
   * Calls a function after every note, of any account.
   *
   * @returns removes the function
   */
  onNote(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  noteEnd(account: string, call: CallSubject): void {
    const noted = this.byAccount.get(account)?.bySubject.get(nameOfCall(call));
    if (noted !== undefined) noted.hasEnded = true;
  }

  /** How many calls were too many or too old to store, and no trigger had seen their end. */
  forgotten(account: string): number {
    return this.byAccount.get(account)?.forgotten ?? 0;
  }

  private forgetOldest(calls: Calls): void {
    const oldest = Date.now() - LONGEST_AGE_MS;
    for (const [subject, { placedAt, hasEnded }] of calls.bySubject) {
      if (calls.bySubject.size <= MOST_CALLS && placedAt >= oldest) return;
      calls.bySubject.delete(subject);
      if (!hasEnded) calls.forgotten++;
    }
  }
}

/** The one list of this process: the action node writes it, and the trigger reads it. */
export const placedCalls = new PlacedCalls();
