import { LARGEST_ANSWER_BYTES } from '../http/exchange';
import type { NetworkFault } from '../http/networkFault';
import { CallingServiceError, type FailureKind } from './failure';
import { mayHaveBeenProcessedDespite } from './processed';
import { LOOK_BEFORE_REPEATING, MAY_HAVE_HAPPENED, type Asked } from './purpose';

export function failureOfFault(
  result: NetworkFault,
  { purpose, host, hasOptions }: Asked,
): CallingServiceError {
  const look = LOOK_BEFORE_REPEATING[purpose];
  const maybe = MAY_HAVE_HAPPENED[purpose];
  const mayHaveBeenProcessed = mayHaveBeenProcessedDespite(result, purpose);
  const failures: Record<NetworkFault['fault'], [FailureKind, message: string, advice: string]> = {
    noConnection: [
      'unreachable',
      `The calling service at ${host} could not be reached`,
      'Nothing was sent. Check the base URL in the credential, and that this n8n can reach that address.',
    ],
    untrusted: [
      'certificateRefused',
      `The certificate of ${host} was not accepted`,
      'Nothing was sent. The secure connection could not be made: check the base URL in the credential, and the certificate of the service.',
    ],
    timedOut: [
      'timedOut',
      `The calling service at ${host} did not answer in time${maybe}`,
      hasOptions ? `${look} "Request Timeout" in the options sets how long the node waits.` : look,
    ],
    lost: [
      'connectionLost',
      `The connection to ${host} broke before the answer came${maybe}`,
      `${look} If it breaks each time, check the base URL in the credential: https or http, and the port.`,
    ],
    tooLong: [
      'answerTooLong',
      `The answer of ${host} was longer than ${LARGEST_ANSWER_BYTES / 1024 / 1024} MB${maybe}`,
      `${look} Check the base URL in the credential: the calling service gives short answers.`,
    ],
    cancelled: [
      'cancelled',
      `The execution was cancelled while a request was under way${maybe}`,
      look,
    ],
    notSent: [
      'cancelled',
      'The execution was cancelled before the request was sent',
      'Nothing was sent for this item.',
    ],
  };
  const [kind, message, advice] = failures[result.fault];
  return new CallingServiceError(kind, message, { advice, mayHaveBeenProcessed });
}
