import { NoLongerScheduled } from '../../../callLog/placing/rowToPlace';
import { dayAt } from '../../../clocks';
import { inWords, RuleClosed, RuleObjection, type Objection } from '../../../rules/rule';
import { CallingServiceError, mayHaveBeenProcessed } from '../../../service/failure';
import { errorMessage, NOBODY_CALLED } from '../../../nodeError';
import { NotBegun } from '../../eachItem';

/** What becomes of a call that was due and is not known to be placed. */
export type Consequence =
  /** It is scheduled again. `at` is in milliseconds since 1970. */
  | { kind: 'later'; at: number; reason: string }
  /** Nobody is called, now or later. */
  | { kind: 'never'; reason: string }
  /** Nobody knows whether it was placed. */
  | { kind: 'maybe' }
  /** Its row is no longer this execution's, and says why when nobody else says more. */
  | { kind: 'gone'; reason: string };

/** What concerns every call alike is tried again so much later. */
const LATER_MS = 5 * 60_000;
/** Nobody waits longer because the service asks for a longer pause. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;
/** What a rule objects to now is asked again so much later at the soonest. */
const SOONEST_MS = 1_000;

const ENDED_BEFORE = `${NOBODY_CALLED}: the execution that was to place this call ended before`;

function ofObjection(objection: Objection, timezone: string, now: number): Consequence {
  const reason = inWords(objection);
  const { nextAllowedAt } = objection;
  if (objection.reason === 'doNotCall' || objection.reason === 'duplicate') {
    return { kind: 'never', reason };
  }
  const at = nextAllowedAt?.getTime() ?? dayAt(now, timezone).end;
  // Not due at once: it would be asked again and again.
  return { kind: 'later', at: Math.max(at, now + SOONEST_MS), reason };
}

/**
 * What follows from a failure to place a due call.
 *
 * @param timezone of the call
 */
export function consequenceOf(failure: unknown, timezone: string, now: number): Consequence {
  if (failure instanceof RuleObjection) return ofObjection(failure.objection, timezone, now);
  if (failure instanceof NoLongerScheduled) return { kind: 'gone', reason: failure.message };
  if (mayHaveBeenProcessed(failure)) return { kind: 'maybe' };
  if (failure instanceof NotBegun) return { kind: 'later', at: now, reason: ENDED_BEFORE };
  const message = errorMessage(failure);
  const reason = message.startsWith(NOBODY_CALLED) ? message : `${NOBODY_CALLED}: ${message}`;
  if (!(failure instanceof CallingServiceError)) {
    return { kind: 'later', at: now + LATER_MS, reason };
  }
  if (failure.concerns === 'oneRequest') return { kind: 'never', reason };
  const { kind, retryAfterSeconds = 0 } = failure;
  if (kind === 'cancelled') return { kind: 'later', at: now, reason };
  const pauseMs = Math.min(LONGEST_PAUSE_MS, retryAfterSeconds * 1000);
  return { kind: 'later', at: now + Math.max(LATER_MS, pauseMs), reason };
}

/** Whether a failure concerns all calls, so that no other is begun after it. */
export function concernsAll(failure: unknown): boolean {
  if (failure instanceof RuleObjection || failure instanceof NoLongerScheduled) return false;
  if (failure instanceof NotBegun || failure instanceof RuleClosed) return false;
  if (!(failure instanceof CallingServiceError)) return true;
  return mayHaveBeenProcessed(failure) || failure.concerns === 'everything';
}
