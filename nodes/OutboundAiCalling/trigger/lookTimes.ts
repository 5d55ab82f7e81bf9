import { HOUR_MS, MINUTE_MS } from '../clocks';
import { LOOK_EVERY_MS } from '../service/outcome';

/** When to look at a call. Pure: every time is milliseconds since 1970, every length milliseconds. */

export const SHORTEST_INTERVAL_MS = LOOK_EVERY_MS;
export const LONGEST_INTERVAL_MS = 15 * MINUTE_MS;
/** From this age on the intervals grow: most calls have ended by then. */
const GROWING_FROM_MS = 2 * MINUTE_MS;
/** The service can ask for a wait of at most this long. Then it is asked again. */
const LONGEST_REST_MS = HOUR_MS;
/** Each interval is this part of the call's age beyond {@link GROWING_FROM_MS}. */
const GROWTH = 1 / 6;

/** How long to wait before the next look at a call of this age. */
export function intervalAt(ageMs: number): number {
  const grown = Math.round((ageMs - GROWING_FROM_MS) * GROWTH);
  return Math.min(LONGEST_INTERVAL_MS, Math.max(SHORTEST_INTERVAL_MS, grown));
}

/**
 * When to look again: not before the time for which the service asked to wait.
 *
 * @param lookedAt when the round of the last look began
 */
export function nextLookAt(placedAt: number, lookedAt: number, askedToWaitMs = 0): number {
  return (
    lookedAt + Math.max(intervalAt(lookedAt - placedAt), Math.min(askedToWaitMs, LONGEST_REST_MS))
  );
}

export interface PollTime {
  /** No look begins after it. */
  lookUntil: number;
  /** Every request has ended by then. */
  endAt: number;
}

/** The part of its budget that a poll uses: n8n abandons a poll that runs longer. */
const USABLE_PART = 0.8;
/** n8n starts a poll every minute at most, and waits for none. One of this length ends just before the next. */
export const LONGEST_POLL_MS = 58_500;
const LAST_REQUEST_MS = 3_000;

/** Divides the time that n8n gives to a poll. */
export function pollTime(startedAt: number, budgetMs: number): PollTime {
  const length = Math.floor(Math.min(budgetMs * USABLE_PART, LONGEST_POLL_MS));
  const lastRequest = Math.floor(Math.min(LAST_REQUEST_MS, length / 4));
  return { lookUntil: startedAt + length - lastRequest, endAt: startedAt + length };
}
