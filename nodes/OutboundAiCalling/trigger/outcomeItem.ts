import type { IDataObject } from 'n8n-workflow';
import { outcomeKey } from '../service/outcome';
import { isoTime } from '../callLog/row';
import type { Verdict } from './lookResult';
import type { WatchedCall } from './watch/watch';
import type { TriggerEvent, TriggerSettings } from './settings';

/** The verdicts after which nothing more is waited for. */
export type FinalVerdict = Extract<Verdict, { kind: 'ended' | 'givenUp' }>;

function eventFields(event: TriggerEvent, call: WatchedCall): IDataObject {
  return {
    event,
    eventId: `${call.orderId}-${event}`,
    triggeredAt: isoTime(call.placedAt),
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
export function eventItem(
  call: WatchedCall,
  verdict: FinalVerdict,
  settings: TriggerSettings,
): IDataObject | undefined {
  const { events, simplify, outcomeKeys, callStatuses } = settings;
  if (verdict.kind === 'givenUp') {
    if (!events.includes('outcomeUnavailable')) return undefined;
    return {
      ...eventFields('outcomeUnavailable', call),
      orderId: call.orderId,
      ...(call.orderNumber === undefined ? {} : { orderNumber: call.orderNumber }),
      reason: verdict.givenUp.reason,
      message: verdict.givenUp.message,
      checks: call.looks + 1,
      finished: false,
    };
  }
  const { result, body } = verdict.reading;
  const key = result.callOutcome === null ? null : outcomeKey(result.callOutcome);
  const isAskedFor =
    events.includes('outcomeAvailable') &&
    isWanted(outcomeKeys, key) &&
    isWanted(callStatuses, result.callStatus.toLowerCase());
  if (!isAskedFor) return undefined;
  const outcome = simplify ? { ...result, finished: true } : body;
  return { ...eventFields('outcomeAvailable', call), ...(outcome as IDataObject) };
}
