import type { IDataObject } from 'n8n-workflow';
import { outcomeItem, type EndedCallOutput } from '../actions/call/outcomeItem';
import { nextAttemptAfter } from '../callLog/nextAttempt';
import { isoTime } from '../callLog/cells';
import type { OwnStatus } from '../callLog/states';
import { keyOfEnd } from '../service/outcome';
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
  /** Which attempt at the call has ended, from 1. An order ID alone does not tell. */
  attempt?: number;
  /**
   * When the call is placed again: ISO 8601 in UTC; null when this attempt was the last. An order ID alone
   * does not tell.
   */
  nextAttemptAt?: string | null;
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

/** What a plan of further attempts may name a call's end that was given up. */
const GIVEN_UP = 'given_up' satisfies OwnStatus;

/** When the call is placed again after this attempt, ISO 8601; null when this is the last. */
function nextAttemptAt(call: EndedCallDetails, endKey: string): string | null {
  const { attempt = 1, retry, endedAt = Date.now() } = call;
  const next = nextAttemptAfter({ attempt, retry, endKey, endedAt });
  return next === undefined ? null : isoTime(next.dueAt);
}

function eventFields(
  event: TriggerEvent,
  call: EndedCallDetails,
  endKey: string,
  { watch }: TriggerSettings,
): EventFields {
  return {
    event,
    eventId: `${call.orderId ?? call.callId}-${event}`,
    triggeredAt: isoTime(call.placedAt),
    ...(watch === 'orderIds'
      ? {}
      : { attempt: call.attempt ?? 1, nextAttemptAt: nextAttemptAt(call, endKey) }),
    ...(call.customerPhone === undefined ? {} : { customerPhone: call.customerPhone }),
    ...(call.customerName === undefined ? {} : { customerName: call.customerName }),
  };
}

function isFollowed({ nextAttemptAt }: EventFields): boolean {
  return typeof nextAttemptAt === 'string';
}

function isWanted(list: string[], value: string): boolean {
  return list.length === 0 || list.includes(value);
}

/**
 * The item that a call's end fires.
 *
 * @returns undefined when the person does not want this event, outcome or status
 */
export function firedItem(
  { call, end }: EndedCall,
  settings: TriggerSettings,
): IDataObject | undefined {
  const { events, presentation, outcomeKeys, callStatuses, finalOnly } = settings;
  if ('givenUp' in end) {
    if (!events.includes('outcomeUnavailable')) return undefined;
    const given: GivenUpFields = {
      ...(call.orderId === undefined ? {} : { orderId: call.orderId }),
      ...(call.orderNumber === undefined ? {} : { orderNumber: call.orderNumber }),
      ...end.givenUp,
      checks: call.checks,
      finished: false,
    };
    const fields = eventFields('outcomeUnavailable', call, GIVEN_UP, settings);
    return finalOnly && isFollowed(fields) ? undefined : { ...fields, ...given };
  }
  const { result } = end.outcome;
  const endKey = keyOfEnd(result);
  const isAskedFor =
    events.includes('outcomeAvailable') &&
    isWanted(outcomeKeys, endKey) &&
    isWanted(callStatuses, result.callStatus.toLowerCase());
  if (!isAskedFor) return undefined;
  const fields = eventFields('outcomeAvailable', call, endKey, settings);
  if (finalOnly && isFollowed(fields)) return undefined;
  return {
    ...fields,
    ...outcomeItem(end.outcome, result.orderId, presentation),
  };
}
