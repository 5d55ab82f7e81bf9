import { LARGEST_ANSWER_BYTES } from '../http/exchange';
import type { NetworkFault } from '../http/networkFault';
import { CallingServiceError, type FailureKind } from './failure';
import { mayHaveBeenProcessedDespite } from './processed';
import { LOOK_BEFORE_REPEATING, MAY_HAVE_HAPPENED, type Asked } from './purpose';

/** The failure of a request that got no answer. */
export function failureOfFault(
  result: NetworkFault,
  { purpose, host }: Asked,
): CallingServiceError {
  const look = LOOK_BEFORE_REPEATING[purpose];
  const maybe = MAY_HAVE_HAPPENED[purpose];
  const mayHaveBeenProcessed = mayHaveBeenProcessedDespite(result, purpose);
  const failure = (kind: FailureKind, message: string, advice: string) =>
    new CallingServiceError(kind, message, { advice, mayHaveBeenProcessed });
  switch (result.fault) {
    case 'noConnection':
      return failure(
        'unreachable',
        `The calling service at ${host} could not be reached`,
        'Nothing was sent. Check the base URL in the credential, and that this n8n can reach that address.',
      );
    case 'untrusted':
      return failure(
        'certificateRefused',
        `The certificate of ${host} was not accepted`,
        'Nothing was sent. The secure connection could not be made: check the base URL in the credential, and the certificate of the service.',
      );
    case 'timedOut':
      return failure(
        'timedOut',
        `The calling service at ${host} did not answer in time${maybe}`,
        `${look} "Request Timeout" in the options sets how long the node waits.`,
      );
    case 'lost':
      return failure(
        'connectionLost',
        `The connection to ${host} broke before the answer came${maybe}`,
        `${look} If it breaks each time, check the base URL in the credential: https or http, and the port.`,
      );
    case 'tooLong':
      return failure(
        'answerTooLong',
        `The answer of ${host} was longer than ${LARGEST_ANSWER_BYTES / 1024 / 1024} MB${maybe}`,
        `${look} Check the base URL in the credential: the calling service gives short answers.`,
      );
    case 'cancelled':
      return failure(
        'cancelled',
        `The execution was cancelled while a request was under way${maybe}`,
        look,
      );
    case 'notSent':
      return failure(
        'cancelled',
        'The execution was cancelled before the request was sent',
        'Nothing was sent for this item.',
      );
  }
}
