import type { Answer } from '../http/exchange';
import { isRecord } from '../http/json';
import type { NetworkFault } from '../http/networkFault';
import type { Repeat } from '../http/retry';
import { isReading, type Purpose } from './purpose';
import { showsSignsOfProcessing } from './signs';

const SURELY_NOT_SENT = new Set<NetworkFault['fault']>(['noConnection', 'untrusted', 'notSent']);
/** Moved elsewhere. A 303 shows the result of what was done. */
const MOVED = new Set([301, 302, 307, 308]);
/**
 * What a server on the way, or another website, answers by itself: nobody is let in, there is
 * nothing here, too much at once. For every other 4xx the service's own words are needed.
 */
const TURNED_AWAY = new Set([401, 403, 404, 405, 407, 410, 411, 413, 414, 415, 429, 431]);

/** A whole page speaks of much; its status is what counts. */
function isPage(body: unknown): boolean {
  return typeof body === 'string' && /^\s*<[!?a-z]/i.test(body);
}

/** Whether an answer says that the request failed, and nothing in it speaks for the opposite. */
function isRefusal({ status, headers, body }: Answer, purpose: Purpose): boolean {
  if (status < 200 || status >= 500 || status === 408) return false;
  const said = isRecord(body) ? body : {};
  if (said.success === true) return false;
  if (!isPage(body) && showsSignsOfProcessing(body, purpose)) return false;
  if (said.success === false) return true;
  return TURNED_AWAY.has(status) || (MOVED.has(status) && headers.location !== undefined);
}

/**
 * Decides, for every request in this package, whether the service may have acted on one that failed.
 * Where nothing tells, it may have: somebody's telephone hangs on this difference.
 *
 * @param result what came instead of a success
 */
export function mayHaveBeenProcessedDespite(
  result: Answer | NetworkFault,
  purpose: Purpose,
): boolean {
  if (isReading(purpose)) return false;
  return 'fault' in result ? !SURELY_NOT_SENT.has(result.fault) : !isRefusal(result, purpose);
}

/**
 * Which failed requests of a purpose are sent again. Idempotent are those that change nothing, and those
 * that end calling: to pause or stop twice is to do it once.
 */
export function repeatOf(purpose: Purpose): Repeat {
  if (isReading(purpose) || purpose === 'pause' || purpose === 'stop') return { idempotent: true };
  return {
    idempotent: false,
    mayHaveBeenProcessed: (answer) => mayHaveBeenProcessedDespite(answer, purpose),
  };
}
