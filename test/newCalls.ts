import { drawnId } from '../nodes/OutboundAiCalling/callLog/drawnId';
import type { LoggedRequest, NewCall } from '../nodes/OutboundAiCalling/callLog/loggedRequest';

/** Calls with ids of their own, as one execution gives them. */
export function newCalls(requests: LoggedRequest[]): NewCall[] {
  const list = drawnId();
  return requests.map((request, index) => ({ callId: `${list}-${index}`, request }));
}
