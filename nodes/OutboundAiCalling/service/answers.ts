import type { IDataObject } from 'n8n-workflow';
import { LONGEST_RETRY_AFTER, retryAfterSeconds } from './attempts';
import { CallingServiceError, type FailureDetails, type FailureKind } from './failure';
import type { Answer, NetworkFault } from './transport';

/** What a request was for: decides what a failure may have caused and what its 404 is about. */
export type Purpose =
  'trigger' | 'scriptVariables' | 'outcome' | 'createCampaign' | 'controlCampaign';

/** What to look at before a request that may have been taken is sent again. */
const LOOK_BEFORE_REPEATING: Record<Purpose, string> = {
  trigger:
    'The customer may have been called. Look for the call in the dashboard of the calling service before you trigger it again.',
  createCampaign:
    'The campaign may exist. Look for it in the dashboard of the calling service before you create it again.',
  controlCampaign:
    'The campaign may have changed its state. Look at it in the dashboard of the calling service before you try again.',
  outcome: 'Nothing was changed by asking. Run the node again later.',
  scriptVariables: 'Nobody was called by asking. Try again later.',
};

/** The part of a message that says what may have happened. */
const MAY_HAVE_HAPPENED: Record<Purpose, string> = {
  trigger: ': the call may have been placed',
  createCampaign: ': the campaign may have been created',
  controlCampaign: ': the campaign may have changed',
  outcome: '',
  scriptVariables: '',
};

/** Whether a request may have had its effect when nothing tells; reading has none. */
function takenWhenUntold(purpose: Purpose): 'no' | 'unknown' {
  return purpose === 'outcome' || purpose === 'scriptVariables' ? 'no' : 'unknown';
}

function isRecord(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function failure(kind: FailureKind, message: string, details: FailureDetails) {
  return new CallingServiceError(kind, message, details);
}

/** What a network fault means for a request sent to `host`. */
export function failureOfFault(
  { fault }: NetworkFault,
  purpose: Purpose,
  host: string,
): CallingServiceError {
  const look = LOOK_BEFORE_REPEATING[purpose];
  const maybe = MAY_HAVE_HAPPENED[purpose];
  switch (fault) {
    case 'noConnection':
      return failure('unreachable', `The calling service at ${host} could not be reached`, {
        advice:
          'Nothing was sent. Check the base URL in the credential, and that this n8n can reach that address.',
        taken: 'no',
      });
    case 'untrusted':
      return failure('certificateRefused', `The certificate of ${host} was not accepted`, {
        advice:
          'Nothing was sent. The secure connection could not be made: check the base URL in the credential, and the certificate of the service.',
        taken: 'no',
      });
    case 'timedOut':
      return failure('timedOut', `The calling service at ${host} did not answer in time${maybe}`, {
        advice: `${look} "Request Timeout" in the options sets how long the node waits.`,
        taken: takenWhenUntold(purpose),
      });
    case 'lost':
      return failure(
        'connectionLost',
        `The connection to ${host} broke before the answer came${maybe}`,
        {
          advice: look,
          taken: takenWhenUntold(purpose),
        },
      );
    case 'cancelled':
      return failure(
        'cancelled',
        `The execution was cancelled while a request was under way${maybe}`,
        {
          advice: look,
          taken: takenWhenUntold(purpose),
        },
      );
    case 'notSent':
      return failure('cancelled', 'The execution was cancelled before the request was sent', {
        advice: 'Nothing was sent for this item.',
        taken: 'no',
      });
  }
}

function missingVariablesIn(message: string): string[] | undefined {
  const names = /missing required script variables?\s*:\s*(.+)$/is.exec(message)?.[1];
  return names
    ?.split(',')
    .map((name) => name.trim().replace(/\.$/, ''))
    .filter((name) => name !== '');
}

/** Failures that the service words itself: the rows of the interface's error table. */
function failureOfMessage(
  message: string,
  status: number,
  purpose: Purpose,
  taken: 'no' | 'unknown',
): CallingServiceError {
  const details = { status, taken };
  const missingVariables = missingVariablesIn(message);
  if (missingVariables !== undefined && missingVariables.length > 0) {
    return failure('variablesMissing', `The script needs ${missingVariables.join(', ')}`, {
      ...details,
      missingVariables,
      advice:
        'Fill in these names under "Script Variables". Where no field is shown for a name, add it under "More Variables" in the additional fields.',
    });
  }
  if (/scriptId is required/i.test(message)) {
    return failure('scriptRefused', 'The calling service does not take this script ID', {
      ...details,
      advice:
        'Check "Script ID": it is the whole number that the dashboard of the calling service shows beside the script.',
    });
  }
  if (/customerPhone is required/i.test(message)) {
    return failure('phoneRefused', 'The calling service found no phone number', {
      ...details,
      advice:
        purpose === 'createCampaign'
          ? 'Every contact needs a phone number. Check the phone fields of the contacts, or "Phone Column" for CSV.'
          : 'Check "Customer Phone": it needs the number with its country code, e.g. +12025550123.',
    });
  }
  if (/concurrency|pool/i.test(message) && /exhausted|full/i.test(message)) {
    return failure('poolExhausted', 'All channels of the account are in use by running campaigns', {
      ...details,
      advice:
        'Pause or stop a running campaign, or lower "Max Concurrency" of the active ones, then start this one.',
    });
  }
  const asksForRecord = purpose === 'outcome' || purpose === 'controlCampaign';
  if (status === 404 && !asksForRecord) {
    return failure('notTheService', `The calling service has nothing at this address: ${message}`, {
      ...details,
      advice: 'Check the base URL and "Path Form" in the credential.',
    });
  }
  if (status === 404 || /\b(order|campaign) not found\b/i.test(message)) {
    return purpose === 'controlCampaign'
      ? failure('campaignNotFound', 'The calling service does not know this campaign', {
          ...details,
          advice:
            'Check "Campaign ID", and that the campaign was created with the API key of this credential: other keys cannot see it.',
        })
      : failure('orderNotFound', 'The calling service does not know this order', {
          ...details,
          advice:
            'Check "Order ID": it is the orderId in the output of Trigger. Orders are visible only to the API key that created them.',
        });
  }
  return failure('refused', `The calling service refused: ${message}`, {
    ...details,
    advice: 'Correct what the message names, then run the node again.',
  });
}

function failureOfStatus(
  answer: Answer,
  message: string | undefined,
  purpose: Purpose,
  host: string,
): CallingServiceError | undefined {
  const { status } = answer;
  const details = { status, taken: 'no' as const };
  if (status >= 300 && status < 400) {
    return failure('redirected', `${host} redirects to another address`, {
      ...details,
      advice:
        'Enter the final address of the calling service as the base URL in the credential. Redirects are not followed, because they would carry the API key along.',
    });
  }
  if (status === 401 || status === 403) {
    return failure('keyRefused', 'The calling service refused the API key', {
      ...details,
      advice:
        'Copy the API key again from the dashboard of the calling service into the credential, complete, and check "Header Form".',
    });
  }
  if (status === 429) {
    const seconds = retryAfterSeconds(answer);
    return failure('rateLimited', 'The calling service received too many requests', {
      ...details,
      ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
      advice:
        seconds !== undefined && seconds > LONGEST_RETRY_AFTER
          ? `It asks to be left alone for ${seconds} seconds. Run the node again after that, or lower "Concurrency" in the options.`
          : 'It did so again after several pauses. Lower "Concurrency" in the options, or run the node again later.',
    });
  }
  if (status >= 500 || status === 408) {
    return failure(
      'serviceFailing',
      `The calling service failed (status ${status}${message === undefined ? '' : `: ${message}`})${MAY_HAVE_HAPPENED[purpose]}`,
      { status, taken: takenWhenUntold(purpose), advice: LOOK_BEFORE_REPEATING[purpose] },
    );
  }
  return undefined;
}

/**
 * Takes the body out of a successful answer ("Errors": clients check `success` first).
 *
 * @param host the host that was asked, for messages
 * @returns the body as it came
 * @throws CallingServiceError for everything that is not a success of the calling service
 */
export function bodyOf(answer: Answer, purpose: Purpose, host: string): IDataObject {
  const { status, body } = answer;
  const message =
    isRecord(body) && typeof body.message === 'string' && body.message.trim() !== ''
      ? body.message.trim()
      : undefined;
  const byStatus = failureOfStatus(answer, message, purpose, host);
  if (byStatus !== undefined) throw byStatus;
  if (!isRecord(body) || typeof body.success !== 'boolean') {
    const taken = status < 300 ? takenWhenUntold(purpose) : 'no';
    const maybe = taken === 'unknown' ? MAY_HAVE_HAPPENED[purpose] : '';
    throw failure(
      'notTheService',
      `${host} answered, but not as the calling service does${maybe}`,
      {
        status,
        taken,
        advice:
          'Check the base URL in the credential: another website or another service is at that address.',
      },
    );
  }
  if (!body.success || status >= 400) {
    throw failureOfMessage(message ?? `status ${status}`, status, purpose, 'no');
  }
  return body;
}

/**
 * The state that is answered as a 404 although nothing is wrong ("Get call outcome", rule 1).
 */
export function isStillInProgress({ body }: Answer): boolean {
  return (
    isRecord(body) &&
    body.success === false &&
    typeof body.message === 'string' &&
    /still in progress/i.test(body.message)
  );
}
