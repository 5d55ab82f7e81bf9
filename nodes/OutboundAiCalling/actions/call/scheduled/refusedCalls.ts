import type { CallLog } from '../../../callLog/callLog';
import { triedAlone, type ReasonToWait } from '../../../callLog/reading/whyPlacingStops';
import { NothingSent } from '../../../service/failure';

/** Each call that the service refuses ends. After so many, and none accepted, the account may be at fault. */
const MOST_REFUSED = 10;
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
 */
export function refusalsIn({ key }: CallLog, timezone: string): ReasonToWait | undefined {
  const { calls = 0, lastAt = 0, lastMessage } = refusedIn.get(key) ?? {};
  if (calls < MOST_REFUSED) return undefined;
  const { at, isTooSoon } = triedAlone(lastAt, calls - MOST_REFUSED + 1, timezone);
  const why = new NothingSent(
    `The calling service refused ${calls} calls and accepted none: ${lastMessage}`,
    `${ADVICE} One call is tried at ${at}.`,
  );
  return { why, isTooSoon };
}
