import type { IDataObject } from 'n8n-workflow';
import type { Entry } from './idempotencyStore';
import type { Effect } from './request';

export type SetOff = ReturnType<typeof setOffBy>;

/** Calls and campaigns that the tries of an execution have set off so far; `dialling` call people. */
export function setOffBy(entries: Entry[]) {
  const of = (effect: Effect) => entries.filter((entry) => entry.effect === effect);
  const isOpen = ({ done }: Entry) => done === undefined;
  const calls = of('call');
  const starts = of('dialling');
  const campaigns = of('campaign');
  // A campaign that the service made differently than asked may also run.
  const odd = campaigns.filter(({ unknown }) => typeof unknown?.campaignId === 'number');
  const running = campaigns.filter(({ done }) => resultOf(done).started === true);
  return {
    orderIds: calls.flatMap(({ done }) => idIn(resultOf(done).orderId)),
    /** How many more calls may have been placed. */
    maybePlaced: calls.filter(isOpen).length,
    /** How many calls were scheduled, or may have been. */
    scheduled: of('schedule').length,
    dialling: [
      ...new Set([...starts, ...running].flatMap(({ done }) => idIn(resultOf(done).campaignId))),
    ],
    /** How many more campaigns may call people. */
    maybeDialling: starts.filter(isOpen).length + odd.length,
  };
}

/** The order id of a call that was placed. */
export function orderIdIn(done: IDataObject | undefined): number | undefined {
  return idIn(resultOf(done).orderId)[0];
}

/** The id of the campaign that was created. */
export function createdIn({ effect, done }: Entry): number | undefined {
  return effect === 'campaign' ? idIn(resultOf(done).campaignId)[0] : undefined;
}

function resultOf(done: IDataObject | undefined): IDataObject {
  return (done?.result ?? {}) as IDataObject;
}

function idIn(value: unknown): number[] {
  return typeof value === 'number' ? [value] : [];
}
