import type { Answer } from '../http/exchange';
import { isAboutRecord, saysFailed, sentenceOf } from './answers';
import { meaningOf } from './refusals';

/**
 * Whether the call goes on. The service says so with a 404 ("Get call outcome", rule 1). What follows
 * these words must be a clause of its own: "or not found" is not.
 */
export function isStillInProgress({ status, body }: Answer): boolean {
  const isCalls =
    /^(?:error: ?)?(?:(?:the|this) )?(?:call|order)?\b[ #:\d]*(?:is )?still in[\s_-]*progress(?=$|[.,;:!]| ?\(| (?:and|please|try|retry|right|now|yet|since|for)\b)/i;
  return saysFailed(body) && isAboutRecord(status) && isCalls.test(sentenceOf(body) ?? '');
}

/**
 * Whether the service itself says that it does not have an order ("Errors"). False when the
 * sentence also mentions the key or the account, because the refusal may be about these.
 */
export function saysOrderNotFound({ status, body }: Answer): boolean {
  if (!saysFailed(body) || ![200, 400, 404].includes(status)) return false;
  const said = sentenceOf(body) ?? '';
  return (
    !/\b(?:key|account|token|credentials?)\b/i.test(said) &&
    meaningOf(said, { purpose: 'outcome', status }).kind === 'orderNotFound'
  );
}
