import {
  newIdPrefix,
  type LoggedRequest,
  type NewCall,
} from '../nodes/OutboundAiCalling/callLog/row';

/** Calls with ids of their own, as one execution gives them. */
export function newCalls(requests: LoggedRequest[]): NewCall[] {
  const idPrefix = newIdPrefix();
  return requests.map((request, index) => ({ callId: `${idPrefix}${index}`, request }));
}
