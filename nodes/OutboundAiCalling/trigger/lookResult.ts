import { HOUR_MS, MINUTE_MS } from '../clocks';
import { LONGEST_AGE_MS } from '../placedCalls';
import type { IDataObject } from 'n8n-workflow';
import type { OutcomeReading } from '../service/callingService';
import { CallingServiceError, type FailureKind } from '../service/failure';
import {
  callStatusOf,
  finalLabelIn,
  goesOn,
  LABEL_COMES_WITHIN_MS,
  mayBeFinal,
  mayGetLabel,
  type Outcome,
} from '../service/outcome';
import { nextLookAt } from './lookTimes';
import { givenUp, type CallEnd, type OpenCall, type Streak } from './watch/watch';

export type LookResult =
  | { kind: 'ended'; end: CallEnd }
  /** `call` has the time of its next look. */
  | { kind: 'open'; call: OpenCall }
  | { kind: 'failed'; call: OpenCall; failure: CallingServiceError }
  /** The look was cancelled: the poll's time was over. */
  | { kind: 'notLooked' };

/** Nobody gives up a call before looks have gone wrong this often in a row, over this time. */
const WRONG_TIMES = 10;
const WRONG_FOR_MS = 15 * MINUTE_MS;
/** A label that may be final counts when looks have found it over this time. */
const UNCLEAR_FOR_MS = 15 * MINUTE_MS;
/** While looks fail, a call is given up only after this multiple of the usual time. */
const PATIENCE_WITH_FAILURES = 3;

/** Failures that affect every call, unless another look succeeds. */
const BLOCKING = new Set<FailureKind>([
  'keyRefused',
  'invalidAccount',
  'redirected',
  'certificateRefused',
]);

/** Whether no look at any call may succeed before a person does something. */
export function isBlocking({ kind }: CallingServiceError): boolean {
  return BLOCKING.has(kind);
}

/** The end of a call for which nobody waits any longer. */
export function tooOld(giveUpAfterMs: number, state: string): CallEnd {
  const hours = Math.round((giveUpAfterMs / HOUR_MS) * 100) / 100;
  return givenUp(`The outcome did not come within ${hours} hours: ${state}`);
}

/**
 * Decides whether a call has ended, goes on, or could not be looked at. An order that the service
 * does not know may still appear, so it is given up only after several looks.
 *
 * @param given the service's reading, or the failure that the service module threw
 * @param lookedAt when the look's round began, in milliseconds since 1970
 */
export function resultOfLook(
  call: OpenCall,
  given: OutcomeReading | CallingServiceError,
  { lookedAt, giveUpAfterMs }: { lookedAt: number; giveUpAfterMs: number },
): LookResult {
  const age = lookedAt - call.placedAt;
  const unlabelled = unlabelledEnd(call, given, lookedAt);
  const isLate = unlabelled !== undefined && lookedAt - unlabelled.since >= LABEL_COMES_WITHIN_MS;
  if (unlabelled !== undefined && (isLate || age > giveUpAfterMs)) {
    return ended({ outcome: unlabelled.end });
  }
  if (!(given instanceof CallingServiceError)) {
    const looked: OpenCall = { ...call, unknown: undefined, failing: undefined, unlabelled };
    if (given.finished) {
      if (unlabelled === undefined) return ended({ outcome: given });
      return { kind: 'open', call: lookedAgain(looked, lookedAt) };
    }
    const { soFar } = given;
    const isUnclear = mayBeFinal(String(soFar?.result.callOutcome));
    const unclearSince = isUnclear ? Math.min(call.unclearSince ?? Infinity, lookedAt) : undefined;
    const isSettled = lookedAt - (unclearSince ?? lookedAt) >= UNCLEAR_FOR_MS;
    if (soFar !== undefined && (age > giveUpAfterMs || isSettled)) return ended({ outcome: soFar });
    const said = soFar === undefined ? saidInsteadOfEnd(given.body) : seemsToCome(soFar.result);
    if (age > giveUpAfterMs)
      return ended(tooOld(giveUpAfterMs, said ?? 'the call is still in progress'));
    const lastError = age > WRONG_FOR_MS && !isUnclear ? said : undefined;
    return { kind: 'open', call: lookedAgain({ ...looked, unclearSince, lastError }, lookedAt) };
  }
  if (given.kind === 'cancelled') return { kind: 'notLooked' };
  if (given.kind === 'orderNotFound') {
    const unknown = longer(call.unknown, lookedAt);
    // After days without looks, a single answer says nothing. A person has edited the time of an older call.
    const isLate = unknown.since > call.placedAt + giveUpAfterMs && age <= LONGEST_AGE_MS;
    if (age > giveUpAfterMs && (!isLate || isLong(unknown, lookedAt)))
      return ended(tooOld(giveUpAfterMs, 'the order is unknown'));
    if (isLong(unknown, lookedAt)) {
      const asked = `it was asked ${call.checks + 1} times`;
      return ended(givenUp(`The calling service does not know this order: ${asked}`));
    }
    const open = { ...call, unknown, failing: undefined, lastError: given.message };
    return { kind: 'open', call: lookedAgain(open, lookedAt) };
  }
  const failing = longer(call.failing, lookedAt);
  // n8n may have been off for long: a single failure says nothing.
  if (age > giveUpAfterMs * PATIENCE_WITH_FAILURES && isLong(failing, lookedAt)) {
    return ended(tooOld(giveUpAfterMs, given.message));
  }
  const waitMs = (given.retryAfterSeconds ?? 0) * 1000;
  const failed = { ...call, failing, lastError: given.message };
  return { kind: 'failed', call: lookedAgain(failed, lookedAt, waitMs), failure: given };
}

/** The end without a label that this look has found, or one before it if this one has failed. */
function unlabelledEnd(
  { unlabelled }: OpenCall,
  given: OutcomeReading | CallingServiceError,
  lookedAt: number,
): OpenCall['unlabelled'] {
  if (given instanceof CallingServiceError) return unlabelled;
  if (!given.finished || !mayGetLabel(given.result)) return undefined;
  return { end: given, since: Math.min(unlabelled?.since ?? Infinity, lookedAt) };
}

const LONGEST_STATUS = 60;

/** What an answer without an end says, unless it says that the call goes on. */
function saidInsteadOfEnd(body: IDataObject): string | undefined {
  const status = callStatusOf(body);
  if (status === undefined) {
    // The refusal that says so has no status either.
    if (body.success === false) return undefined;
    return 'the calling service gives neither a status nor an outcome';
  }
  const says = `the calling service says "${status.slice(0, LONGEST_STATUS)}"`;
  if (!goesOn(status)) return `${says}, and gives no outcome`;
  const label = finalLabelIn(body.callOutcome);
  // Nobody knows whether that is how the call has ended: a person may look.
  return label === null
    ? undefined
    : `${says} together with the outcome "${label.slice(0, LONGEST_STATUS)}"`;
}

function seemsToCome({ callOutcome }: Outcome): string {
  const label = String(callOutcome).slice(0, LONGEST_STATUS);
  return `the outcome "${label}" seems to be still to come: it counts if it stays so until Give Up After`;
}

function longer(
  { since, times }: Streak = { since: Infinity, times: 0 },
  lookedAt: number,
): Streak {
  return { since: Math.min(since, lookedAt), times: times + 1 };
}

function isLong({ since, times }: Streak, lookedAt: number): boolean {
  return times >= WRONG_TIMES && lookedAt - since >= WRONG_FOR_MS;
}

function ended(end: CallEnd): LookResult {
  return { kind: 'ended', end };
}

function lookedAgain(call: OpenCall, lookedAt: number, askedToWaitMs = 0): OpenCall {
  const usual = nextLookAt(call.placedAt, lookedAt, askedToWaitMs);
  const soonMs = Math.max(LABEL_COMES_WITHIN_MS, askedToWaitMs);
  const soon = lookedAt + (call.unlabelled === undefined ? Infinity : soonMs);
  return { ...call, checks: call.checks + 1, nextCheckAt: Math.min(usual, soon) };
}
