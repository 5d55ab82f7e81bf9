import type { CallEnd } from './watch/watch';

/** Nobody waits for the outcome any more. */
export function givenUp(message: string): CallEnd {
  return { unavailable: { endReason: 'givenUp', message } };
}
