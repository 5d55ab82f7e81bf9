import type { CallLog } from '../../../callLog/callLog';
import { HOUR_MS, isoIn, MINUTE_MS } from '../../../clocks';
import { NothingSent } from '../../../service/failure';

/** Each call that the service refuses ends. After so many, and none accepted, the account may be at fault. */
const MOST_REFUSED = 10;
/** Nobody waits longer than this for a call that shows whether the service accepts calls again. */
const LONGEST_PAUSE_MS = HOUR_MS;
const ADVICE =
  'If these numbers are right, look in the dashboard of the calling service for what is wrong with the account, such as its own number. The refused calls have ended; to schedule them again, use another Duplicate Key, this once. All others stay scheduled.';

/** The calls that the service has refused since it last accepted one. */
interface Refused {
  calls: number;
  lastAt: number;
  lastMessage: string;
}

/** By log and account, as far as this process knows. */
const refusedIn = new Map<string, Refused>();

export function noteRefused({ key }: CallLog, lastMessage: string): void {
  const { calls } = refusedIn.get(key) ?? { calls: 0 };
  refusedIn.set(key, { calls: calls + 1, lastAt: Date.now(), lastMessage });
}

export function noteAccepted({ key }: CallLog): void {
  refusedIn.delete(key);
}

/**
 * Finds out whether the service has refused many calls, and accepted none. Then one call is tried alone, and later
 * each time: every call that it refuses is lost.
 *
 * @returns as `doubtsIn`
 */
export function refusalsIn(
  { key }: CallLog,
  timezone: string,
): { why: NothingSent; isTooSoon: boolean } | undefined {
  const { calls = 0, lastAt = 0, lastMessage } = refusedIn.get(key) ?? {};
  if (calls < MOST_REFUSED) return undefined;
  const until = lastAt + Math.min(LONGEST_PAUSE_MS, (calls - MOST_REFUSED + 1) * MINUTE_MS);
  const why = new NothingSent(
    `The calling service refused ${calls} calls and accepted none: ${lastMessage}`,
    `${ADVICE} One call is tried at ${isoIn(until, timezone).slice(11, 16)} (${timezone}).`,
  );
  return { why, isTooSoon: Date.now() < until };
}
