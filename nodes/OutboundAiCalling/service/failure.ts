/**
 * What can go wrong between this package and the calling service, in the terms of the service and
 * not of HTTP ("Errors", "Authentication" and "Limits" of its interface). `unknown`: this package
 * does not recognise the words of the refusal. Which answer is which: `answers.ts` by form and status,
 * `refusals.ts` by its words.
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
  | 'listTooLarge'
  | 'serviceFailing'
  | 'otherRecord'
  | 'contactsDiffer'
  | 'answerTooLong'
  | 'unreadableAnswer'
  | 'wrongPathForm'
  | 'unknown'
  | 'cancelled';

/** Whether a failure is about the number or id of one request, or would hit the next one too. */
export type Concern = 'oneRequest' | 'everything';

export interface FailureDetails {
  /** Tells the person who built the workflow what to do. */
  advice: string;
  /** Whether the service may have acted, e.g. placed the call. False only with proof. */
  mayHaveBeenProcessed: boolean;
  /** `everything` when left out. */
  concerns?: Concern;
  /** HTTP status of the answer; undefined without an answer. */
  status?: number;
  /** The placeholders that the service named as missing. */
  missingVariables?: readonly string[];
  /** A campaign that exists although its creation failed, and may run. */
  campaignId?: number;
  /** The service says that it did what was asked, and not to what. */
  isAccepted?: true;
  /** The state of a campaign, as a refusal names it. */
  campaignState?: string;
  /** The pause that the service asked for, in seconds. */
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
  readonly isAccepted: boolean;
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
    this.isAccepted = details.isAccepted === true;
    this.campaignState = details.campaignState;
  }
}

/** Thrown instead of sending a request to the calling service. */
export class NothingSent extends Error {
  /** @param advice tells the person who built the workflow what to do */
  constructor(
    message: string,
    readonly advice = '',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Whether the service may have acted on a request that failed so. No only with proof. */
export function mayHaveBeenProcessed(error: unknown): boolean {
  if (error instanceof CallingServiceError) return error.mayHaveBeenProcessed;
  return !(error instanceof NothingSent);
}
