import type { IDataObject } from 'n8n-workflow';
import { LONGEST_RETRY_AFTER, retryAfterSeconds } from '../http/retry';
import { STATE_AFTER, type CampaignAction } from './campaign';
import { LARGEST_ANSWER_BYTES, type Answer } from '../http/exchange';
import { CallingServiceError, type FailureDetails, type FailureKind } from './failure';
import { readIdentifier } from './identifier';
import type { NetworkFault } from '../http/networkFault';
import { isControl, LOOK_BEFORE_REPEATING, MAY_HAVE_HAPPENED, type Purpose } from './purpose';
import { isRecord } from '../http/json';
import { takenDespite, type Taken } from './taken';

/** A longer message of the service is cut off. */
const LONGEST_MESSAGE = 500;

function failure(kind: FailureKind, message: string, details: FailureDetails) {
  return new CallingServiceError(kind, message, details);
}

/** What a network fault means for a request sent to `host`. */
export function failureOfFault(
  result: NetworkFault,
  purpose: Purpose,
  host: string,
): CallingServiceError {
  const look = LOOK_BEFORE_REPEATING[purpose];
  const maybe = MAY_HAVE_HAPPENED[purpose];
  const taken = takenDespite(result, purpose);
  switch (result.fault) {
    case 'noConnection':
      return failure('unreachable', `The calling service at ${host} could not be reached`, {
        advice:
          'Nothing was sent. Check the base URL in the credential, and that this n8n can reach that address.',
        taken,
      });
    case 'untrusted':
      return failure('certificateRefused', `The certificate of ${host} was not accepted`, {
        advice:
          'Nothing was sent. The secure connection could not be made: check the base URL in the credential, and the certificate of the service.',
        taken,
      });
    case 'timedOut':
      return failure('timedOut', `The calling service at ${host} did not answer in time${maybe}`, {
        advice: `${look} "Request Timeout" in the options sets how long the node waits.`,
        taken,
      });
    case 'lost':
      return failure(
        'connectionLost',
        `The connection to ${host} broke before the answer came${maybe}`,
        {
          advice: `${look} If it breaks each time, check the base URL in the credential: https or http, and the port.`,
          taken,
        },
      );
    case 'tooLong':
      return failure(
        'answerTooLong',
        `The answer of ${host} was longer than ${LARGEST_ANSWER_BYTES / 1024 / 1024} MB${maybe}`,
        {
          advice: `${look} Check the base URL in the credential: the calling service gives short answers.`,
          taken,
        },
      );
    case 'cancelled':
      return failure(
        'cancelled',
        `The execution was cancelled while a request was under way${maybe}`,
        {
          advice: look,
          taken,
        },
      );
    case 'notSent':
      return failure('cancelled', 'The execution was cancelled before the request was sent', {
        advice: 'Nothing was sent for this item.',
        taken,
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
  taken: Taken,
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
  const asksForRecord = purpose === 'outcome' || isControl(purpose);
  if (status === 404 && !asksForRecord) {
    return failure('notTheService', `The calling service has nothing at this address: ${message}`, {
      ...details,
      advice: 'Check the base URL and "Path Form" in the credential.',
    });
  }
  if (status === 404 || /\b(order|campaign) not found\b/i.test(message)) {
    return isControl(purpose)
      ? failure('campaignNotFound', 'The calling service does not know this campaign', {
          ...details,
          advice:
            'Check "Campaign ID", and that the campaign was created with the API key of this credential: other keys cannot see it.',
        })
      : failure('orderNotFound', 'The calling service does not know this order', {
          ...details,
          advice:
            'Check "Order ID": it is the number of the call, as orderId in the output of Call Customer, not the order number of your shop. Calls are visible only to the API key that placed them.',
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
  const taken = takenDespite(answer, purpose);
  const details = { status, taken };
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
      { status, taken, advice: LOOK_BEFORE_REPEATING[purpose] },
    );
  }
  return undefined;
}

/** What the service says in words; undefined when it says nothing. */
function messageOf(body: unknown): string | undefined {
  if (!isRecord(body) || typeof body.message !== 'string') return undefined;
  const message = body.message.trim();
  if (message === '') return undefined;
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
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
  const message = messageOf(body);
  const byStatus = failureOfStatus(answer, message, purpose, host);
  if (byStatus !== undefined) throw byStatus;
  const taken = takenDespite(answer, purpose);
  if (!isRecord(body) || typeof body.success !== 'boolean' || status < 200) {
    throw notTheService(answer, purpose, host);
  }
  if (!body.success || status >= 400) {
    const failed = failureOfMessage(message ?? `status ${status}`, status, purpose, taken);
    throw taken === 'no' ? failed : contradiction(failed, purpose);
  }
  return body;
}

/** Another website, another service, or something between that answers in its place. */
export function notTheService(answer: Answer, purpose: Purpose, host: string): CallingServiceError {
  const taken = takenDespite(answer, purpose);
  const maybe = taken === 'unknown' ? MAY_HAVE_HAPPENED[purpose] : '';
  return failure('notTheService', `${host} answered, but not as the calling service does${maybe}`, {
    status: answer.status,
    taken,
    advice:
      'Check the base URL in the credential: another website or another service is at that address.',
  });
}

/**
 * Whether the service refuses to end what has ended: a pause or stop that is sent again, because
 * nobody knew whether the first was taken, has then done what it is for.
 */
export function isSoAlready(answer: Answer, action: CampaignAction): boolean {
  const { status, body } = answer;
  if (action === 'start' || action === 'resume') return false;
  if (!isRecord(body) || body.success !== false || !isAboutRecord(status)) return false;
  const said = /\b(?:already|is|state|status)\W+(\w+)\W*$/i.exec(messageOf(body) ?? '')?.[1];
  return said?.toLowerCase() === STATE_AFTER[action];
}

/** A refusal that says at the same time that something was done. */
function contradiction(
  { kind, message, status, missingVariables }: CallingServiceError,
  purpose: Purpose,
): CallingServiceError {
  return failure(kind, `${message}${MAY_HAVE_HAPPENED[purpose]}`, {
    advice: `The answer contradicts itself. ${LOOK_BEFORE_REPEATING[purpose]}`,
    taken: 'unknown',
    missingVariables: [...missingVariables],
    ...(status === undefined ? {} : { status }),
  });
}

/** Whether an answer is about a record, not about who asks, how often, or the server itself. */
function isAboutRecord(status: number): boolean {
  return status < 300 || (status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status));
}

/**
 * The failure of an answer that is about another record than the one asked for; undefined when the
 * answer echoes the right id or none.
 *
 * @param asked the order or campaign that the request was about
 */
export function failureOfEcho(
  { status, body }: Answer,
  purpose: Purpose,
  asked: number,
): CallingServiceError | undefined {
  if (!isRecord(body) || !isAboutRecord(status)) return undefined;
  const [what, echoes] = isControl(purpose)
    ? ['campaign', [body.campaign_id, body.campaignId]]
    : ['order', [body.orderId, body.order_id]];
  const isOther = (echo: unknown) =>
    echo !== undefined && echo !== null && readIdentifier(echo) !== asked;
  if (!echoes.some(isOther)) return undefined;
  return failure(
    'otherRecord',
    `The calling service answered about another ${what} than ${asked}${MAY_HAVE_HAPPENED[purpose]}`,
    {
      status,
      taken: isControl(purpose) ? 'unknown' : 'no',
      advice: `${LOOK_BEFORE_REPEATING[purpose]} If it happens again, something between n8n and the calling service mixes up answers, e.g. a cache or a proxy.`,
    },
  );
}

/** The failure of a campaign that holds fewer contacts than were sent: people are missing in it. */
export function contactsMissing(
  campaignId: number,
  { sent, loaded, started }: { sent: number; loaded: number; started: boolean },
): CallingServiceError {
  const state = started ? 'It was started with them.' : 'It was not started.';
  return failure(
    'contactsMissing',
    `Campaign ${campaignId} was created with ${loaded} of ${sent} contacts`,
    {
      campaignId,
      taken: 'unknown',
      advice: `${state} Find out in the dashboard of the calling service who is missing in campaign ${campaignId}; put them into a campaign of their own, and start campaign ${campaignId} with Campaign > Start if it is right as it is. Do not create it again: its contacts would be called twice.`,
    },
  );
}

/** The failure of an answer that could not be worked through for whatever reason. */
export function unreadableAnswer(purpose: Purpose, host: string): CallingServiceError {
  const isReading = purpose === 'outcome' || purpose === 'scriptVariables';
  return failure(
    'unreadableAnswer',
    `The answer of ${host} could not be read${MAY_HAVE_HAPPENED[purpose]}`,
    { advice: LOOK_BEFORE_REPEATING[purpose], taken: isReading ? 'no' : 'unknown' },
  );
}

/**
 * The state that is answered as a 404 although nothing is wrong ("Get call outcome", rule 1).
 */
export function isStillInProgress({ body }: Answer): boolean {
  return (
    isRecord(body) &&
    body.success === false &&
    typeof body.message === 'string' &&
    /still in[\s_-]*progress/i.test(body.message)
  );
}

/**
 * Whether the service itself says that it does not know an order ("Errors"). Addresses in the
 * message do not count: a website that repeats a path with `order` in it is not the service.
 */
export function saysOrderNotFound({ status, body }: Answer): boolean {
  if (!isRecord(body) || body.success !== false || ![200, 400, 404].includes(status)) return false;
  const words = (messageOf(body) ?? '').replace(/\S*\/\S*/g, '');
  return /\border\b/i.test(words) && /\b(not|no|unknown|invalid)\b/i.test(words);
}
