import type { RetryPlan } from '../../callLog/loggedRequest';
import type { FinishedReading } from '../../service/callingService';

/** A call whose outcome is waited for. Times are milliseconds since 1970. */
export interface OpenCall {
  orderId: number;
  /** Which attempt at the call it is, where that is known. */
  attempt?: number;
  /** When it is placed again, where anything is to follow. */
  retry?: RetryPlan;
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
  /** When its end was written down. */
  endedAt?: number;
}

/** Why a call is given up. */
export type GiveUpReason = 'tooOld' | 'unknownOrder' | 'invalidRow';

/** How the waiting for a call ends. */
export type CallEnd =
  { outcome: FinishedReading } | { givenUp: { reason: GiveUpReason; message: string } };

/** What is known of a call that has ended: a row of a log may have lost the order id. */
export type EndedCallDetails = Omit<OpenCall, 'orderId'> & {
  orderId?: number;
  /** Names the call where it has no order id. */
  callId?: string;
};

/** A call that is no longer waited for. */
export interface EndedCall {
  call: EndedCallDetails;
  end: CallEnd;
}

/** The calls of these ends that have an order id, as all have that are not watched in a log. */
export function callsWithId(ended: EndedCall[]): OpenCall[] {
  return ended.flatMap(({ call: { orderId, ...details } }) =>
    orderId === undefined ? [] : [{ ...details, orderId }],
  );
}

/**
 * A way to know which calls to wait for: the calls that one trigger still waits for, and those whose
 * end it has to hand over. Every method may be called for many calls at once.
 */
export interface Watch {
  /**
   * Takes calls whose next look is due, longest overdue first. A call that was taken is not given
   * out again before it is put back.
   */
  takeDue(now: number, limit: number): Promise<OpenCall[]>;
  /** Waits on: the call has not ended, or could not be looked at. */
  putBack(call: OpenCall): void;
  /** The calls have ended. */
  recordEnds(ended: EndedCall[]): Promise<void>;
  /** Takes the ends that this trigger has to hand over. */
  takeEnds(): Promise<EndedCall[]>;
  /** n8n is given these ends next: what is to be saved with their execution is noted now. */
  handingOver(ended: EndedCall[]): void;
  /** n8n has the ends, or nobody wants them. */
  handedOver(ended: EndedCall[]): Promise<void>;
  /** n8n has not taken the ends, which may become known after the poll: they are due again. */
  notHandedOver(ended: EndedCall[]): Promise<void>;
  /** When the next look is due, as far as it is known without asking. */
  nextDueAt(): number | undefined;
  /** Writes down what has to outlive the poll. */
  close(): Promise<void>;
}

/** A trigger: the same node of the same workflow, through all polls and publications. */
export type TriggerKey = string;
