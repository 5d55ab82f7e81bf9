import type { IDataObject } from 'n8n-workflow';
import { outcomeItem, type EndedCallOutput } from '../actions/call/outcomeItem';
import type { TriggerEvent, TriggerSettings } from './settings';
import type { EndedCall, EndedCallDetails, GiveUpReason } from './watch/watch';

/** What every item of the trigger begins with. */
export interface EventFields {
  event: TriggerEvent;
  /** The same for the same end of the same call. */
  eventId: string;
  /** When the call was placed: ISO 8601 in UTC. */
  triggeredAt: string;
  customerPhone?: string;
  customerName?: string;
}

/** A call that is no longer waited for. */
export interface GivenUpFields {
  orderId?: number;
  orderNumber?: string;
  reason: GiveUpReason;
  message: string;
  /** How often the service was asked for the outcome. */
  checks: number;
  finished: false;
}

/** An item of the trigger, in its tidy form. */
export type FiredItem = (EndedCallOutput | GivenUpFields) & EventFields;

function eventFields(event: TriggerEvent, call: EndedCallDetails): EventFields {
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
    const given: GivenUpFields = {
      ...(call.orderId === undefined ? {} : { orderId: call.orderId }),
      ...(call.orderNumber === undefined ? {} : { orderNumber: call.orderNumber }),
      ...end.givenUp,
      checks: call.checks,
      finished: false,
    };
    return { ...eventFields('outcomeUnavailable', call), ...given };
  }
  const { result } = end.outcome;
  const isAskedFor =
    events.includes('outcomeAvailable') &&
    isWanted(outcomeKeys, result.outcomeKey) &&
    isWanted(callStatuses, result.callStatus.toLowerCase());
  if (!isAskedFor) return undefined;
  return {
    ...eventFields('outcomeAvailable', call),
    ...outcomeItem(end.outcome, result.orderId, { form: simplify ? 'simplified' : 'raw' }),
  };
}
