import type { Outcome } from '../../service/outcome';

/** A call whose outcome is waited for. Times are milliseconds since 1970. */
export interface WatchedCall {
  orderId: number;
  /** Known unless the call was named by its order id alone. */
  customerPhone?: string;
  customerName?: string;
  orderNumber?: string;
  scriptId?: number;
  /** When the call was placed, or when its order id was first seen. */
  placedAt: number;
  /** How often the service was asked for it. */
  looks: number;
  nextLookAt: number;
  /** Since when the service calls the order unknown, and how often it did so in a row. */
  unknown?: { since: number; times: number };
  /** Why the last look gave nothing, when it failed. */
  lastError?: string;
}

/** Why a call is given up. */
export interface GivenUp {
  reason: 'tooOld' | 'unknownOrder';
  message: string;
}

/** How the watch for a call ends. */
export type Ending = { outcome: Outcome } | { givenUp: GivenUp };

/**
 * The calls that one trigger still waits for. Every method may be called for many calls at once.
 */
export interface Watchlist {
  /**
   * Takes calls whose next look is due, longest overdue first. A call that was taken is not given
   * out again before it is put back.
   */
  take(now: number, limit: number): Promise<WatchedCall[]>;
  /** Waits on: the call has not ended, or could not be looked at, or was not handed over. */
  putBack(call: WatchedCall): void;
  /** n8n is given the outcomes next: what is to be saved with their execution is noted now. */
  leaving(calls: WatchedCall[]): void;
  /** Ends the watch: n8n has the outcome, or nobody wants it. */
  settle(call: WatchedCall, ending: Ending): Promise<void>;
  /** When the next look is due, as far as it is known without asking. */
  nextDueAt(): number | undefined;
  /** Writes down what has to outlive the poll. */
  close(): Promise<void>;
  /** Calls that could serve as an example, the likeliest to have ended first. Changes nothing. */
  examples(limit: number): Promise<WatchedCall[]>;
}

/** A trigger: the same node of the same workflow, through all polls and publications. */
export type TriggerKey = string;
