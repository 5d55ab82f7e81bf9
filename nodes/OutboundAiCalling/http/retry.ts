import { ExponentialBackoff, halfJitterGenerator, type IBackoff } from 'cockatiel';
import type { Answer } from './exchange';
import type { NetworkFault } from './networkFault';
import { pause } from './pause';
import type { BeforeSend, BoundedSend, OutgoingRequest } from './transport';

/**
 * Which failed requests are sent again. An idempotent one: after every failure that may pass,
 * because doing it twice is doing it once. Any other: only when the first try was surely not
 * processed. `service/processed.ts` says which is which.
 */
export type Repeat =
  { idempotent: true } | { idempotent: false; mayHaveBeenProcessed: (answer: Answer) => boolean };

export interface RetryOptions {
  /** The first pause in milliseconds; the following ones double, with jitter. */
  firstPauseMs: number;
  signal?: AbortSignal;
  /** Is called before each try, also the first. When it throws, the tries end. */
  beforeEachTry?: BeforeSend;
  /** Whether a refusal proves what holds now, whatever became of earlier tries. */
  isConclusive?: (answer: Answer) => boolean;
}

/** A request is sent again at most this many times. */
const TRIES_MORE = 3;
/** In seconds. An answer with a longer `Retry-After` is returned without another try. */
export const LONGEST_RETRY_AFTER = 60;

const PASSING_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/** The seconds that `Retry-After` asks to wait, as seconds or a date; undefined without one. */
export function retryAfterSeconds(answer: Answer): number | undefined {
  const value = answer.headers['retry-after'];
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

function worthRepeating(result: Answer | NetworkFault, repeat: Repeat): boolean {
  if ('fault' in result) {
    if (result.fault === 'noConnection') return true;
    return repeat.idempotent && (result.fault === 'timedOut' || result.fault === 'lost');
  }
  if (repeat.idempotent) return PASSING_STATUSES.has(result.status);
  return result.status === 429 && !repeat.mayHaveBeenProcessed(result);
}

/** Whether the request was surely not processed, when this result lets it be sent again. */
function isUnprocessed(result: Answer | NetworkFault): boolean {
  return 'fault' in result ? result.fault === 'noConnection' : result.status === 429;
}

function refuses(result: Answer | NetworkFault): boolean {
  return 'fault' in result ? isUnprocessed(result) : result.status >= 400;
}

/**
 * Sends a request until another try would not change the answer, no try is left, or the execution
 * is cancelled.
 *
 * @returns the last answer or fault of a request that was sent. When it refuses a change that an earlier try may have made,
 * and proves nothing, the answer or fault of that try
 * @throws only what `beforeEachTry` throws. That try sent nothing. Unless the request is
 * idempotent, no earlier try was processed
 */
export async function sendWithRetries(
  send: BoundedSend,
  request: OutgoingRequest,
  repeat: Repeat,
  { firstPauseMs, signal, beforeEachTry, isConclusive }: RetryOptions,
): Promise<Answer | NetworkFault> {
  let backoff: IBackoff<unknown> = new ExponentialBackoff({
    initialDelay: firstPauseMs,
    maxDelay: firstPauseMs * 2 ** TRIES_MORE,
    generator: halfJitterGenerator,
  }).next();
  let doubt: Answer | NetworkFault | undefined;
  let last: Answer | NetworkFault | undefined;
  for (let triesLeft = TRIES_MORE; ; triesLeft--) {
    const result = await send(request, beforeEachTry);
    // Why it has failed is known, and that no time was left for another try says nothing.
    const isUnsent = 'fault' in result && result.fault === 'notSent';
    if (isUnsent && repeat.idempotent && last !== undefined) return last;
    last = result;
    const asked = 'fault' in result ? 0 : (retryAfterSeconds(result) ?? 0);
    if (triesLeft === 0 || asked > LONGEST_RETRY_AFTER || !worthRepeating(result, repeat)) {
      if (doubt === undefined || !refuses(result) || request.method === 'GET') return result;
      return 'status' in result && isConclusive?.(result) === true ? result : doubt;
    }
    if (!isUnprocessed(result)) doubt = result;
    await pause(Math.max(backoff.duration, asked * 1000), signal);
    backoff = backoff.next(undefined);
  }
}
