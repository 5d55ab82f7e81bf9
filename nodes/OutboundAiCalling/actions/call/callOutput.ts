import type { DryRun } from '../../rules/dryRun';
import type { Skipped } from '../../rules/skipped';
import type { PlacedCall } from '../../service/callingService';
import type { EndedCallOutput, OpenCallOutput } from './outcomeItem';

/** A call that was placed, in its tidy form. */
export interface PlacedCallOutput extends PlacedCall {
  customerPhone: string;
  /** Only when one was given. */
  orderNumber?: string;
}

/** What can be selected of a call that was placed. */
export const PLACED_FIELDS: ReadonlyArray<keyof PlacedCallOutput> = [
  'orderId',
  'scriptId',
  'callStatus',
  'customerPhone',
  'orderNumber',
  'message',
];

/** What would become of a call. */
export type CallDryRun = DryRun<
  Pick<PlacedCallOutput, 'customerPhone' | 'orderNumber' | 'scriptId'>
>;

/** What the item of any call says beside. */
export interface CallRemarks {
  /** A test phone was rung instead of the customer. */
  testCall?: true;
  /** Nobody was called. */
  simulated?: true;
  /** Why the call log does not tell what became of the call. */
  callLogError?: string;
}

/** Of a call that may be placed again. */
export interface Attempt {
  /** From 1. */
  attempt: number;
  /** When the call is placed again: ISO 8601 in UTC; null when this attempt was the last. */
  nextAttemptAt: string | null;
}

/** A call that was waited for. */
interface WaitedFor extends Partial<Attempt> {
  customerPhone: string;
  /** Why the outcome could not be read further. */
  outcomeError?: string;
  /** Why the person could not be put on the do-not-call list. */
  doNotCallError?: string;
}

/** When and whom a scheduled call is to call. */
export interface Appointment {
  /** ISO 8601 with the offset of the clocks that a person goes by. */
  callAt: string;
  /** From 1. */
  attempt: number;
  customerPhone: string;
  /** Only when one was given. */
  orderNumber?: string;
}

/** A call that was written down for later. */
export interface ScheduledCallOutput extends Appointment {
  callId: string;
  status: 'scheduled';
}

/** Which attempt at which scheduled call an item tells of. */
interface DueAttempt {
  callId: string;
  /** From 1. */
  attempt: number;
}

export type ScheduleOutput = Pick<CallRemarks, 'testCall' | 'simulated'> &
  (ScheduledCallOutput | Skipped | DryRun<Appointment & { scriptId: number }>);
export type PlaceScheduledOutput = CallRemarks & (PlacedCallOutput | CallDryRun) & DueAttempt;

/** How many calls are not placed any more, or not again. */
export interface CancelScheduledOutput {
  cancelled: number;
  /** What became of each call, in a person's words, also of those that could not be stopped. */
  message: string;
}

export type TriggerOutput = CallRemarks & (PlacedCallOutput | Skipped | CallDryRun);
export type TriggerAndWaitOutput = CallRemarks &
  ((WaitedFor & (EndedCallOutput | OpenCallOutput)) | Skipped | CallDryRun);
export type GetOutcomeOutput = EndedCallOutput | OpenCallOutput;
