/**
 * What can go wrong between this package and the calling service, in the terms of the service
 * ("Errors", "Authentication" and "Limits" of its interface) rather than of HTTP. `unknown`: it refused
 * in words that say nothing to this package.
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
  | 'wrongState'
  | 'poolExhausted'
  | 'balanceTooLow'
  | 'stopRefused'
  | 'needsVersionedPaths'
  | 'rateLimited'
  | 'serviceFailing'
  | 'otherRecord'
  | 'contactsMissing'
  | 'answerTooLong'
  | 'unreadableAnswer'
  | 'wrongPathForm'
  | 'unknown'
  | 'cancelled';

/** What a failure is about: the phone, script or id of one request, or whatever comes next as well. */
export type Concern = 'oneRequest' | 'everything';

export interface FailureDetails {
  /** What to do about it, in words for the person who built the workflow. */
  advice: string;
  /**
   * Whether the service may have acted on the request: a call may have been placed, a campaign may
   * exist or run. False only where something proves that it has not.
   */
  mayHaveBeenProcessed: boolean;
  /** `everything` when left out. */
  concerns?: Concern;
  /** HTTP status of the answer, when there was one. */
  status?: number;
  /** The placeholders that the service named as missing. */
  missingVariables?: readonly string[];
  /** A campaign that exists although its creation failed. */
  campaignId?: number;
  /** The state that a campaign is in, by the words of a refusal. */
  campaignState?: string;
  /** Seconds that the service asked to be left alone, when it said so. */
  retryAfterSeconds?: number;
}

/** A request that did not do what it was sent for. Never holds the API key. */
export class CallingServiceError extends Error {
  override readonly name = 'CallingServiceError';
  readonly advice: string;
  readonly mayHaveBeenProcessed: boolean;
  readonly concerns: Concern;
  readonly status: number | undefined;
  readonly missingVariables: readonly string[];
  readonly retryAfterSeconds: number | undefined;
  readonly campaignId: number | undefined;
  readonly campaignState: string | undefined;

  constructor(
    readonly kind: FailureKind,
    message: string,
    details: FailureDetails,
  ) {
    super(message);
    this.advice = details.advice;
    this.mayHaveBeenProcessed = details.mayHaveBeenProcessed;
    this.concerns = details.concerns ?? 'everything';
    this.status = details.status;
    this.missingVariables = details.missingVariables ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.campaignId = details.campaignId;
    this.campaignState = details.campaignState;
  }
}

/** Thrown in place of a request to the calling service: it was not sent. */
export abstract class NothingSent extends Error {}

/**
 * Whether the calling service may have acted on a request that failed with this error. True for every
 * error that does not prove the contrary.
 */
export function mayHaveBeenProcessed(error: unknown): boolean {
  if (error instanceof CallingServiceError) return error.mayHaveBeenProcessed;
  return !(error instanceof NothingSent);
}
