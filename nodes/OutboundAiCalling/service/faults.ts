import { LARGEST_ANSWER_BYTES } from '../http/exchange';
import type { NetworkFault } from '../http/networkFault';
import { CallingServiceError } from './failure';
import { mayHaveBeenProcessedDespite } from './processed';
import { LOOK_BEFORE_REPEATING, MAY_HAVE_HAPPENED, type Purpose } from './purpose';

export function failureOfFault(
  result: NetworkFault,
  purpose: Purpose,
  host: string,
): CallingServiceError {
  const look = LOOK_BEFORE_REPEATING[purpose];
  const maybe = MAY_HAVE_HAPPENED[purpose];
  const details = { mayHaveBeenProcessed: mayHaveBeenProcessedDespite(result, purpose) };
  switch (result.fault) {
    case 'noConnection':
      return new CallingServiceError(
        'unreachable',
        `The calling service at ${host} could not be reached`,
        {
          advice:
            'Nothing was sent. Check the base URL in the credential, and that this n8n can reach that address.',
          ...details,
        },
      );
    case 'untrusted':
      return new CallingServiceError(
        'certificateRefused',
        `The certificate of ${host} was not accepted`,
        {
          advice:
            'Nothing was sent. The secure connection could not be made: check the base URL in the credential, and the certificate of the service.',
          ...details,
        },
      );
    case 'timedOut':
      return new CallingServiceError(
        'timedOut',
        `The calling service at ${host} did not answer in time${maybe}`,
        {
          advice: `${look} "Request Timeout" in the options sets how long the node waits.`,
          ...details,
        },
      );
    case 'lost':
      return new CallingServiceError(
        'connectionLost',
        `The connection to ${host} broke before the answer came${maybe}`,
        {
          advice: `${look} If it breaks each time, check the base URL in the credential: https or http, and the port.`,
          ...details,
        },
      );
    case 'tooLong':
      return new CallingServiceError(
        'answerTooLong',
        `The answer of ${host} was longer than ${LARGEST_ANSWER_BYTES / 1024 / 1024} MB${maybe}`,
        {
          advice: `${look} Check the base URL in the credential: the calling service gives short answers.`,
          ...details,
        },
      );
    case 'cancelled':
      return new CallingServiceError(
        'cancelled',
        `The execution was cancelled while a request was under way${maybe}`,
        {
          advice: look,
          ...details,
        },
      );
    case 'notSent':
      return new CallingServiceError(
        'cancelled',
        'The execution was cancelled before the request was sent',
        {
          advice: 'Nothing was sent for this item.',
          ...details,
        },
      );
  }
}
