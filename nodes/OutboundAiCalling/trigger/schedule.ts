/**
 * When to look at a call. Pure: every time is milliseconds since 1970, every length milliseconds.
 * The first steps follow the interface's advice ("Get call outcome", rule 2): 15 seconds after the
 * call was placed, then every 5.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The shortest time between two looks at the same call. */
export const SHORTEST_INTERVAL_MS = 5 * SECOND;
/** The longest time between two looks at the same call. */
export const LONGEST_INTERVAL_MS = 15 * MINUTE;
/** Most calls have ended by then; from here on the intervals grow. */
const GROWING_FROM_MS = 2 * MINUTE;
/** A service that asks to be left alone for longer is asked again after this time. */
const LONGEST_REST_MS = 60 * MINUTE;
/** An interval is this part of the time by which a call is older than that. */
const GROWTH = 1 / 6;

/** How long to wait before the next look at a call of this age. */
export function intervalAt(ageMs: number): number {
  const grown = Math.round((ageMs - GROWING_FROM_MS) * GROWTH);
  return Math.min(LONGEST_INTERVAL_MS, Math.max(SHORTEST_INTERVAL_MS, grown));
}

/** When to look for the first time. */
export function firstLookAt(placedAt: number, firstCheckAfterMs: number): number {
  return placedAt + Math.max(0, firstCheckAfterMs);
}

/**
 * When to look again.
 *
 * @param lookedAt when the round of the last look began
 * @param askedToWaitMs how long the service asked to be left alone
 */
export function nextLookAt(placedAt: number, lookedAt: number, askedToWaitMs = 0): number {
  return (
    lookedAt + Math.max(intervalAt(lookedAt - placedAt), Math.min(askedToWaitMs, LONGEST_REST_MS))
  );
}

/** How a poll spends its time. */
export interface PollTime {
  /** No look begins after it. */
  lookUntil: number;
  /** Every request has ended by then. */
  endAt: number;
}

/** A part of the budget stays unused: n8n abandons a poll that runs longer. */
const USABLE_PART = 0.8;
/** Polls come every minute at most, and n8n does not wait for the last one: it ends just before the next. */
export const LONGEST_POLL_MS = 58.5 * SECOND;
/** What is left for the last request of a poll. */
const LAST_REQUEST_MS = 3 * SECOND;

/** Divides the time that n8n gives to a poll. */
export function pollTime(startedAt: number, budgetMs: number): PollTime {
  const length = Math.floor(Math.min(budgetMs * USABLE_PART, LONGEST_POLL_MS));
  const lastRequest = Math.floor(Math.min(LAST_REQUEST_MS, length / 4));
  return { lookUntil: startedAt + length - lastRequest, endAt: startedAt + length };
}
