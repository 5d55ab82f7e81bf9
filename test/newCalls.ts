import type { CallLog } from '../nodes/OutboundAiCalling/callLog/callLog';
import { drawnId } from '../nodes/OutboundAiCalling/callLog/drawnId';
import type { LoggedRequest, NewCall } from '../nodes/OutboundAiCalling/callLog/loggedRequest';
import { Scheduling } from '../nodes/OutboundAiCalling/callLog/scheduling';

/** Calls with ids of their own, as one execution gives them. */
export function newCalls(requests: LoggedRequest[]): NewCall[] {
  const list = drawnId();
  return requests.map((request, index) => ({ callId: `${list}-${index}`, request }));
}

/**
 * Writes calls into a log that are due at a time, or one millisecond after the other.
 *
 * @returns their ids
 */
export async function scheduleInto(
  log: CallLog,
  requests: LoggedRequest[],
  at: number,
): Promise<string[]> {
  const calls = newCalls(requests);
  const list = await Scheduling.writeAhead(
    log,
    calls.map((call) => ({ call, at })),
  );
  await list.settle(calls.map(() => 'scheduled'));
  return calls.map(({ callId }) => callId);
}
