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
 * When a call has ended is decided here alone. The service's list of statuses is open:
 *
 * - One that says that the call goes on, or comes again, is no end, whatever else is there.
 * - `failed` and its like are an end by themselves: nobody has talked, so an outcome and a length may
 *   never come.
 * - `completed` and its like are an end once anything is there that is written after a call: an outcome, a
 *   summary, a length or a cost. Before, the outcome would be lost.
 * - Every other status, and none, is an end only with an outcome or a summary: a call that goes on may
 *   have a length and a cost already, for who knows what such a status means.
 *
 * Statuses are compared in letters alone.
 */
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
/** What a longer status says that goes on. */
const WORDS_OF_GOING_ON =
  /progress|queue|schedul|pending|wait|initiat|retry|diall?ing|ringing|connecting|(?<!dis)connected|conversation|transferring|talking|speaking|ongoing|incall|oncall|onhold|processing|again/;
/** After them nothing more is said of a call: nobody was spoken with. */
export const ENDED_WITHOUT_TALK: ReadonlySet<string> = new Set([
  ...['failed', 'failure', 'error', 'noanswer', 'notanswered', 'unanswered', 'missed', 'busy'],
  ...['voicemail', 'rejected', 'declined', 'unreachable', 'cancelled', 'canceled', 'aborted'],
  ...['expired', 'undelivered', 'invalidnumber'],
]);
const ENDED_WITH_TALK = new Set([
  ...['completed', 'complete', 'ended', 'finished', 'done', 'closed', 'success', 'successful'],
  ...['succeeded', 'hangup', 'hungup', 'terminated', 'disconnected'],
]);

/**
 * The status under either of its names, the one that goes on when they differ; undefined when the service gave none. `in_progress` stands
 * for itself in any spelling, because taking a call for ended would lose its outcome.
 */
export function callStatusOf(body: IDataObject): string | undefined {
  const given = statusesOf(body);
  const status = given.find(goesOn) ?? given[0];
  return lettersOf(status) === 'inprogress' ? IN_PROGRESS : status;
}

function statusesOf(body: IDataObject): string[] {
  return [body.callStatus, body.call_status].flatMap((status) => {
    const text = textOf(status);
    return text === null || text.trim() === '' ? [] : [text];
  });
}

function goesOn(status: string): boolean {
  const letters = lettersOf(status);
  if (ENDED_WITHOUT_TALK.has(letters)) return false;
  return GOES_ON.has(letters) || WORDS_OF_GOING_ON.test(letters);
}

function lettersOf(status = ''): string {
  return status.toLowerCase().replace(/[^a-z]/g, '');
}

/** Whether a successful answer is that of a call that has ended, as decided above. */
export function hasEnded(body: IDataObject): boolean {
  const given = callStatusOf(body) ?? '';
  if (goesOn(given)) return false;
  const status = lettersOf(given);
  if (ENDED_WITHOUT_TALK.has(status)) return true;
  const isWritten = [body.callOutcome, body.summary].some((text) => textOf(text)?.trim());
  const measured = [body.callDurationSec, body.totalCallCost].map(numberOf);
  const counts = (value: number | null) => value !== null && (value > 0 || status === 'completed');
  return isWritten || (ENDED_WITH_TALK.has(status) && measured.some(counts));
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
