import { drawFrom } from './draw';
import type { Body } from './reply';

export interface Turn {
  speaker: string;
  text: string;
  /** Seconds from the start of the call, to a tenth. */
  atSec: number;
}

/** How a call goes. */
export interface Outcome {
  /** Service seconds from placing the call to its end. */
  lastsSec: number;
  status: string;
  label: string;
  /** Length of the conversation in seconds. */
  talkSec: number;
  cost: number;
  summary: string;
  turns: Turn[];
}

/** A call that is about to be placed. */
export interface NewCall {
  /** The API key that made it; other keys cannot see it. */
  key: string;
  scriptId: number;
  phone: string;
  orderNumber: string | undefined;
  /** The whole body of the trigger request, or the contact of the campaign. */
  body: Body;
  campaignId: number | undefined;
}

/** A call record ("Order"). */
export interface Call extends NewCall {
  orderId: number;
  /** Milliseconds of the service's clock. */
  placedAt: number;
  endsAt: number;
  outcome: Outcome;
}

/** Labels as the published examples write them, capitals and all. */
const ANSWERED: ReadonlyArray<{ label: string; weight: number; answer: string }> = [
  { label: 'Order confirmed', weight: 45, answer: 'Yes, please send it.' },
  { label: 'Confirmed', weight: 10, answer: 'Yes, that is right.' },
  { label: 'Not Interested', weight: 12, answer: 'No, I do not want it any more.' },
  { label: 'callback_requested', weight: 10, answer: 'I am busy, please call later.' },
  { label: 'Unclear', weight: 6, answer: 'Hm? I cannot hear you well.' },
  { label: 'Insufficient Talk', weight: 5, answer: 'Hello?' },
  { label: 'voicemail', weight: 4, answer: 'Please leave a message after the tone.' },
];
const ANSWERED_WEIGHT = ANSWERED.reduce((sum, { weight }) => sum + weight, 0);
const NOT_ANSWERED_WEIGHT = 8;

const NOT_ANSWERED: Omit<Outcome, 'lastsSec'> = {
  status: 'failed',
  label: 'no_answer',
  talkSec: 0,
  cost: 0,
  summary: 'Nobody answered the call.',
  turns: [],
};

function conversation(body: Body, answer: string, talkSec: number, hasSystem: boolean): Turn[] {
  const brand = String(body.brand_name ?? 'your shop');
  const lines: Array<[string, string]> = [
    ['agent', `Hello, this is ${brand}. I am calling about your order. Shall we deliver it?`],
    ['customer', answer],
    ['agent', 'Thank you, and goodbye.'],
  ];
  if (hasSystem) lines.unshift(['system', 'Call connected']);
  return lines.map(([speaker, text], index) => ({
    speaker,
    text,
    atSec: Math.round((talkSec * index * 10) / lines.length) / 10,
  }));
}

/**
 * Decides how a call goes, from the seed, the number and the reference alone, so that it goes the
 * same way however requests interleave.
 *
 * @param lasts the shortest and the longest time from placing to ending, in service seconds
 * @param forced what is decided already; a forced `status` says whether somebody answers
 */
export function decideOutcome(
  seed: number,
  { phone, orderNumber, body }: NewCall,
  lasts: { min: number; max: number },
  forced: Partial<Outcome> = {},
): Outcome {
  const draw = drawFrom(seed, phone, orderNumber ?? '');
  const lastsSec = forced.lastsSec ?? lasts.min + draw() * (lasts.max - lasts.min);
  const isForced = forced.status !== undefined;
  let rest = draw() * (isForced ? ANSWERED_WEIGHT : ANSWERED_WEIGHT + NOT_ANSWERED_WEIGHT);
  const ending = ANSWERED.find(({ weight }) => (rest -= weight) < 0);
  if (ending === undefined || forced.status === 'failed') {
    return { lastsSec, ...NOT_ANSWERED, ...forced };
  }
  const talkSec = forced.talkSec ?? Math.max(1, Math.round(lastsSec * 0.7));
  return {
    lastsSec,
    status: 'completed',
    label: ending.label,
    talkSec,
    cost: Math.round(talkSec * 1.5) / 100,
    summary: `The customer was asked about the order and said: ${ending.answer}`,
    turns: conversation(body, ending.answer, talkSec, draw() < 0.5),
    ...forced,
  };
}
