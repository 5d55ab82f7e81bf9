import { randomInt } from 'crypto';

/** n8n keeps numbers below it exactly. */
const MOST = 2 ** 47;

/** A number above 0 by which those who write a log tell each other apart. */
export function drawnNumber(): number {
  return 1 + randomInt(MOST);
}
