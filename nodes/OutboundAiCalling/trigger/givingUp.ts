import type { CallEnd, GiveUpReason } from './watch/watch';

/** What a message about a call that is given up begins with, also in a call log. */
const BEGINNINGS: Record<GiveUpReason, string> = {
  tooOld: 'The outcome did not come',
  unknownOrder: 'The calling service does not know this order:',
  invalidRow: 'The row cannot be read:',
};

/** @param details what the message says after its beginning */
export function givenUp(reason: GiveUpReason, details: string): CallEnd {
  return { givenUp: { reason, message: `${BEGINNINGS[reason]} ${details}` } };
}

/** Reads a message that {@link givenUp} has made. */
export function readGivenUp(message: string): CallEnd {
  const reasons = Object.keys(BEGINNINGS) as GiveUpReason[];
  const reason = reasons.find((candidate) => message.startsWith(BEGINNINGS[candidate]));
  return { givenUp: { reason: reason ?? 'tooOld', message } };
}
