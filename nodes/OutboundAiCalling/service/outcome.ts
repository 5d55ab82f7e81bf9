import type { IDataObject } from 'n8n-workflow';
import { numberOf, textOf } from '../http/json';
import { isBlank, shortened } from '../values';
import { lettersOf } from '../alike';
import { readTranscript, transcriptText, type Turn } from './transcript';

/** The result of a call that has ended ("Get call outcome"). */
export interface Outcome {
  orderId: number;
  /** Only when the caller supplied one. */
  orderNumber?: string;
  /** `completed`, `failed`, or any other status that the service gives. */
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

/**
 * Writes a label in lower snake case: services differ in capitals, spaces and hyphens. A label of
 * signs alone, such as a check mark, is its own key. So only a blank label has an empty key.
 */
export function outcomeKey(label: string): string {
  // Marks are vowels in some scripts. Without a letter before them they only colour a sign.
  const text = label
    .normalize('NFKC')
    .replace(/(?<![\p{L}\p{M}])\p{M}+/gu, '')
    .trim();
  // A capital `İ` becomes an `i` with a dot above, which nobody types.
  const lower = text.toLowerCase().replaceAll('i\u0307', 'i');
  const words = lower.replace(/[^\p{L}\p{M}\p{N}]+/gu, '_');
  return words.replace(/^_|_$/g, '') || text;
}

/** The words of an end for counting, filtering and retrying: its label, else its status. */
export function labelOfEnd(end: Pick<Outcome, 'callOutcome' | 'callStatus'>): string {
  return [end.callOutcome, end.callStatus].find((words) => words?.trim()) ?? 'Unknown';
}

/** When to look for an outcome, as the interface advises ("Get call outcome", rule 2): after the call was placed, and then. */
export const FIRST_LOOK_AFTER_MS = 15_000;
export const LOOK_EVERY_MS = 5_000;

const IN_PROGRESS = 'in_progress';

/**
 * Only this file decides when a call has ended. The service may use any status:
 *
 * - A status of a call that goes on, or that is tried again, is no end, even with an outcome. Only
 *   whole statuses count: a word of going on is also a part of `not_connected` or `queue_timeout`.
 * - `failed` and similar statuses are always an end: nobody has talked, so an outcome and a length
 *   may never come.
 * - `completed` and similar statuses are an end once the service has written an outcome, a summary,
 *   a length or a cost. An end recorded before that would lose the outcome.
 * - Every other status, and none, is an end only with an outcome, or with a summary and a length or
 *   a cost. One of them alone is no proof: a call that goes on may have it already.
 *
 * A label that only says that the outcome is still to come is none, and no end, until nobody waits
 * any longer: it may be a script's own. One that may also be final, such as `Unclassified`, is none
 * for some minutes. A label that says nothing, such as `null`, counts as no label. Statuses are
 * compared by their letters alone.
 */
const GOES_ON = new Set([
  ...['created', 'accepted', 'placed', 'started', 'starting', 'initiated', 'initiating', 'queued'],
  ...['enqueued', 'inqueue', 'scheduled', 'rescheduled', 'pending', 'waiting', 'calling'],
  ...['dialing', 'dialling', 'redialing', 'redialling', 'ringing', 'alerting', 'early'],
  ...['earlymedia', 'connecting', 'connected', 'pickedup', 'joined', 'bridged', 'inprogress'],
  ...['progress', 'progressing', 'running', 'processing', 'inprocess', 'ongoing', 'active', 'live'],
  ...['incall', 'oncall', 'activecall', 'conversation', 'inconversation', 'talking', 'speaking'],
  ...['transferring', 'hold', 'onhold', 'paused', 'analysing', 'analyzing', 'notended'],
  ...['notfinished', 'notcomplete', 'notcompleted', 'unfinished', 'incomplete', 'notyetended'],
  ...['notyetfinished', 'notyetcompleted', 'retry', 'retrying', 'willretry', 'retryscheduled'],
  ...['scheduledretry', 'scheduledforretry', 'retrypending', 'pendingretry', 'retryqueued'],
  ...['queuedforretry', 'noanswerretry', 'noanswerretrying', 'busyretry', 'busyretrying'],
  ...['failedretrying', 'attempting', 'reattempting', 'tryingagain', 'callagain', 'callingagain'],
]);
/** What a label that says "still to come" may name; `Callback pending` and `Payment pending` are outcomes. */
const ITS =
  '(?:the|its|final|post|ai|call|qa|quality|review|analysis|evaluation|outcome|results?|label|transcript(?:ion)?|summary)*';
/** The beginnings of what a service does to find the label, as `analy` in `analysed` and `analysing`. */
const FIND =
  '(?:analy[sz]|transcrib|evaluat|process|review|assess|classif[iy]|categori[sz]|summari[sz]|generat|calculat|comput|scor|assign|labell?)';
const COME = '(?:available|determined|set)';
/** Labels, in letters alone, of a call whose outcome is still to come. A customer may be awaiting a call. */
const NO_LABEL_YET = new RegExp(
  [
    `^${ITS}(?:is)?(?:still)?(?:pending|(?:awaiting|waitingfor|queued(?:for)?|scheduledfor)(?!.*call$)|inprogress|ongoing|loading|tobedetermined|tb[acd]|(?:in|under)analysis|${FIND}ing|(?:being|tobe)${FIND}ed)${ITS}$`,
    `^${ITS}(?:is)?not(?:yet(?:${COME}|${FIND}ed)|(?:${COME}|${FIND}ed)yet)$|^no${ITS}yet$`,
    '^(?:ausstehend|inbearbeitung|pendiente|pendente|enattente|encours|inattesa|emandamento)$',
  ].join('|'),
);
/** Labels, in letters alone, that may say "not yet", but also that no other label fits, or that a person has to look. */
const MAYBE_NO_LABEL_YET = new RegExp(
  `^${ITS}(?:is)?(?:still)?(?:(?:not|un)${FIND}ed|(?:in|under)review${ITS})$`,
);
/** What programs write for a label that is not there: also dashes, question marks or brackets alone. `NA` may be "no answer". */
const NO_LABEL =
  /^(?:[\p{P}\s<>−]*|["'(<[{]*(?:null|undefined|none|nil|nan|empty|blank|not set|#?n\/a)["')>\]}]*)$/iu;
/** Final statuses of calls in which nobody talked; the service may give no outcome for them. */
export const ENDED_WITHOUT_TALK: ReadonlySet<string> = new Set([
  ...['failed', 'failure', 'error', 'noanswer', 'notanswered', 'unanswered', 'missed', 'busy'],
  ...['voicemail', 'rejected', 'declined', 'unreachable', 'cancelled', 'canceled', 'aborted'],
  ...['expired', 'undelivered', 'invalidnumber'],
]);
const ENDED_WITH_TALK: ReadonlySet<string> = new Set([
  ...['completed', 'complete', 'ended', 'finished', 'done', 'closed', 'success', 'successful'],
  ...['succeeded', 'hangup', 'hungup', 'terminated', 'disconnected'],
]);

/** Answers have two names for it. A status that goes on wins. Every spelling of `in_progress` becomes `in_progress`. */
export function callStatusOf(body: IDataObject): string | undefined {
  const given = statusesOf(body);
  const status = given.find(goesOn) ?? given[0];
  return lettersOf(status ?? '') === 'inprogress' ? IN_PROGRESS : status;
}

function statusesOf(body: IDataObject): string[] {
  return [body.callStatus, body.call_status].flatMap((status) => {
    const text = textOf(status);
    return text === null || text.trim() === '' ? [] : [text];
  });
}

/** The letters of a status, without the word for the call before it. */
function wordOf(status: string): string {
  return lettersOf(status).replace(/^(?:call(?!ing|again)(?:is)?)?(?:still|currently)?/, '');
}

export function goesOn(status: string): boolean {
  return GOES_ON.has(wordOf(status));
}

/** Whether a status says that the call has ended, and nothing against a conversation. */
export function mayHaveTalked(status: string): boolean {
  return ENDED_WITH_TALK.has(wordOf(status));
}

/** A field of an answer that cannot be read; the message says which, in our own words. */
export class UnreadableField extends Error {}

/**
 * Whether a successful answer is about a call that has ended. {@link GOES_ON} has the rules.
 *
 * @param labelOf {@link labelIn} also takes a label that says that the outcome is still to come
 * @throws UnreadableField when a status or the outcome is no text: an end without it would lose it
 */
export function showsEnd(body: IDataObject, labelOf = finalLabelIn): boolean {
  const { callOutcome, summary } = body;
  const texts = [callOutcome, body.callStatus, body.call_status];
  if (texts.some((one) => one !== undefined && one !== null && textOf(one) === null)) {
    throw new UnreadableField('its status or outcome is no text');
  }
  const given = statusesOf(body);
  if (given.some(goesOn)) return false;
  const statuses = given.map(wordOf);
  const says = (ends: ReadonlySet<string>) =>
    statuses.length > 0 && statuses.every((status) => ends.has(status));
  if (says(ENDED_WITHOUT_TALK)) return true;
  if (labelIn(callOutcome) !== null) return labelOf(callOutcome) !== null;
  const isSummed = (textOf(summary)?.trim() ?? '') !== '';
  const measured = [body.callDurationSec, body.totalCallCost].map(measureOf);
  const isMeasured = measured.some(
    (value) => value !== null && (value > 0 || statuses.includes('completed')),
  );
  return says(ENDED_WITH_TALK) ? isSummed || isMeasured : isSummed && isMeasured;
}

/** A length or a cost; null for what is no number, or below 0: services say so that they do not know it. */
export function measureOf(value: unknown): number | null {
  const number = numberOf(value);
  return Number(number) < 0 ? null : number;
}

/** The label in an answer or a cell; null when it gives none. */
export function labelIn(value: unknown): string | null {
  const label = textOf(value)?.trim() ?? '';
  return label === '' || NO_LABEL.test(label) ? null : label;
}

/** As {@link labelIn}; null also when it says, or may say, that the outcome is still to come. */
export function finalLabelIn(value: unknown): string | null {
  const label = labelIn(value);
  return label === null || NO_LABEL_YET.test(lettersOf(label)) || mayBeFinal(label) ? null : label;
}

/** Whether a label that {@link finalLabelIn} leaves out may be final all the same. */
export function mayBeFinal(label: string): boolean {
  return MAYBE_NO_LABEL_YET.test(lettersOf(label));
}

/** How long nobody takes an end for all that comes when the service may still assign a label to it. */
export const LABEL_COMES_WITHIN_MS = 20_000;

/** Whether a call has ended, perhaps with a conversation, and the service has assigned no label to it. */
export function mayGetLabel({ callOutcome, callStatus }: Outcome): boolean {
  return callOutcome === null && !ENDED_WITHOUT_TALK.has(wordOf(callStatus));
}

/** The longest label, status and summary that are kept, in characters: rows with long texts would be too long to read. */
const LONGEST = { label: 200, summary: 10_000 };

/** Reads the body of a successful outcome answer in every form that the interface shows; `labelOf` as {@link showsEnd}. */
export function readOutcome(body: IDataObject, orderId: number, labelOf = finalLabelIn): Outcome {
  const callDurationSec = measureOf(body.callDurationSec);
  const transcript = readTranscript(body.transcript, callDurationSec);
  const orderNumber = textOf(body.orderNumber);
  const said = labelOf(body.callOutcome);
  const label = said === null ? null : shortened(said, LONGEST.label);
  const summary = textOf(body.summary);
  return {
    orderId,
    ...(orderNumber === null ? {} : { orderNumber }),
    callStatus: shortened(callStatusOf(body) ?? 'completed', LONGEST.label),
    callOutcome: label,
    outcomeKey: label === null ? null : outcomeKey(label),
    callDurationSec,
    totalCallCost: measureOf(body.totalCallCost),
    summary: summary === null || isBlank(summary) ? null : shortened(summary, LONGEST.summary),
    transcript,
    transcriptText: transcriptText(transcript),
  };
}
