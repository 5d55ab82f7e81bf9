import type { IDataObject } from 'n8n-workflow';
import { outcomeItem } from '../actions/call/outcomeItem';
import type { TriggerEvent, TriggerSettings } from './settings';
import type { EndedCall, EndedCallDetails } from './watch/watch';

function eventFields(event: TriggerEvent, call: EndedCallDetails): IDataObject {
  return {
    event,
    eventId: `${call.orderId ?? call.callId}-${event}`,
    triggeredAt: new Date(call.placedAt).toISOString(),
    ...(call.customerPhone === undefined ? {} : { customerPhone: call.customerPhone }),
    ...(call.customerName === undefined ? {} : { customerName: call.customerName }),
  };
}

function isWanted(list: string[], value: string | null): boolean {
  return list.length === 0 || (value !== null && list.includes(value));
}

/**
 * The item that a call's end fires.
 *
 * @returns undefined when the person does not want this event, outcome or status
 */
export function firedItem(
  { call, end }: EndedCall,
  { events, simplify, outcomeKeys, callStatuses }: TriggerSettings,
): IDataObject | undefined {
  if ('givenUp' in end) {
    if (!events.includes('outcomeUnavailable')) return undefined;
    return {
      ...eventFields('outcomeUnavailable', call),
      ...(call.orderId === undefined ? {} : { orderId: call.orderId }),
      ...(call.orderNumber === undefined ? {} : { orderNumber: call.orderNumber }),
      ...end.givenUp,
      checks: call.checks,
      finished: false,
    };
  }
  const { result } = end.outcome;
  const isAskedFor =
    events.includes('outcomeAvailable') &&
    isWanted(outcomeKeys, result.outcomeKey) &&
    isWanted(callStatuses, result.callStatus.toLowerCase());
  if (!isAskedFor) return undefined;
  return {
    ...eventFields('outcomeAvailable', call),
    ...outcomeItem(end.outcome, result.orderId, simplify),
  };
}
