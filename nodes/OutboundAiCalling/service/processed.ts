import type { Answer } from '../http/exchange';
import { isRecord } from '../http/json';
import type { NetworkFault } from '../http/networkFault';
import type { Repeat } from '../http/retry';
import { isReading, type Purpose } from './purpose';
import { showsSignsOfProcessing } from './signs';

const SURELY_NOT_SENT = new Set<NetworkFault['fault']>(['noConnection', 'untrusted', 'notSent']);
/** Redirects of a request that was not processed. A 303 leads to the result of one that was. */
const MOVED = new Set([301, 302, 307, 308]);
/** An address with the id of a new call or campaign: a number in the path, or a last name with a digit, as of a UUID. */
const RESULT =
  /[?&](?:\w*_)?id=\w|#\d|\/\d+(?=[/?#]|$)(?!\/(?:start|resume|pause|stop)\b)|(?<!\/)\/(?!v\d+\/?$)[^/?#]*\d[^/?#]*\/?(?:[?#]|$)/;
/**
 * Statuses that prove a refusal, even from a proxy or another website: no access, nothing at this
 * address, too many requests. Any other 4xx proves it only with the service's own `success: false`.
 */
const TURNED_AWAY = new Set([401, 403, 404, 405, 407, 410, 411, 413, 414, 415, 429, 431]);

/** A piece of an answer of success, in a text that is no JSON because it is cut off or stands behind markup. */
const SUCCESS = /["'](?:success["']\s*:\s*true\b|(?:order|call|campaign)_?id["']\s*:\s*["']?\d)/i;

/** Whether a body is markup, as the page of a proxy or another website is. */
export function isWebPage(body: unknown): boolean {
  return typeof body === 'string' && /^\s*<[!?a-z]/i.test(body);
}

/** An address as words: `/?message=Call+started` says something. */
function wordsOf(address: string): string {
  return address.replace(/%[\da-f]{2}|[^\p{L}\d]+/giu, ' ');
}

/** Whether an answer says that the request failed, and nothing in it suggests the opposite. */
function provesRefusal({ status, headers, body }: Answer, purpose: Purpose): boolean {
  const isOther2xx = status > 200 && status < 300;
  if (status < 200 || isOther2xx || status >= 500 || status === 408) return false;
  const said = isRecord(body) ? body : {};
  if (said.success === true || (typeof body === 'string' && SUCCESS.test(body))) return false;
  // Any word may occur in a web page: there the status alone counts.
  if (!isWebPage(body) && showsSignsOfProcessing(body, purpose)) return false;
  if (said.success === false) return true;
  if (TURNED_AWAY.has(status)) return true;
  if (!MOVED.has(status) || headers.location === undefined) return false;
  const location = String(headers.location);
  return !RESULT.test(location) && !showsSignsOfProcessing(wordsOf(location), purpose);
}

/** Whether the service may have acted on a failed request. Without proof it may: a wrong no calls a person twice. */
export function mayHaveBeenProcessedDespite(
  result: Answer | NetworkFault,
  purpose: Purpose,
): boolean {
  if (isReading(purpose)) return false;
  return 'fault' in result ? !SURELY_NOT_SENT.has(result.fault) : !provesRefusal(result, purpose);
}

/** What is sent again: reading, pause and stop are idempotent; a second one changes nothing. */
export function repeatOf(purpose: Purpose): Repeat {
  if (isReading(purpose) || purpose === 'pause' || purpose === 'stop') return { idempotent: true };
  return {
    idempotent: false,
    mayHaveBeenProcessed: (answer) => mayHaveBeenProcessedDespite(answer, purpose),
  };
}
