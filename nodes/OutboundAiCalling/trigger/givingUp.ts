import type { CallEnd } from './watch/watch';

/** The end of a call whose outcome nobody waits for any more. */
export function givenUp(message: string): CallEnd {
  return { unavailable: { endReason: 'givenUp', message } };
}
