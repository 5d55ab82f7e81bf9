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

/** Statuses in letters alone. The service's list is open, so these are too. */
const GOES_ON = new Set([
  ...['inprogress', 'inqueue', 'queued', 'enqueued', 'scheduled', 'pending', 'waiting', 'created'],
  ...[
    'initiated',
    'initiating',
    'accepted',
    'placed',
    'starting',
    'started',
    'retrying',
    'running',
  ],
  ...['dialing', 'dialling', 'calling', 'connecting', 'ringing', 'alerting', 'early', 'earlymedia'],
  ...['incall', 'oncall', 'onhold', 'ongoing', 'active', 'live', 'talking', 'speaking'],
  ...['processing', 'analysing', 'analyzing'],
]);
/** After them nothing more is said of a call: nobody was spoken with. */
const ENDED_WITHOUT_TALK = new Set([
  ...['failed', 'failure', 'error', 'noanswer', 'notanswered', 'unanswered', 'missed', 'busy'],
  ...['voicemail', 'rejected', 'declined', 'unreachable', 'cancelled', 'canceled', 'aborted'],
  ...['expired', 'undelivered', 'invalidnumber'],
]);

/**
 * The status under either of its names; undefined when the service gave none. `in_progress` stands
 * for itself in any spelling, because taking a call for ended would lose its outcome.
 */
export function callStatusOf(body: IDataObject): string | undefined {
  const status = textOf(body.callStatus ?? body.call_status) ?? undefined;
  return lettersOf(status) === 'inprogress' ? IN_PROGRESS : status;
}

function lettersOf(status = ''): string {
  return status.toLowerCase().replace(/[^a-z]/g, '');
}

/**
 * Whether a successful answer is that of a call that has ended. A status that says that the call goes on
 * is none, whatever else is there. `failed` and its like are an end by themselves: nobody has talked, so
 * an outcome and a length may never come. After every other status, also `completed`, only what is
 * written after a call shows its end: an outcome, a summary, a length or a cost; before, the outcome
 * would be lost.
 */
export function hasEnded(body: IDataObject): boolean {
  const status = lettersOf(callStatusOf(body));
  if (GOES_ON.has(status)) return false;
  if (ENDED_WITHOUT_TALK.has(status)) return true;
  const isWritten = [body.callOutcome, body.summary].some((text) => textOf(text)?.trim());
  const measured = [body.callDurationSec, body.totalCallCost].map(numberOf);
  const counts = (value: number | null) => value !== null && (value > 0 || status === 'completed');
  return isWritten || measured.some(counts);
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
  const label = textOf(body.callOutcome)?.trim() || null;
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
