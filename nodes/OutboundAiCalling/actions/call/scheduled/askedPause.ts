import type { CallLog } from '../../../callLog/callLog';
import { triedAlone, type ReasonToWait } from '../../../callLog/reading/whyPlacingStops';
import { MINUTE_MS } from '../../../clocks';
import { NothingSent } from '../../../service/failure';

/** A pause that the service has asked for. */
interface Pause {
  /** By `performance.now()`: nobody can set that clock. */
  endsAt: number;
  message: string;
}

/** By log and account, as far as this process knows. */
const pauses = new Map<string, Pause>();

/** @param forMs milliseconds from now on; a pause that ends later still holds */
export function notePause({ key }: CallLog, forMs: number, message: string): void {
  const endsAt = performance.now() + forMs;
  if (endsAt > Math.max(performance.now(), pauses.get(key)?.endsAt ?? 0)) {
    pauses.set(key, { endsAt, message });
  }
}

/** While the service wants no more calls: why nobody is called yet. */
export function pauseIn({ key }: CallLog, timezone: string): ReasonToWait | undefined {
  const { endsAt = 0, message = '' } = pauses.get(key) ?? {};
  const leftMs = endsAt - performance.now();
  if (leftMs <= 0) return undefined;
  const { at } = triedAlone(Date.now(), leftMs / MINUTE_MS, timezone);
  const advice = `It asks for a pause. Calls that are due wait until ${at}.`;
  return { why: new NothingSent(message, advice), isTooSoon: true };
}
