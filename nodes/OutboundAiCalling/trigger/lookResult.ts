import type { OutcomeReading } from '../service/callingService';
import { CallingServiceError, type FailureKind } from '../service/failure';
import { nextLookAt } from './schedule';
import type { GivenUp, WatchedCall } from './watch/watch';

type Finished = Extract<OutcomeReading, { finished: true }>;

/** What one look at a call has shown. */
export type Verdict =
  | { kind: 'ended'; reading: Finished }
  | { kind: 'givenUp'; givenUp: GivenUp }
  /** `call` is the same call with the time of its next look. */
  | { kind: 'open'; call: WatchedCall }
  | { kind: 'failed'; call: WatchedCall; failure: CallingServiceError }
  /** The look did not take place: the poll's time was over. */
  | { kind: 'notLooked' }
  /** No other look can succeed before a person does something. */
  | { kind: 'hopeless'; failure: CallingServiceError };

/** An order is given up as unknown when the service said so this often and for this long. */
const UNKNOWN_TIMES = 10;
const UNKNOWN_FOR_MS = 15 * 60_000;
/** A service that cannot be asked at all gets so much more time than one that answers. */
const PATIENCE_WITH_FAILURES = 3;

/** What concerns every call alike. An odd answer may concern one call only. */
const HOPELESS = new Set<FailureKind>([
  'keyRefused',
  'invalidAccount',
  'redirected',
  'certificateRefused',
]);

export interface LookOptions {
  /** When the round of the look began, in milliseconds since 1970. */
  lookedAt: number;
  giveUpAfterMs: number;
}

function hours(ms: number): string {
  return `${Math.round((ms / 3_600_000) * 100) / 100} hours`;
}

function tooOld(giveUpAfterMs: number, state: string): Verdict {
  const message = `The outcome did not come within ${hours(giveUpAfterMs)}: ${state}`;
  return { kind: 'givenUp', givenUp: { reason: 'tooOld', message } };
}

/**
 * Judges what a look has given: a reading, or the failure that the service module threw. An order
 * that the service does not know may still appear, so it is given up only after several looks.
 */
export function judge(
  call: WatchedCall,
  result: OutcomeReading | CallingServiceError,
  { lookedAt, giveUpAfterMs }: LookOptions,
): Verdict {
  const age = lookedAt - call.placedAt;
  if (!(result instanceof CallingServiceError)) {
    if (result.finished) return { kind: 'ended', reading: result };
    if (age > giveUpAfterMs) return tooOld(giveUpAfterMs, 'the call is still in progress');
    const known = { ...call, unknown: undefined, lastError: undefined };
    return { kind: 'open', call: lookedAgain(known, lookedAt) };
  }
  if (HOPELESS.has(result.kind)) return { kind: 'hopeless', failure: result };
  if (result.kind === 'cancelled') return { kind: 'notLooked' };
  if (result.kind === 'orderNotFound') {
    const { since, times } = call.unknown ?? { since: lookedAt, times: 0 };
    const unknown = { since, times: times + 1 };
    if (age > giveUpAfterMs) return tooOld(giveUpAfterMs, 'the order is unknown');
    if (unknown.times >= UNKNOWN_TIMES && lookedAt - since >= UNKNOWN_FOR_MS) {
      const message = `The calling service does not know this order; it was asked ${call.looks + 1} times`;
      return { kind: 'givenUp', givenUp: { reason: 'unknownOrder', message } };
    }
    const open = { ...call, unknown, lastError: result.message };
    return { kind: 'open', call: lookedAgain(open, lookedAt) };
  }
  if (age > giveUpAfterMs * PATIENCE_WITH_FAILURES) return tooOld(giveUpAfterMs, result.message);
  const waitMs = (result.retryAfterSeconds ?? 0) * 1000;
  const failed = { ...call, lastError: result.message };
  return { kind: 'failed', call: lookedAgain(failed, lookedAt, waitMs), failure: result };
}

function lookedAgain(call: WatchedCall, lookedAt: number, askedToWaitMs = 0): WatchedCall {
  return {
    ...call,
    looks: call.looks + 1,
    nextLookAt: nextLookAt(call.placedAt, lookedAt, askedToWaitMs),
  };
}
