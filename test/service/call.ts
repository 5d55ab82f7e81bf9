import { drawFrom } from './draw';

export interface Turn {
  speaker: string;
  text: string;
  /** Seconds from the start of the call. */
  atSec: number;
}

/** How a call ends. */
export interface CallEnd {
  status: string;
  label: string;
  /** Length of the conversation in seconds. */
  talkSec: number;
  cost: number;
  summary: string;
  turns: Turn[];
}

/** A call record ("Order"). */
export interface Call {
  orderId: number;
  /** The API key that made it; other keys cannot see it. */
  key: string;
  scriptId: number;
  phone: string;
  orderNumber: string | undefined;
  /** The whole body of the request, or the contact of the campaign. */
  details: Record<string, unknown>;
  campaignId: number | undefined;
  /** Milliseconds of the service's clock. */
  placedAt: number;
  endsAt: number;
  end: CallEnd;
}

/** Labels as the published examples write them, capitals and all. */
const ENDINGS: Array<{ label: string; weight: number; answer: string }> = [
  { label: 'Order confirmed', weight: 45, answer: 'Yes, please send it.' },
  { label: 'Confirmed', weight: 10, answer: 'Yes, that is right.' },
  { label: 'Not Interested', weight: 12, answer: 'No, I do not want it any more.' },
  { label: 'callback_requested', weight: 10, answer: 'I am busy, please call later.' },
  { label: 'Unclear', weight: 6, answer: 'Hm? I cannot hear you well.' },
  { label: 'Insufficient Talk', weight: 5, answer: 'Hello?' },
  { label: 'voicemail', weight: 4, answer: 'Please leave a message after the tone.' },
];
const NOT_REACHED = { label: 'no_answer', weight: 8 };

function conversation(brand: string, answer: string, talkSec: number): Turn[] {
  const lines: Array<[string, string]> = [
    ['system', 'Call connected'],
    ['agent', `Hello, this is ${brand}. I am calling about your order. Shall we deliver it?`],
    ['customer', answer],
    ['agent', 'Thank you, and goodbye.'],
  ];
  return lines.map(([speaker, text], index) => ({
    speaker,
    text,
    atSec: (talkSec * index) / lines.length,
  }));
}

/**
 * Decides how a call goes, from the seed, the number and the reference alone.
 *
 * @param lasts the shortest and the longest time from placing to ending, in seconds
 */
export function decideCall(
  seed: number,
  phone: string,
  details: Record<string, unknown>,
  lasts: { min: number; max: number },
): { seconds: number; end: CallEnd } {
  const draw = drawFrom(seed, phone, String(details.orderNumber ?? ''));
  const seconds = lasts.min + draw() * (lasts.max - lasts.min);
  const total = ENDINGS.reduce((sum, { weight }) => sum + weight, NOT_REACHED.weight);
  let rest = draw() * total;
  const ending = ENDINGS.find(({ weight }) => (rest -= weight) < 0);
  if (ending === undefined) {
    const end = {
      status: 'failed',
      label: NOT_REACHED.label,
      talkSec: 0,
      cost: 0,
      summary: 'Nobody answered the call.',
      turns: [],
    };
    return { seconds, end };
  }
  const talkSec = Math.max(1, Math.round(seconds * 0.7));
  const brand = String(details.brand_name ?? 'your shop');
  return {
    seconds,
    end: {
      status: 'completed',
      label: ending.label,
      talkSec,
      cost: Math.round(talkSec * 1.5) / 100,
      summary: `The customer was asked about the order and said: ${ending.answer}`,
      turns: conversation(brand, ending.answer, talkSec),
    },
  };
}
