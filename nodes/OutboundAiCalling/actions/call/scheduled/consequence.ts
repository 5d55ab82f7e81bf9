import { NoLongerScheduled, type NotPlaced } from '../../../callLog/placing/rowToPlace';
import { HOUR_MS, MINUTE_MS, nextMorning } from '../../../clocks';
import { defined } from '../../../http/json';
import { inWords, isForGood, RuleClosed, RuleObjection, type Objection } from '../../../rules/rule';
import {
  CallingServiceError,
  mayHaveBeenProcessed,
  NothingSent,
  type FailureKind,
} from '../../../service/failure';
import { errorMessage, NOBODY_CALLED } from '../../../nodeError';
import { NotBegun } from '../../stopping';

/** What becomes of a due call after an attempt to place it has failed; with `maybe`, it may have been placed. */
type Consequence = Extract<NotPlaced, { kind: 'later' | 'never' | 'back' }> | { kind: 'maybe' };

/** After a failure that is not about one call alone, the call is due again this much later. */
const LATER_MS = 5 * MINUTE_MS;
/** A call waits at most this long, even when the service asks for a longer pause. */
const LONGEST_PAUSE_MS = HOUR_MS;
const SCRIPT_REFUSED = new Set<FailureKind>(['scriptRefused', 'variablesMissing']);
/** A rule that objects now is asked again this much later at the earliest. */
const SOONEST_MS = 1_000;

function ofObjection(objection: Objection, timezone: string, now: number): Consequence {
  const reason = inWords(objection);
  const { nextAllowedAt } = objection;
  if (objection.reason === 'doNotCall' || objection.reason === 'duplicate') {
    return { kind: 'never', reason };
  }
  const at = nextAllowedAt ?? nextMorning(now, timezone);
  // If the call were due at once, its rules would be asked again and again.
  return { kind: 'later', at: Math.max(at, now + SOONEST_MS), reason };
}

/** Decides what follows when placing a due call has failed. Its schedule goes by `timezone`. */
export function consequenceOf(failure: unknown, timezone: string, now: number): Consequence {
  if (failure instanceof RuleObjection) return ofObjection(failure.objection, timezone, now);
  // Somebody else has the row: the reason stands there only if they say nothing.
  if (failure instanceof NoLongerScheduled) return { kind: 'never', reason: failure.message };
  if (mayHaveBeenProcessed(failure)) return { kind: 'maybe' };
  if (failure instanceof NotBegun) return { kind: 'back' };
  const message = errorMessage(failure);
  const reason = message.startsWith(NOBODY_CALLED) ? message : `${NOBODY_CALLED}: ${message}`;
  if (!(failure instanceof CallingServiceError)) {
    return { kind: 'later', at: now + LATER_MS, reason };
  }
  if (failure.concerns === 'oneRequest') return { kind: 'never', reason };
  if (failure.kind === 'cancelled') return { kind: 'back' };
  return { kind: 'later', at: now + Math.max(LATER_MS, pauseAskedFor(failure)), reason };
}

/** For how long the service asks for no more requests after a failure, in milliseconds; 0 when it asks for no pause. */
export function pauseAskedFor(failure: unknown): number {
  const { retryAfterSeconds = 0 } = failure instanceof CallingServiceError ? failure : {};
  return Math.min(LONGEST_PAUSE_MS, retryAfterSeconds * 1000);
}

/** A failure of one script. Its calls that send what was missing go on, and so do others. */
export function refusalOfScript(failure: unknown): CallingServiceError | undefined {
  if (!(failure instanceof CallingServiceError) || mayHaveBeenProcessed(failure)) return undefined;
  return SCRIPT_REFUSED.has(failure.kind) ? failure : undefined;
}

const FILL_ROWS =
  'The column lastError says which calls lack a value. Write it into their rows: customerName and orderNumber have columns, all others stand in "variables" in the column request. Or cancel these calls, fill in the values where they are scheduled, and schedule these calls alone, this once with another Duplicate Key.';

/** The failure of one script, with advice about what the rows hold: the panel has no fields for it. */
export function failureInRows(
  { kind, message, status }: CallingServiceError,
  scriptId: number,
): CallingServiceError {
  const advice =
    kind === 'variablesMissing'
      ? FILL_ROWS
      : `The column scriptId of the calls that wait has ${scriptId}. If that is right, look for script ${scriptId} in the dashboard of the calling service: it has to be there, in the account of this API key. If not, write the whole number that the dashboard shows for the right script into this column.`;
  const details = { advice, mayHaveBeenProcessed: false, ...defined({ status }) };
  return new CallingServiceError(kind, message, details);
}

const CHANGE_RULES =
  'A row stores the rules of its call. Change them where the calls are scheduled, cancel the calls that wait, and schedule these calls alone, this once with another Duplicate Key.';

/** Why a call waits until somebody mends something, while others go on; undefined for any other failure. */
export function whyHeldUp(failure: unknown): unknown {
  if (failure instanceof RuleClosed) return failure.cause;
  if (!(failure instanceof RuleObjection) || !isForGood(failure.objection)) return undefined;
  const message = `Scheduled calls cannot be placed: ${failure.objection.words}`;
  return new NothingSent(message, CHANGE_RULES);
}

/** Whether a failure concerns all calls: then the run begins no other call. */
export function concernsAll(failure: unknown): boolean {
  if (failure instanceof RuleObjection || failure instanceof NoLongerScheduled) return false;
  if (failure instanceof NotBegun || failure instanceof RuleClosed) return false;
  if (!(failure instanceof CallingServiceError)) return true;
  if (refusalOfScript(failure) !== undefined) return false;
  return mayHaveBeenProcessed(failure) || failure.concerns === 'everything';
}
