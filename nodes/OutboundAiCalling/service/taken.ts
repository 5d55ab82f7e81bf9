import type { Answer } from '../http/exchange';
import { readIdentifier } from './identifier';
import { isRecord } from '../http/json';
import type { NetworkFault } from '../http/networkFault';
import type { Repeat } from '../http/retry';
import type { Purpose } from './purpose';

/**
 * Whether a request may have had its effect: `no` when the service surely did not act on it,
 * `unknown` when it may have. Somebody's telephone hangs on this difference.
 */
export type Taken = 'no' | 'unknown';

const SURELY_NOT_SENT = new Set<NetworkFault['fault']>(['noConnection', 'untrusted', 'notSent']);
/** Moved elsewhere. A 303 shows the result of what was done. */
const MOVED = new Set([301, 302, 307, 308]);
/**
 * What a server on the way, or another website, answers by itself: nobody is let in, there is
 * nothing here, too much at once. For every other 4xx the service's own words are needed.
 */
const TURNED_AWAY = new Set([401, 403, 404, 405, 407, 410, 411, 413, 414, 415, 429, 431]);

/** Whether a failed answer names something that can only exist because it was made. */
function namesWhatWasMade(body: Record<string, unknown>, purpose: Purpose): boolean {
  const ids =
    purpose === 'trigger'
      ? [body.order_id, body.orderId]
      : purpose === 'createCampaign'
        ? [body.campaign_id, body.campaignId]
        : [];
  return ids.some((id) => readIdentifier(id) !== undefined);
}

/**
 * Decides, for every request in this package, whether one that failed may have been acted on. Where
 * nothing tells, it may have.
 *
 * @param result what came instead of a success
 */
export function takenDespite(result: Answer | NetworkFault, purpose: Purpose): Taken {
  if (purpose === 'outcome' || purpose === 'scriptVariables') return 'no';
  if ('fault' in result) return SURELY_NOT_SENT.has(result.fault) ? 'no' : 'unknown';
  return isRefusal(result, purpose) ? 'no' : 'unknown';
}

/** Which failed requests of a purpose are sent again. */
export function repeatOf(purpose: Purpose): Repeat {
  if (purpose === 'outcome' || purpose === 'scriptVariables') return { idempotent: true };
  return {
    idempotent: false,
    mayHaveBeenProcessed: (answer) => takenDespite(answer, purpose) === 'unknown',
  };
}

function isRefusal({ status, headers, body }: Answer, purpose: Purpose): boolean {
  if (status < 200 || status >= 500 || status === 408) return false;
  const said = isRecord(body) ? body : {};
  if (said.success === true || namesWhatWasMade(said, purpose)) return false;
  if (said.success === false) return true;
  return TURNED_AWAY.has(status) || (MOVED.has(status) && headers.location !== undefined);
}
