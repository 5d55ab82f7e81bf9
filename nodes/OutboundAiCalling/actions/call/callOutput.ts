import { defined } from '../../http/json';
import type { Objection } from '../../rules/rule';
import { dryRunItem, type DryRun, type Skipped } from '../../rules/skipped';
import type { CallRequest, PlacedCall } from '../../service/callingService';
import type { EndedCallOutput, OpenCallOutput } from '../../outcomeItem';

interface PlacedCallOutput extends PlacedCall {
  customerPhone: string;
  /** Only when one was given. */
  orderNumber?: string;
}

export const PLACED_FIELDS: ReadonlyArray<keyof PlacedCallOutput> = [
  'orderId',
  'scriptId',
  'callStatus',
  'customerPhone',
  'orderNumber',
  'message',
];

type CallDryRun = DryRun<Pick<PlacedCallOutput, 'customerPhone' | 'orderNumber' | 'scriptId'>>;

/** Remarks that the item of any call may have. */
export interface CallRemarks {
  /** A test phone was rung instead of the customer. */
  testCall?: true;
  /** Nobody was called. */
  simulated?: true;
  /** Why the call log does not show what became of the call. */
  callLogError?: string;
}

/** The attempt of a call that may be placed again. */
export interface Attempt {
  /** From 1. */
  attempt: number;
  /** When the call is placed again: ISO 8601 in UTC; null when this attempt was the last. */
  nextAttemptAt: string | null;
}

interface WaitedFor extends Partial<Attempt> {
  customerPhone: string;
  /** Only when one was given. */
  orderNumber?: string;
  /** Why the person could not be put on the do-not-call list. */
  doNotCallError?: string;
}

/** When a scheduled call is due, and whom it calls. */
export interface Appointment {
  /** ISO 8601 with the offset of the workflow's time zone. */
  callAt: string;
  /** From 1. */
  attempt: number;
  customerPhone: string;
  /** Only when one was given. */
  orderNumber?: string;
}

interface ScheduledCallOutput extends Appointment {
  callId: string;
  /** `scheduled`, or what the row of a call says that an earlier try has scheduled and that has begun since. */
  status: string;
}

export type ScheduleOutput = Pick<CallRemarks, 'testCall' | 'simulated'> &
  (
    | ScheduledCallOutput
    // Of an agent's call that stands as it was asked for before.
    | (Skipped & Partial<Pick<ScheduledCallOutput, 'callId' | 'callAt'>>)
    | DryRun<Appointment & { scriptId: number }>
  );
export type PlaceScheduledOutput = CallRemarks &
  (PlacedCallOutput | CallDryRun) &
  Pick<ScheduledCallOutput, 'callId' | 'attempt'>;

export interface CancelScheduledOutput {
  /** How many calls are not placed, or not tried again. */
  cancelled: number;
  /** In plain words: how many calls were cancelled, go on, had ended, or could not be stopped. */
  message: string;
}

export type TriggerOutput = CallRemarks & (PlacedCallOutput | Skipped | CallDryRun);
export type TriggerAndWaitOutput = CallRemarks &
  ((WaitedFor & (EndedCallOutput | OpenCallOutput)) | Skipped | CallDryRun);
export type GetOutcomeOutput = Pick<CallRemarks, 'simulated'> & (EndedCallOutput | OpenCallOutput);

export function placedItem(
  { customerPhone, orderNumber }: CallRequest,
  { orderId, scriptId, callStatus, message }: PlacedCall,
): PlacedCallOutput {
  const order = defined({ orderNumber });
  return { orderId, scriptId, callStatus, customerPhone, ...order, message };
}

export function dryRunOf(
  { customerPhone, orderNumber, scriptId }: CallRequest,
  objection: Objection | undefined,
  wouldCall = true,
): CallDryRun {
  const order = defined({ orderNumber });
  return dryRunItem(wouldCall, objection, { customerPhone, ...order, scriptId });
}
