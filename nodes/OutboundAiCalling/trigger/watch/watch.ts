import { nextAttemptTime } from '../../callLog/ends/nextAttempt';
import type { PlacedNote } from '../../placedCalls';
import { GIVEN_UP, type CallState } from '../../callLog/states';
import type { FinishedReading } from '../../service/callingService';
import { labelOfEnd } from '../../service/outcome';

/** Since when, in milliseconds since 1970, and how often in a row something has happened. */
export interface Streak {
  since: number;
  times: number;
}

/** A call whose outcome is waited for. Times are milliseconds since 1970. */
export interface OpenCall extends Pick<
  PlacedNote,
  'orderId' | 'callId' | 'attempt' | 'retry' | 'customerName' | 'orderNumber'
> {
  /** When the next attempt is due: ISO 8601; null when none follows; not there before this one has ended. */
  nextAttemptAt?: string | null;
  /** Undefined when only the order id is known. */
  customerPhone?: string;
  /** When the call was placed, or when its order id was first seen. */
  placedAt: number;
  /** How often the service was asked for its outcome. */
  checks: number;
  nextCheckAt: number;
  /** Looks in a row at which the service has called the order unknown. */
  unknown?: Streak;
  /** Looks in a row that failed. */
  failing?: Streak;
  /** Since when looks in a row have found a label that may be final, or may not. */
  unclearSince?: number;
  /** The end without a label that a look has found, and since when: one may still come. */
  unlabelled?: { end: FinishedReading; since: number };
  lastError?: string;
}

/** The states of a row that say why there is no outcome. */
export const END_REASONS = [
  'givenUp',
  'notPlaced',
  'cancelled',
  'maybePlaced',
] as const satisfies readonly CallState[];
export type EndReason = (typeof END_REASONS)[number];

export type CallEnd =
  { outcome: FinishedReading } | { unavailable: { endReason: EndReason; message: string } };

/** The end of a call whose outcome nobody waits for any more. */
export function givenUp(message: string): CallEnd {
  return { unavailable: { endReason: 'givenUp', message } };
}

/** An ended call. It has no order id if nobody placed it, or a person removed the id. */
export type EndedCallDetails = Omit<OpenCall, 'orderId' | 'placedAt'> & {
  orderId?: number;
  /** Undefined when nobody was called. */
  placedAt?: number;
  /** Of an attempt without an order id, in milliseconds since 1970: a person may have it placed again. */
  endedAt?: number;
};

export interface EndedCall {
  call: EndedCallDetails;
  end: CallEnd;
  /** When no outcome came: the attempt that had the last one, told as the last attempt. */
  lastOutcome?: EndedCall;
}

/** A call with its end, and with when it is placed again: as its row says, or else by its retry plan. */
export function endedCall(call: EndedCallDetails, end: CallEnd, endedAt: number): EndedCall {
  const label = 'outcome' in end ? labelOfEnd(end.outcome.result) : GIVEN_UP;
  const planned = nextAttemptTime(call.retry, call.attempt ?? 1, label, endedAt);
  // A row that says that no attempt follows is an answer too: a person may have cancelled it.
  return { call: { nextAttemptAt: planned, ...call }, end };
}

/** The calls that have an order id and were placed. Outside a call log, that is every call. */
export function callsWithId(ended: EndedCall[]): OpenCall[] {
  return ended.flatMap(({ call: { orderId, placedAt, ...details } }) =>
    orderId === undefined || placedAt === undefined ? [] : [{ ...details, orderId, placedAt }],
  );
}

/** The calls to look at. Methods may be called concurrently. */
export interface OpenCallSource {
  /** Takes due calls, longest overdue first. Nobody else gets a call before it is put back. */
  lockDue(now: number, limit: number): Promise<OpenCall[]>;
  /** Puts back a call that has not ended or could not be looked at. */
  putBack(call: OpenCall): void;
  /** Records ends, so that {@link EndSource.nextEnds} gives them. */
  recordEnds(ended: EndedCall[]): Promise<void>;
  /** When the next look is due, as far as this is clear without a request; Infinity for never. */
  nextDueAt(): number;
  /** Waits until that time, or for new calls or ends. Without this method, none come by themselves. */
  rest?(until: number, signal: AbortSignal): Promise<unknown>;
  /** Stores what must outlive the poll. */
  close(): Promise<void>;
}

/** The ends that one trigger has to hand over. Methods may be called concurrently. */
export interface EndSource {
  /** Takes ends to hand over; empty when there are none now. */
  nextEnds(): Promise<EndedCall[]>;
  /** Is called just before n8n gets these ends. Notes what n8n saves with their execution. */
  handingOver?(ended: EndedCall[]): void;
  /** n8n has taken the ends, or the person does not want them. */
  handedOver(ended: EndedCall[]): Promise<void>;
  /** n8n has refused the ends, maybe after the poll. They are due for another hand-over. */
  notHandedOver(ended: EndedCall[]): Promise<void>;
}

export interface Watch extends OpenCallSource, EndSource {}
