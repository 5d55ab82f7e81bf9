import type { Taken } from './taken';

/**
 * What can go wrong between this package and the calling service, in the terms of the service
 * ("Errors", "Authentication" and "Limits" of its interface) rather than of HTTP.
 */
export type FailureKind =
  | 'invalidAccount'
  | 'keyRefused'
  | 'unreachable'
  | 'certificateRefused'
  | 'timedOut'
  | 'connectionLost'
  | 'redirected'
  | 'notTheService'
  | 'scriptRefused'
  | 'phoneRefused'
  | 'variablesMissing'
  | 'stillInProgress'
  | 'orderNotFound'
  | 'campaignNotFound'
  | 'poolExhausted'
  | 'stopRefused'
  | 'needsVersionedPaths'
  | 'rateLimited'
  | 'serviceFailing'
  | 'otherRecord'
  | 'contactsMissing'
  | 'answerTooLong'
  | 'unreadableAnswer'
  | 'wrongPathForm'
  | 'refused'
  | 'cancelled';

export interface FailureDetails {
  /** What to do about it, in words for the person who built the workflow. */
  advice: string;
  /** Whether the request may have had its effect. */
  taken: Taken;
  /** HTTP status of the answer, when there was one. */
  status?: number;
  /** The placeholders that the service named as missing. */
  missingVariables?: string[];
  /** A campaign that exists although its creation failed. */
  campaignId?: number;
  /** Seconds that the service asked to be left alone, when it said so. */
  retryAfterSeconds?: number;
}

/** A request that did not do what it was sent for. Never holds the API key. */
export class CallingServiceError extends Error {
  override readonly name = 'CallingServiceError';
  readonly advice: string;
  readonly taken: Taken;
  readonly status: number | undefined;
  readonly missingVariables: readonly string[];
  readonly retryAfterSeconds: number | undefined;
  readonly campaignId: number | undefined;

  constructor(
    readonly kind: FailureKind,
    message: string,
    details: FailureDetails,
  ) {
    super(message);
    this.advice = details.advice;
    this.taken = details.taken;
    this.status = details.status;
    this.missingVariables = details.missingVariables ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.campaignId = details.campaignId;
  }
}

/**
 * Whether a request that failed may have had its effect: a call may have been placed, a campaign
 * may exist or run. True for everything that is not known to have had none.
 */
export function mayHaveHappened(error: unknown): boolean {
  return !(error instanceof Error && 'taken' in error && error.taken === 'no');
}
