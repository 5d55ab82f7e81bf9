import type { IDataObject } from 'n8n-workflow';
import { outcomeItem, type EndedCallOutput } from '../outcomeItem';
import { defined } from '../http/json';
import { isoTime } from '../callLog/table/cells';
import { labelOfEnd } from '../service/outcome';
import { namesOutcome } from '../service/outcomeList';
import type { AccountSettings, TriggerEvent } from './settings';
import type { EndedCall, EndedCallDetails, EndReason } from './watch/watch';

/** The first fields of every item. */
interface EventFields {
  event: TriggerEvent;
  /** Stays the same when the same end is handed over again. */
  eventId: string;
  /** When the call was placed: ISO 8601 in UTC; null when nobody was called, or nobody knows. */
  triggeredAt: string | null;
  customerPhone?: string;
  customerName?: string;
  /** Which attempt has ended, from 1. Missing when the trigger watches order ids. */
  attempt?: number;
  /** When the call is placed again: ISO 8601 in UTC; null after the last attempt. Missing as `attempt`. */
  nextAttemptAt?: string | null;
  simulated?: true;
}

interface UnavailableFields {
  orderId?: number;
  orderNumber?: string;
  endReason: EndReason;
  message: string;
  /** How often the service was asked for the outcome. */
  checks: number;
  finished: false;
}

/** An item of the trigger in its simplified form. */
export type FiredItem = (EndedCallOutput | UnavailableFields) & EventFields;

function eventFields(
  event: TriggerEvent,
  call: EndedCallDetails,
  { watch, account }: AccountSettings,
): EventFields {
  const { orderId, callId, placedAt, endedAt, attempt = 1, nextAttemptAt = null } = call;
  // A service that was reset gives an order id again: our own id tells the calls apart.
  const ids = callId === undefined ? [orderId] : [callId, attempt, orderId ?? endedAt];
  // An id of a list says neither when its call was placed nor what follows it.
  const isBareId = watch === 'orderIds';
  const { customerPhone, customerName } = call;
  return {
    event,
    eventId: [account, ...ids, event].filter((part) => part !== undefined).join('-'),
    triggeredAt: isBareId || placedAt === undefined ? null : isoTime(placedAt),
    ...(isBareId ? {} : { attempt, nextAttemptAt }),
    ...defined({ customerPhone, customerName }),
  };
}

/** The item that a call's end fires; undefined when the person does not want it. `watch/openWatch.ts` finds the calls. */
export function firedItem(
  { call, end, lastOutcome }: EndedCall,
  settings: AccountSettings,
): IDataObject | undefined {
  const { events, presentation, outcomeKeys, callStatuses, finalOnly } = settings;
  const { orderId, orderNumber, checks } = call;
  if (finalOnly && typeof call.nextAttemptAt === 'string') return undefined;
  if ('unavailable' in end) {
    if (!events.includes('outcomeUnavailable')) {
      // The outcome was passed over, because another attempt was to follow.
      return finalOnly && lastOutcome ? firedItem(lastOutcome, settings) : undefined;
    }
    const unavailable: UnavailableFields = {
      ...defined({ orderId, orderNumber }),
      ...end.unavailable,
      checks,
      finished: false,
    };
    return { ...eventFields('outcomeUnavailable', call, settings), ...unavailable };
  }
  const { result } = end.outcome;
  const isAskedFor =
    events.includes('outcomeAvailable') &&
    (outcomeKeys.length === 0 || namesOutcome(outcomeKeys, labelOfEnd(result))) &&
    (callStatuses.length === 0 || namesOutcome(callStatuses, result.callStatus));
  if (!isAskedFor) return undefined;
  const own = eventFields('outcomeAvailable', call, settings);
  const item = outcomeItem(end.outcome, result.orderId, presentation, defined({ orderNumber }));
  // Own fields come first, and no field of the service replaces them.
  return { ...own, ...item, ...own };
}
