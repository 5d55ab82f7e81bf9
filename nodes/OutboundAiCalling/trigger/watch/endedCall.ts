import { nextAttemptTime } from '../../callLog/ends/nextAttempt';
import type { OwnStatus } from '../../callLog/states';
import { keyOfEnd } from '../../service/outcome';
import type { CallEnd, EndedCall, EndedCallDetails } from './watch';

/** The name in a retry plan for the end of a call that was given up. */
const GIVEN_UP = 'given_up' satisfies OwnStatus;

/**
 * A call with its end, and with when it is placed again: as its row says, or else as its retry plan
 * makes the call log compute it.
 *
 * @param endedAt milliseconds since 1970
 */
export function endedCall(call: EndedCallDetails, end: CallEnd, endedAt: number): EndedCall {
  const endKey = 'outcome' in end ? keyOfEnd(end.outcome.result) : GIVEN_UP;
  const { attempt = 1, retry } = call;
  const planned = nextAttemptTime({ attempt, retry, endKey, endedAt });
  return { call: { ...call, nextAttemptAt: call.nextAttemptAt ?? planned }, end };
}
