import type { IDataObject } from 'n8n-workflow';
import { numberOf, textOf } from '../http/json';
import { readTranscript, transcriptText, type Turn } from './transcript';

/** The result of a call that has ended ("Get call outcome"). */
export interface Outcome {
  orderId: number;
  /** Only when the caller supplied one. */
  orderNumber?: string;
  /** `completed`, `failed`, or whatever else the service names. */
  callStatus: string;
  /** The label as the service wrote it; null when it gave none. */
  callOutcome: string | null;
  /** The label in lower snake case, e.g. `order_confirmed`. */
  outcomeKey: string | null;
  callDurationSec: number | null;
  /** In the billing currency of the account. */
  totalCallCost: number | null;
  summary: string | null;
  transcript: Turn[];
  transcriptText: string;
}

/** The label in lower snake case, so that nothing depends on how it was capitalised. */
export function outcomeKey(label: string): string {
  return label
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

/**
 * The key under which an end is counted, chosen and called again after: that of its label, or of its
 * status when it has none.
 */
export function keyOfEnd({
  callOutcome,
  outcomeKey: key,
  callStatus,
}: Pick<Outcome, 'callOutcome' | 'outcomeKey' | 'callStatus'>): string {
  return key || outcomeKey(callOutcome ?? callStatus) || 'unknown';
}

const IN_PROGRESS = 'in_progress';

/**
 * The status under either of its names; undefined when the service gave none. `in_progress` stands
 * for itself in any spelling, because taking a call for ended would lose its outcome.
 */
export function callStatusOf(body: IDataObject): string | undefined {
  const status = textOf(body.callStatus ?? body.call_status) ?? undefined;
  return status?.toLowerCase().replace(/[^a-z]/g, '') === 'inprogress' ? IN_PROGRESS : status;
}

/** Whether a successful answer says that the call has not ended yet. */
export function isInProgress(body: IDataObject): boolean {
  return callStatusOf(body) === IN_PROGRESS;
}

/**
 * Reads the body of a successful outcome answer in every form that the interface shows.
 *
 * @param orderId the id that was asked for
 */
export function readOutcome(body: IDataObject, orderId: number): Outcome {
  const callDurationSec = numberOf(body.callDurationSec);
  const transcript = readTranscript(body.transcript, callDurationSec);
  const orderNumber = textOf(body.orderNumber);
  const label = textOf(body.callOutcome);
  return {
    orderId,
    ...(orderNumber === null ? {} : { orderNumber }),
    callStatus: callStatusOf(body) ?? 'completed',
    callOutcome: label,
    outcomeKey: label === null ? null : outcomeKey(label),
    callDurationSec,
    totalCallCost: numberOf(body.totalCallCost),
    summary: textOf(body.summary),
    transcript,
    transcriptText: transcriptText(transcript),
  };
}
