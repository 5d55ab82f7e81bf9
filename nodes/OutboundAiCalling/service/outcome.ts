import type { IDataObject } from 'n8n-workflow';
import { readIdentifier } from './identifier';
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

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** The status under either of its names; undefined when the service gave none. */
export function callStatusOf(body: IDataObject): string | undefined {
  return textOf(body.callStatus ?? body.call_status) ?? undefined;
}

/**
 * Reads the body of a successful outcome answer in every form that the interface shows.
 *
 * @param asked the id that was asked for, for a body that does not echo it
 */
export function readOutcome(body: IDataObject, asked: number): Outcome {
  const callDurationSec = numberOf(body.callDurationSec);
  const transcript = readTranscript(body.transcript, callDurationSec);
  const orderNumber = textOf(body.orderNumber);
  const label = textOf(body.callOutcome);
  return {
    orderId: readIdentifier(body.orderId ?? body.order_id) ?? asked,
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
