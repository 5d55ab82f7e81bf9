import { LARGEST_ANSWER_BYTES } from '../http/exchange';
import type { NetworkFault } from '../http/networkFault';
import { CallingServiceError, type FailureKind } from './failure';
import { mayHaveBeenProcessedDespite } from './processed';
import { LOOK_BEFORE_REPEATING, MAY_HAVE_HAPPENED, type Purpose } from './purpose';

interface Told {
  kind: FailureKind;
  message: string;
  advice: string;
}

function toldOf(fault: NetworkFault['fault'], purpose: Purpose, host: string): Told {
  const look = LOOK_BEFORE_REPEATING[purpose];
  const maybe = MAY_HAVE_HAPPENED[purpose];
  switch (fault) {
    case 'noConnection':
      return {
        kind: 'unreachable',
        message: `The calling service at ${host} could not be reached`,
        advice:
          'Nothing was sent. Check the base URL in the credential, and that this n8n can reach that address.',
      };
    case 'untrusted':
      return {
        kind: 'certificateRefused',
        message: `The certificate of ${host} was not accepted`,
        advice:
          'Nothing was sent. The secure connection could not be made: check the base URL in the credential, and the certificate of the service.',
      };
    case 'timedOut':
      return {
        kind: 'timedOut',
        message: `The calling service at ${host} did not answer in time${maybe}`,
        advice: `${look} "Request Timeout" in the options sets how long the node waits.`,
      };
    case 'lost':
      return {
        kind: 'connectionLost',
        message: `The connection to ${host} broke before the answer came${maybe}`,
        advice: `${look} If it breaks each time, check the base URL in the credential: https or http, and the port.`,
      };
    case 'tooLong':
      return {
        kind: 'answerTooLong',
        message: `The answer of ${host} was longer than ${LARGEST_ANSWER_BYTES / 1024 / 1024} MB${maybe}`,
        advice: `${look} Check the base URL in the credential: the calling service gives short answers.`,
      };
    case 'cancelled':
      return {
        kind: 'cancelled',
        message: `The execution was cancelled while a request was under way${maybe}`,
        advice: look,
      };
    case 'notSent':
      return {
        kind: 'cancelled',
        message: 'The execution was cancelled before the request was sent',
        advice: 'Nothing was sent for this item.',
      };
  }
}

export function failureOfFault(
  result: NetworkFault,
  purpose: Purpose,
  host: string,
): CallingServiceError {
  const { kind, message, advice } = toldOf(result.fault, purpose, host);
  const mayHaveBeenProcessed = mayHaveBeenProcessedDespite(result, purpose);
  return new CallingServiceError(kind, message, { advice, mayHaveBeenProcessed });
}
