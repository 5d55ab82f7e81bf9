import type { RetryPlan } from '../../callLog/placing/loggedRequest';
import type { FinishedReading } from '../../service/callingService';

/** A call whose outcome is waited for. Times are milliseconds since 1970. */
export interface OpenCall {
  orderId: number;
  /** Which attempt at the call it is, where that is known. */
  attempt?: number;
  /** When it is placed again, where anything is to follow. */
  retry?: RetryPlan;
  /** When it is placed again, once it has ended: ISO 8601; null when it is not. */
  nextAttemptAt?: string | null;
  /** Known unless the call was named by its order id alone. */
  customerPhone?: string;
  customerName?: string;
  orderNumber?: string;
  scriptId?: number;
  /** When the call was placed, or when its order id was first seen. */
  placedAt: number;
  /** How often the service was asked for it. */
  checks: number;
  nextCheckAt: number;
  /** Since when the service calls the order unknown, and how often it did so in a row. */
  unknown?: { since: number; times: number };
  /** Why the last look gave nothing, when it failed. */
  lastError?: string;
}

/** How an attempt ended that gave no outcome. */
export type EndReason =
  /** Nobody waits for the outcome any more. */
  | 'givenUp'
  /** Nobody was called: a rule or the service objected. */
  | 'notPlaced'
  /** Nobody was called: the call was cancelled before. */
  | 'cancelled'
  /** Nobody knows whether it was placed. */
  | 'maybePlaced';

/** Why there is no outcome. */
export interface Unavailable {
  endReason: EndReason;
  message: string;
}

/** How the waiting for a call ends. */
export type CallEnd = { outcome: FinishedReading } | { unavailable: Unavailable };

/** What is known of a call that has ended: a row of a log may have lost the order id. */
export type EndedCallDetails = Omit<OpenCall, 'orderId' | 'placedAt'> & {
  orderId?: number;
  /** Undefined when nobody was called. */
  placedAt?: number;
  /** Names the call where it has no order id. */
  callId?: string;
};

/** A call that is no longer waited for. */
export interface EndedCall {
  call: EndedCallDetails;
  end: CallEnd;
}

/** An end of a call with its order id, which all have that are not watched in a log. */
export function callsWithId(ended: EndedCall[]): OpenCall[] {
  return ended.flatMap(({ call: { orderId, placedAt, ...details } }) =>
    orderId === undefined || placedAt === undefined ? [] : [{ ...details, orderId, placedAt }],
  );
}

/**
 * The calls that are waited for. Every method may be called for many calls at once.
 */
export interface OpenCallSource {
  /**
   * Takes calls whose next look is due, longest overdue first. A call that was taken is not given
   * out again before it is put back.
   */
  takeDue(now: number, limit: number): Promise<OpenCall[]>;
  /** Waits on: the call has not ended, or could not be looked at. */
  putBack(call: OpenCall): void;
  /** The calls have ended. */
  recordEnds(ended: EndedCall[]): Promise<void>;
  /** When the next look is due, as far as it is known without asking. */
  nextDueAt(): number | undefined;
  /**
   * Waits until that time, or until there may be calls or ends that were not there before. Without it, none
   * come by themselves.
   *
   * @returns whether there may be such ends
   */
  rest?(until: number, signal: AbortSignal): Promise<boolean>;
  /** Writes down what has to outlive the poll. */
  close(): Promise<void>;
}

/** The ends that one trigger has to hand over. Every method may be called for many ends at once. */
export interface EndSource {
  /** Takes ends that are to be handed over; it is empty when there are none now. */
  takeEnds(): Promise<EndedCall[]>;
  /** n8n is given these ends next: what is to be saved with their execution is noted now. */
  handingOver(ended: EndedCall[]): void;
  /** n8n has the ends, or nobody wants them. */
  handedOver(ended: EndedCall[]): Promise<void>;
  /** n8n has not taken the ends, which may become known after the poll: they are due again. */
  notHandedOver(ended: EndedCall[]): Promise<void>;
}

/** A way to know which calls to wait for: what one trigger waits for, and what it hands over. */
export interface Watch extends OpenCallSource, EndSource {}

/** A trigger: the same node of the same workflow, through all polls and publications. */
export type TriggerKey = string;
